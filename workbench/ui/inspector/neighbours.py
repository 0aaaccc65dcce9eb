"""The passages before and after the one that is shown, and any other of its document that is pointed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.chunk import Neighbours
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.passages import Passage, beside
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class _Request:
    """A chunk on its way; its own object, so that a late reply is known by the passage that was shown."""

    def __init__(self, take: Callable[[Passage, Neighbours], None], passage: Passage) -> None:
        self._take = take
        self._passage = passage

    def done(self, found: Neighbours) -> None:
        """Pass it on."""
        self._take(self._passage, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Show none: the passage is gone, and is told of elsewhere."""


class PassageNeighbours(QObject):
    """Fetches them from the library.

    Signals:
        found: The Neighbours of the passage that is shown; None while they are not known.
        wanted: A Passage that is to be shown.
    """

    found = Signal(object)
    wanted = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: Passage | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: Passage | None) -> None:
        """Be of another passage."""
        self._passage = passage
        self.found.emit(None)
        if passage is not None and passage.is_editable and passage.chunk is not None:
            self._ask(passage.chunk.id, self._on_found)

    @Slot(int)
    def show(self, chunk: int) -> None:
        """Have a chunk of the document shown, which the list need not hold."""
        if self._passage is not None:
            self._ask(chunk, self._on_wanted)

    def _ask(self, chunk: int, take: Callable[[Passage, Neighbours], None]) -> None:
        if self._library is not None and self._passage is not None:
            request = _Request(take, self._passage)
            asking = operations.chunk_neighbours(self._library, chunk)
            self._bridge.submit(asking, done=request.done, failed=request.failed)

    def _on_found(self, passage: Passage, found: Neighbours) -> None:
        if passage is self._passage:
            self.found.emit(found)

    def _on_wanted(self, passage: Passage, found: Neighbours) -> None:
        if passage is self._passage:
            self.wanted.emit(beside(passage, found.chunk))
