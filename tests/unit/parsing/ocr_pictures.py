"""Images of pages with known words, and a fake OCR engine with a given result."""

from pathlib import Path
from typing import Any

import pymupdf

from workbench.parsing.ocr_engines import OcrLine

ENGLISH = ("The lamps were lit at dusk", "and the watchman walked his round", "along the quay until the morning.")
CHINESE = ("港口的水深是十二米。", "灯塔建于一九零三年。")


def page_picture(texts: tuple[str, ...] = ENGLISH, *, font: str = "helv", turn: int = 0, size: int = 16) -> Any:
    """Return a page with these lines as a pixmap of 150 dpi, rotated by the given degrees."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=420, height=300)
        for number, text in enumerate(texts):
            page.insert_text((40, 60 + 1.6 * size * number), text, fontsize=size, fontname=font)
        page.set_rotation(turn)
        return page.get_pixmap(dpi=150)


def scanned_pdf(path: Path, *pages: Any, text_layer: str = "") -> Path:
    """Write a PDF with one image per page; text_layer is added to each as invisible text."""
    with pymupdf.open() as pdf:
        for pixmap in pages:
            page = pdf.new_page(width=pixmap.width * 72 / 150, height=pixmap.height * 72 / 150)
            page.insert_image(page.rect, pixmap=pixmap)
            if text_layer:
                page.insert_textbox(page.rect, text_layer, fontsize=9, render_mode=3)
        pdf.save(path)
    return path


def line(text: str, x: float, y: float, *, confidence: float = 0.99, height: float = 14.0) -> OcrLine:
    """Return a line as an engine reads it, 7 points a character."""
    words, position = [], x
    for word in text.split():
        words.append((position, y, position + 7 * len(word), y + height, word))
        position += 7 * (len(word) + 1)
    return OcrLine(tuple(words), confidence)
