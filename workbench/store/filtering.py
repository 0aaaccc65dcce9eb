"""Conversion of filters to SQL conditions with bound values, and the filter values that documents have."""

import json
from collections.abc import Sequence

from workbench.errors import NotFound
from workbench.model.filter import (
    AllOf,
    AnyOf,
    ChunkFilter,
    Condition,
    Expression,
    FilterExtent,
    Not,
    Operator,
    conditions_of,
    date_of,
    number_of,
)
from workbench.store.document_rows import NO_VALUE
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import absolute_path, folded, loaded_text

Parameter = str | bytes | int | float
Sql = tuple[str, list[Parameter]]

_TEXTS = {
    "called": ("d.name", "d.title", "d.folder"),
    "name": ("d.name",),
    "title": ("d.title",),
    "author": ("d.author",),
    "format": ("d.format",),
    "path": ("d.path",),
    "folder": ("d.folder",),
    "language": ("d.language",),
    "origin": ("d.origin",),
}
_LISTS = {"keyword": "d.keywords", "tag": "d.tags", "passage_tag": "c.tags"}
_OF_CHUNKS = ("page", "passage_tag")
_BEFORE_READING = ("knowledge_base", "document", "name", "path", "folder", "added", "origin", "tag")
"""Keys whose values are known of a document that was not read yet."""
# A date typed by a person may have a space before the time.
_DATES = {key: f"replace(d.{key}, ' ', 'T')" for key in ("created", "modified", "added")}
_NUMBERS = {"document": ("d.id", "d.id"), "pages": ("d.pages", "d.pages"), "page": ("c.page", "c.page_end")}
_COMPARED = {Operator.GT: ">", Operator.GTE: ">=", Operator.LT: "<", Operator.LTE: "<="}
_NOTHING, _ALL = "1 = 0", "1 = 1"


def conditions(connection: Connection, chunk_filter: ChunkFilter) -> Sql:
    """Return an SQL condition and its parameters; removed documents never pass.

    Nothing passes a filter with an unknown key.

    Raises:
        NotFound: There is no such knowledge base.
    """
    parts: list[Sql] = [("d.removed = 0", [])]
    if chunk_filter.knowledge_base is not None:
        parts.append(("d.knowledge_base = ?", [knowledge_base_id(connection, chunk_filter.knowledge_base)]))
    if not set(chunk_filter.custom_keys) <= set(custom_keys(connection) if chunk_filter.custom_keys else ()):
        parts.append((_NOTHING, []))
    else:
        parts += [_expression(connection, expression) for expression in chunk_filter.where]
    return _join(" AND ", parts)


def custom_keys(connection: Connection) -> list[str]:
    """Return the keys of the user's own metadata that documents have, in alphabetical order."""
    # Skips from key to key along the index: scanning all rows takes 60 ms if 30,000 documents have ten keys each.
    rows = connection.execute(
        "WITH RECURSIVE k (key) AS (SELECT MIN(key) FROM document_metadata UNION ALL"
        " SELECT (SELECT MIN(m.key) FROM document_metadata m WHERE m.key > k.key) FROM k WHERE k.key IS NOT NULL)"
        " SELECT k.key FROM k WHERE k.key IS NOT NULL AND EXISTS (SELECT 1 FROM document_metadata m"
        f" JOIN documents d ON d.id = m.document WHERE m.key = k.key AND m.kind <> '{NO_VALUE}' AND d.removed = 0)"
    )
    return [str(key) for (key,) in rows]


def by_page(chunk_filter: ChunkFilter) -> bool:
    """Return whether a filter can accept some chunks of a document and reject others."""
    return any(one.key in _OF_CHUNKS for expression in chunk_filter.where for one in conditions_of(expression))


def knowledge_base_id(connection: Connection, name: str) -> int:
    """Return the number of a knowledge base.

    Raises:
        NotFound: There is no such knowledge base.
    """
    row = connection.execute("SELECT id FROM knowledge_bases WHERE name = ? AND removed = 0", (name,)).fetchone()
    if row is None:
        raise _no_such_base(connection, name)
    return int(row[0])


