"""Whether a cited number lies inside its mark: questions about rows of tables in real PDFs, answered without a model.

usage: python tests/benchmarks/table_marks.py [--pdfs FOLDER] [--questions N] [--library FOLDER] [--seed N] [--missed]

The rows are found by MuPDF alone, independently of the program's parser: a line of a page that begins with at least two
words and goes on with at least two numbers, and whose words occur in no other such line of the document. Each question
names the words and the document. Counted are the answers with a number of the row, those that cite the row, at all and
first, and of these citations those whose mark on the page contains the row's numbers, where MuPDF sees them, and those
whose mark ends within two lines of the row. LIBRARY is reused if it exists.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import workbench
from workbench import operations
from workbench.worker.job import JobContext

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from table_rows import Box, TableRow, chosen_rows

PDFS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "real" / "filings" / "pdfs"


def _is_near(marks: tuple[Box, ...], row: TableRow) -> bool:
    """Return whether the marks reach at most two lines beyond the row, above and below."""
    height = row.boxes[0][3] - row.boxes[0][1]
    top, bottom = min(box[1] for box in row.boxes), max(box[3] for box in row.boxes)
    return all(y0 >= top - 3 * height and y1 <= bottom + 3 * height for _, y0, _, y1 in marks)


async def measure(folder: Path, rows: list[TableRow], *, missed: bool) -> dict[str, int]:
    """Ask the questions and count."""
    counts: dict[str, int] = defaultdict(int)
    async with workbench.open_library_async(folder) as library:
        opened = library._opened
        for row in rows:
            run = await library.ask(row.question, profile="offline")
            cited = [one for one in run.citations if one.valid]
            found = [one for one in cited if row.is_quoted(one.document_name, one.page, one.quote)]
            counts["questions"] += 1
            counts["answers with a number of the row"] += any(number in run.answer for number in row.numbers)
            counts["answers that cite the row"] += bool(found)
            counts["answers whose first citation is the row"] += bool(found) and found[0] == cited[0]
            for one in found[:1]:
                assert one.document is not None
                assert one.page is not None
                find_marks = operations.page_marks(opened, one.document, one.page, ((one.start, one.end),))
                marks = await find_marks(JobContext())
                inside = row.is_marked(marks)
                counts["rows cited with all their numbers inside the mark"] += inside
                counts["rows cited whose mark is the row"] += inside and _is_near(marks, row)
            if missed and not found:
                print(f"- {row.label!r}, {row.document} p. {row.page}: {run.answer[:300]!r}", file=sys.stderr)
    return counts


def main() -> None:
    """Read the options, add the documents, ask, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pdfs", type=Path, default=PDFS)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="print the rows that were not cited")
    options = parser.parse_args()
    pdfs = sorted(options.pdfs.glob("*.pdf"))
    rows = chosen_rows(pdfs, options.questions, options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.library or Path(temporary) / "library"
        if not folder.exists():
            with workbench.open_library(folder) as library:
                library.add(options.pdfs, include=["*.pdf"])
        counts = asyncio.run(measure(folder, rows, missed=options.missed))
    print("| | |\n|---|---|")
    for name, count in counts.items():
        print(f"| {name} | {count} |")


if __name__ == "__main__":
    main()
