"""How fast PDFs are parsed, and how well and how fast their pictures are read.

    python tests/benchmarks/pdf_reading.py ../shared/data [pages of each book to read by OCR]

Pages a second of processor time, on one core; two parser processes do twice that on two cores. For OCR, pages of books
with a known text layer are drawn and read: wrong characters (edit distance) to those of the layer, white space left
out.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from workbench.errors import DocumentError
from workbench.model.document import ParsedDocument
from workbench.parsing.mupdf import mupdf
from workbench.parsing.ocr_document import with_read_pages
from workbench.parsing.ocr_page import read_page
from workbench.parsing.parse import parse_file

ROUNDS = 3


def pages_per_second(paths: Sequence[Path]) -> tuple[int, float]:
    """Return how many pages there are, and how many are parsed in a second at best."""
    best = 0.0
    count = 0
    for _ in range(ROUNDS):
        started = time.process_time()
        count = sum(len(document.pages) for document in parsed(paths))
        best = max(best, count / (time.process_time() - started))
    return count, best


def parsed(paths: Iterable[Path]) -> Iterable[ParsedDocument]:
    """Yield the documents that can be parsed."""
    for path in paths:
        try:
            yield parse_file(path)
        except DocumentError:
            continue


def distance(ours: str, truth: str) -> int:
    """Return how many characters have to be changed, put in or left out."""
    theirs = np.array([ord(character) for character in truth])
    steps = np.arange(len(truth) + 1)
    row = steps
    for number, character in enumerate(ours, 1):
        inner = np.minimum(row[1:] + 1, row[:-1] + (theirs != ord(character)))
        row = np.minimum.accumulate(np.concatenate([[number], inner]) - steps) + steps
    return int(row[-1])


def read_scan(book: Path, numbers: Sequence[int], engine: str, languages: str) -> tuple[float, float, float]:
    """Return the share of wrong characters, and seconds and processor seconds a page, of pages read as pictures."""
    document = parse_file(book)
    empty = [page for page in document.pages if page.number in numbers]
    truth = {page.number: document.text[page.start : page.end] for page in empty}
    read_page(book, numbers[0], None, engine, languages)  # loads the engine
    wrong = total = 0
    started, processor = time.perf_counter(), time.process_time()
    pages = [read_page(book, number, None, engine, languages) for number in numbers]
    seconds, busy = time.perf_counter() - started, time.process_time() - processor
    for page in pages:
        blank = ParsedDocument("", (), tuple(_blank(one) for one in document.pages), document.metadata, "pdf")
        ours = "".join(with_read_pages(blank, [page]).text.split())
        theirs = "".join(truth[page.number].split())
        wrong += distance(ours, theirs)
        total += len(theirs)
    return wrong / total, seconds / len(numbers), busy / len(numbers)


def _blank(page):  # type: ignore[no-untyped-def]
    return type(page)(page.number, 0, 0, page.width, page.height)


def main(data: Path, pages: int) -> None:
    """Print the figures."""
    mupdf()
    for name in ("generated/page_truth", "pdf_varied"):
        count, speed = pages_per_second(sorted((data / name).rglob("*.pdf")))
        print(f"{name:24} {count:5} pages  {speed:6.0f} pages/s on one core")
    print(f"{'book':12} {'engine':10} {'wrong':>7} {'s/page':>7} {'CPU s':>6}")
    for book in sorted((data / "generated" / "page_truth").glob("*.pdf")):
        last = len(parse_file(book).pages)
        numbers = sorted({1 + round(step * (last - 1) / max(pages, 1)) for step in range(1, pages + 1)})
        for engine in ("rapidocr", "tesseract"):
            try:
                wrong, seconds, busy = read_scan(book, numbers, engine, "eng+chi_sim")
            except DocumentError as error:
                print(f"{book.stem:12} {engine:10} {error}")
                continue
            print(f"{book.stem:12} {engine:10} {wrong:7.2%} {seconds:7.1f} {busy:6.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4)
