"""Parsers of JSON, JSON Lines and stored query results, and the writer of values as "key: value" lines."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.model.source_lines import NO_LINES, LineTable
from workbench.parsing.assembly import TextBuilder, clean, markdown_table, stem, table_parts, table_row_places
from workbench.parsing.base import too_deep
from workbench.parsing.code_parser import code_blocks
from workbench.parsing.dates import iso_date
from workbench.parsing.encoding import SourceText, read_source, require_text
from workbench.parsing.formats import suffixes_of

_MOST_RECORDS = 3000
"""Maximum number of records that become pages; beyond it nobody would look up a record by its number."""
_LINES = frozenset((".jsonl", ".ndjson", ".jsonlines"))


class JsonParser:
    """Parser of JSON; an invalid file is read as plain text, with a warning."""

    format: ClassVar[str] = "json"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("json")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path, whole=path.suffix.lower() not in _LINES)
        if path.suffix.lower() in _LINES:
            return self._records(*_lines(source.text), source, path)
        try:
            value = _loads(source.text)
        except RecursionError as error:
            raise too_deep() from error
        except ValueError:
            records, starts = _lines(source.text)
            if len(records) > 1 and not any(isinstance(record, str) for record in records):
                return self._records(records, starts, source, path)
            return self._as_text(source, path)
        if isinstance(value, list) and len(value) > 1 and not is_table(value):
            return self._records(value, (), source, path)
        return self._build_document([value], (), source, _metadata(value, path))

    def _records(self, records: Sequence[Any], starts: Sequence[int], source: SourceText, path: Path) -> ParsedDocument:
        """Return a list of records as a document, each record a page unless they are too many or rows of a table.

        Args:
            records: Records in order.
            starts: Offset of each record's line into the file's text; empty if records are not lines.
            source: The file's text.
            path: Path of the file.
        """
        dull = not any(isinstance(record, (dict, list)) for record in records)
        metadata = _metadata(None, path)
        if is_table(records) or dull or len(records) > _MOST_RECORDS:
            return self._build_document([list(records)], (), source, metadata, starts)
        return self._build_document(records, tuple(map(label, records)), source, metadata, starts)

    def _build_document(
        self,
        values: Sequence[Any],
        labels: Sequence[str],
        source: SourceText,
        metadata: Metadata,
        starts: Sequence[int] = (),
    ) -> ParsedDocument:
        builder = TextBuilder()
        writer = JsonWriter(builder)
        pages: list[Page] = []
        places: list[tuple[int, int]] = []
        for number, value in enumerate(values, 1):
            before = len(builder.blocks)
            writer.write(value, page=len(pages) + 1 if labels else None)
            if labels and len(builder.blocks) > before:
                start = builder.blocks[before].start
                pages.append(Page(len(pages) + 1, start, builder.length, label=labels[number - 1]))
                places.append((start, number - 1))
        blocks = tuple(builder.blocks)
        require_text(blocks)
        findings = source.findings
        if writer.tables:
            findings = (*findings, Finding(FindingKind.TABLES, count=writer.tables))
        return ParsedDocument(
            builder.text,
            blocks,
            tuple(pages),
            metadata,
            self.format,
            page_kind=PageKind.RECORD,
            findings=findings,
            lines=_lines_of_records(places or writer.places, starts, source.lines),
        )

    def _as_text(self, source: SourceText, path: Path) -> ParsedDocument:
        blocks: tuple[Block, ...] = tuple(code_blocks(source.text))
        require_text(blocks)
        warning = mark("The file is not valid JSON; it was read as plain text.")
        return ParsedDocument(
            source.text,
            blocks,
            (),
            Metadata(title=stem(path)),
            self.format,
            (warning,),
            findings=source.findings,
            lines=source.lines,
        )


def _loads(text: str) -> Any:
    # Numbers stay as written: 1.10 is as often a version as a value, and 5,000 digits are not an error.
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _lines(text: str) -> tuple[list[Any], list[int]]:
    """Return the value of each line that is not blank, and its offset; an invalid line is its own text."""
    values: list[Any] = []
    starts: list[int] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            try:
                values.append(_loads(line))
            except (ValueError, RecursionError):
                values.append(line)
            starts.append(at)
        at += len(line) + 1
    return values, starts


def _lines_of_records(places: Sequence[tuple[int, int]], starts: Sequence[int], lines: LineTable) -> LineTable:
    """Return the lines of the whole file for the text of a part's records.

    Args:
        places: Start of each record in the text, with its index into starts.
        starts: Offset of each record's line into the text of the file; empty if records are not lines.
        lines: Lines of the text of the file.
    """
    if not (starts and lines):
        return NO_LINES
    source = lines.unpacked
    numbers = [source.numbers[bisect_right(source.starts, start) - 1] for start in starts]
    return LineTable.pack(lines.kind, ((at, numbers[record]) for at, record in places))


def _metadata(value: Any, path: Path) -> Metadata:
    """Return the metadata in the top-level keys of a document that is an object."""
    entries = value if isinstance(value, dict) else {}
    texts = {key.lower(): as_line(inner) for key, inner in entries.items() if not isinstance(inner, (dict, list))}
    return Metadata(
        title=texts.get("title") or texts.get("name") or stem(path),
        author=texts.get("author", ""),
        created=iso_date(texts.get("date") or texts.get("created", "")),
    )


_HEADED_DEPTH = 4
"""Maximum depth of objects that become sections; the lines of deeper ones contain their path."""
_SHORT = 120
_LONG = 300
_MOST_COLUMNS = 20
_LABELS = (
    "title",
    "name",
    "headline",
    "subject",
    "question",
    "label",
    "id",
    "_id",
    "key",
    "file",
    "path",
    "url",
    "email",
)
_LABEL_LENGTH = 60


class JsonWriter:
    """Writer of values into a TextBuilder, without recursion.

    Attributes:
        tables: Number of tables written.
        places: Start of the text of each value of a top-level list, with its index, in the order of the text.
    """

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self.tables = 0
        self.places: list[tuple[int, int]] = []

    def write(self, value: Any, *, page: int | None = None) -> None:
        """Append a value: the plain values of an object first, then the nested ones."""
        waiting: list[tuple[str, str, int, Any, int | None]] = [("", "", 0, value, None)]
        while waiting:
            path, below, depth, current, record = waiting.pop()
            if depth == 1 and record is not None:
                self.places.append((self._builder.next_start, record))
            if isinstance(current, list) and is_table(current):
                self._heading(path, "", depth, page)
                filled = self._table(current, page)
                if not depth:
                    self.places += zip(table_row_places(self._builder), filled, strict=False)
                continue
            if depth <= _HEADED_DEPTH:
                below = ""
            nested: list[tuple[str, Any, int]] = []
            lines: list[str] = []
            records: list[int] = []
            for number, (key, inner) in enumerate(_entries(current)):
                if _is_nested(inner):
                    nested.append((key, inner, number))
                elif line := _line(_joined(below, key) if key else below, inner):
                    lines.append(line)
                    records.append(number)
            if lines:
                self._heading(path, label(current), depth, page)
                begins = self._lines(lines, page)
                if not depth and isinstance(current, list):
                    self.places += zip(begins, records, strict=True)
            is_list = isinstance(current, list)
            waiting.extend(
                (_joined(path, key), _joined(below, key), depth + 1, inner, number if is_list else None)
                for key, inner, number in reversed(nested)
            )

    def _heading(self, path: str, name: str, depth: int, page: int | None) -> None:
        if path and depth <= _HEADED_DEPTH:
            words = f"{path}: {name}" if name else path
            self._builder.add(BlockKind.HEADING, " ".join(words.split()), level=depth, page=page)

    def _lines(self, lines: Sequence[str], page: int | None) -> list[int]:
        """Append lines as paragraphs, each long line as a separate one; return the start of each line."""
        begins: list[int] = []
        for is_short, group in groupby(lines, key=lambda line: len(line) <= _LONG and "\n" not in line):
            for together in [list(group)] if is_short else ([line] for line in group):
                at = self._builder.next_start
                self._builder.add(BlockKind.PARAGRAPH, "\n".join(together), page=page)
                begins += accumulate((len(clean(line)) + 1 for line in together[:-1]), initial=at)
        return begins

    def _table(self, records: Sequence[Mapping[str, Any]], page: int | None) -> list[int]:
        """Append records as the rows of a table; return the indexes of those with a row, which are not empty."""
        columns = list(dict.fromkeys(key for record in records for key in record))
        rows = [columns, *([as_line(record.get(column)) for column in columns] for record in records)]
        for part in table_parts(markdown_table(rows)):
            self._builder.add(BlockKind.TABLE, part, page=page)
        self.tables += 1
        return [number for number, row in enumerate(rows[1:]) if any(row)]


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a value with their keys; plain values in lists, and a plain value itself, have none."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield f"[{number}]" if _is_nested(inner) else "", inner
    else:
        yield "", value


def _joined(path: str, key: str) -> str:
    return f"{path}{key}" if key.startswith("[") or not path else f"{path}.{key}"


def _line(key: str, value: Any) -> str:
    text = ", ".join(map(as_line, value)) if isinstance(value, list) else _plain(value).strip()
    return f"{key}: {text}" if key and text else text


def as_line(value: Any) -> str:
    """Return a plain value as one line; null is empty."""
    return " ".join(_plain(value).split())


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_nested(value: Any) -> bool:
    """Return True for an object and for a list with objects or lists; a list of plain values becomes one line."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
    )


