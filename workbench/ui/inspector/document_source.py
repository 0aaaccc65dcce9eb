"""A document's text and chunks, fetched from the library; keeps one text, ignores what comes too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.errors import NotFound, WorkbenchError
from workbench.language import said, tr
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.operations import Library


class _Request:
    """One job under way; its own object, so that a late reply is known by what it was asked for."""

    def __init__(self, source: DocumentSource, document: int) -> None:
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


class DocumentSource(QObject):
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
            request = _Request(self, document)
            self._bridge.submit(
                operations.document_text(self._library, document), done=request.text, failed=request.failed
            )

    def want_chunks(self, document: Document) -> None:
        """Fetch a document's chunks; whatever was wanted before is wanted no more."""
        self._wanted_chunks = document
        if self._library is not None:
            request = _Request(self, document.id)
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
