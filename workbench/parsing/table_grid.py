"""Tables whose cells reach over several columns and rows -> a plain grid; and how large a table may be."""

from collections.abc import Iterable, Iterator

from workbench.language import mark
from workbench.model.document import Finding, FindingKind

MOST_COLUMNS = 200
"""A cell that claims to span more is lying."""
_MOST_ROWS = 10_000
MOST_CELLS = 4_000_000
"""Of one table, each row as long as the longest, as Markdown has it: its text is 20 MB and more."""

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


def within_limit(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the rows from the first on that together have no more than MOST_CELLS; at least one."""
    kept: list[list[str]] = []
    width = 0
    for row in rows:
        width = max(width, len(row))
        if kept and (len(kept) + 1) * width > MOST_CELLS:
            break
        kept.append(row)
    return kept


def rows_left_out(number: int) -> list[Finding]:
    """Return what there is to say of so many rows beyond within_limit; nothing of none."""
    if not number:
        return []
    detail = (
        mark(f"1 row of a table of more than {MOST_CELLS:,} cells; save the table as CSV and add that")
        if number == 1
        else mark(f"{number:,} rows of tables of more than {MOST_CELLS:,} cells; save such a table as CSV and add that")
    )
    return [Finding(FindingKind.TRUNCATED, count=number, detail=detail)]


def _take_pending(pending: dict[int, tuple[int, str]], texts: list[str]) -> None:
    """Put in the cells that reach down from the rows above."""
    while len(texts) in pending:
        left, text = pending.pop(len(texts))
        if left > 1:
            pending[len(texts)] = (left - 1, text)
        texts.append(text)
