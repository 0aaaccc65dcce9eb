"""JSON values as text that people read and search: lines of "key: value", nested objects under their key paths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.model.document import BlockKind
from workbench.parsing.assembly import TextBuilder, markdown_table
from workbench.parsing.long_tables import table_parts

_HEADED_DEPTH = 4
"""Deeper objects are no sections of their own; their lines carry the whole path."""
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
    """Writes values into a TextBuilder, without recursion."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self.tables = 0

    def write(self, value: Any, *, page: int | None = None) -> None:
        """Append a value: the plain values of an object first, then what is nested in it."""
        waiting: list[tuple[str, str, int, Any]] = [("", "", 0, value)]
        while waiting:
            path, below, depth, current = waiting.pop()
            if isinstance(current, list) and is_table(current):
                self._heading(path, "", depth, page)
                self._table(current, page)
                continue
            if depth <= _HEADED_DEPTH:
                below = ""
            nested: list[tuple[str, Any]] = []
            lines = []
            for key, inner in _entries(current):
                if _is_nested(inner):
                    nested.append((key, inner))
                elif line := _line(_joined(below, key) if key else below, inner):
                    lines.append(line)
            if lines:
                self._heading(path, label(current), depth, page)
                self._lines(lines, page)
            waiting.extend(
                (_joined(path, key), _joined(below, key), depth + 1, inner) for key, inner in reversed(nested)
            )

    def _heading(self, path: str, name: str, depth: int, page: int | None) -> None:
        if path and depth <= _HEADED_DEPTH:
            words = f"{path}: {name}" if name else path
            self._builder.add(BlockKind.HEADING, " ".join(words.split()), level=depth, page=page)

    def _lines(self, lines: Sequence[str], page: int | None) -> None:
        short: list[str] = []
        for line in lines:
            if len(line) <= _LONG and "\n" not in line:
                short.append(line)
                continue
            self._builder.add(BlockKind.PARAGRAPH, "\n".join(short), page=page)
            self._builder.add(BlockKind.PARAGRAPH, line, page=page)
            short = []
        self._builder.add(BlockKind.PARAGRAPH, "\n".join(short), page=page)

    def _table(self, records: Sequence[Mapping[str, Any]], page: int | None) -> None:
        columns = list(dict.fromkeys(key for record in records for key in record))
        rows = [columns, *([as_line(record.get(column)) for column in columns] for record in records)]
        for part in table_parts(markdown_table(rows)):
            self._builder.add(BlockKind.TABLE, part, page=page)
        self.tables += 1


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a value holds, by key; a plain value among objects stands for itself."""
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
    """Return a plain value as one line; null is nothing."""
    return " ".join(_plain(value).split())


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_nested(value: Any) -> bool:
    """Tell whether a value holds more than plain values; a list of plain ones is read as one line."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value)
    )


def is_table(values: Sequence[Any]) -> bool:
    """Tell whether values are objects alike and flat, with short values: rows of a table."""
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
    """Return what a record calls itself, or nothing."""
    if not isinstance(record, dict):
        return ""
    lowered = {key.lower(): value for key, value in record.items()}
    named = (as_line(lowered[key]) for key in _LABELS if key in lowered and not isinstance(lowered[key], (dict, list)))
    return next((name[:_LABEL_LENGTH].rstrip() for name in named if name), "")