def _no_such_base(connection: Connection, name: str) -> NotFound:
    rows = connection.execute("SELECT name FROM knowledge_bases WHERE removed = 0 ORDER BY id")
    return NotFound(
        f"There is no knowledge base “{name}”.", f"The knowledge bases are {', '.join(str(row[0]) for row in rows)}."
    )


def _expression(connection: Connection, expression: Expression) -> Sql:
    match expression:
        case AllOf(parts):
            return _join(" AND ", [_expression(connection, part) for part in parts], empty=_ALL)
        case AnyOf(parts):
            return _join(" OR ", [_expression(connection, part) for part in parts], empty=_NOTHING)
        case Not(part):
            return _negate(_expression(connection, part))
        case Condition(key, Operator.NEQ, values):
            return _negate(_expression(connection, Condition(key, Operator.EQ, values)))
        case Condition():
            return _condition(connection, expression)


def _condition(connection: Connection, condition: Condition) -> Sql:
    key, operator, values = condition.key, condition.operator, condition.values
    if key in _NUMBERS:
        return _number(*_NUMBERS[key], operator, values)
    if key in _DATES:
        return _date(_DATES[key], operator, values)
    if key in _LISTS:
        return _list(_LISTS[key], operator, values)
    if key == "knowledge_base":
        return _knowledge_base(connection, operator, values)
    if key == "path" and operator in (Operator.EQ, Operator.IN):
        values = tuple(way for value in values for way in {value, absolute_path(value) if value else value})
    if key == "folder" and operator in (Operator.EQ, Operator.IN):
        return _join(" OR ", [_folder_condition(value) for value in values], empty=_NOTHING)
    if key not in _TEXTS:
        return _custom(key, operator, values)
    return _join(" OR ", [_text(column, operator, values) for column in _TEXTS[key]])


def _custom(key: str, operator: Operator, values: Sequence[str]) -> Sql:
    """Compare the user's own metadata, each value by its kind; model/custom_metadata.py does the same without SQL."""
    wanted = [part for value in values if value for part in _custom_value(operator, value)]
    sql, parameters = _join(" OR ", wanted, empty=_NOTHING)
    found = f"SELECT m.document FROM document_metadata m WHERE m.key = ? AND m.kind <> '{NO_VALUE}'"
    parts: list[Sql] = [(f"d.id IN ({found} AND {sql})", [key, *parameters])] if wanted else []
    if "" in values:
        parts.append((f"d.id NOT IN ({found})", [key]))
    return _join(" OR ", parts, empty=_NOTHING)


def _custom_value(operator: Operator, value: str) -> list[Sql]:
    sign = _COMPARED.get(operator, "=")
    # Compare as text: a value that cannot be encoded in UTF-8 is bytes.
    text = folded(value)
    if isinstance(text, bytes):
        return []
    if operator in (Operator.CONTAINS, Operator.STARTSWITH):
        return [_compare("m.folded", operator, [text])]
    parts: list[Sql] = [(f"(m.kind = 'text' AND m.folded {sign} ?)", [text])]
    number, date = number_of(value), date_of(value)
    if number is not None:
        parts.append((f"(m.number IS NOT NULL AND m.number {sign} ?)", [number]))
    if date is not None:
        parts.append((f"(m.kind = 'date' AND substr(m.value, 1, {len(date)}) {sign} ?)", [date]))
    return parts


def _text(column: str, operator: Operator, values: Sequence[str]) -> Sql:
    wanted: list[Parameter] = [folded(value) for value in values]
    if operator not in _COMPARED:
        return _compare(f"folded({column})", operator, wanted)
    # Compare as text: SQLite sorts all bytes after all texts.
    sql = f"CAST(folded({column}) AS TEXT) {_COMPARED[operator]} CAST(? AS TEXT)"
    return f"({column} <> '' AND {sql})", wanted


def _compare(text: str, operator: Operator, values: Sequence[Parameter]) -> Sql:
    """Compare an SQL text with one value, or with each value of IN; the values are in its form already."""
    if operator in _COMPARED:
        return f"{text} {_COMPARED[operator]} ?", [values[0]]
    if operator is Operator.CONTAINS:
        return f"instr({text}, ?) > 0", [values[0]]
    if operator is Operator.STARTSWITH:
        return f"instr({text}, ?) = 1", [values[0]]
    # PostgreSQL has no empty list.
    return f"{text} IN ({', '.join('?' * len(values))})" if values else _NOTHING, list(values)


