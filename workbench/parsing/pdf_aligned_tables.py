"""PDF tables without ruling lines: detection by aligned rows, and of tables that were missed."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from workbench.parsing.pdf_structure import BULLET
from workbench.parsing.pdf_table_parts import Row, has_head, join_tables, table_line
from workbench.parsing.pdf_words import TextLine, Word

_TIGHT = 1.15
_GAP = 0.6
"""Share of the font size: narrower gaps separate two words."""


def extract_aligned_tables(region: Sequence[TextLine]) -> tuple[list[TextLine], list[Row]]:
    """Replace runs of aligned rows in a region by one line for each table.

    The second return value contains the pieces of each line.
    """
    rows = [_pieces(line) for line in region]
    lines: list[TextLine] = []
    left: list[Row] = []
    position = 0
    while position < len(region):
        end = _run_end(region, rows, position)
        table = _aligned(region[position:end], rows[position:end]) if end - position >= 3 else None
        if table is None:
            lines.append(region[position])
            left.append(rows[position])
            position += 1
        else:
            lines.append(table)
            left.append([table.words])
            position = end
    return join_tables(lines, left)


def _pieces(line: TextLine) -> Row:
    """Return a line's words, divided at wide gaps."""
    if line.cells or not line.upright or line.mono or line.entry:
        return [line.words]
    wide = max(0.95 * line.size, 4.0)
    pieces: Row = [[line.words[0]]]
    for before, word in zip(line.words, line.words[1:], strict=False):
        if max(word[0] - before[2], before[0] - word[2]) > wide:
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return pieces


def _run_end(region: Sequence[TextLine], rows: Sequence[Row], start: int) -> int:
    """Return the end of the run of divided rows from start on; it may contain undivided lines between two such rows."""
    if len(rows[start]) < 2:
        return start
    end = start + 1
    left = region[start].x0
    usual = float("inf")
    for position in range(start + 1, len(region)):
        before, line = region[position - 1], region[position]
        pitch = line.y1 - before.y1
        if line.cells or pitch > 3.5 * line.size or pitch > max(1.7 * usual, 2 * line.size):
            break
        if len(rows[position]) == 1 and (line.bold or line.size > 1.1 * before.size):
            # A heading: the next table begins below it.
            break
        usual = min(usual, pitch)
        if len(rows[position]) >= 2:
            end = position + 1
        elif position > end and not _is_wrapped_cell(rows[position], rows[position - 1], left + line.size):
            break
        elif position > end:
            end = position + 1
    return end


def _is_wrapped_cell(row: Row, above: Row, left: float) -> bool:
    """Return True if a single piece begins below one in the row above, to the right of the first column."""
    x0 = row[0][0][0]
    return x0 > left and any(abs(piece[0][0] - x0) < 2 for piece in above)


def _aligned(lines: Sequence[TextLine], rows: Sequence[Row]) -> TextLine | None:
    """Return the rows as a table, or None if their pieces are not in columns."""
    several = [row for row in rows if len(row) >= 2]
    if len(several) < 3 or is_prose(lines, rows):
        return None
    rows = [_divided(row, several, line.size) for line, row in zip(lines, rows, strict=True)]
    several = [row for row in rows if len(row) >= 2]
    # Only the fullest rows: notes and headings across several columns would join these.
    fullest = max(len(row) for row in several)
    columns = _columns([row for row in several if len(row) >= 0.6 * fullest])
    pieces = sum(len(row) for row in several)
    words = sum(len(piece) for row in several for piece in row)
    if len(columns) < 2 or pieces < 0.5 * len(columns) * len(several) or words > 7 * pieces:
        return None
    if len(columns) == 2 and not _is_listing(several):
        return None
    if any("...." in word[4] for row in several for piece in row for word in piece):
        return None
    table: list[Row] = []
    for row in rows:
        cells: Row = [[] for _ in columns]
        for piece in row:
            middle = sum(_span(piece)) / 2
            nearest = min(range(len(columns)), key=lambda index: _off(columns[index], middle))
            cells[nearest].extend(piece)
        table.append(cells)
    if not _is_in_columns(table):
        return None
    table = _unwrapped(lines, table)
    if len(table) < 3 or sum(1 for cells in table if sum(map(bool, cells)) >= 2) < 0.6 * len(table):
        return None
    box = (min(line.x0 for line in lines), lines[0].y0, max(line.x1 for line in lines), lines[-1].y1)
    return table_line(table, box)


