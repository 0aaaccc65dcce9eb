"""What an OCR engine is given and gives back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from workbench.parsing.pdf_words import Word

if TYPE_CHECKING:  # 100 ms that the window does not wait for
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    """Rows, columns, and red, green, blue."""


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A line of words that were read from a picture, left to right.

    Attributes:
        words: With their boxes in pixels.
        confidence: The engine's own, 0 to 1.
        is_tall: It runs up or down the picture.
    """

    words: tuple[Word, ...]
    confidence: float
    is_tall: bool = False

    @property
    def length(self) -> int:
        """Characters."""
        return sum(len(word[4]) for word in self.words)


class OcrEngine(Protocol):
    """Reads pictures; lives in a child process and is kept warm there."""

    def read(self, pixels: "Pixels") -> list[OcrLine]:
        """Return the lines that stand in a picture, in any order.

        Raises:
            OcrUnavailable: The engine is not installed, or lacks a language.
        """
        ...
