"""Full filter syntax of the filter box, beyond words and key:value, evaluated over the rows of the list.

It finds the documents that a search with this filter would search, with two differences that help while typing: a value
matches by its beginning, and a document has either all of the pages or none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from workbench.errors import RetrievalError
from workbench.model.custom_metadata import passes
from workbench.model.document import Document
from workbench.model.filter import FILTER_KEYS, AllOf, AnyOf, Condition, Expression, Kind, Not, Operator
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.ui.library.filter_query import has_metadata_word

# Keys with a different value for every document.
_DISTINCT = ("called", "document", "name", "title", "path")
Test = Callable[[Any], bool]
_ORDER: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: lambda one, other: bool(one > other),
    Operator.GTE: lambda one, other: bool(one >= other),
    Operator.LT: lambda one, other: bool(one < other),
    Operator.LTE: lambda one, other: bool(one <= other),
}
_OF: dict[str, Callable[[Document], Any]] = {
    "called": lambda document: (document.name, document.metadata.title, document.folder),
    "knowledge_base": lambda document: document.knowledge_base,
    "document": lambda document: (document.id, document.id),
    "name": lambda document: document.name,
    "title": lambda document: document.metadata.title,
    "author": lambda document: document.metadata.author,
    "format": lambda document: document.format,
    "page": lambda document: (1, document.pages) if document.pages else None,
    "pages": lambda document: (document.pages, document.pages),
    "path": lambda document: document.path,
    "created": lambda document: document.metadata.created,
    "modified": lambda document: document.metadata.modified,
    "added": lambda document: document.added,
    "keyword": lambda document: document.metadata.keywords,
    "tag": lambda document: document.tags,
    "passage_tag": lambda document: document.passage_tags,
    "folder": lambda document: document.folder,
    "language": lambda document: document.metadata.language,
    "origin": lambda document: document.origin.value,
}


def tree_of(text: str, others: Mapping[str, Any]) -> Expression | None:
    """Parse a filter text; return None while it is incomplete.

    Args:
        text: The text that was typed.
        others: Keys that only the list has.
    """
    try:
        where = filter_of_text(text, others=frozenset(others)).where
    except RetrievalError:
        return None
    return AllOf(where)


@dataclass(frozen=True, slots=True)
class FilterableRows:
    """Rows of the list by id: documents, lower-case names and titles, and the list's own keys with “of” and “test”."""

    documents: Mapping[int, Document]
    words: Mapping[int, str]
    others: Mapping[str, Any]


def passing(expression: Expression, order: Sequence[int], rows: FilterableRows) -> list[int]:
    """Return the ids that pass the expression, in the given order."""
    match expression:
        case AllOf(parts):
            remaining = list(order)
            for part in parts:
                remaining = passing(part, remaining, rows)
            return remaining
        case AnyOf(parts):
            found = {number for part in parts for number in passing(part, order, rows)}
            return [number for number in order if number in found]
        case Not(part):
            return _without(order, passing(part, order, rows))
        case Condition(key, Operator.NEQ, values):
            return _without(order, passing(Condition(key, Operator.EQ, values), order, rows))
        case Condition("called", Operator.CONTAINS, (value,)):
            return _ids_called(value.casefold(), order, rows)
        case Condition(key, operator, values) if key not in FILTER_KEYS and key not in rows.others:
            return [number for number in order if _is_custom(rows, number, key, operator, values)]
        case Condition(key, operator, values):
            of, test = _leaf(key, operator, values, rows.others)
            if key not in _DISTINCT:
                # Cached per value: 100,000 documents have a dozen formats and a few hundred folders.
                test = cache(test)
            documents = rows.documents
            return [number for number in order if test(of(documents[number]))]


def _is_custom(rows: FilterableRows, number: int, key: str, operator: Operator, values: Sequence[str]) -> bool:
    """Compare custom metadata; an unknown key may also be a word followed by a colon."""
    document = rows.documents[number]
    held = [value for field in document.stored_custom if field.key == key for value in field.values]
    if passes(held, operator, values):
        return True
    typed = [f"{key}:{value}".casefold() for value in values if value] if operator is Operator.EQ else ()
    return any(has_metadata_word(document, word) or word in rows.words[number] for word in typed)


def _ids_called(word: str, order: Sequence[int], rows: FilterableRows) -> list[int]:
    is_in_folder = cache(lambda folder: word in folder.casefold())
    documents, words = rows.documents, rows.words
    return [number for number in order if word in words[number] or is_in_folder(documents[number].folder)]


def _without(order: Sequence[int], gone: Iterable[int]) -> list[int]:
    known = set(gone)
    return [number for number in order if number not in known]


def _leaf(
    key: str, operator: Operator, values: Sequence[str], others: Mapping[str, Any]
) -> tuple[Callable[[Document], Any], Test]:
    is_whole = operator in (Operator.EQ, Operator.IN)
    if key in others and (is_whole or key not in FILTER_KEYS) and all(values):
        wanted = [value.casefold() for value in values]
        return others[key].of, lambda value: any(others[key].test(one, value) for one in wanted)
    kind = FILTER_KEYS[key].kind
    if kind is Kind.NUMBER:
        return _OF[key], lambda value: _number(value, operator, values)
    if kind is Kind.DATE:
        return _OF[key], lambda value: _date(value, operator, values)
    return _OF[key], _text_test(operator, [value.casefold() for value in values])


def _text_test(operator: Operator, wanted: Sequence[str]) -> Test:
    """Return the test for a text or several texts."""
    first = wanted[0] if wanted else ""
    if operator is Operator.CONTAINS:
        return lambda value: first in _joined(value)
    if operator is Operator.STARTSWITH:
        return lambda value: f"\n{first}" in f"\n{_joined(value)}"
    if operator in _ORDER:
        return lambda value: any(text and _ORDER[operator](text, first) for text in _joined(value).split("\n"))
    return lambda value: any(one in _joined(value).split("\n") for one in wanted)


def _joined(value: str | tuple[str, ...]) -> str:
    return (value if isinstance(value, str) else "\n".join(value)).casefold()


def _date(date: str, operator: Operator, values: Sequence[str]) -> bool:
    date = date.replace(" ", "T")
    if operator in _ORDER:
        return bool(date) and _ORDER[operator](date[: len(values[0])], values[0])
    if operator is Operator.CONTAINS:
        return values[0] in date
    return any(date.startswith(value) if value else not date for value in values)


def _number(span: tuple[int, int] | None, operator: Operator, values: Sequence[str]) -> bool:
    if span is None:
        return operator not in _ORDER and "" in values
    first, last = span
    wanted = [float(value) for value in values if value]
    if operator in _ORDER:
        return _ORDER[operator](last if operator in (Operator.GT, Operator.GTE) else first, wanted[0])
    return any(first <= value <= last for value in wanted)
