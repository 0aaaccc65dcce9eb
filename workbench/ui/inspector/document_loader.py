"""Loading of what belongs to a passage: text and chunks of its document, neighbouring passages, the whole section."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.errors import NotFound, WorkbenchError
from workbench.language import mark, said, tr
from workbench.model.chunk import Chunk, Neighbours, Stretch
from workbench.model.document import Document
from workbench.ui.bridge import Bridge
from workbench.ui.inspector.passage_rows import InspectedPassage, beside
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class _LoadRequest:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

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
    """Fetches one document after another.

    Signals:
        text_ready: A document's id and its text.
        chunks_ready: The Document and its chunks.
        missing: A document's id: it is no longer in the library.
        failed: A document's id, a sentence and a hint.
    """

    text_ready = Signal(int, str)
    chunks_ready = Signal(object, object)
    missing = Signal(int)
    failed = Signal(int, str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._kept: tuple[int, str] | None = None
        self._wanted_text: int | None = None
        self._wanted_chunks: Document | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library and forget the text of the old one."""
        self._library = library
        self._kept = None
        self._wanted_text = None
        self._wanted_chunks = None

    @property
    def library(self) -> Library | None:
        """Where documents are fetched from."""
        return self._library

    def forget(self, document: int) -> None:
        """Drop what is kept of a document that changed."""
        if self._kept is not None and self._kept[0] == document:
            self._kept = None

    def want_text(self, document: int) -> None:
        """Fetch a document's text; whatever was wanted before is wanted no more."""
        self._wanted_text = document
        if self._kept is not None and self._kept[0] == document:
            self.text_ready.emit(*self._kept)
        elif self._library is not None:
            request = _LoadRequest(self, document)
            self._bridge.submit(
                operations.document_text(self._library, document), done=request.text, failed=request.failed
            )

    def want_chunks(self, document: Document) -> None:
        """Fetch a document's chunks; whatever was wanted before is wanted no more."""
        self._wanted_chunks = document
        if self._library is not None:
            request = _LoadRequest(self, document.id)
            self._bridge.submit(
                operations.list_chunks(self._library, document.id), done=request.chunks, failed=request.failed
            )

    def drop_chunks(self) -> None:
        """Want no chunks any more."""
        self._wanted_chunks = None

    def receive_text(self, document: int, text: str) -> None:
        """Take a text; one that is wanted no more is ignored."""
        if document == self._wanted_text:
            self._kept = (document, text)
            self.text_ready.emit(document, text)

    def receive_chunks(self, document: int, chunks: list[Chunk]) -> None:
        """Take chunks; those that are wanted no more are ignored."""
        if self._wanted_chunks is not None and document == self._wanted_chunks.id:
            self.chunks_ready.emit(self._wanted_chunks, chunks)

    def receive_failure(self, document: int, error: BaseException) -> None:
        """Take the news that a document cannot be had."""
        wanted = self._wanted_chunks is not None and self._wanted_chunks.id == document
        if document != self._wanted_text and not wanted:
            return
        if isinstance(error, NotFound):
            self.missing.emit(document)
        elif isinstance(error, WorkbenchError):
            self.failed.emit(document, said(error.message), said(error.hint))
        else:
            self.failed.emit(document, tr("This document cannot be shown."), "")


class _NeighboursRequest:
    """A chunk on its way; its own object, so that a late reply is known by the passage that was shown."""

    def __init__(self, take: Callable[[InspectedPassage, Neighbours], None], passage: InspectedPassage) -> None:
        self._take = take
        self._passage = passage

    def done(self, found: Neighbours) -> None:
        """Pass it on."""
        self._take(self._passage, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Show none: the passage is gone, and is told of elsewhere."""


class NeighbourLoader(QObject):
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
        self._passage: InspectedPassage | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: InspectedPassage | None) -> None:
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

    def _ask(self, chunk: int, take: Callable[[InspectedPassage, Neighbours], None]) -> None:
        if self._library is not None and self._passage is not None:
            request = _NeighboursRequest(take, self._passage)
            asking = operations.chunk_neighbours(self._library, chunk)
            self._bridge.submit(asking, done=request.done, failed=request.failed)

    def _on_found(self, passage: InspectedPassage, found: Neighbours) -> None:
        if passage is self._passage:
            self.found.emit(found)

    def _on_wanted(self, passage: InspectedPassage, found: Neighbours) -> None:
        if passage is self._passage:
            self.wanted.emit(beside(passage, found.chunk))


TITLE = mark("Whole section")
ELSEWHERE = mark("The section of this passage cannot be shown.")


class _SectionButtonRequest:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

    def __init__(self, button: SectionButton, passage: InspectedPassage) -> None:
        self._button = button
        self._passage = passage

    def done(self, stretch: Stretch) -> None:
        """Pass the section on."""
        self._button.receive(self._passage, stretch)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self._button.receive_failure(self._passage, error)


class SectionButton(QPushButton):
    """Stands beside a passage's title.

    Signals:
        found: The Stretch of the passage that is shown.
        failed: A sentence: there is none, or no longer.
    """

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(tr(TITLE), parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._passage: InspectedPassage | None = None
        self._start = 0
        self.setProperty("variant", "ghost")
        self.setAccessibleName(tr("Show the whole section of this passage"))
        self.setToolTip(tr("Show the whole section in which this passage stands"))
        self.setAutoDefault(True)
        self.setEnabled(False)
        self.clicked.connect(self._on_clicked)

    def set_library(self, library: Library | None) -> None:
        """Take another library."""
        self._library = library
        self.mean(None)

    def mean(self, passage: InspectedPassage | None, start: int = 0) -> None:
        """Stand for another passage, and where it begins in the text as it is now; or for none."""
        self._passage = passage
        self._start = start
        self.setEnabled(passage is not None and self._library is not None)

    def receive(self, passage: InspectedPassage, stretch: Stretch) -> None:
        """Take a section; of a passage that is shown no more it is ignored."""
        if passage is self._passage:
            self.setEnabled(True)
            self.found.emit(stretch)

    def receive_failure(self, passage: InspectedPassage, error: BaseException) -> None:
        """Take the news that there is none."""
        if passage is self._passage:
            self.setEnabled(True)
            self.failed.emit(said(error.message) if isinstance(error, WorkbenchError) else tr(ELSEWHERE))

    @Slot()
    def _on_clicked(self) -> None:
        if self._passage is None or self._library is None:
            return
        self.setEnabled(False)
        request = _SectionButtonRequest(self, self._passage)
        at = operations.section_at(self._library, self._passage.document, self._start)
        self._bridge.submit(at, done=request.done, failed=request.failed)
