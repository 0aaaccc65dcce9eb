"""Loaders of what belongs to a passage: text and chunks of its document, neighbouring passages, the whole section."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from workbench import operations
from workbench.errors import NotFound, WorkbenchError
from workbench.language import mark, tr, translate
from workbench.model.chunk import Chunk, Neighbours, Stretch
from workbench.model.document import Document
from workbench.ui.actions import COMMAND, command
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.passage_rows import InspectedPassage, neighbour_passage

if TYPE_CHECKING:
    from workbench.operations import Library


class _LoadRequest:
    """Request for data of one document; it holds the document so that a late reply can be recognised."""

    def __init__(self, source: DocumentLoader, document: int) -> None:
        self.source = source
        self.document = document

    def text(self, text: str) -> None:
        """Pass the text on."""
        self.source.receive_text(self.document, text)

    def chunks(self, chunks: list[Chunk]) -> None:
        """Pass the chunks on."""
        self.source.receive_chunks(self.document, chunks)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self.source.receive_failure(self.document, error)


class DocumentLoader(QObject):
    """Loader for the text and the chunks of one document at a time.

    Signals:
        text_ready: Id of a document, and its text.
        chunks_ready: The Document and its chunks.
        missing: Id of a document that is no longer in the library.
        failed: Id of a document, an error message and a hint.
    """

    # Ids of documents and chunks as objects: those of shared libraries need more than 32 bits.
    text_ready = Signal(object, str)
    chunks_ready = Signal(object, object)
    missing = Signal(object)
    failed = Signal(object, str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._kept_text: tuple[int, str] | None = None
        self._wanted_text: int | None = None
        self._wanted_chunks: Document | None = None

    def set_library(self, library: Library | None) -> None:
        """Set the library and drop the text that is kept from the previous one."""
        self._library = library
        self._kept_text = None
        self._wanted_text = None
        self._wanted_chunks = None

    @property
    def library(self) -> Library | None:
        """The library that documents are loaded from."""
        return self._library

    def forget(self, document: int) -> None:
        """Drop the kept text of a document that changed."""
        if self._kept_text is not None and self._kept_text[0] == document:
            self._kept_text = None

    def want_text(self, document: int) -> None:
        """Request a document's text; a previous request for text is dropped."""
        self._wanted_text = document
        if self._kept_text is not None and self._kept_text[0] == document:
            self.text_ready.emit(*self._kept_text)
        elif self._library is not None:
            request = _LoadRequest(self, document)
            self._bridge.submit(
                operations.document_text(self._library, document), done=request.text, failed=request.failed
            )

    def want_chunks(self, document: Document) -> None:
        """Request a document's chunks; a previous request for chunks is dropped."""
        self._wanted_chunks = document
        if self._library is not None:
            request = _LoadRequest(self, document.id)
            self._bridge.submit(
                operations.list_chunks(self._library, document.id), done=request.chunks, failed=request.failed
            )

    def drop_chunks(self) -> None:
        """Drop the request for chunks."""
        self._wanted_chunks = None

    def receive_text(self, document: int, text: str) -> None:
        """Store and emit a text; ignored if it is no longer requested."""
        if document == self._wanted_text:
            self._kept_text = (document, text)
            self.text_ready.emit(document, text)

    def receive_chunks(self, document: int, chunks: list[Chunk]) -> None:
        """Emit chunks; ignored if they are no longer requested."""
        if self._wanted_chunks is not None and document == self._wanted_chunks.id:
            self.chunks_ready.emit(self._wanted_chunks, chunks)

    def receive_failure(self, document: int, error: BaseException) -> None:
        """Report that a document could not be loaded."""
        wanted = self._wanted_chunks is not None and self._wanted_chunks.id == document
        if document != self._wanted_text and not wanted:
            return
        if isinstance(error, NotFound):
            self.missing.emit(document)
        elif isinstance(error, WorkbenchError):
            self.failed.emit(document, translate(error.message), translate(error.hint))
        else:
            self.failed.emit(document, tr("This document cannot be shown."), "")