def _folder_condition(folder: str) -> Sql:
    if not folder:
        return "d.folder = ''", []
    return "instr(folded(d.folder) || '/', ? || '/') = 1", [folded(folder)]


def _list(column: str, operator: Operator, values: Sequence[str]) -> Sql:
    """Compare each text of a JSON list; case folding the list as a whole leaves it valid JSON."""
    some = [folded(value) for value in values if value]
    # A text that cannot be encoded in UTF-8 is bytes, which json_each would interpret as its own binary form.
    each = f"SELECT 1 FROM json_each(CAST(folded({column}) AS TEXT)) WHERE "
    sql, parameters = _compare("value", operator, some)
    sql = sql.replace("?", "CAST(? AS TEXT)")
    parts: list[Sql] = [(f"({column} <> '[]' AND EXISTS ({each}{sql}))", parameters)] if some else []
    if len(some) < len(values):
        parts.append((f"{column} = '[]'", []))
    return _join(" OR ", parts, empty=_NOTHING)


def _date(column: str, operator: Operator, values: Sequence[str]) -> Sql:
    """Compare dates with the precision of the value: 2024-05-31 equals 2024, and is not later than 2024."""
    if operator in (Operator.CONTAINS, Operator.STARTSWITH):
        return _compare(column, operator, [values[0]])
    if operator in _COMPARED:
        cut = f"substr({column}, 1, {len(values[0])})"
        return f"({column} <> '' AND {cut} {_COMPARED[operator]} ?)", [values[0]]
    # substr(..., 1, 0) would be '' for every date.
    parts: list[Sql] = [
        (f"substr({column}, 1, {len(value)}) = ?" if value else f"{column} = ?", [value]) for value in values
    ]
    return _join(" OR ", parts, empty=_NOTHING)


def _number(low: str, high: str, operator: Operator, values: Sequence[str]) -> Sql:
    """Compare the numbers from low to high; one match is enough."""
    wanted = [_numeric(value) for value in values if value]
    parts: list[Sql] = [(f"{low} IS NULL", [])] if len(wanted) < len(values) else []
    if operator in (Operator.EQ, Operator.IN):
        # As one list: SQLite compares the parts of a long OR with one another, 10 s for 10,000 documents.
        numbers = "SELECT value FROM json_each(?)"
        one_of = f"{low} IN ({numbers})" if low == high else f"EXISTS ({numbers} WHERE value BETWEEN {low} AND {high})"
        whole = [int(number) for number in wanted if number == int(number)]  # nothing is on page 2.5
        parts += [(one_of, [json.dumps(whole)])] if whole else []
    else:
        side = high if operator in (Operator.GT, Operator.GTE) else low
        parts.append((f"{side} {_COMPARED[operator]} ?", [wanted[0]]))
    sql, parameters = _join(" OR ", parts, empty=_NOTHING)
    # A chunk without a page matches no page: the result is false instead of NULL.
    return f"COALESCE({sql}, {_NOTHING})", parameters


def _numeric(value: str) -> int | float:
    return float(value) if "." in value else int(value)


def _knowledge_base(connection: Connection, operator: Operator, values: Sequence[str]) -> Sql:
    if operator in (Operator.EQ, Operator.IN):
        rows = connection.execute("SELECT folded(name) FROM knowledge_bases WHERE removed = 0").fetchall()
        for value in values:
            if (folded(value),) not in rows:
                raise _no_such_base(connection, value)
    sql, parameters = _text("k.name", operator, values)
    return f"d.knowledge_base IN (SELECT k.id FROM knowledge_bases k WHERE {sql})", parameters


def _negate(sql: Sql) -> Sql:
    return f"NOT {sql[0]}", sql[1]


def _join(word: str, parts: Sequence[Sql], *, empty: str = _ALL) -> Sql:
    if not parts:
        return empty, []
    if len(parts) > 2:
        # Split in halves: SQLite nests a chain of conditions, up to a depth of 1,000.
        half = len(parts) // 2
        parts = [_join(word, parts[:half]), _join(word, parts[half:])]
    return f"({word.join(sql for sql, _ in parts)})", [value for _, values in parts for value in values]