def is_table(values: Sequence[Any]) -> bool:
    """Return True if values are similar, flat objects with short values, which become rows of a table."""
    if len(values) < 2 or not all(isinstance(value, dict) and value for value in values):
        return False
    columns = {key for value in values for key in value}
    if len(columns) > _MOST_COLUMNS or sum(map(len, values)) < len(values) * len(columns) / 2:
        return False
    return all(
        not isinstance(cell, (dict, list)) and len(as_line(cell)) <= _SHORT
        for value in values
        for cell in value.values()
    )


def label(record: Any) -> str:
    """Return the name that a record contains, such as its title or id; empty if there is none."""
    if not isinstance(record, dict):
        return ""
    lowered = {key.lower(): value for key, value in record.items()}
    named = (as_line(lowered[key]) for key in _LABELS if key in lowered and not isinstance(lowered[key], (dict, list)))
    return next((name[:_LABEL_LENGTH].rstrip() for name in named if name), "")


ROWS = 40
CHARACTERS = 1500
"""Maximum per table, about two windows of the built-in embedder; one vector for 10,000 rows would represent none."""

WIDE = 300
"""Average characters per row above which a table would be unreadable, so that each record becomes a list."""

ROW = "#"


class QueryParser:
    """Parser of the files that operations/imports/queries.py writes: {"title", "columns", "rows", "truncated"}.

    Each row is a page of kind RECORD, numbered in the order of the query; tables contain the number as first column.
    """

    format: ClassVar[str] = "query"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("query")
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
            warnings=(mark(f"The query's result was shortened: {truncated} were kept."),) if truncated else (),
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
    """Append tables with a limited number of rows and the same head; yield the start of each row's page."""
    head = f"{_query_parser_line([ROW, *columns])}\n|{' --- |' * (len(columns) + 1)}"
    part: list[str] = []
    limit = max(CHARACTERS, 3 * len(head))
    for number, row in enumerate(rows, 1):
        line = _query_parser_line([str(number), *row])
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


def _query_parser_line(cells: list[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _lists(builder: TextBuilder, columns: list[str], rows: list[list[str]]) -> Iterator[int]:
    """Append each row as a heading and its values, long values as paragraphs; yield the start of each row."""
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
