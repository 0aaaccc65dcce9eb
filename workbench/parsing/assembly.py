"""Builders of a ParsedDocument: text and blocks with offsets, long tables in parts, merged cells as a plain grid."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind
from workbench.model.document_name import whole_name

_VISIBLE = re.compile(r"\S")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""NUL ends a string in many programs; a lone surrogate cannot be encoded as UTF-8."""

LONGEST_HEADING = 250
"""Characters; a longer heading is prose that was marked as a heading and would precede every chunk below it."""


def clean(text: str) -> str:
    """Return the text with newlines as its only line ends, and U+FFFD for each character that cannot be stored."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():  # 1 ms for 4 MB; the pattern takes 20 ms
        return text.replace("\x00", "�")
    return _UNSTORABLE.sub("�", text)


_BETWEEN = "\n\n"


class TextBuilder:
    """Builder of a text from blocks, separated by blank lines."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []

    @property
    def length(self) -> int:
        """Number of characters so far."""
        return self._length

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    @property
    def next_start(self) -> int:
        """Offset at which the next block will start."""
        return self._length + len(_BETWEEN) if self.blocks else 0

    def add(self, kind: BlockKind, text: str, *, level: int = 0, page: int | None = None, title: str = "") -> None:
        """Append a block, unless it has no visible text; a heading longer than LONGEST_HEADING becomes a paragraph."""
        text = clean(text).strip("\n") if kind is BlockKind.CODE else clean(text).strip()
        if not _VISIBLE.search(text):
            return
        if kind is BlockKind.HEADING and len(text) > LONGEST_HEADING:
            kind, level, title = BlockKind.PARAGRAPH, 0, ""
        if self.blocks:
            self.append(_BETWEEN)
        start = self._length
        self.append(text)
        self.blocks.append(Block(kind, start, self._length, level, page, title))

    def append(self, text: str) -> None:
        """Append text outside of any block."""
        self._parts.append(text)
        self._length += len(text)


def visible_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span without surrounding blank lines, with indentation kept; None if it has no visible text."""
    first = _VISIBLE.search(text, start, end)
    if first is None:
        return None
    line = text.rfind("\n", start, first.start()) + 1
    start = max(start, line) if line else start
    return start, start + len(text[start:end].rstrip())


def fill_gaps(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with paragraphs added for all visible text between them."""
    filled: list[Block] = []
    position = 0
    for block in blocks:
        filled.extend(paragraphs(text, position, block.start))
        filled.append(block)
        position = block.end
    filled.extend(paragraphs(text, position, len(text)))
    return filled


_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


def paragraphs(text: str, start: int, end: int) -> Iterable[Block]:
    """Yield text[start:end] as paragraphs, divided at blank lines."""
    position = start
    for gap in _BLANK_LINES.finditer(text, start, end):
        if span := visible_span(text, position, gap.start()):
            yield Block(BlockKind.PARAGRAPH, *span)
        position = gap.end()
    if span := visible_span(text, position, end):
        yield Block(BlockKind.PARAGRAPH, *span)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells as a Markdown table, with the first row as header; empty rows and columns are dropped."""
    table = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    width = max((len(row) for row in table), default=0)
    table = [row + [""] * (width - len(row)) for row in table if any(row)]
    kept = [column for column in range(width) if any(row[column] for row in table)]
    if not kept:
        return ""
    lines = ["| " + " | ".join(row[column] for column in kept) + " |" for row in table]
    lines.insert(1, "|" + " --- |" * len(kept))
    return "\n".join(lines)


def stem(path: Path) -> str:
    """Return the default title of a document: its file name without suffix; for a part, that of the whole file."""
    name = whole_name(path.name)
    return clean(PurePath(name).stem) or clean(name)


_MOST_ROWS = 40
_MOST_CHARACTERS = 1500
"""About two windows of the built-in embedder; a single vector for 10,000 rows would represent none of them."""


def table_parts(table: str) -> Iterator[str]:
    """Yield a Markdown table in parts, each with its first two lines and a limited number of rows."""
    lines = table.split("\n")
    head, rows = lines[:2], lines[2:]
    if len(table) <= _MOST_CHARACTERS and len(rows) <= _MOST_ROWS:
        yield table
        return
    start = sum(map(len, head))
    # A header of many columns must not fill most of every part.
    limit = max(_MOST_CHARACTERS, 3 * start)
    part: list[str] = []
    size = start
    for row in rows:
        if part and (len(part) == _MOST_ROWS or size + len(row) > limit):
            yield "\n".join([*head, *part])
            part, size = [], start
        part.append(row)
        size += len(row) + 1
    yield "\n".join([*head, *part])


_HEAD_LINES = 2
"""Lines of a Markdown table above its rows: the column names, and the rule below them."""


def table_row_places(builder: TextBuilder) -> Iterator[int]:
    """Yield the start of each row below the head of the only table of a text, which may be divided into parts.

    The first row of each further part starts at the head repeated there.
    """
    text = builder.text
    parts = (block for block in builder.blocks if block.kind is BlockKind.TABLE)
    for number, part in enumerate(parts):
        at = part.start
        for place, line in enumerate(text[part.start : part.end].split("\n")):
            if place >= _HEAD_LINES:
                yield part.start if number and place == _HEAD_LINES else at
            at += len(line) + 1


def add_table(builder: TextBuilder, rows: Sequence[Sequence[str]]) -> bool:
    """Append rows of cells as one or more table blocks; return True unless all cells were empty."""
    table = markdown_table(rows)
    for part in table_parts(table):
        builder.add(BlockKind.TABLE, part)
    return bool(table)


MOST_COLUMNS = 200
"""Larger spans are invalid."""
_TABLE_GRID_MOST_ROWS = 10_000
MOST_CELLS = 4_000_000
"""Maximum cells of a table, with each row as long as the longest, as in Markdown: its text has 20 MB or more."""

Cell = tuple[str, int, int]
"""Text, column span and row span."""


def spread(rows: Iterable[Iterable[Cell]]) -> Iterator[list[str]]:
    """Yield each row's texts; a merged cell is repeated in each column or row that it covers."""
    pending: dict[int, tuple[int, str]] = {}
    for row in rows:
        texts: list[str] = []
        for text, across, down in row:
            _take_pending(pending, texts)
            for _ in range(min(max(across, 1), MOST_COLUMNS)):
                if down > 1:
                    pending[len(texts)] = (min(down, _TABLE_GRID_MOST_ROWS) - 1, text)
                texts.append(text)
        _take_pending(pending, texts)
        yield texts


def within_limit(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return the first rows that have at most MOST_CELLS cells together; at least one row."""
    kept: list[list[str]] = []
    width = 0
    for row in rows:
        width = max(width, len(row))
        if kept and (len(kept) + 1) * width > MOST_CELLS:
            break
        kept.append(row)
    return kept


def rows_left_out(number: int) -> list[Finding]:
    """Return the finding about rows beyond within_limit(); an empty list if there are none."""
    if not number:
        return []
    detail = (
        mark(f"1 row of a table of more than {MOST_CELLS:,} cells; save the table as CSV and add that")
        if number == 1
        else mark(f"{number:,} rows of tables of more than {MOST_CELLS:,} cells; save such a table as CSV and add that")
    )
    return [Finding(FindingKind.TRUNCATED, count=number, detail=detail)]


def _take_pending(pending: dict[int, tuple[int, str]], texts: list[str]) -> None:
    """Insert the cells that extend from the rows above."""
    while len(texts) in pending:
        left, text = pending.pop(len(texts))
        if left > 1:
            pending[len(texts)] = (left - 1, text)
        texts.append(text)
