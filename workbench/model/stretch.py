"""A stretch of a document: several chunks in a row, as they stand there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """text is ParsedDocument.text[start:end], what lies between the chunks included, but for what the user changed.

    Attributes:
        document: The document's id.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself, with what the user wrote in the place of some of it, without what they switched off.
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
