"""The result of a database query: every row a record that a citation can name, in tables or as lists of its values."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean

ROWS = 40
CHARACTERS = 1500
"""Of one table: about what the built-in embedder sees in two windows. One vector for 10,000 rows stands for none."""

WIDE = 300
"""Characters of an average row from which on a table cannot be read any more, and each record is a list of its own."""

ROW = "#"


class QueryParser:
    """Reads what operations/queries.py writes: {"title", "columns", "rows", "truncated"}.

    Each row is a page of kind RECORD, numbered as the query returned it; tables say the number in their first column.
    """

    format: ClassVar[str] = "query"
    suffixes: ClassVar[frozenset[str]] = frozenset({".query.json"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        title, columns, rows, truncated = _read(path)
        words = [[_words(value) for value in row] for row in rows]
        builder = TextBuilder()
        average = sum(len(word) for row in words for word in row) / len(words)
        starts = list(_lists(builder, columns, words) if average > WIDE else _tables(builder, columns, words))
        ends = [*starts[1:], builder.length]
        pages = tuple(Page(number, start, end) for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1))
        findings = [Finding(FindingKind.TABLES, count=1)]
        if truncated:
            findings.append(Finding(FindingKind.TRUNCATED, detail=truncated))
        return ParsedDocument(
            builder.text,
            tuple(builder.blocks),
            pages,
            Metadata(title=title),
            self.format,
            warnings=(mark(f"Of the query's rows {truncated} were kept."),) if truncated else (),
            page_kind=PageKind.RECORD,
            findings=tuple(findings),
        )


def _read(path: Path) -> tuple[str, list[str], list[list[Any]], str]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _no_result() from error
    columns, rows = (data.get("columns"), data.get("rows")) if isinstance(data, dict) else (None, None)
    if not (columns and isinstance(columns, list) and rows and isinstance(rows, list)):
        raise _no_result()
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        raise _no_result()
    title = clean(str(data.get("title") or "")).strip() or "Query"
    return title, [clean(str(column)) for column in columns], rows, str(data.get("truncated", ""))


def _no_result() -> DamagedDocument:
    return DamagedDocument("This is not the result of a query.", "Run the query again.")


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return clean(str(value)).strip()


def _tables(builder: TextBuilder, columns: list[str], rows: list[list[str]]) -> Iterator[int]:
    """Append tables of some rows each, all with the head; yield where each row's page starts."""
    head = f"{_line([ROW, *columns])}\n|{' --- |' * (len(columns) + 1)}"
    part: list[str] = []
    limit = max(CHARACTERS, 3 * len(head))
    for number, row in enumerate(rows, 1):
        line = _line([str(number), *row])
        if part and (len(part) == ROWS or sum(map(len, part)) + len(line) > limit):
            yield from _table(builder, head, part, number - len(part))
            part = []
        part.append(line)
    yield from _table(builder, head, part, len(rows) - len(part) + 1)


def _table(builder: TextBuilder, head: str, lines: list[str], first: int) -> Iterator[int]:
    builder.add(BlockKind.TABLE, "\n".join([head, *lines]), page=first)
    start = builder.blocks[-1].start
    position = start + len(head) + 1
    for line in lines:
        # The head belongs to the first row's page.
        yield start if line is lines[0] else position
        position += len(line) + 1


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _lists(builder: TextBuilder, columns: list[str], rows: list[list[str]]) -> Iterator[int]:
    """Append each row as a heading and its values, the long ones as paragraphs; yield where each starts."""
    for number, row in enumerate(rows, 1):
        builder.add(BlockKind.HEADING, f"Record {number}", level=1, page=number)
        yield builder.blocks[-1].start
        short = [(name, value) for name, value in zip(columns, row, strict=True) if value and len(value) <= WIDE]
        builder.add(
            BlockKind.LIST, "\n".join(f"- {name}: {' '.join(value.split())}" for name, value in short), page=number
        )
        for name, value in zip(columns, row, strict=True):
            if len(value) > WIDE:
                builder.add(BlockKind.PARAGRAPH, f"{name}: {value}", page=number)