def _divided(row: Row, rows: Sequence[Row], size: float) -> Row:
    """Divide the joined pieces of a row where the columns of the fullest rows begin."""
    fullest = max(map(len, rows))
    models = [one for one in rows if len(one) == fullest]
    if not 2 <= len(row) < fullest or len(models) < 2:
        return row
    starts = [[one[column][0][0] for one in models] for column in range(1, fullest)]
    edges = [min(column) for column in starts if max(column) - min(column) < 2]
    divided: Row = []
    for piece in row:
        divided.append(piece[:1])
        for before, word in pairwise(piece):
            if word[0] - before[2] > _GAP * size and any(abs(word[0] - edge) < 2 for edge in edges):
                divided.append([word])
            else:
                divided[-1].append(word)
    return divided


def _is_in_columns(table: Sequence[Row]) -> bool:
    """Return True if most cells are aligned left, right or centred with another of their column, unlike ragged prose.

    Chinese prose with names in another font is divided into pieces, too, but no cell begins with a comma.
    """
    aligned = total = 0
    for column in range(1, len(table[0])):
        cells = [row[column] for row in table if row[column]]
        total += len(cells)
        for cell in cells:
            if cell[0][4][0] in "，。、；：）”":
                return False
            aligned += any(other is not cell and _is_below(other, cell) for other in cells)
    return aligned >= 0.6 * total


def _unwrapped(lines: Sequence[TextLine], table: list[Row]) -> list[Row]:
    """Join the continuation lines of cells with their rows.

    If rows have larger gaps than lines, close lines form one row, provided that all but the first are clearly parts of
    its cells: the rows of one sample are 22 points apart and the lines of a cell 14. Otherwise a line must continue a
    sentence.
    """
    pitches = [after.y1 - before.y1 for before, after in pairwise(lines)]
    tight = _TIGHT * min(pitches)
    if max(pitches) < _TIGHT * tight:
        tight = 0.0
    rows: list[Row] = []
    position = 0
    while position < len(table):
        end = position + 1
        while end < len(table) and pitches[end - 1] <= tight:
            end += 1
        group = table[position:end]
        joined = _joined(group, strict=False) if len(group) > 1 else None
        if joined is not None:
            rows.append(joined)
        else:
            for row in group:
                both = _joined([rows[-1], row], strict=True) if rows else None
                if both is not None:
                    rows[-1] = both
                else:
                    rows.append(row)
        position = end
    return rows


def _joined(group: Sequence[Row], *, strict: bool) -> Row | None:
    """Join a row with the continuation lines of its cells, or return None if these are rows themselves."""
    whole = [list(cell) for cell in group[0]]
    for row in group[1:]:
        if all(row):
            return None
        for column, cell in enumerate(row):
            if not cell:
                continue
            above = whole[column]
            if not above or not _is_below(above, cell) or not any(map(str.isalpha, "".join(w[4] for w in cell))):
                return None
            if (strict or column == 0) and not _runs_on(above[-1][4], cell[0][4]):
                return None
            above.extend(cell)
    return whole


def _is_below(above: Sequence[Word], cell: Sequence[Word]) -> bool:
    """Return True if a line is aligned left, right or centred with the cell above."""
    (left, right), (x0, x1) = _span(above), _span(cell)
    return abs(left - x0) < 2 or abs(right - x1) < 2 or abs(left + right - x0 - x1) < 4


def _runs_on(last: str, first: str) -> bool:
    return first[0].islower() or last[-1] in "-,;/&"


def is_prose(lines: Sequence[TextLine], rows: Sequence[Row]) -> bool:
    """Return True for full lines of justified running text, which are not rows of a table."""
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    return median(sum(right - left for left, right in map(_span, row)) for row in rows) > 0.8 * width


def _span(piece: Sequence[Word]) -> tuple[float, float]:
    return min(word[0] for word in piece), max(word[2] for word in piece)


