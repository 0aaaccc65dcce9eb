"""Questions while documents are read: how often “nothing found” is said although something is unread. It must be never.

usage: python tests/benchmarks/asking_while_reading.py [--set FOLDER]

The documents of FOLDER/pdfs are added to a new library, and meanwhile the questions of FOLDER/questions.jsonl are asked
again and again, without a model. Counted are the certainties of the answers, by whether a document was without any text
when the question was asked and when it was answered; and the time of an answer.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

import workbench
from workbench.model.document import DocumentStatus
from workbench.model.run import Certainty

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "real" / "reports"
_UNREAD = (DocumentStatus.QUEUED, DocumentStatus.PARSING)


Counts = Counter[tuple[bool, Certainty]]
"""Number of answers by whether something was unread, and by certainty."""


async def measure(folder: Path, pdfs: Path, questions: list[str]) -> tuple[Counts, list[float]]:
    """Ask until everything is read; return the counts and the seconds of each answer."""
    counts: Counts = Counter()
    seconds: list[float] = []

    async with workbench.open_library_async(folder) as library:
        adding = asyncio.create_task(library.add(pdfs, include=["*.pdf"]))

        async def is_unread() -> bool:
            found = await library.documents()
            return not found or any(one.status in _UNREAD or not one.chunks for one in found)

        while not adding.done():
            for question in questions:
                before = await is_unread()
                begun = time.monotonic()
                run = await library.ask(question, profile="offline")
                seconds.append(time.monotonic() - begun)
                counts[before and await is_unread(), run.certainty] += 1
                if adding.done():
                    break
        await adding
    return counts, seconds


def main() -> None:
    """Read the options, measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", type=Path, default=DATA)
    options = parser.parse_args()
    lines = (options.set / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        counts, seconds = asyncio.run(measure(Path(folder) / "library", options.set / "pdfs", questions))
    print("| while | " + " | ".join(Certainty) + " |\n|---|" + "---|" * len(Certainty))
    for unread, title in ((True, "text is unread"), (False, "all text is read")):
        print(f"| {title} | " + " | ".join(str(counts[unread, one]) for one in Certainty) + " |")
    print(f"\n{len(seconds)} answers, {statistics.median(seconds):.2f} s each (median)")


if __name__ == "__main__":
    main()
