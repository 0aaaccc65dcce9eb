"""Tesseract, where it is installed: the program is called, no library of ours is needed."""

import csv
import re
import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.errors import OcrUnavailable
from workbench.files.changes import temporary_folder
from workbench.language import mark
from workbench.parsing.ocr_base import OcrLine
from workbench.parsing.pdf_text import is_ideograph
from workbench.parsing.pdf_words import Word
from workbench.worker.programs import run_program

if TYPE_CHECKING:
    from workbench.parsing.ocr_base import Pixels

NAME = "tesseract"
"""Of the program."""

_SECONDS = 3600.0
"""The limit on the whole call, which the settings say, comes far earlier."""

_INSTALL = mark("Install Tesseract with its language data, or choose RapidOCR in the settings.")
_TALL = 1.5
_TALL_LETTER = re.compile(r"[^\Wacegmnopqrsuvwxyz_]")
_LONG_LETTER = re.compile(r"[gjpqy(),;\u2e80-\uffff]")
_WIDE = 1.2
"""Of the height of the tallest word."""

_X_HEIGHT, _ABOVE, _BELOW = 0.5, 0.22, 0.2
"""Parts of the font size."""


class TesseractEngine:
    """Reads with the program tesseract.

    Args:
        languages: As Tesseract names them: "eng+chi_sim".
    """

    def __init__(self, languages: str) -> None:
        program = shutil.which(NAME)
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
            said = done.errors.decode("utf-8", "replace")
            if "language" in said:
                raise OcrUnavailable(f"Tesseract cannot read “{self._languages}” here.", _INSTALL)
            raise OcrUnavailable("Tesseract failed.", _INSTALL)
        return _lines(done.output.decode("utf-8", "replace"))


def _lines(table: str) -> list[OcrLine]:
    """Return the lines of Tesseract's table, a row a word."""
    lines: dict[tuple[str, ...], list[tuple[Word, float]]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if not text:
            continue
        x, y, width, height = (float(row[key]) for key in ("left", "top", "width", "height"))
        key = tuple(row[name] for name in ("block_num", "par_num", "line_num"))
        lines.setdefault(key, []).append(((x, y, x + width, y + height, text), float(row["conf"]) / 100))
    return [_line(piece) for words in lines.values() for piece in _divided(words)]


def _divided(found: Sequence[tuple[Word, float]]) -> Iterator[list[tuple[Word, float]]]:
    """Yield a line's words in pieces where white space is wide: it runs on across the columns of Chinese."""
    piece: list[tuple[Word, float]] = []
    for one in found:
        if piece and one[0][0] - piece[-1][0][2] > _WIDE * _height([*piece, one]):
            yield piece
            piece = []
        piece.append(one)
    yield piece


def _height(found: Sequence[tuple[Word, float]]) -> float:
    return max(word[3] - word[1] for word, _ in found)


def _line(found: list[tuple[Word, float]]) -> OcrLine:
    words: list[Word] = []
    for word, _ in found:
        last = words[-1] if words else None
        # It takes Chinese for words of a letter or two, with a space after each.
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
    """Return the words with boxes from the top of tall letters to the bottom of long ones.

    Tesseract's boxes are tight: “names” would count as set smaller than “Names”, and that as smaller than “Paying”.
    """
    text = "".join(word[4] for word in words)
    tall, long = bool(_TALL_LETTER.search(text)), bool(_LONG_LETTER.search(text))
    size = (bottom - top) / (_X_HEIGHT + _ABOVE * tall + _BELOW * long)
    top, bottom = top - (not tall) * _ABOVE * size, bottom + (not long) * _BELOW * size
    return [(x0, top, x1, bottom, text) for x0, _, x1, _, text in words]
