"""RapidOCR: PP-OCR models for Chinese and English on onnxruntime; the models come in its wheel."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.parsing.ocr_base import OcrLine
from workbench.parsing.pdf_words import Word

if TYPE_CHECKING:
    from workbench.parsing.ocr_base import Pixels

_DETECTED_SIDE = 960
"""Pixels of the longer side in which lines are looked for. Measured on 5 pages of English and Chinese: 3.0 s and 507 MB
a page against 5.1 s and 808 MB with the picture's own 1754, wrong characters 1.5 against 1.4 %; 1280: no better."""

_LONGEST_SIDE = 2400
_TALL = 1.5
_NARROW = 0.15
"""Of the line's height: less than this is no space."""


class RapidEngine:
    """Reads with RapidOCR."""

    def __init__(self) -> None:
        # Imported late: OpenCV and the models take 0.6 s and 160 MB, which only the child that reads pictures pays.
        import rapidocr

        models = Path(rapidocr.__file__).parent / "models"
        self._engine: Any = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": _LONGEST_SIDE,
                # The classifier of upside-down lines turns good ones too: 8 % wrong characters with it, 0.1 % without.
                "Global.use_cls": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": max(1, (os.cpu_count() or 1) // 2),
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTED_SIDE,
                # One line at a time takes a quarter less memory, and no longer.
                "Rec.rec_batch_num": 1,
                # Named, so that it never looks for a model on the web.
                "Det.model_path": str(next(models.glob("*_det_*.onnx"))),
                "Rec.model_path": str(next(models.glob("*_rec_*.onnx"))),
                "Cls.model_path": str(next(models.glob("*_cls_*.onnx"))),
            }
        )

    def read(self, pixels: "Pixels") -> list[OcrLine]:
        """Return the lines of a picture."""
        # OpenCV's order is blue, green, red.
        found = self._engine(pixels[:, :, ::-1].copy(), return_word_box=True)
        if not found.txts:
            return []
        return [
            _line(text, float(score), box, pieces)
            for text, score, box, pieces in zip(found.txts, found.scores, found.boxes, found.word_results, strict=True)
            if text.strip()
        ]


def _line(text: str, score: float, quad: Any, pieces: Any) -> OcrLine:
    x0, y0, x1, y1 = _hull(quad)
    words = _words(text, pieces) or [(x0, y0, x1, y1, text.strip())]
    return OcrLine(tuple(words), score, y1 - y0 > _TALL * (x1 - x0) and len(text.strip()) > 1)


def _words(text: str, pieces: Any) -> list[Word]:
    """Return the words of a line: its pieces, of which an ideograph is one, joined where no space is between."""
    words: list[Word] = []
    position = 0
    for piece, _, quad in pieces:
        found = text.find(piece, position)
        if quad is None or found < 0:
            return []
        x0, y0, x1, y1 = _hull(quad)
        between = text[position:found]
        if words and (not between or _is_spaced_number(words[-1], (x0, y0, x1, y1, piece))):
            last = words[-1]
            words[-1] = (min(last[0], x0), min(last[1], y0), max(last[2], x1), max(last[3], y1), last[4] + piece)
        elif between.strip():
            return []
        else:
            words.append((x0, y0, x1, y1, piece))
        position = found + len(piece)
    return words


def _is_spaced_number(last: Word, following: Word) -> bool:
    """Tell whether a space between two digits is only the width of digits that are set like ideographs."""
    gap = following[0] - last[2]
    return last[4][-1].isdigit() and following[4][0].isdigit() and gap < _NARROW * (last[3] - last[1])


def _hull(quad: Any) -> tuple[float, float, float, float]:
    xs, ys = [float(point[0]) for point in quad], [float(point[1]) for point in quad]
    return min(xs), min(ys), max(xs), max(ys)
