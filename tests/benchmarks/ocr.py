"""Accuracy, speed and memory of OCR.

    python tests/benchmarks/ocr.py DATA [pages of each book]

Pages of books are rendered at 200 dpi into a PDF of images, unchanged and as a cheap scanner would produce them (0.7
degrees of skew, blurred, grey, JPEG), and read with each engine. Errors: the edit distance to the text of the book,
without white space. Peak: memory of the parser process; that of Tesseract is listed separately.
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from workbench.errors import DocumentError
from workbench.parsing.mupdf import mupdf
from workbench.parsing.ocr_document import insert_ocr_pages
from workbench.parsing.ocr_page import read_page
from workbench.parsing.parse import parse_file

DPI = 200
ENGINES = ("rapidocr", "tesseract")
SKEW_DEGREES, BLUR, QUALITY = 0.7, 0.8, 50


def distance(ours: str, truth: str) -> int:
    """Return the number of characters to replace, insert or delete."""
    theirs = np.array([ord(character) for character in truth])
    steps = np.arange(len(truth) + 1)
    row = steps
    for number, character in enumerate(ours, 1):
        inner = np.minimum(row[1:] + 1, row[:-1] + (theirs != ord(character)))
        row = np.minimum.accumulate(np.concatenate([[number], inner]) - steps) + steps
    return int(row[-1])


def excerpt(book: Path, pages: int, folder: Path) -> Path:
    """Write the given number of pages, spread over a book, as a separate PDF."""
    with mupdf().open(book) as pdf:
        last = pdf.page_count - 1
        pdf.select(sorted({round(step * last / pages) for step in range(1, pages + 1)}))
        pdf.save(folder / book.name)
    return folder / book.name


def scanned(path: Path, *, is_cheap: bool) -> Path:
    """Write a PDF with an image of each page."""
    target = path.with_name(f"{path.stem}-{'cheap' if is_cheap else 'clean'}.pdf")
    with mupdf().open(path) as pdf, mupdf().open() as scan:
        for page in pdf:
            drawn = page.get_pixmap(dpi=DPI)
            picture = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
            stream = BytesIO()
            if is_cheap:
                askew = picture.convert("L").rotate(SKEW_DEGREES, Image.Resampling.BICUBIC, fillcolor=255)
                askew.filter(ImageFilter.GaussianBlur(BLUR)).save(stream, "JPEG", quality=QUALITY)
            else:
                picture.save(stream, "PNG")
            made = scan.new_page(width=page.rect.width, height=page.rect.height)
            made.insert_image(made.rect, stream=stream.getvalue())
        scan.save(target)
    return target


def figures(scan: Path, truth: str, engine: str) -> str:
    """Read a scan and return a line of figures; runs in a separate process."""
    try:
        read_page(scan, None, 1, engine, "eng+chi_sim")  # loads the engine
        document = parse_file(scan)
        started, processor = time.perf_counter(), time.process_time()
        read = [read_page(scan, None, page.number, engine, "eng+chi_sim") for page in document.pages]
        seconds, busy = time.perf_counter() - started, time.process_time() - processor
    except DocumentError as error:
        return str(error)
    ours = "".join(insert_ocr_pages(document, read).text.split())
    peak, beside = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    share = distance(ours, truth) / len(truth)
    return f"{share:7.2%} {seconds / len(read):7.1f} {busy / len(read):6.1f} {peak:8.0f} MB" + (
        f" + {beside:.0f} MB" if beside else ""
    )


def main(books: Sequence[Path], pages: int) -> None:
    """Print the figures."""
    print(f"{'scan':18} {'engine':10} {'wrong':>7} {'s/page':>7} {'CPU s':>6} {'peak':>11}")
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for book in books:
            part = excerpt(book, pages, Path(folder))
            truth = "".join(parse_file(part).text.split())
            for scan in (scanned(part, is_cheap=False), scanned(part, is_cheap=True)):
                for engine in ENGINES:
                    with context.Pool(1) as pool:
                        line = pool.apply(figures, (scan, truth, engine))
                    print(f"{scan.stem:18} {engine:10} {line}", flush=True)


if __name__ == "__main__":
    main(
        sorted((Path(sys.argv[1]) / "generated" / "page_truth").glob("*.pdf")),
        int(sys.argv[2]) if len(sys.argv) > 2 else 2,
    )
