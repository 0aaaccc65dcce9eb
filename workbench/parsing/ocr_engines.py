"""OCR engines: the protocol, RapidOCR and Tesseract."""

import csv
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workbench.errors import OcrUnavailable
from workbench.files.changes import temporary_folder
from workbench.language import mark
from workbench.parsing.pdf_text import is_ideograph
from workbench.parsing.pdf_words import Word
from workbench.system import current, existing
from workbench.worker.programs import run_program

if TYPE_CHECKING:  # 100 ms that the window does not wait for
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    """Rows, columns, and red, green, blue."""


@dataclass(frozen=True, slots=True)
class OcrLine:
    """Line of words recognized in a picture, left to right.

    Attributes:
        words: Words with their boxes in pixels.
        confidence: Confidence reported by the engine, 0 to 1.
        is_tall: True if it runs up or down the picture.
    """

    words: tuple[Word, ...]
    confidence: float
    is_tall: bool = False

    @property
    def length(self) -> int:
        """Number of characters."""
        return sum(len(word[4]) for word in self.words)


class OcrEngine(Protocol):
    """OCR engine in a child process, where it is kept loaded."""

    def read(self, pixels: "Pixels") -> list[OcrLine]:
        """Return the lines in a picture, in any order.

        Raises:
            OcrUnavailable: The engine is not installed, or lacks a language.
        """
        ...


_DETECTED_SIDE = 960
"""Maximum pixels of the longer side for line detection. Measured on 5 pages of English and Chinese: 3.0 s and 507 MB a
page against 5.1 s and 808 MB with the picture's own 1754, wrong characters 1.5 against 1.4 %; 1280: no better.
"""

_LONGEST_SIDE = 2400
_TALL = 1.5
_NARROW = 0.15
"""Share of the line's height; a narrower gap is not a space."""


class RapidEngine:
    """OCR engine that uses RapidOCR."""

    def __init__(self) -> None:
        # Imported late: OpenCV and the models take 0.6 s and 160 MB, which only the OCR process should spend.
        import rapidocr

        models = Path(rapidocr.__file__).parent / "models"
        self._engine: Any = rapidocr.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": _LONGEST_SIDE,
                # The classifier of upside-down lines also turns upright ones: 8 % wrong characters with it, 0.1 %
                # without.
                "Global.use_cls": False,
                "EngineConfig.onnxruntime.intra_op_num_threads": max(1, (os.cpu_count() or 1) // 2),
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTED_SIDE,
                # One line at a time takes a quarter less memory, and no longer.
                "Rec.rec_batch_num": 1,
                # Explicit paths, so that it never downloads a model.
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
    """Return the words of a line: its pieces (an ideograph is one piece), joined if there is no space between them."""
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
    """Return True if a space between two digits is only due to digits that are as wide as ideographs."""
    gap = following[0] - last[2]
    return last[4][-1].isdigit() and following[4][0].isdigit() and gap < _NARROW * (last[3] - last[1])


def _hull(quad: Any) -> tuple[float, float, float, float]:
    xs, ys = [float(point[0]) for point in quad], [float(point[1]) for point in quad]
    return min(xs), min(ys), max(xs), max(ys)


NAME = "tesseract"
"""Name of the program."""

_SECONDS = 3600.0
"""The limit on the whole call, which is in the settings, is much lower."""

_INSTALL = mark("Install Tesseract with its language data, or choose RapidOCR in the settings.")
_TALL_LETTER = re.compile(r"[^\Wacegmnopqrsuvwxyz_]")
_LONG_LETTER = re.compile(r"[gjpqy(),;\u2e80-\uffff]")
_WIDE = 1.2
"""Share of the height of the tallest word."""

_X_HEIGHT, _ABOVE, _BELOW = 0.5, 0.22, 0.2
"""Shares of the font size."""


class TesseractEngine:
    """OCR engine that runs the program tesseract.

    Args:
        languages: Tesseract's names of the languages: "eng+chi_sim".
    """

    def __init__(self, languages: str) -> None:
        program = shutil.which(NAME) or existing(current().tesseract)
        if program is None:
            raise OcrUnavailable("Tesseract is not installed.", _INSTALL)
        self._program = program
        self._languages = languages

    def read(self, pixels: "Pixels") -> list[OcrLine]:
        """Return the lines of a picture."""
        height, width, _ = pixels.shape
        with temporary_folder("workbench-") as folder:
            picture = folder / "page.ppm"
            picture.write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels.tobytes())
            command = (self._program, str(picture), "stdout", "-l", self._languages, "--psm", "3", "tsv")
            # Several threads make it slower on few cores.
            done = run_program(command, folder, seconds=_SECONDS, environment={"OMP_THREAD_LIMIT": "1"})
        if done.code:
            message = done.errors.decode("utf-8", "replace")
            if "language" in message:
                raise OcrUnavailable(f"Tesseract cannot read “{self._languages}” here.", _INSTALL)
            raise OcrUnavailable("Tesseract failed.", _INSTALL)
        return _lines(done.output.decode("utf-8", "replace"))


