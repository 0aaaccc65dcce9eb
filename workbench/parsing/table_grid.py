"""Tables whose cells reach over several columns and rows -> a plain grid."""

from collections.abc import Iterable, Iterator

MOST_COLUMNS = 200
"""A cell that claims to span more is lying."""
_MOST_ROWS = 10_000

Cell = tuple[str, int, int]
"""Text, how many columns across, how many rows down."""


def spread(rows: Iterable[Iterable[Cell]]) -> Iterator[list[str]]:
    """Yield each row's texts; a cell over several columns or rows is repeated in each."""
    pending: dict[int, tuple[int, str]] = {}
    for row in rows:
        texts: list[str] = []
        for text, across, down in row:
            _take_pending(pending, texts)
            for _ in range(min(max(across, 1), MOST_COLUMNS)):
                if down > 1:
                    pending[len(texts)] = (min(down, _MOST_ROWS) - 1, text)
                texts.append(text)
        _take_pending(pending, texts)
        yield texts


def _take_pending(pending: dict[int, tuple[int, str]], texts: list[str]) -> None:
    """Put in the cells that reach down from the rows above."""
    while len(texts) in pending:
        left, text = pending.pop(len(texts))
        if left > 1:
            pending[len(texts)] = (left - 1, text)
        texts.append(text)
