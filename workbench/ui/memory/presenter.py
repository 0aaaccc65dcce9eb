"""What is remembered in the open library, and whether more is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr, trn
from workbench.model.memory import Memory, MemoryListing
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.settings import Settings


class MemoryPresenter(QObject):
    """Knows the memories and changes them.

    Signals:
        changed: Something else is remembered, or it was switched on or off.
        switched: It was switched on or off here: the Settings.
        said: A sentence, and whether what it tells can be undone.
        failed: An error and its details.
    """

    changed = Signal()
    switched = Signal(object)
    said = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._removed: tuple[Memory, ...] = ()
        self.shelf = MemoryListing((), is_on=False)

    def set_library(self, library: Library | None) -> None:
        """Take a library and ask it."""
        if library is not self._library:
            self._library = library
            self._removed = ()
            self.shelf = MemoryListing((), is_on=False)
            self.changed.emit()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Ask the library anew."""
        if self._library is not None:
            self._bridge.submit(operations.list_memories(self._library), done=self._on_shelf, failed=self.failed.emit)

    def switch(self, on: bool) -> None:
        """Remember from now on, or no more; what is remembered stays."""
        if self._library is not None:
            putting = operations.put_setting(self._library, "memory", "yes" if on else "no")
            self._bridge.submit(putting, done=self._on_switched, failed=self._on_failed)

    def edit(self, memory: Memory, text: str) -> None:
        """Change what a memory says."""
        if self._library is not None:
            editing = operations.edit_memory(self._library, memory.id, text)
            self._bridge.submit(editing, done=self._on_done, failed=self._on_failed)

    def remove(self, memory: Memory) -> None:
        """Forget a memory; undo brings it back."""
        if self._library is not None:
            removing = operations.remove_memory(self._library, memory.id)
            self._bridge.submit(removing, done=self._on_removed, failed=self._on_failed)

    def clear(self) -> None:
        """Forget everything; undo brings it back."""
        if self._library is not None:
            clearing = operations.clear_memories(self._library)
            self._bridge.submit(clearing, done=self._on_cleared, failed=self._on_failed)

    @Slot()
    def undo(self) -> None:
        """Bring back what was removed last."""
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
        self._on_gone([memory], tr("Forgotten."))

    def _on_cleared(self, memories: list[Memory]) -> None:
        self._on_gone(memories, trn("{n:,} note forgotten.", "{n:,} notes forgotten.", len(memories)))

    def _on_gone(self, memories: Sequence[Memory], text: str) -> None:
        self._removed = tuple(memories)
        self.refresh()
        self.said.emit(text, bool(memories))

    def _on_failed(self, error: BaseException, details: str) -> None:
        # What is shown may be what was typed, and is not what is kept.
        self.refresh()
        self.failed.emit(error, details)
