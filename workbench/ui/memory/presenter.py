"""Presenter of the memories of the open library and of the switch of the feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.language import tr, trn
from workbench.model.memory import Memory, MemoryListing
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.settings import Settings


class MemoryPresenter(QObject):
    """Loads and changes the memories.

    Signals:
        changed: The memories changed, or the feature was switched on or off.
        switched: The Settings after the feature was switched on or off here.
        notified: A message, and whether the action it reports can be undone.
        failed: An error and its details.
    """

    changed = Signal()
    switched = Signal(object)
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._removed: tuple[Memory, ...] = ()
        self.shelf = MemoryListing((), is_on=False)

    def set_library(self, library: Library | None) -> None:
        """Switch to a library and load its memories."""
        if library is not self._library:
            self._library = library
            self._removed = ()
            self.shelf = MemoryListing((), is_on=False)
            self.changed.emit()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the memories again."""
        if self._library is not None:
            self._bridge.submit(operations.list_memories(self._library), done=self._on_shelf, failed=self.failed.emit)

    def switch(self, on: bool) -> None:
        """Switch the collection of new memories on or off; existing memories are kept."""
        if self._library is not None:
            putting = operations.put_setting(self._library, "memory", "yes" if on else "no")
            self._bridge.submit(putting, done=self._on_switched, failed=self._on_failed)

    def edit(self, memory: Memory, text: str) -> None:
        """Change the text of a memory."""
        if self._library is not None:
            editing = operations.edit_memory(self._library, memory.id, text)
            self._bridge.submit(editing, done=self._on_done, failed=self._on_failed)

    def remove(self, memory: Memory) -> None:
        """Remove a memory; undo restores it."""
        if self._library is not None:
            removing = operations.remove_memory(self._library, memory.id)
            self._bridge.submit(removing, done=self._on_removed, failed=self._on_failed)

    def clear(self) -> None:
        """Remove all memories; undo restores them."""
        if self._library is not None:
            clearing = operations.clear_memories(self._library)
            self._bridge.submit(clearing, done=self._on_cleared, failed=self._on_failed)

    @Slot()
    def undo(self) -> None:
        """Restore the memories that were removed last."""
        if self._library is not None and self._removed:
            removed, self._removed = self._removed, ()
            restoring = operations.restore_memories(self._library, removed)
            self._bridge.submit(restoring, done=self._on_done, failed=self._on_failed)

    def _on_shelf(self, shelf: MemoryListing) -> None:
        self.shelf = shelf
        self.changed.emit()

    def _on_switched(self, settings: Settings) -> None:
        self.switched.emit(settings)
        self.refresh()

    def _on_done(self, _value: object) -> None:
        self.refresh()

    def _on_removed(self, memory: Memory) -> None:
        self._show_removed([memory], tr("Note deleted."))

    def _on_cleared(self, memories: list[Memory]) -> None:
        self._show_removed(memories, trn("{n:,} note deleted.", "{n:,} notes deleted.", len(memories)))

    def _show_removed(self, memories: Sequence[Memory], text: str) -> None:
        self._removed = tuple(memories)
        self.refresh()
        self.notified.emit(text, bool(memories))

    def _on_failed(self, error: BaseException, details: str) -> None:
        # The table may show an edit that was not saved.
        self.refresh()
        self.failed.emit(error, details)