class _NeighboursRequest:
    """Request for a chunk and its neighbours; it holds the shown passage so that a late reply can be recognised."""

    def __init__(self, take: Callable[[InspectedPassage, Neighbours], None], passage: InspectedPassage) -> None:
        self._take = take
        self._passage = passage

    def done(self, found: Neighbours) -> None:
        """Pass the chunk and its neighbours on."""
        self._take(self._passage, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Show none: the passage was deleted, which is reported elsewhere."""


class NeighbourLoader(QObject):
    """Loader for the chunks before and after a passage.

    Signals:
        found: The Neighbours of the shown passage; None while they are unknown.
        wanted: An InspectedPassage to show.
    """

    found = Signal(object)
    wanted = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: InspectedPassage | None = None

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: InspectedPassage | None) -> None:
        """Set the passage and request its neighbours."""
        self._passage = passage
        self.found.emit(None)
        if passage is not None and passage.is_in_library and passage.chunk is not None:
            self._request_neighbours(passage.chunk.id, self._on_found)

    @Slot(object)
    def show(self, chunk: int) -> None:
        """Request that a chunk of the document is shown, even if the list does not contain it."""
        if self._passage is not None:
            self._request_neighbours(chunk, self._on_wanted)

    def _request_neighbours(self, chunk: int, take: Callable[[InspectedPassage, Neighbours], None]) -> None:
        if self._library is not None and self._passage is not None:
            request = _NeighboursRequest(take, self._passage)
            asking = operations.chunk_neighbours(self._library, chunk)
            self._bridge.submit(asking, done=request.done, failed=request.failed)

    def _on_found(self, passage: InspectedPassage, found: Neighbours) -> None:
        if passage is self._passage:
            self.found.emit(found)

    def _on_wanted(self, passage: InspectedPassage, found: Neighbours) -> None:
        if passage is self._passage:
            self.wanted.emit(neighbour_passage(passage, found.chunk))


ELSEWHERE = mark("The section of this passage cannot be shown.")


class _SectionRequest:
    """Request for a section; it holds the passage so that a late reply can be recognised."""

    def __init__(self, action: SectionAction, passage: InspectedPassage) -> None:
        self._action = action
        self._passage = passage

    def done(self, stretch: Stretch) -> None:
        """Pass the section on."""
        self._action.receive(self._passage, stretch)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self._action.receive_failure(self._passage, error)


class SectionAction(QAction):
    """Action of a passage that requests its whole section.

    Signals:
        found: The Stretch that is the section of the shown passage.
        failed: An error message: the section does not exist, or no longer.
    """

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        one = command("passage.section")
        super().__init__(one.title, parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: InspectedPassage | None = None
        self._start = 0
        # A section that is being loaded is not asked for again.
        self._is_busy = False
        self.setProperty(COMMAND, one.name)
        self.setToolTip(tr(one.tip))
        self.setEnabled(False)
        self.triggered.connect(self._on_triggered)

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: InspectedPassage | None, start: int = 0) -> None:
        """Set the passage, and the offset at which it begins in the current text; None disables the action."""
        self._passage = passage
        self._start = start
        self._is_busy = False
        self.setEnabled(passage is not None and self._library is not None)

    def receive(self, passage: InspectedPassage, stretch: Stretch) -> None:
        """Emit a section; ignored if another passage is shown by now."""
        if passage is self._passage:
            self._is_busy = False
            self.found.emit(stretch)

    def receive_failure(self, passage: InspectedPassage, error: BaseException) -> None:
        """Report that the section could not be loaded."""
        if passage is self._passage:
            self._is_busy = False
            self.failed.emit(translate(error.message) if isinstance(error, WorkbenchError) else tr(ELSEWHERE))

    @Slot()
    def _on_triggered(self) -> None:
        if self._passage is None or self._library is None or self._is_busy:
            return
        self._is_busy = True
        request = _SectionRequest(self, self._passage)
        at = operations.section_at(self._library, self._passage.document, self._start)
        self._bridge.submit(at, done=request.done, failed=request.failed)
