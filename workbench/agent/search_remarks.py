"""Sentences before the references of a search: how sure it is of them, and that not everything can be searched yet.

They are sent to the model as part of the result, in English like every instruction, and read again by the offline
answerer; a result of which the search is sure and that saw everything has none, and is the bare list (S-17).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.language import mark
from workbench.model.hit import Coverage, SearchResult

UNSURE_NOTICE = mark("The search is not sure that the passages that it found answer the question.")
"""For the user: the same as the model is told."""

_UNSURE = (
    "The search is not sure that these passages answer the question: decide by what they say, and say that nothing was"
    " found if they do not."
)
_PENDING = "Not everything can be searched yet ("
_PENDING_END = "): what is not found here may still stand in it."


@dataclass(frozen=True, slots=True)
class SearchRemarks:
    """What is to be known of a search beside its passages.

    Attributes:
        is_unsure: The search is not sure that what it found answers.
        pending: Documents that are still to be read or embedded, in words; empty where there is none.
    """

    is_unsure: bool = False
    pending: str = ""

    @classmethod
    def of(cls, result: SearchResult) -> "SearchRemarks":
        """Return the remarks on a result."""
        return cls(not result.is_sure, _pending(result.coverage))

    @property
    def text(self) -> str:
        """A line for each; empty where there is none."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        if self.is_unsure:
            yield _UNSURE
        if self.pending:
            yield f"{_PENDING}{self.pending}{_PENDING_END}"


NO_REMARKS = SearchRemarks()


def read_remarks(text: str) -> tuple[SearchRemarks, str]:
    """Return the remarks at the beginning of a tool's result, and the rest of it."""
    is_unsure, pending = False, ""
    line, _, rest = text.partition("\n")
    if line == _UNSURE:
        is_unsure, text = True, rest
        line, _, rest = text.partition("\n")
    if line.startswith(_PENDING) and line.endswith(_PENDING_END):
        pending, text = line[len(_PENDING) : -len(_PENDING_END)], rest
    return SearchRemarks(is_unsure, pending), text


def _pending(coverage: Coverage | None) -> str:
    if coverage is None or not coverage.pending:
        return ""
    behind = coverage.by_keyword + coverage.not_embedded
    kinds = ((coverage.waiting, "to be read"), (behind, "to be embedded"))
    return ", ".join(f"{count} {_documents(count)} still {what}" for count, what in kinds if count)


def _documents(count: int) -> str:
    return "document" if count == 1 else "documents"
