"""Pages on which a table stands that was read as lines of text: where the layout model is worth its half second."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from workbench.parsing.pdf_aligned_tables import is_prose
from workbench.parsing.pdf_table_columns import Row
from workbench.parsing.pdf_table_joining import has_head
from workbench.parsing.pdf_words import Line

_FEWEST_PIECES, _FEWEST_ROWS = 3, 4
"""Rows in two pieces are mostly entries with a number at the right, which read well as lines."""

_FEWEST_UNREAD = 3
"""Lines in two pieces and more that rules may belong to; heads over several columns come in ones and twos."""

_MOST_BETWEEN = 2
"""Lines between two parts of one table: the name of a section, say."""

_MOST_CAPTIONS = 3
"""A page with more of them that has no table is a list of tables."""

_ENTRY = re.compile(r"[*+†#^]{0,3}\(?\d{1,3}(?:\.\d{1,3})*[a-z]?[.)]?[*+†#^]{0,3}")
_MOSTLY = 0.8

_CAPTION = frozenset(("table", "tab.", "tabelle", "tableau", "tabla", "tabela", "tabella", "tabel", "таблица"))
_NUMBER = re.compile(r"^(?:[A-Z]{0,2}[.-]?\d{1,3}(?:[.–-]\d{1,3})*[a-z]?|[IVXL]{1,6})([.:)–—-]*)$")
_CJK_CAPTION = re.compile(r"^附?表\s*\d{1,3}(?:[.–-]\d{1,3})*(?![\d年月日])")


def loses_table(regions: Sequence[tuple[Sequence[Line], Sequence[Row]]], *, has_unread_rules: bool) -> bool:
    """Tell whether a page seems to hold a table that is not among its lines, or only in fragments.

    Args:
        regions: Its columns, each its lines, among them those that stand for tables, and their pieces.
        has_unread_rules: Rules draw a grid on it that holds no table.
    """
    lines = [line for region, _ in regions for line in region]
    captions, tables = sum(map(_is_caption, lines)), sum(1 for line in lines if line.cells)
    if has_unread_rules and not tables and not _is_numbered_list(regions):
        return True
    if has_unread_rules and tables > 1 and any(_is_unread(*region) for region in regions):
        return True
    if tables < captions <= _MOST_CAPTIONS:
        return True
    return any(_holds_rows(region, rows) for region, rows in regions)


def _is_numbered_list(regions: Sequence[tuple[Sequence[Line], Sequence[Row]]]) -> bool:
    """Tell a list whose entries begin with their numbers, as that of the exhibits of an annual report."""
    pieces = [row for _, rows in regions for row in rows if len(row) > 1]
    numbered = [row for row in pieces if len(row) == 2 and len(row[0]) == 1 and _ENTRY.fullmatch(row[0][0][4])]
    return len(numbered) >= max(_FEWEST_ROWS, _MOSTLY * len(pieces))


def _is_unread(lines: Sequence[Line], rows: Sequence[Row]) -> bool:
    """Tell whether beside tables that were read stand rows that were not, or parts of one table.

    Of 141 doubtful pages of annual reports 61 hold whole tables only, around which the rules stand.
    """
    pieces = [row for row in rows if len(row) > 1 and not _reads_well(row)]
    if len(pieces) >= _FEWEST_UNREAD or any(len(row) >= _FEWEST_PIECES for row in pieces):
        return True
    tables = [position for position, line in enumerate(lines) if line.cells]
    return any(below - above <= _MOST_BETWEEN + 1 and not has_head(lines[below]) for above, below in pairwise(tables))


def _is_caption(line: Line) -> bool:
    """Tell a caption from a sentence that happens to have “Table 3” at the beginning of a line."""
    first = line.words[0][4] if line.words and not line.cells and not line.entry else ""
    if first[:1] in ("表", "附"):
        return bool(_CJK_CAPTION.match(line.text))
    if first.lower() not in _CAPTION or len(line.words) < 2 or not (number := _NUMBER.match(line.words[1][4])):
        return False
    return bool(number[1]) or len(line.words) == 2 or not line.words[2][4][0].islower()


def _holds_rows(lines: Sequence[Line], rows: Sequence[Row]) -> bool:
    """Tell whether rows in several pieces stand below one another."""
    return any(not is_prose(lines[start:end], rows[start:end]) for start, end in _runs(rows))


def _runs(rows: Sequence[Row]) -> Iterable[tuple[int, int]]:
    start = 0
    for position in range(len(rows) + 1):
        if position < len(rows) and len(rows[position]) >= _FEWEST_PIECES and not _reads_well(rows[position]):
            continue
        if position - start >= _FEWEST_ROWS:
            yield start, position
        start = position + 1


def _reads_well(row: Row) -> bool:
    """Tell entries with dots that lead to a number, and tables that are drawn with characters, as in Markdown."""
    return any("..." in word[4] or word[4] == "|" for piece in row for word in piece)
