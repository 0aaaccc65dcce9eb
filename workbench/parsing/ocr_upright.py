"""OCR of pictures that are sideways or upside down, by rotation before recognition."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.parsing.ocr_engines import OcrEngine, OcrLine

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
