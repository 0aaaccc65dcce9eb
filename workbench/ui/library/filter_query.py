"""What is typed into the filter box: words, and conditions like tag:law, format:pdf, status:failed."""

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


# What words and key:value cannot say: -not, brackets, comparisons, ranges, lists, stars, OR.
_RICH = re.compile(r"(?:^|[\s(])-\S|[()（）<>=≥≤≠*]|\b(?:OR|AND|NOT)\b|[:：]\S*(?:,|，|\.\.)")


@dataclass(frozen=True, slots=True)
class MatchingDocuments:
    """The ids of documents that pass a query.

    Attributes:
        named: All words stand in name or title.
        below: Some stand only in the name of a folder that they lie in; these are shown after the others.
    """

    named: Sequence[int]
    below: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """All words must stand in a document's name, title or folder, and all conditions hold; all in lower case.

    Where more is said than that (-not, OR, brackets, comparisons), all of it is in the tree.
    """

    words: tuple[str, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    tree: "Expression | None" = None

    @classmethod
    def of(cls, text: str) -> "Query":
        """Return what a text asks for.

        A word before a colon that is no condition is a key of the user's own metadata, or a word like any other.
        """
        if _RICH.search(text):
            # Not on the way to the window.
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
        """Return those of the ids in order that pass; words holds each document's name and title in lower case."""
        if self.tree is not None:
            from workbench.ui.library.filter_expressions import FilterableRows, passing

            return MatchingDocuments(passing(self.tree, list(order), FilterableRows(documents, words, CONDITIONS)))
        left = list(order)
        for key, value in self.conditions:
            # Asked once a value: 100,000 documents have a dozen formats, a few hundred folders.
            test = cache(partial(CONDITIONS[key].test, value))
            of = CONDITIONS[key].of
            left = [number for number in left if test(of(documents[number]))]
        named = left
        for word in self.words:
            named = [number for number in named if word in words[number] or says(documents[number], word)]
        if len(named) == len(left):
            return MatchingDocuments(named)
        known = set(named)
        below = [number for number in left if number not in known]
        for word in self.words:
            lies_in = cache(partial(_holds, word))
            below = [number for number in below if lies_in(documents[number].folder) or word in words[number]]
        return MatchingDocuments(named, below)


def says(document: Document, word: str) -> bool:
    """Tell whether a word is key:value of a document's own metadata; a value that is only begun passes."""
    if not document.stored_custom:
        return False
    key, sign, value = word.partition(":")
    return bool(sign) and any(
        _begins(value, one.text) for field in document.stored_custom if field.key == key for one in field.values
    )


def words_of(document: Document) -> str:
    """Return what the words of a query are looked for in first: name and title, which is also what names sort by."""
    return f"{document.name}\n{document.metadata.title}".casefold()


@dataclass(frozen=True, slots=True)
class QueryCondition:
    """What may stand before a colon: what it looks at in a document, and whether that meets the value typed."""

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
    # What people call a format is what its files end in.
    return format.startswith(_BY_SUFFIX.get(value, value))


def _worst(document: Document) -> str:
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
    "is": QueryCondition(_worst, _begins),
}
"""By what stands before the colon; a value that is only begun passes too, so that the list follows as one types."""
