"""Presenter of the import queue: review of a big drop, pause, cancel, priority, and passwords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.errors import DiskFull
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import FileFinished, FileOutcome, QueuePaused
from workbench.ui.bridge import Bridge
from workbench.ui.library.imports import EventHandler, ImportController
from workbench.worker.job import JobHandle

if TYPE_CHECKING:
    from workbench.model.import_progress import Review, ReviewProgress


FIRST_LOOK = 60_000
LAST_LOOK = 3_600_000
"""Minimum and maximum milliseconds between two checks whether a full disk has free space again."""


@dataclass(frozen=True, slots=True)
class RequestedImport:
    """Files and folders that the user wants to add.

    Attributes:
        paths: Files and folders.
        knowledge_base: Target knowledge base.
        folder: Folder of its tree that everything is added to; empty to keep the folders of the files.
        on_event: Callback that receives the events of the import.
    """

    paths: Sequence[Path] = ()
    knowledge_base: str = ""
    folder: str = ""
    on_event: EventHandler | None = None


class QueuePresenter(QObject):
    """Presenter of the import queue, without a window.

    Signals:
        looking: Progress of the review of a big drop: a ReviewProgress.
        reviewed: A Review that the user should see before the files are added.
        review_ended: The review is no longer shown.
        small: A drop needs no review and can be added to this knowledge base.
        paused_changed: Whether imports are paused.
        locked_found: An import found files that need a password.
        room_found: The disk has free space again for documents that were left unread when it was full.
        unread_first: What was not searched is read first: the number of documents that are or will be read, the name
            of their knowledge base, and the text of their filter; both empty for all.
        unlocked: A password was tried: number of documents that it opened, and number that are still locked.
        failed: An error and its details.
    """

    looking = Signal(object)
    reviewed = Signal(object)
    review_ended = Signal()
    small = Signal(str)
    paused_changed = Signal(bool)
    locked_found = Signal()
    room_found = Signal()
    unread_first = Signal(int, str, str)
    unlocked = Signal(int, int)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, imports: ImportController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.paused = False
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._request = RequestedImport()
        self._review_job: JobHandle[Review] | None = None
        self._room = QTimer(self)
        self._room.setSingleShot(True)
        self._room.timeout.connect(self._on_room_due)
        imports.failed.connect(self._on_import_failed)
        imports.ended.connect(self._on_import_ended)
        imports.locked.connect(self.locked_found)
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: operations.Library | None) -> None:
        """Set the library whose imports are controlled."""
        self._library = library
        self.cancel_review()
        self._room.stop()
        self._room.setInterval(FIRST_LOOK)
        if library is not None:
            self._submit("imports_paused", done=self._on_paused)

    @property
    def base(self) -> str:
        """Target knowledge base of the drop under review."""
        return self._request.knowledge_base

    def review(self, offered: RequestedImport) -> None:
        """Review a drop; small reports a drop that needs no review."""
        self.cancel_review()
        self._request = offered
        self._review_job = self._submit(
            "review",
            offered.paths,
            done=self._on_reviewed,
            event=self._on_review_event,
            cancelled=self._on_review_cancelled,
            knowledge_base=offered.knowledge_base,
        )

    @Slot()
    def cancel_review(self) -> None:
        """Cancel the review and add nothing."""
        review, self._review_job = self._review_job, None
        self._request = RequestedImport()
        if review is not None:
            review.cancel()

    def take_reviewed(self) -> RequestedImport:
        """Return the reviewed request, once."""
        offered, self._request = self._request, RequestedImport()
        return offered

    @Slot(bool)
    def pause(self, paused: bool) -> None:
        """Pause imports, or resume them."""
        self._submit("pause_imports", paused)

    def read_first(self, documents: Sequence[Document]) -> None:
        """Move waiting documents to the front of the queue."""
        waiting = [document.id for document in documents if is_waiting(document)]
        if waiting:
            self._submit("prioritise", waiting)

    @Slot(str, str)
    def read_unread_first(self, knowledge_base: str, filter: str = "") -> None:
        """Read first what a search of this knowledge base with this filter cannot see yet; an empty name is for all."""
        done = partial(self._on_unread_first, knowledge_base, filter)
        self._submit("prioritise_unread", knowledge_base or None, done=done, filter=filter)

    def cancel(self, documents: Sequence[Document]) -> None:
        """Remove documents from the running imports."""
        self._submit("cancel_documents", [document.id for document in documents if is_waiting(document)])

    def unlock(self, password: str, *, remember: bool) -> None:
        """Try a password on every locked document."""
        self._submit("unlock_documents", password, done=self._on_unlocked, remember=remember)

    def _submit(
        self, verb: str, *args: Any, done: Any = None, event: Any = None, cancelled: Any = None, **more: Any
    ) -> Any:
        if self._library is None:
            return None
        operation = getattr(operations, verb)(self._library, *args, **more)
        return self._bridge.submit(operation, done=done, event=event, cancelled=cancelled, failed=self._on_failed)

    def _on_paused(self, paused: bool) -> None:
        if paused is not self.paused:
            self.paused = paused
            self.paused_changed.emit(paused)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, QueuePaused):
            self._on_paused(event.paused)

    def _on_review_event(self, event: ReviewProgress) -> None:
        if event.is_big:
            self.looking.emit(event)

    def _on_reviewed(self, review: Review) -> None:
        if self._review_job is None:
            return  # it ended before it could be cancelled
        self._review_job = None
        if review.asks:
            self.reviewed.emit(review)
        else:
            self.review_ended.emit()
            self.small.emit(self.base)

    def _on_review_cancelled(self) -> None:
        self.review_ended.emit()

    def _on_unlocked(self, results: list[FileFinished]) -> None:
        locked = sum(result.outcome is FileOutcome.LOCKED for result in results)
        self.unlocked.emit(len(results) - locked, locked)

    def _on_unread_first(self, knowledge_base: str, filter: str, documents: int) -> None:
        self.unread_first.emit(documents, knowledge_base, filter)

    @Slot(object, str)
    def _on_import_failed(self, error: object, _details: str) -> None:
        if isinstance(error, DiskFull):
            self._room.start()

    @Slot()
    def _on_import_ended(self) -> None:
        if not self._room.isActive():
            self._room.setInterval(FIRST_LOOK)

    @Slot()
    def _on_room_due(self) -> None:
        # There may be free space but a quota, or another program that fills the disk at once: check less and less
        # often.
        self._room.setInterval(min(2 * self._room.interval(), LAST_LOOK))
        self._submit("has_room", done=self._on_room)

    def _on_room(self, has_room: bool) -> None:
        if has_room:
            self.room_found.emit()
        else:
            self._room.start()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._review_job = None
        self.review_ended.emit()
        self.failed.emit(error, details)


def is_waiting(document: Document) -> bool:
    """Return whether a document is still to be processed without user action."""
    return is_waiting_in(document.status, document.embedded < document.chunks)


def is_waiting_in(status: DocumentStatus, is_behind: bool) -> bool:
    """Return the same for a document in this state; is_behind is True if some of its chunks have no vector."""
    if status in (DocumentStatus.LOCKED, DocumentStatus.FAILED):
        return False
    return status is not DocumentStatus.READY or is_behind
