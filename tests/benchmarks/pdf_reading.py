"""Speed of PDF parsing.

    python tests/benchmarks/pdf_reading.py DATA

Pages per second of processor time, on one core; two parser processes on two cores are twice as fast.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.errors import DocumentError
from workbench.model.document import ParsedDocument
from workbench.parsing.mupdf import mupdf
from workbench.parsing.parse import parse_file

ROUNDS = 3


def pages_per_second(paths: Sequence[Path]) -> tuple[int, float]:
    """Return the number of pages, and the best number of pages parsed per second."""
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


def main(data: Path) -> None:
    """Print the figures."""
    mupdf()
    for name in ("generated/page_truth", "pdf_varied", "real/filings", "real/reports"):
        count, speed = pages_per_second(sorted((data / name).rglob("*.pdf")))
        print(f"{name:24} {count:5} pages  {speed:6.0f} pages/s on one core")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
