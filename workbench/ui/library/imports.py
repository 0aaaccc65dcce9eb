"""Running imports: start, progress of one and of all together, and cancel."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.language import tr, trn
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import (
    DocumentChanged,
    FileFinished,
    FileOutcome,
    ImportProgress,
    PageRead,
    PagesRead,
)
from workbench.ui.bridge import Bridge
from workbench.worker.job import JobHandle, Operation

_READING = 0.1
"""The part of an import's time that reading takes: 923 PDF pages are read in 2.5 s and embedded in 20 s."""

Heard = Callable[[object], None]
"""Is told every event of an import."""


@dataclass(frozen=True, slots=True)
class ImportRequester:
    """Another program that asked for an import, and is told of it in place of the user.

    Attributes:
        heard: Is told every event.
        done: Is told what became of each file.
        failed: Is told the error and its details.
        cancelled: Is told that it was stopped.
    """

    heard: Heard
    done: Callable[[list[FileFinished]], None]
    failed: Callable[[BaseException, str], None]
    cancelled: Callable[[], None]


class RunningImport:
    """One import job: keeps its last progress and tells its owner when it moves and ends."""

    def __init__(
        self,
        *,
        moved: Callable[[], None],
        ended: Callable[["RunningImport", list[FileFinished]], None],
        failed: Callable[["RunningImport", BaseException, str], None],
        locked: Callable[[], None] | None = None,
        heard: Heard | None = None,
    ) -> None:
        self.progress = ImportProgress(0, 0, 0, 0, None)
        self._moved = moved
        self._ended = ended
        self._failed = failed
        self._locked = locked
        self._heard = heard
        self.share = 0.0
        self.was_cancelled = False
        self._finished: list[FileFinished] = []
        self._names: dict[int, str] = {}
        self._page: PageRead | PagesRead | None = None
        self._pages_alone = 0
        self._handle: JobHandle[list[FileFinished]] | None = None

    def start(self, bridge: Bridge, operation: Operation[list[FileFinished]]) -> None:
        """Submit the operation."""
        self._handle = bridge.submit(
            operation, done=self._on_done, event=self._on_event, failed=self._on_failed, cancelled=self._on_cancelled
        )

    def cancel(self) -> None:
        """Ask it to stop; what is done stays done."""
        if self._handle is not None:
            self._handle.cancel()

    @property
    def seconds_left(self) -> float | None:
        """How long it will take."""
        return self.progress.seconds_left

    @property
    def page(self) -> str:
        """Which page is being read, while that is all that moves; OCR of 300 pages takes 15 minutes."""
        read = self._page
        others_are_read = self.progress.files_read >= self.progress.files - 1
        if read is None or read.done >= read.total or not (others_are_read or self._pages_alone > 1):
            return ""
        name = self._names.get(read.document, "")
        at = {"page": read.done + 1, "pages": read.total}
        words = tr("Reading page {page:,} of {pages:,}", **at)
        if isinstance(read, PageRead):
            words = tr("Reading page {page:,} of {pages:,} by OCR", **at)
            if read.tables:
                words = tr("Looking for tables, page {page:,} of {pages:,}", **at)
        return tr("{words}: {name}", words=words, name=name) if name else words

    def _on_event(self, event: Any) -> None:
        if self._heard is not None:
            self._heard(event)
        if isinstance(event, ImportProgress):
            if event.files_read > self.progress.files_read:
                self._pages_alone = 0
            self.progress = event
            # A file that is read brings new chunks: the sum grows, and a bar that went back would alarm.
            self.share = max(self.share, share_done(event))
            self._moved()
            if event.files_read >= event.files > 0:
                self._tell_locked(self._finished)
        elif isinstance(event, FileFinished):
            self._finished.append(event)
            if self._page is not None and self._page.document == event.document:
                self._page = None
        elif isinstance(event, DocumentChanged):
            self._names[event.document.id] = event.document.name
            if isinstance(self._page, PagesRead) and event.document.status is not DocumentStatus.PARSING:
                self._page = None
        elif isinstance(event, (PageRead, PagesRead)):
            self._page = event
            self._pages_alone += 1
            self._moved()

    def _tell_locked(self, results: list[FileFinished]) -> None:
        # When all is read: the vectors may take an hour more. Once, however often progress is told after that.
        if self._locked is not None and any(result.outcome is FileOutcome.LOCKED for result in results):
            tell, self._locked = self._locked, None
            tell()

    def _on_done(self, results: list[FileFinished]) -> None:
        self._tell_locked(results)
        self._ended(self, results)

    def _on_cancelled(self) -> None:
        self.was_cancelled = True
        self._ended(self, self._finished)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._failed(self, error, details)


