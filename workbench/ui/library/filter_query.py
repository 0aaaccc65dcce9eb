"""Parser for the text in the filter box: words, and conditions like tag:law, format:pdf, status:failed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from workbench.model.document import Document
from workbench.ui.library.document_wording import troubles

if TYPE_CHECKING:
    from workbench.model.filter import Expression

_TOKEN = re.compile(r'(?P<key>\w+):(?:"(?P<value>[^"]*)"?|(?P<plain>\S*))|"(?P<quoted>[^"]*)"?|(?P<word>\S+)')


# Syntax beyond words and key:value: -not, brackets, comparisons, ranges, lists, stars, OR.
_RICH = re.compile(r"(?:^|[\s(])-\S|[()（）<>=≥≤≠*]|\b(?:OR|AND|NOT)\b|[:：]\S*(?:,|，|\.\.)")


@dataclass(frozen=True, slots=True)
class MatchingDocuments:
    """Ids of documents that pass a query.

    Attributes:
        named: Documents whose name, title or custom metadata match all words.
        below: Documents for which some words occur only in the path of their folder; shown after the others.
    """

    named: Sequence[int]
    below: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """Query: all words must occur in a document's name, title or folder, and all conditions hold; in lower case.

    If the text contains more than that (-not, OR, brackets, comparisons), all of it is in the tree.
    """

    words: tuple[str, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    tree: "Expression | None" = None

    @classmethod
    def of(cls, text: str) -> "Query":
        """Parse a text.

        A word before a colon that is not a condition is a key of custom metadata, or a plain word.
        """
        if _RICH.search(text):
            # Imported here because the window's start does not need it.
            from workbench.ui.library.filter_expressions import tree_of

            tree = tree_of(text, CONDITIONS)
            if tree is not None:
                return cls(tree=tree)
        words: list[str] = []
        conditions: list[tuple[str, str]] = []
        for match in _TOKEN.finditer(text.casefold()):
            value = match["value"] or match["plain"] or ""
            if match["key"] is None:
                words.append(match["quoted"] or match["word"] or "")
            elif match["key"] not in CONDITIONS:
                words.append(f"{match['key']}:{value}")
            elif value:
                conditions.append((match["key"], value))
        return cls(tuple(word for word in words if word), tuple(conditions))

    def chosen(
        self, order: Iterable[int], documents: Mapping[int, Document], words: Mapping[int, str]
    ) -> MatchingDocuments:
        """Return the ids that pass, in the given order; words holds each document's name and title in lower case."""
        if self.tree is not None:
            from workbench.ui.library.filter_expressions import FilterableRows, passing

            return MatchingDocuments(passing(self.tree, list(order), FilterableRows(documents, words, CONDITIONS)))
        remaining = list(order)
        for key, value in self.conditions:
            # Cached per value: 100,000 documents have a dozen formats and a few hundred folders.
            test = cache(partial(CONDITIONS[key].test, value))
            of = CONDITIONS[key].of
            remaining = [number for number in remaining if test(of(documents[number]))]
        named = remaining
        for word in self.words:
            named = [number for number in named if word in words[number] or has_metadata_word(documents[number], word)]
        if len(named) == len(remaining):
            return MatchingDocuments(named)
        named_ids = set(named)
        below = [number for number in remaining if number not in named_ids]
        for word in self.words:
            is_in_folder = cache(partial(_holds, word))
            below = [number for number in below if is_in_folder(documents[number].folder) or word in words[number]]
        return MatchingDocuments(named, below)


def has_metadata_word(document: Document, word: str) -> bool:
    """Return whether a word is key:value of a document's custom metadata; a value matches by its beginning."""
    if not document.stored_custom:
        return False
    key, sign, value = word.partition(":")
    return bool(sign) and any(
        _begins(value, one.text) for field in document.stored_custom if field.key == key for one in field.values
    )


def words_of(document: Document) -> str:
    """Return name and title in lower case: the text that is searched first for the words of a query, and sorted by."""
    return f"{document.name}\n{document.metadata.title}".casefold()


@dataclass(frozen=True, slots=True)
class QueryCondition:
    """Condition before a colon: the value it reads from a document, and the test against the typed value."""

    of: Callable[[Document], Any]
    test: Callable[[str, Any], bool]


def _begins(value: str, text: str) -> bool:
    return text.casefold().startswith(value)


def _any_begins(value: str, texts: tuple[str, ...]) -> bool:
    return any(text.casefold().startswith(value) for text in texts)


def _holds(value: str, text: str) -> bool:
    return value in text.casefold()


def _is_below(value: str, folder: str) -> bool:
    return f"/{value.strip('/')}" in f"/{folder.casefold()}"


def _is_format(value: str, format: str) -> bool:
    # People call a format by its file ending.
    return format.startswith(_BY_SUFFIX.get(value, value))


def _problem(document: Document) -> str:
    return "problem" if troubles(document) else ""


_BY_SUFFIX = {"md": "markdown", "txt": "text", "htm": "html"}
CONDITIONS: dict[str, QueryCondition] = {
    "tag": QueryCondition(attrgetter("tags"), _any_begins),
    "passage_tag": QueryCondition(attrgetter("passage_tags"), _any_begins),
    "format": QueryCondition(attrgetter("format"), _is_format),
    "status": QueryCondition(attrgetter("status"), _begins),
    "folder": QueryCondition(attrgetter("folder"), _is_below),
    "author": QueryCondition(attrgetter("metadata.author"), _holds),
    "keyword": QueryCondition(attrgetter("metadata.keywords"), _any_begins),
    "language": QueryCondition(attrgetter("metadata.language"), _begins),
    "origin": QueryCondition(attrgetter("origin"), _begins),
    "is": QueryCondition(_problem, _begins),
}
"""Conditions by the key before the colon; the beginning of a value matches, so the list updates while one types."""
