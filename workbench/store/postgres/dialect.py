"""Translation of the statements of store/ from SQLite's dialect to PostgreSQL's.

Both databases run the same statements for documents, so that there is one copy of them. What both understand is left as
it is. This module translates parameters and the few forms that only SQLite has; functions that PostgreSQL lacks (instr,
total, folded, json_group_array) are defined in schema.sql.

    ?, ?1                            %s
    a CROSS JOIN b INDEXED BY i ON   a JOIN b ON           CROSS JOIN only fixes the order in SQLite
    json_each(?)                     json_ids(%s)          a list of ids
    json_each(json(?))               json_rows(%s)         a list of lists
    json_each(CAST(x AS TEXT))       json_texts(CAST(x AS TEXT))
    json_array(...)                  json_build_array(...)
    group_concat(column)             string_agg(column::text, ',')
    instr(a, b) as a condition       instr(a, b) > 0
    d.failure                        '', since shared libraries do not hold the kind of a failure
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_TOKEN = re.compile(r"'(?:[^']|'')*'|\?(\d*)|%")
_REPLACED = (
    (re.compile(r"\bCROSS JOIN (\w+ \w+)(?: INDEXED BY \w+)? ON\b"), r"JOIN \1 ON"),
    (re.compile(r" INDEXED BY \w+"), ""),
    (re.compile(r"\bjson_each\(\?\)"), "json_ids(?)"),
    (re.compile(r"\bjson_each\(json\(\?\)\)"), "json_rows(?)"),
    (re.compile(r"\bjson_each\(CAST"), "json_texts(CAST"),
    (re.compile(r"\bjson_array\("), "json_build_array("),
    (re.compile(r"\bgroup_concat\((\w+)\)"), r"string_agg(\1::text, ',')"),
    (re.compile(r"(\binstr\([^()]*\))(?! *[<>=])"), r"(\1 > 0)"),
    (re.compile(r"\bd\.failure\b"), "''"),
)


@lru_cache(maxsize=4096)
def translate(sql: str) -> tuple[str, tuple[int, ...] | None]:
    """Return a statement for PostgreSQL, and the indexes of its parameters in order; None if they are not numbered."""
    for pattern, replacement in _REPLACED:
        sql = pattern.sub(replacement, sql)
    numbers: list[int] = []

    def replace(match: re.Match[str]) -> str:
        if match[0][0] != "?":
            return match[0].replace("%", "%%")
        if match[1]:
            numbers.append(int(match[1]) - 1)
        return "%s"

    return _TOKEN.sub(replace, sql), tuple(numbers) or None


def parameters_of(parameters: Sequence[Any], order: tuple[int, ...] | None) -> list[Any]:
    """Return the parameters of a statement in the order of translate(), as PostgreSQL can store them."""
    chosen = parameters if order is None else [parameters[index] for index in order]
    return [storable(one) for one in chosen]


def storable(value: Any) -> Any:
    """Return a value whose texts PostgreSQL accepts: NUL and lone surrogates become U+FFFD, one for one.

    The offsets of passages stay right. Bytes are a text that SQLite holds as bytes because of surrogates (stored_text);
    packed values are passed as bytearray. Other values are returned unchanged.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogatepass")
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return _UNSTORABLE.sub("\ufffd", value)


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

FOLDED: Mapping[str, str] = {
    "pg_unicode_fast": 'casefold(value COLLATE "pg_unicode_fast")',
    "und-x-icu": "replace(lower(value COLLATE \"und-x-icu\"), 'ß', 'ss')",
    "": "lower(value)",
}
"""Collation -> expression of folded(); the first one that the server has is used.

Only the first folds every letter as Python does; with the others, a filter distinguishes some rare letters by case.
"""
