"""How much of the library a search could see."""

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.language import mark


@dataclass(frozen=True, slots=True)
class Coverage:
    """The documents that were meant to be searched, counted by what keeps them from being found.

    Attributes:
        documents: All of them, in one knowledge base or in all.
        by_keyword: Searched, but not by meaning, or not all of it yet.
        waiting: Not read yet.
        locked: Locked by a password that nobody has given.
        failed: Could not be read.
        not_embedded: Not searched because only vectors were asked for, and they have none or not all of them.
    """

    documents: int
    by_keyword: int = 0
    waiting: int = 0
    locked: int = 0
    failed: int = 0
    not_embedded: int = 0

    @property
    def searched(self) -> int:
        """How many documents could be found."""
        return max(0, self.documents - self.waiting - self.locked - self.failed - self.not_embedded)

    @property
    def pending(self) -> int:
        """How many documents are still to be read or embedded: what they say may not be found yet."""
        return self.waiting + self.by_keyword + self.not_embedded

    @property
    def is_complete(self) -> bool:
        """Whether all of every document could be found, by keyword and by meaning."""
        return self.searched == self.documents and not self.by_keyword

    @property
    def sentence(self) -> str:
        """It in words: "Searched 120 of 296 documents, 30 of them only by keyword. Not searched: ..."."""
        if not self.documents:
            return mark("There was no document to search.")
        if self.searched == self.documents:
            every = mark(f"Searched all {self.documents:,} documents")
            said = mark("Searched the only document") if self.documents == 1 else every
        elif self.documents == 1:
            said = mark(f"Searched {self.searched:,} of 1 document")
        else:
            said = mark(f"Searched {self.searched:,} of {self.documents:,} documents")
        if self.by_keyword and self.searched == 1:
            said = mark(f"{said}, only by keyword")
        elif self.by_keyword:
            said = mark(f"{said}, {self.by_keyword:,} of them only by keyword")
        return f"{said}.{self._left_out()}"

    def _left_out(self) -> str:
        kinds = (
            (self.waiting, mark(f"{self.waiting:,} still to be read")),
            (self.locked, mark(f"{self.locked:,} locked by a password")),
            (self.failed, mark(f"{self.failed:,} not read (failed or cancelled)")),
            (self.not_embedded, mark(f"{self.not_embedded:,} without all vectors yet")),
        )
        told = [words for number, words in kinds if number]
        if not told:
            return ""
        listed = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
        return " " + mark(f"Not searched: {listed}.")


def narrowest(several: Iterable[Coverage]) -> Coverage | None:
    """Return the one that saw least: an answer can have missed what one of its searches could not see."""
    return min(several, key=lambda one: one.searched - one.by_keyword, default=None)
