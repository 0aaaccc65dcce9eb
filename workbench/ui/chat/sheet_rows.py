"""A citation of a sheet -> the rows around it as a small table; knows no Qt but the rich text that it is shown as."""

import html
import re

from workbench.ui.theme import Tokens

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")
_ROWS = 5
"""Below the head of the table."""
_COLUMNS = 6
_LONGEST = 24
"""Characters of a cell."""


def rows_around(text: str, quote: str) -> list[tuple[tuple[str, ...], bool]]:
    """Return the first row of a table and those around the quoted ones, each with whether it is quoted.

    Args:
        text: A passage with a table as Markdown.
        quote: What is cited of it; rows that it names in part are quoted.
    """
    quoted = {line.strip() for line in quote.splitlines() if line.strip().startswith("|")}
    rows = [(_cells(line), line.strip() in quoted) for line in text.splitlines() if line.strip().startswith("|")]
    rows = [(cells, is_quoted) for cells, is_quoted in rows if not all(map(_RULE.fullmatch, cells))]
    if len(rows) <= _ROWS + 1:
        return rows
    at = next((place for place, (_cells_of, is_quoted) in enumerate(rows) if is_quoted), 1)
    first = min(max(1, at - _ROWS // 2), len(rows) - _ROWS)
    return [rows[0], *rows[first : first + _ROWS]]


def table_of(text: str, quote: str, tokens: Tokens) -> str:
    """Return those rows as rich text, the quoted ones marked; nothing for a passage without a table."""
    rows = rows_around(text, quote)
    if len(rows) < 2:
        return ""
    lines = []
    for place, (cells, is_quoted) in enumerate(rows):
        colour = f' bgcolor="{tokens.mark_solid}"' if is_quoted else ""
        name = "th" if place == 0 else "td"
        shown = "".join(f'<{name} align="left">{html.escape(_short(cell))}</{name}>' for cell in cells[:_COLUMNS])
        lines.append(f"<tr{colour}>{shown}</tr>")
    return f'<table cellspacing="0" cellpadding="4" width="100%">{"".join(lines)}</table>'


def _cells(line: str) -> tuple[str, ...]:
    cells = _CELL.split(line.strip().strip("|"))
    return tuple(" ".join(cell.replace("\\|", "|").split()) for cell in cells)


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else f"{cell[:_LONGEST]}…"
