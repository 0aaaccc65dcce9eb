"""A passage -> the pieces that are kept or left out whole; together they hold every character but white space."""

from dataclasses import dataclass
from functools import lru_cache

from workbench.retrieval.quotables import Quotable, quotables


@dataclass(frozen=True, slots=True)
class Piece:
    """text[start:end] of a passage: a sentence with its bullet, a line of a table, a listing.

    Attributes:
        start: First character.
        end: One past the last.
        quoted: Where in it the words stand that may be quoted, as sentences.py ranks them.
        header: Of a table's row: the number of the piece that names its columns, without which it says nothing.
    """

    start: int
    end: int
    quoted: tuple[int, int]
    header: int | None = None


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[Piece, ...]:
    """Return the pieces of a passage, in order."""
    spans = quotables(text)
    made: list[Piece] = []
    header: int | None = None
    end = 0
    for number, span in enumerate(spans):
        start = _next_character(text, end)
        end = max(_end(text, span, spans[number + 1] if number + 1 < len(spans) else None), start)
        if not span.header:
            header = number if span.cells else None
        made.append(Piece(start, end, (span.start, span.end), header if span.header else None))
    if not made and text.strip():
        made.append(Piece(_next_character(text, 0), len(text.rstrip()), (0, len(text))))
    return tuple(made)


def _end(text: str, span: Quotable, following: Quotable | None) -> int:
    """Return where a piece ends; what stands between it and the next one belongs to it or to that one.

    A bullet belongs to what follows it, the rest of a table's line and a ruler below it to the line.
    """
    if following is None:
        return len(text.rstrip())
    if not span.cells:
        return span.end
    line = text.rfind("\n", span.end, following.start)
    return len(text[: line if line >= 0 else span.end].rstrip())


def _next_character(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position
