"""Settings that documents only follow once they are indexed again: whether one was changed, and for how many."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.document import Document
from workbench.model.knowledge_base import KnowledgeBase
from workbench.settings import DECLARATIONS, Settings
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

_KEYS = tuple(one.key for one in DECLARATIONS if one.needs_reindex)


class Outdated(QObject):
    """Watches the settings of the open library; works without a window.

    Signals:
        found: So many documents keep the values from before; 0 for none, or none any more.
        reindex_asked: The numbers of the documents that are to be indexed again, a list.
        failed: An error and its details.
    """

    found = Signal(int)
    reindex_asked = Signal(list)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._followed: tuple[object, ...] | None = None
        self._now: tuple[object, ...] = ()

    def set_library(self, library: "operations.Library | None") -> None:
        """Take another library: what its settings were changed to before is not known."""
        self._library, self._followed = library, None
        self.found.emit(0)

    @Slot(object)
    def follow(self, settings: Settings) -> None:
        """Take note of the settings in force."""
        before, self._now = self._now, tuple(getattr(settings, key) for key in _KEYS)
        if self._followed is None:
            self._followed = self._now
        elif self._now == self._followed:
            self.found.emit(0)
        elif self._now != before and self._library is not None:
            describing = operations.describe_knowledge_bases(self._library)
            self._bridge.submit(describing, done=self._on_bases, failed=self.failed.emit)

    @Slot()
    def reindex(self) -> None:
        """Have all documents indexed again."""
        if self._library is not None:
            listing = operations.list_documents(self._library)
            self._bridge.submit(listing, done=self._on_documents, failed=self.failed.emit)

    def _on_bases(self, bases: Sequence[KnowledgeBase]) -> None:
        if self._now != self._followed:
            self.found.emit(sum(base.documents for base in bases))

    def _on_documents(self, documents: Sequence[Document]) -> None:
        self._followed = self._now
        self.found.emit(0)
        self.reindex_asked.emit([document.id for document in documents])