Values = dict[str, tuple[str, ...]]

# Names and titles are left out, because there are as many as documents.
_COLUMNS = {
    "format": "d.format",
    "author": "d.author",
    "folder": "d.folder",
    "language": "d.language",
    "origin": "d.origin",
    "created": "substr(d.created, 1, 4)",
    "knowledge_base": "(SELECT name FROM knowledge_bases WHERE id = d.knowledge_base)",
}
_FILTER_VALUES_LISTS = {"tag": "d.tags", "keyword": "d.keywords", "passage_tag": "d.passage_tags"}


class FilterValues:
    """Reads the values that filters can use."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    def in_use(self, most: int = 200) -> Values:
        """Return the keys with values in documents, each with its values, the most frequent first.

        Keys of the user's own metadata come last.
        """
        columns = {key: (column, "documents d") for key, column in _COLUMNS.items()}
        lists = {
            key: ("j.value", f"documents d, json_each(CAST({column} AS TEXT)) j")
            for key, column in _FILTER_VALUES_LISTS.items()
        }
        found: Values = {}
        with self._database.read() as connection:
            for key, (value, tables) in (columns | lists).items():
                rows = connection.execute(
                    f"SELECT {value} AS value FROM {tables} WHERE d.removed = 0 AND {value} <> ''"
                    " GROUP BY value ORDER BY COUNT(*) DESC, value LIMIT ?",
                    (most,),
                )
                found[key] = tuple(loaded_text(row[0]) for row in rows)
            found |= _custom_values(connection, most)
        return {key: values for key, values in found.items() if values}

    def extent(self, filter: ChunkFilter) -> FilterExtent:
        """Return the numbers of documents and passages that pass a filter.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            row = connection.execute(
                "SELECT COUNT(DISTINCT d.id), COUNT(c.id) FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                f" WHERE {condition}",
                parameters,
            ).fetchone()
        return FilterExtent(int(row[0]), int(row[1]))

    def documents(self, filter: ChunkFilter) -> list[int]:
        """Return the ids of the documents with at least one passage that passes a filter, ascending.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        return self._documents(filter, "d.chunks > 0")

    def every_document(self, filter: ChunkFilter) -> list[int]:
        """Return the ids of the documents that pass a filter, ascending, also of those without text yet.

        A filter on pages is passed only by documents with text.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        return self._documents(filter, "d.removed = 0")

    def in_scope(self, filter: ChunkFilter) -> set[int]:
        """Return the ids of the documents that pass a filter or could pass it once all of their text is read.

        These are, in addition to every_document, those that have none of the filter's pages yet, and those that were
        not read while the filter asks for what only reading tells, such as the author.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        found = set(self.every_document(filter.widened(lambda key: key not in _OF_CHUNKS)))
        if any(one.key not in _BEFORE_READING for expression in filter.where for one in conditions_of(expression)):
            not_parsed = "d.removed = 0 AND d.chunks = 0 AND d.status IN ('queued', 'parsing', 'locked', 'failed')"
            found.update(self._documents(filter.widened(lambda key: key in _BEFORE_READING), not_parsed))
        return found

    def _documents(self, filter: ChunkFilter, more: str) -> list[int]:
        chunks = "CROSS JOIN chunks c ON c.document = d.id" if by_page(filter) else ""
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            rows = connection.execute(
                f"SELECT DISTINCT d.id FROM documents d {chunks} WHERE {condition} AND {more} ORDER BY d.id",
                parameters,
            ).fetchall()
        return [int(row[0]) for row in rows]


def _custom_values(connection: Connection, most: int) -> Values:
    found: Values = {}
    for key in custom_keys(connection):
        rows = connection.execute(
            "SELECT MIN(m.value) FROM document_metadata m JOIN documents d ON d.id = m.document"
            f" WHERE m.key = ? AND m.kind <> '{NO_VALUE}' AND d.removed = 0"
            " GROUP BY m.folded ORDER BY COUNT(*) DESC, m.folded LIMIT ?",
            (key, most),
        )
        found[key] = tuple(str(row[0]) for row in rows)
    return found
