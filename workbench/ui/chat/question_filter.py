"""The filter of the questions that are asked next: what it can be made of, and how much it lets through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.model.filter import EVERYTHING, ChunkFilter, FilterExtent
from workbench.ui.bridge import Bridge
from workbench.ui.chat.conversation import Conversation
from workbench.ui.lazy_operations import operations
from workbench.worker.job import JobHandle

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.chat.filter_bar import FilterBar


class QuestionFilter(QObject):
    """Hands what is written in a FilterBar to the conversation, and asks the library about it."""

    def __init__(self, bridge: Bridge, conversation: Conversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._conversation = conversation
        self._library: Library | None = None
        self._bar: FilterBar | None = None
        self._measuring: JobHandle[FilterExtent] | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none; what filtered the old one is gone."""
        self._library = library
        self._conversation.filter = EVERYTHING
        if self._bar is not None:
            self._bar.close_filter()

    @Slot(object)
    def show_in(self, bar: FilterBar) -> None:
        """Offer the values of the library in a bar, and follow what is written there."""
        if self._bar is None:
            self._bar = bar
            bar.changed.connect(self._on_changed)
            bar.values_wanted.connect(self._list_values)
        self._list_values()

    @Slot()
    def _list_values(self) -> None:
        if self._library is not None and self._bar is not None:
            self._bridge.submit(operations.filter_values(self._library), done=self._bar.set_values)

    @Slot()
    def measure(self) -> None:
        """Ask how much the filter lets through in the knowledge base that is asked."""
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring = None
        chosen = self._conversation.filter
        if self._library is None or self._bar is None or not chosen.where:
            return
        whole = ChunkFilter(self._conversation.knowledge_base, chosen.where)
        self._measuring = self._bridge.submit(
            operations.filter_extent(self._library, whole), done=self._bar.show_extent, failed=self._on_failed
        )

    @Slot(object)
    def _on_changed(self, chosen: ChunkFilter) -> None:
        self._conversation.filter = chosen
        self.measure()

    def _on_failed(self, error: BaseException, _details: str) -> None:
        if self._bar is not None:
            self._bar.show_error(error)
