"""Where in a document something stands, in the words of its format."""

from enum import StrEnum

from workbench.language import mark
from workbench.model.visible import visible_name


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


EDITED = mark("text edited by you")


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
    words = f"{kind.value} {number} “{visible_name(label)}”" if label else f"{kind.value} {number}"
    words = mark(f"{words} (read by OCR)") if ocr else words
    return mark(f"{words}, text edited by you") if edited else words


def places(kind: PageKind, numbers: list[int]) -> str:
    """Return several places in words: "page 3", "pages 3, 7", or nothing."""
    if not numbers:
        return ""
    return f"{kind.value if len(numbers) == 1 else kind.plural} {', '.join(map(str, numbers))}"


_SAID = (
    mark("page {0:d}"),
    mark("pages {0:d}"),
    mark("page {0:d} “{1}”"),
    mark("{0:d} page"),
    mark("{0:d} pages"),
    mark("slide {0:d}"),
    mark("slides {0:d}"),
    mark("slide {0:d} “{1}”"),
    mark("{0:d} slide"),
    mark("{0:d} slides"),
    mark("sheet {0:d}"),
    mark("sheets {0:d}"),
    mark("sheet {0:d} “{1}”"),
    mark("{0:d} sheet"),
    mark("{0:d} sheets"),
    mark("chapter {0:d}"),
    mark("chapters {0:d}"),
    mark("chapter {0:d} “{1}”"),
    mark("{0:d} chapter"),
    mark("{0:d} chapters"),
    mark("message {0:d}"),
    mark("messages {0:d}"),
    mark("message {0:d} “{1}”"),
    mark("{0:d} message"),
    mark("{0:d} messages"),
    mark("cell {0:d}"),
    mark("cells {0:d}"),
    mark("cell {0:d} “{1}”"),
    mark("{0:d} cell"),
    mark("{0:d} cells"),
    mark("record {0:d}"),
    mark("records {0:d}"),
    mark("record {0:d} “{1}”"),
    mark("{0:d} record"),
    mark("{0:d} records"),
    mark("part {0:d}"),
    mark("parts {0:d}"),
    mark("part {0:d} “{1}”"),
    mark("{0:d} part"),
    mark("{0:d} parts"),
)
"""What place, places and whoever counts such parts say, for those who show it in another language."""