def _off(column: tuple[float, float], x: float) -> float:
    return max(column[0] - x, 0.0, x - column[1])


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the horizontal spans that the pieces cover, from left to right."""
    spans = sorted(_span(piece) for row in rows for piece in row)
    columns = [spans[0]]
    for x0, x1 in spans[1:]:
        if x0 < columns[-1][1] + 1.0:
            columns[-1] = (columns[-1][0], max(columns[-1][1], x1))
        else:
            columns.append((x0, x1))
    return columns


def _is_listing(rows: Sequence[Row]) -> bool:
    """Return True for names with numbers, False for a numbered list or two columns of prose."""
    if all(len(row[0]) == 1 and BULLET.match(row[0][0][4]) for row in rows):
        return False
    figures = sum(1 for row in rows if any(character.isdigit() for word in row[-1] for character in word[4]))
    return figures >= 0.5 * len(rows)


_FEWEST_PIECES, _FEWEST_ROWS = 3, 4
"""Rows with two pieces are mostly entries with a number at the right, which are readable as lines."""

_FEWEST_UNREAD = 3
"""Minimum lines with two or more pieces that rules may belong to; headings across columns have one or two."""

_MOST_BETWEEN = 2
"""Maximum lines between two parts of one table, such as the name of a section."""

_MOST_CAPTIONS = 3
"""A page with more captions and no table is a list of tables."""

_ENTRY = re.compile(r"[*+†#^]{0,3}\(?\d{1,3}(?:\.\d{1,3})*[a-z]?[.)]?[*+†#^]{0,3}")
_MOSTLY = 0.8

_CAPTION = frozenset(("table", "tab.", "tabelle", "tableau", "tabla", "tabela", "tabella", "tabel", "таблица"))
_NUMBER = re.compile(r"^(?:[A-Z]{0,2}[.-]?\d{1,3}(?:[.–-]\d{1,3})*[a-z]?|[IVXL]{1,6})([.:)–—-]*)$")
_CJK_CAPTION = re.compile(r"^附?表\s*\d{1,3}(?:[.–-]\d{1,3})*(?![\d年月日])")


def has_lost_table(regions: Sequence[tuple[Sequence[TextLine], Sequence[Row]]], *, has_unread_rules: bool) -> bool:
    """Return True if a page seems to have a table that is missing from its lines, or incomplete.

    Args:
        regions: Its columns, each with its lines, including those that represent tables, and their pieces.
        has_unread_rules: True if rules draw a grid that was not read as a table.
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


def _is_numbered_list(regions: Sequence[tuple[Sequence[TextLine], Sequence[Row]]]) -> bool:
    """Return True for a list whose entries begin with numbers, such as the list of exhibits of an annual report."""
    pieces = [row for _, rows in regions for row in rows if len(row) > 1]
    numbered = [row for row in pieces if len(row) == 2 and len(row[0]) == 1 and _ENTRY.fullmatch(row[0][0][4])]
    return len(numbered) >= max(_FEWEST_ROWS, _MOSTLY * len(pieces))


def _is_unread(lines: Sequence[TextLine], rows: Sequence[Row]) -> bool:
    """Return True if there are unread rows next to tables that were read, or separate parts of one table.

    Of 141 doubtful pages of annual reports, 61 contain only complete tables, surrounded by the rules.
    """
    pieces = [row for row in rows if len(row) > 1 and not _reads_well(row)]
    if len(pieces) >= _FEWEST_UNREAD or any(len(row) >= _FEWEST_PIECES for row in pieces):
        return True
    tables = [position for position, line in enumerate(lines) if line.cells]
    return any(below - above <= _MOST_BETWEEN + 1 and not has_head(lines[below]) for above, below in pairwise(tables))


def _is_caption(line: TextLine) -> bool:
    """Return True for a caption, False for a sentence with “Table 3” at the beginning of a line."""
    first = line.words[0][4] if line.words and not line.cells and not line.entry else ""
    if first[:1] in ("表", "附"):
        return bool(_CJK_CAPTION.match(line.text))
    if first.lower() not in _CAPTION or len(line.words) < 2 or not (number := _NUMBER.match(line.words[1][4])):
        return False
    return bool(number[1]) or len(line.words) == 2 or not line.words[2][4][0].islower()


def _holds_rows(lines: Sequence[TextLine], rows: Sequence[Row]) -> bool:
    """Return True if rows with several pieces follow each other."""
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
    """Return True for entries with dot leaders, and for tables drawn with characters, as in Markdown."""
    return any("..." in word[4] or word[4] == "|" for piece in row for word in piece)
