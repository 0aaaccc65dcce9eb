"""OCR of a page of a PDF or picture in a child process: turned upright, then lines of words with their boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import DamagedDocument
from workbench.parsing.base import no_such_page
from workbench.parsing.image_parser import page_pixels
from workbench.parsing.mupdf import mupdf
from workbench.parsing.ocr_engines import OcrEngine, OcrLine, RapidEngine, TesseractEngine
from workbench.parsing.pdf_parser import open_pages
from workbench.parsing.sniffing import sniff

if TYPE_CHECKING:
    from workbench.parsing.ocr_engines import Pixels

GOOD = 0.85
"""Mean confidence: upright pages have 0.97 and more, upside-down ones 0.6."""


def read_rotated(engine: OcrEngine, pixels: "Pixels") -> tuple[list[OcrLine], int]:
    """Return the lines of a picture in its upright orientation, and the counterclockwise quarter turns to it."""
    # 100 ms that the window does not wait for
    import numpy as np

    lines = engine.read(pixels)
    if not lines or not _is_suspicious(lines):
        return lines, 0
    best, turns = lines, 0
    for quarters in (1, 3, 2) if _is_sideways(lines) else (2, 1, 3):
        turned = engine.read(np.rot90(pixels, quarters).copy())
        if _is_sideways(best) != _is_sideways(turned):
            is_better = _is_sideways(best)
        else:
            is_better = confidence(turned) > confidence(best)
        if is_better and turned:
            best, turns = turned, quarters
        if best and not _is_suspicious(best):
            break
    return best, turns


def rotate_back(
    box: tuple[float, float, float, float], quarters: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """Transform a box of the rotated picture to the original picture, which has this width and height."""
    x0, y0, x1, y1 = box
    if quarters == 1:
        return width - y1, x0, width - y0, x1
    if quarters == 2:
        return width - x1, height - y1, width - x0, height - y0
    if quarters == 3:
        return y0, height - x1, y1, height - x0
    return box


def confidence(lines: Sequence[OcrLine]) -> float:
    """Return the mean confidence of the characters."""
    total = sum(line.length for line in lines)
    return sum(line.confidence * line.length for line in lines) / total if total else 0.0


def _is_sideways(lines: Sequence[OcrLine]) -> bool:
    return 2 * sum(line.length for line in lines if line.is_tall) > sum(line.length for line in lines)


def _is_suspicious(lines: Sequence[OcrLine]) -> bool:
    return _is_sideways(lines) or confidence(lines) < GOOD


_DPI = 150
"""Resolution. Wrong characters on the same 5 pages: 1.5 % at 150 dpi; 1.3 at 200, with 84 MB more; 3.8 at 100."""

_LONGER_SIDE = (1600, 2400)
"""Minimum and maximum pixels of the longer side: small pages are enlarged and posters reduced."""

_FINEST = 300 / 72


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Page with the text recognized in its picture.

    Attributes:
        number: 1-based.
        lines: Lines with boxes in points, on the page in its reading orientation.
        quarters: Number of counterclockwise quarter turns applied before recognition.
        width: In points, as displayed.
        height: In points, as displayed.
        confidence: 0 to 1.
    """

    number: int
    lines: tuple[OcrLine, ...]
    quarters: int
    width: float
    height: float
    confidence: float


def read_page(path: Path, password: str | None, number: int, engine: str, languages: str) -> ReadPage:
    """Return the words in the picture of a page.

    Args:
        path: A PDF, an XPS document or a picture.
        password: Password of an encrypted PDF.
        number: 1-based.
        engine: "rapidocr" or "tesseract".
        languages: For Tesseract: "eng+chi_sim".

    Raises:
        DocumentError: The page cannot be drawn, or the engine is not available.
        NotFound: There is no such page.
    """
    reader = _engine(engine, languages)
    content = sniff(path)
    drawn = _picture(path, number) if content and content.format == "image" else _pdf_page(path, number, password)
    pixels, width, height = drawn
    lines, quarters = read_rotated(reader, pixels)
    # Scale of the rotated picture: width and height are exchanged for odd quarters.
    scale = (width / pixels.shape[1], height / pixels.shape[0])
    across, down = scale if quarters % 2 == 0 else scale[::-1]
    return ReadPage(
        number, tuple(_scaled(line, across, down) for line in lines), quarters, width, height, confidence(lines)
    )


@lru_cache(maxsize=1)
def _engine(name: str, languages: str) -> OcrEngine:
    """Return a cached engine, because RapidOCR takes 0.6 s to load."""
    return TesseractEngine(languages) if name == "tesseract" else RapidEngine()


def _picture(path: Path, number: int) -> "tuple[Pixels, float, float]":
    import numpy as np  # imported here to save 100 ms at the start of the window

    image, width, height = page_pixels(path, number)
    longest = _LONGER_SIDE[1]
    if max(image.size) > longest:
        image.thumbnail((longest, longest))
    return np.asarray(image), width, height


def _pdf_page(path: Path, number: int, password: str | None) -> "tuple[Pixels, float, float]":
    import numpy as np  # see above

    document = open_pages(path, password)
    try:
        if not 1 <= number <= document.page_count:
            raise no_such_page(number, document.page_count)
        page = document[number - 1]
        longer = max(page.rect.width, page.rect.height, 1.0)
        least, most = _LONGER_SIDE
        scale = min(max(_DPI / 72, least / longer), most / longer, _FINEST)
        drawn = page.get_pixmap(matrix=(scale, 0, 0, scale, 0, 0), alpha=False, colorspace="rgb")
        pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
        return pixels, page.rect.width, page.rect.height
    except (RuntimeError, ValueError) as error:
        raise DamagedDocument(f"Page {number} cannot be drawn.", "Open the file in a PDF viewer.") from error
    finally:
        document.close()
        mupdf().TOOLS.store_shrink(100)


def _scaled(line: OcrLine, across: float, down: float) -> OcrLine:
    words = tuple((x0 * across, y0 * down, x1 * across, y1 * down, text) for x0, y0, x1, y1, text in line.words)
    return OcrLine(words, line.confidence, line.is_tall)
