"""Where in a document something stands, in the words of its format."""

from enum import StrEnum


class PageKind(StrEnum):
    """What a format calls the parts that a citation names."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    CHAPTER = "chapter"
    MESSAGE = "message"
    CELL = "cell"
    RECORD = "record"
    PART = "part"

    @property
    def plural(self) -> str:
        """The word for several."""
        return f"{self.value}s"


EDITED = "text edited by you"


def place(kind: PageKind, number: int | None, label: str = "", *, ocr: bool = False, edited: bool = False) -> str:
    """Return a place in words: "page 4", "sheet 2 “Sales”", "page 7 (read by OCR)"; empty where the format has none.

    Args:
        kind: What the format calls its parts.
        number: 1-based; None where there is none.
        label: The part's own name, if it has one.
        ocr: Its text was read from a picture, so that single letters can be wrong.
        edited: Its text is no longer what stands there, which is said even where there is no number.
    """
    if number is None:
        return EDITED if edited else ""
    words = f"{kind.value} {number} “{label}”" if label else f"{kind.value} {number}"
    words = f"{words} (read by OCR)" if ocr else words
    return f"{words}, {EDITED}" if edited else words


def places(kind: PageKind, numbers: list[int]) -> str:
    """Return several places in words: "page 3", "pages 3, 7", or nothing."""
    if not numbers:
        return ""
    return f"{kind.value if len(numbers) == 1 else kind.plural} {', '.join(map(str, numbers))}"
