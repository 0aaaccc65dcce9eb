"""A stretch of a document: several chunks in a row, as they stand there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """text is exactly ParsedDocument.text[start:end], what lies between the chunks included.

    Attributes:
        document: The document's id.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself.
        first: Ordinal of its first chunk, from 0.
        last: Ordinal of its last chunk.
        is_cut: It is a part of a section that is longer than was asked for.
    """

    document: int
    start: int
    end: int
    text: str
    first: int
    last: int
    is_cut: bool = False
