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
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

import workbench
from workbench import operations
from workbench.model.hit import Citation
from workbench.worker.job import JobContext

PDFS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "real" / "filings" / "pdfs"
_NUMBER = re.compile(r"\(?\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?|\(?\$?\d+\.\d+\)?%?")
_MOST_LABEL_WORDS = 8

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a table as MuPDF sees it.

    Attributes:
        document: File name.
        page: 1-based.
        label: The words at its beginning.
        numbers: Its numbers, without brackets and currency.
        boxes: Where each of them stands on the page, in points.
    """

    document: str
    page: int
    label: str
    numbers: tuple[str, ...]
    boxes: tuple[Box, ...]


def table_rows(pdf: Path) -> Iterator[TableRow]:
    """Yield the rows of a PDF's tables."""
    with pymupdf.open(pdf) as document:
        for page in document:
            lines: defaultdict[int, list[tuple[float, ...]]] = defaultdict(list)
            for word in page.get_text("words"):
                lines[round((word[1] + word[3]) / 2 / 3)].append(word)
            for line in lines.values():
                if row := _row(pdf.name, page.number + 1, sorted(line)):
                    yield row


def _row(document: str, page: int, words: list[tuple[float, ...]]) -> TableRow | None:
    texts = [str(word[4]) for word in words]
    first = next((at for at, text in enumerate(texts) if _NUMBER.fullmatch(text)), len(texts))
    label = [text for text in texts[:first] if text != "$"]
    numbers = [at for at in range(first, len(texts)) if _NUMBER.fullmatch(texts[at])]
    rest = [text for text in texts[first:] if not _NUMBER.fullmatch(text) and not re.fullmatch(r"[$%)(—–-]+", text)]
    is_label = 2 <= len(label) <= _MOST_LABEL_WORDS and all(re.match(r"[A-Za-z&(]", text) for text in label)
    if not is_label or len(numbers) < 2 or rest:
        return None
    bare = tuple(texts[at].strip("$()%") for at in numbers)
    return TableRow(document, page, " ".join(label), bare, tuple(words[at][:4] for at in numbers))


def chosen_rows(pdfs: list[Path], count: int, seed: int) -> list[TableRow]:
    """Return rows at random, as many of each document, whose label occurs once in their document."""
    drawn: list[TableRow] = []
    chance = random.Random(seed)
    each = -(-count // len(pdfs))
    for pdf in pdfs:
        rows = list(table_rows(pdf))
        often = Counter(row.label for row in rows)
        drawn += chance.sample(once, min(each, len(once))) if (once := [r for r in rows if often[r.label] == 1]) else []
    return chance.sample(drawn, min(count, len(drawn)))


def _holds(marks: tuple[Box, ...], box: Box) -> bool:
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 - 1 <= middle[0] <= x1 + 1 and y0 - 1 <= middle[1] <= y1 + 1 for x0, y0, x1, y1 in marks)


def _is_near(marks: tuple[Box, ...], row: TableRow) -> bool:
    """Return whether the marks reach at most two lines beyond the row, above and below."""
    height = row.boxes[0][3] - row.boxes[0][1]
    top, bottom = min(box[1] for box in row.boxes), max(box[3] for box in row.boxes)
    return all(y0 >= top - 3 * height and y1 <= bottom + 3 * height for _, y0, _, y1 in marks)


def is_of_row(citation: Citation, row: TableRow) -> bool:
    """Return whether a citation quotes the row."""
    same = citation.document_name == row.document and citation.page == row.page
    return same and sum(number in citation.quote for number in row.numbers) >= 2


async def measure(folder: Path, rows: list[TableRow], *, missed: bool) -> dict[str, int]:
    """Ask the questions and count."""
    counts: dict[str, int] = defaultdict(int)
    async with workbench.open_library_async(folder) as library:
        opened = library._opened
        for row in rows:
            stem = Path(row.document).stem.replace("_", " ")
            run = await library.ask(f"What is “{row.label}” in {stem}?", profile="offline")
            cited = [one for one in run.citations if one.valid]
            found = [one for one in cited if is_of_row(one, row)]
            counts["questions"] += 1
            counts["answers with a number of the row"] += any(number in run.answer for number in row.numbers)
            counts["answers that cite the row"] += bool(found)
            counts["answers whose first citation is the row"] += bool(found) and found[0] == cited[0]
            for one in found[:1]:
                assert one.document is not None
                assert one.page is not None
                find_marks = operations.page_marks(opened, one.document, one.page, ((one.start, one.end),))
                marks = await find_marks(JobContext())
                inside = all(_holds(marks, box) for box in row.boxes)
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
