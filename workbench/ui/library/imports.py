"""Running imports: start, progress of each and of all together, and cancellation."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
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

_READING_SHARE = 0.1
"""Share of an import's time that reading takes: 923 PDF pages are read in 2.5 s and embedded in 20 s."""

_FULL = 0.99
"""Maximum share shown while a file is not done: a full bar would say that the import has ended."""

_BESIDE = 0.5
"""Share of the time of other imports by which they prolong the longest one, since all use the same processors.

1 for an import that measured its speed alone, 0 for one that measured it beside the others.
"""

EventHandler = Callable[[object], None]
"""Callback that receives every event of an import."""


@dataclass(frozen=True, slots=True)
class ImportRequester:
    """Another program that requested an import and receives its result in place of the user.

    Attributes:
        on_event: Callback that receives every event.
        done: Callback that receives the result of each file.
        failed: Callback that receives the error and its details.
        cancelled: Callback for the cancellation.
    """

    on_event: EventHandler
    done: Callable[[list[FileFinished]], None]
    failed: Callable[[BaseException, str], None]
    cancelled: Callable[[], None]


class RunningImport:
    """Single import job; it keeps its last progress, and calls its owner when that changes and when the job ends."""

    def __init__(
        self,
        *,
        moved: Callable[[], None],
        ended: Callable[["RunningImport", list[FileFinished]], None],
        failed: Callable[["RunningImport", BaseException, str], None],
        locked: Callable[[], None] | None = None,
        on_event: EventHandler | None = None,
    ) -> None:
        self.progress = ImportProgress(0, 0, 0, 0, None)
        self._progress_callback = moved
        self._ended_callback = ended
        self._failed_callback = failed
        self._locked_callback = locked
        self._on_any_event = on_event
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
        """Request cancellation; finished work is kept."""
        if self._handle is not None:
            self._handle.cancel()

    @property
    def seconds_left(self) -> float | None:
        """Remaining time in seconds; None if it is not known."""
        return self.progress.seconds_left

    @property
    def documents(self) -> Set[int]:
        """Ids of the documents that it has named so far."""
        return self._names.keys()

    @property
    def ended_documents(self) -> Set[int]:
        """Ids of the documents that it is done with."""
        return {result.document for result in self._finished if result.document is not None}

    @property
    def page(self) -> str:
        """The page being read, while nothing else makes progress; OCR of 300 pages takes 15 minutes."""
        read = self._page
        others_are_read = self.progress.files_read >= self.progress.files - 1
        if read is None or read.done >= read.total or not (others_are_read or self._pages_alone > 1):
            return ""
        name = self._names.get(read.document, "")
        values = {"page": read.done + 1, "pages": read.total}
        words = tr("Reading page {page:,} of {pages:,}", **values)
        if isinstance(read, PageRead):
            words = tr("Reading page {page:,} of {pages:,} by OCR", **values)
            if read.tables:
                words = tr("Looking for tables, page {page:,} of {pages:,}", **values)
        return tr("{words}: {name}", words=words, name=name) if name else words

    def _on_event(self, event: Any) -> None:
        if self._on_any_event is not None:
            self._on_any_event(event)
        if isinstance(event, ImportProgress):
            if event.files_read > self.progress.files_read:
                self._pages_alone = 0
            self.progress = event
            # A file that was read adds chunks, which increases the total: the bar must not move back.
            self.share = max(self.share, share_done(event))
            if event.files_done < event.files:
                self.share = min(self.share, _FULL)
            self._progress_callback()
            if event.files_read >= event.files > 0:
                self._report_locked(self._finished)
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
            self._progress_callback()

    def _report_locked(self, results: list[FileFinished]) -> None:
        # Called when all files are read, because the vectors may take an hour more; only once per import.
        if self._locked_callback is not None and any(result.outcome is FileOutcome.LOCKED for result in results):
            report, self._locked_callback = self._locked_callback, None
            report()

    def _on_done(self, results: list[FileFinished]) -> None:
        self._report_locked(results)
        self._ended_callback(self, results)

    def _on_cancelled(self) -> None:
        self.was_cancelled = True
        self._ended_callback(self, self._finished)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._failed_callback(self, error, details)


