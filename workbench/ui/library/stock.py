"""All documents by id with what is known of each, and those that are to go but are still shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.model.document import Document
from workbench.ui.library.counts import Counts
from workbench.ui.library.laying import Rows
from workbench.ui.library.query import words_of
from workbench.ui.library.slices import PIECE, Steps

_SOME = 500
"""Documents between two yields."""


class Stock:
    """What a model has; a document that goes is kept until no row shows it any more.

    Attributes:
        documents: By id.
        words: What each is called, in lower case.
        counts: How many there are.
    """

    def __init__(self) -> None:
        self.documents: dict[int, Document] = {}
        self.words: dict[int, str] = {}
        self.counts = Counts()
        self._ids: list[int] = []
        self._gone: set[int] = set()

    @property
    def rows(self) -> Rows:
        """What rows are made of."""
        return Rows(self.documents, self.words)

    @property
    def ids(self) -> list[int]:
        """Those that stay, in ascending order."""
        return [number for number in self._ids if number not in self._gone] if self._gone else self._ids

    def take(self, document: Document) -> Document | None:
        """Take in a document, and return the one that it takes the place of; ids are told by enlist."""
        before = self.documents.get(document.id)
        if before is not None:
            self.counts.add(before, -1)
        self.counts.add(document)
        self._gone.discard(document.id)
        self.documents[document.id] = document
        self.words[document.id] = words_of(document)
        return before

    def enlist(self, numbers: Iterable[int]) -> None:
        """Put the ids of new documents at their places."""
        self._ids = sorted([*self._ids, *numbers])

    def let_go(self, numbers: Sequence[int]) -> Steps[set[int]]:
        """Note which documents are to go, and return those that are there."""
        gone: set[int] = set()
        for start in range(0, len(numbers), PIECE):
            gone.update(number for number in numbers[start : start + PIECE] if number in self.documents)
            yield
        self._gone |= gone
        return gone

    def awaits_more_than(self, gone: set[int]) -> bool:
        """Tell whether others are to go, too, whose rows are still shown."""
        return len(self._gone) > len(gone)

    def forget(self) -> Steps[None]:
        """Forget the documents that went, once no row shows them."""
        ids, gone = self.ids, self._gone
        self._ids, self._gone = ids, set()
        for place, number in enumerate(gone, 1):
            self.counts.add(self.documents.pop(number), -1)
            del self.words[number]
            if place % _SOME == 0:
                yield
