"""Excerpts of passages: the spans of the text that are kept, joined with a mark where something is left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.retrieval.compression.pieces import Piece

ELISION = "[…]"
"""Stands where something of the passage was left out."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Spans of one passage, in order, word for word.

    Attributes:
        number: Which passage.
        spans: (start, end) characters of its text; what lies between two of them was left out.
        text: The spans, joined by the mark.
        left_out: How many pieces were left out.
    """

    number: int
    spans: tuple[tuple[int, int], ...]
    text: str
    left_out: int = 0


def excerpt(number: int, text: str, pieces: Sequence[Piece], kept: Sequence[int]) -> Excerpt:
    """Return what these pieces, by their ascending numbers, are of a passage; there is at least one."""
    runs: list[list[int]] = []
    for index in kept:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    spans = tuple((pieces[first].start, pieces[last].end) for first, last in runs)
    parts = [f"{ELISION} "] if kept[0] > 0 else []
    for number_of_span, (start, end) in enumerate(spans):
        if number_of_span:
            before = spans[number_of_span - 1][1]
            parts.append(f"\n{ELISION}\n" if "\n" in text[before:start] else f" {ELISION} ")
        parts.append(text[start:end])
    if kept[-1] < len(pieces) - 1:
        parts.append(f"\n{ELISION}" if "\n" in text[spans[-1][1] :] else f" {ELISION}")
    return Excerpt(number, spans, "".join(parts), len(pieces) - len(kept))
