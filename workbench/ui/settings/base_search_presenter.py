"""How each knowledge base is searched: shown, changed, reset and undone; works without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr
from workbench.model.evaluation import Promotion, SearchSettings
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class BaseSearchPresenter(QObject):
    """Knows the knowledge bases, which of them is looked at, and how it is searched.

    Signals:
        bases_changed: There are other knowledge bases.
        changed: Another one is looked at, or it is searched otherwise.
        said: A sentence on what was changed, which can be undone.
        failed: An error and its details.
    """

    bases_changed = Signal()
    changed = Signal()
    said = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._last: Promotion | None = None
        self.bases: tuple[str, ...] = ()
        self.base: str | None = None
        self.configuration = DEFAULT_SEARCH
        self.is_own = False

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library, self._last = library, None
        self.bases, self.base = (), None
        self._on_settings(SearchSettings(None, DEFAULT_SEARCH, is_own=False))

    @Slot()
    def refresh(self) -> None:
        """Ask anew which knowledge bases there are, and how the one that is looked at is searched."""
        if self._library is not None:
            listing = operations.list_knowledge_bases(self._library)
            self._bridge.submit(listing, done=self._on_bases, failed=self.failed.emit)

    def choose(self, base: str | None) -> None:
        """Look at another knowledge base; None is for all that have nothing of their own."""
        self.base = base
        if self._library is not None:
            asking = operations.search_settings(self._library, base)
            self._bridge.submit(asking, done=self._on_settings, failed=self.failed.emit)

    def put(self, configuration: SearchConfiguration) -> None:
        """Search the one that is looked at like this from now on."""
        if configuration != self.configuration:
            self._promote(configuration)

    def reset(self) -> None:
        """Search the one that is looked at like all others again; all of them as the program has it."""
        self._promote(None)

    @Slot()
    def undo(self) -> None:
        """Take the last change back."""
        last, self._last = self._last, None
        if last is not None and self._library is not None:
            promoting = operations.promote(self._library, last.knowledge_base, last.before)
            self._bridge.submit(promoting, done=self._on_undone, failed=self.failed.emit)

    def _promote(self, configuration: SearchConfiguration | None) -> None:
        if self._library is not None:
            promoting = operations.promote(self._library, self.base, configuration)
            self._bridge.submit(promoting, done=self._on_promoted, failed=self._on_refused)

    def _on_bases(self, names: list[str]) -> None:
        self.bases = tuple(names)
        self.base = self.base if self.base in self.bases else None
        self.bases_changed.emit()
        self.choose(self.base)

    def _on_settings(self, found: SearchSettings) -> None:
        # It may be the answer for one that is looked at no more.
        if found.knowledge_base == self.base:
            self.configuration, self.is_own = found.configuration, found.is_own
            self.changed.emit()

    def _on_promoted(self, promotion: Promotion) -> None:
        self._last = promotion
        self.choose(self.base)
        name = promotion.knowledge_base
        if name is None:
            self.said.emit(tr("All knowledge bases without settings of their own are searched like this now."))
        elif promotion.now is None:
            self.said.emit(tr("“{name}” is searched like all others again.", name=name))
        else:
            self.said.emit(tr("“{name}” has search settings of its own now.", name=name))

    def _on_undone(self, _promotion: Promotion) -> None:
        self.choose(self.base)

    def _on_refused(self, error: BaseException, details: str) -> None:
        self.changed.emit()  # the fields show what is in force again
        self.failed.emit(error, details)