@dataclass(frozen=True, slots=True)
class ImportState:
    """What the progress strip shows; running 0 hides it. Most fields are those of ImportProgress, summed.

    Attributes:
        running: How many imports there are.
        page: Which page is being read, in words, where that is all that moves.
        thousandths: How far all of it is.
    """

    running: int = 0
    files_read: int = 0
    files_done: int = 0
    files: int = 0
    chunks_done: int = 0
    chunks: int = 0
    seconds_left: float | None = None
    thousandths: int = 0
    page: str = ""

    @property
    def words(self) -> str:
        """How far it is, in one line."""
        if self.page:
            return self.page
        if self.files_read < self.files:
            return trn("{read:,} of {n:,} file read", "{read:,} of {n:,} files read", self.files, read=self.files_read)
        return trn("{done:,} of {n:,} file done", "{done:,} of {n:,} files done", self.files, done=self.files_done)

    @classmethod
    def of(cls, imports: Iterable[RunningImport]) -> "ImportState":
        """Return the sum of several imports; the time left is that of the longest."""
        under_way = list(imports)
        progress = [running.progress for running in under_way]
        times = [running.seconds_left for running in under_way]
        known = [seconds for seconds in times if seconds is not None]
        files = sum(one.files for one in progress)
        share = sum(running.share * running.progress.files for running in under_way)
        return cls(
            running=len(progress),
            files_read=sum(one.files_read for one in progress),
            files_done=sum(one.files_done for one in progress),
            files=files,
            chunks_done=sum(one.chunks_done for one in progress),
            chunks=sum(one.chunks for one in progress),
            seconds_left=max(known) if known else None,
            thousandths=round(1000 * share / files) if files else 0,
            page=next((running.page for running in under_way if running.page), ""),
        )


def share_done(progress: ImportProgress) -> float:
    """Return how far an import is, 0 to 1: by the files that are read, and by the chunks of those."""
    if not progress.files:
        return 0.0
    read = progress.files_read / progress.files
    embedded = progress.chunks_done / progress.chunks if progress.chunks else progress.files_done / progress.files
    return read * (_READING + (1 - _READING) * embedded)


class ImportController(QObject):
    """Several may run at a time: the user adds files while linked folders are looked through.

    Signals:
        changed: An ImportState.
        locked: An import that the user is told of has read all its files, and some of them need a password.
        ended: What became of the files of one, a list of FileFinished; and whether the user is to be told.
        failed: An error and its details.
    """

    changed = Signal(object)
    locked = Signal()
    ended = Signal(list, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._running: list[RunningImport] = []

    @property
    def state(self) -> ImportState:
        """How far they are."""
        return ImportState.of(self._running)

    def start(self, operation: Any, *, quiet: bool = False, heard: Heard | None = None) -> None:
        """Start one; a quiet one tells nobody when it ends, and heard is told whatever it tells."""
        ended = self._on_quiet_end if quiet else self._on_end
        # A folder that is watched must not put a question before someone who is reading.
        locked = None if quiet else self.locked.emit
        running = RunningImport(moved=self._on_moved, ended=ended, failed=self._on_failed, locked=locked, heard=heard)
        self._begin(running, operation)
        if not quiet:
            self._on_moved()

    def start_for(self, asker: ImportRequester, operation: Any) -> RunningImport:
        """Start one for another program, which is told how it ends; here only its progress is shown."""

        def ended(running: RunningImport, results: list[FileFinished]) -> None:
            self._end(running)
            if running.was_cancelled:
                asker.cancelled()
            else:
                asker.done(results)

        def failed(running: RunningImport, error: BaseException, details: str) -> None:
            self._end(running)
            asker.failed(error, details)

        running = RunningImport(moved=self._on_moved, ended=ended, failed=failed, heard=asker.heard)
        self._begin(running, operation)
        return running

    def cancel(self) -> None:
        """Stop every one; what is done stays done."""
        for running in self._running:
            running.cancel()

    def _begin(self, running: RunningImport, operation: Any) -> None:
        self._running.append(running)
        running.start(self._bridge, operation)

    def _on_moved(self) -> None:
        self.changed.emit(self.state)

    def _on_end(self, running: RunningImport, results: list[FileFinished]) -> None:
        self._end(running)
        self.ended.emit(results, True)

    def _on_quiet_end(self, running: RunningImport, results: list[FileFinished]) -> None:
        self._end(running)
        self.ended.emit(results, False)

    def _on_failed(self, running: RunningImport, error: BaseException, details: str) -> None:
        self._end(running)
        self.failed.emit(error, details)

    def _end(self, running: RunningImport) -> None:
        self._running.remove(running)
        self._on_moved()