def _lines(table: str) -> list[OcrLine]:
    """Return the lines of Tesseract's table, which has a row for each word."""
    lines: dict[tuple[str, ...], list[tuple[Word, float]]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if not text:
            continue
        x, y, width, height = (float(row[key]) for key in ("left", "top", "width", "height"))
        key = tuple(row[name] for name in ("block_num", "par_num", "line_num"))
        lines.setdefault(key, []).append(((x, y, x + width, y + height, text), float(row["conf"]) / 100))
    return [_ocr_tesseract_line(piece) for words in lines.values() for piece in _divided(words)]


def _divided(found: Sequence[tuple[Word, float]]) -> Iterator[list[tuple[Word, float]]]:
    """Yield a line's words, divided at wide white space: Tesseract joins lines across columns of Chinese."""
    piece: list[tuple[Word, float]] = []
    for one in found:
        if piece and one[0][0] - piece[-1][0][2] > _WIDE * _height([*piece, one]):
            yield piece
            piece = []
        piece.append(one)
    yield piece


def _height(found: Sequence[tuple[Word, float]]) -> float:
    return max(word[3] - word[1] for word, _ in found)


def _ocr_tesseract_line(found: list[tuple[Word, float]]) -> OcrLine:
    words: list[Word] = []
    for word, _ in found:
        last = words[-1] if words else None
        # Tesseract divides Chinese into words of one or two characters, each followed by a space.
        if last is not None and is_ideograph(last[4][-1]) and is_ideograph(word[4][0]):
            hull = (last[0], min(last[1], word[1]), word[2], max(last[3], word[3]))
            words[-1] = (*hull, last[4] + word[4])
        else:
            words.append(word)
    top, bottom = min(word[1] for word in words), max(word[3] for word in words)
    is_tall = bottom - top > _TALL * (max(word[2] for word in words) - min(word[0] for word in words))
    if not is_tall:
        words = _of_one_height(words, top, bottom)
    confidence = sum(max(confidence, 0.0) for _, confidence in found) / len(found)
    return OcrLine(tuple(words), confidence, is_tall and sum(len(word[4]) for word in words) > 1)


def _of_one_height(words: Sequence[Word], top: float, bottom: float) -> list[Word]:
    """Return the words with boxes from the top of ascenders to the bottom of descenders.

    Tesseract's boxes are tight: “names” would seem to have a smaller font than “Names”, and that a smaller one than
    “Paying”.
    """
    text = "".join(word[4] for word in words)
    tall, long = bool(_TALL_LETTER.search(text)), bool(_LONG_LETTER.search(text))
    size = (bottom - top) / (_X_HEIGHT + _ABOVE * tall + _BELOW * long)
    top, bottom = top - (not tall) * _ABOVE * size, bottom + (not long) * _BELOW * size
    return [(x0, top, x1, bottom, text) for x0, _, x1, _, text in words]