@dataclass(frozen=True, slots=True)
class ImportState:
    """State of the progress strip, hidden if running is 0. Most fields are those of ImportProgress, summed.

    Attributes:
        running: Number of running imports.
        page: Text about the page being read, if nothing else makes progress.
        thousandths: Overall progress in thousandths.
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
        """Progress in one line."""
        if self.page:
            return self.page
        if self.files_read < self.files:
            return trn("{read:,} of {n:,} file read", "{read:,} of {n:,} files read", self.files, read=self.files_read)
        return trn("{done:,} of {n:,} file done", "{done:,} of {n:,} files done", self.files, done=self.files_done)

    @classmethod
    def of(cls, imports: Iterable[RunningImport]) -> "ImportState":
        """Return the sum of several imports; the remaining time is that of the longest, prolonged by the others.

        A document in several imports counts once, such as one that is retried, or added while a folder is checked.
        """
        under_way = list(imports)
        progress = [running.progress for running in under_way]
        repeated, done_repeated = _count_repeated(under_way)
        times = [running.seconds_left for running in under_way]
        known_times = [seconds for seconds in times if seconds is not None]
        longest = max(known_times, default=0.0)
        files = sum(one.files for one in progress) - repeated
        share = sum(running.share * running.progress.files for running in under_way)
        return cls(
            running=len(progress),
            files_read=sum(one.files_read for one in progress) - done_repeated,
            files_done=sum(one.files_done for one in progress) - done_repeated,
            files=files,
            chunks_done=sum(one.chunks_done for one in progress),
            chunks=sum(one.chunks for one in progress),
            seconds_left=longest + _BESIDE * (sum(known_times) - longest) if known_times else None,
            thousandths=min(1000, round(1000 * share / files)) if files else 0,
            page=next((running.page for running in under_way if running.page), ""),
        )


def _count_repeated(imports: Sequence[RunningImport]) -> tuple[int, int]:
    """Return how many files too many the sums of imports have, and how many of those that are done.

    A document is done if every import that has it is done with it.
    """
    if len(imports) < 2:
        return 0, 0
    has = Counter(number for one in imports for number in one.documents | one.ended_documents)
    done = Counter(number for one in imports for number in one.ended_documents)
    again = {number: times - 1 for number, times in has.items() if times > 1}
    return sum(again.values()), sum(min(times, done[number]) for number, times in again.items())


def share_done(progress: ImportProgress) -> float:
    """Return the progress of an import, 0 to 1: by time if it can be estimated, else by files and chunks."""
    if not progress.files:
        return 0.0
    if progress.share:
        return progress.share
    read = progress.files_read / progress.files
    embedded = progress.chunks_done / progress.chunks if progress.chunks else progress.files_done / progress.files
    return read * (_READING_SHARE + (1 - _READING_SHARE) * embedded)


class ImportController(QObject):
    """Controller of all imports; several may run at a time: the user adds files while linked folders are checked."""

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
        """Combined progress of all imports."""
        return ImportState.of(self._running)

    def start(self, operation: Any, *, quiet: bool = False, on_event: EventHandler | None = None) -> None:
        """Start an import; the end of a quiet one is not reported to the user, and on_event receives all events."""
        ended = self._on_quiet_end if quiet else self._on_end
        # A watched folder must not interrupt the user with a password dialog.
        locked = None if quiet else self.locked.emit
        running = RunningImport(
            moved=self._on_moved, ended=ended, failed=self._on_failed, locked=locked, on_event=on_event
        )
        self._begin(running, operation)
        if not quiet:
            self._on_moved()

    def start_for(self, asker: ImportRequester, operation: Any) -> RunningImport:
        """Start an import for another program, which receives the result; only its progress is shown here."""

        def ended(running: RunningImport, results: list[FileFinished]) -> None:
            self._end(running)
            if running.was_cancelled:
                asker.cancelled()
            else:
                asker.done(results)

        def failed(running: RunningImport, error: BaseException, details: str) -> None:
            self._end(running)
            asker.failed(error, details)

        running = RunningImport(moved=self._on_moved, ended=ended, failed=failed, on_event=asker.on_event)
        self._begin(running, operation)
        return running

    def cancel(self) -> None:
        """Cancel all imports; finished work is kept."""
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
