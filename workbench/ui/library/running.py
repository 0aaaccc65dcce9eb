"""One import under way, and the sum of several."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workbench.model.progress import FileFinished, ImportProgress
from workbench.ui.bridge import Bridge
from workbench.worker.job import JobHandle, Operation


class RunningImport:
    """One import job: keeps its last progress and tells its owner when it moves and ends."""

    def __init__(
        self,
        *,
        moved: Callable[[], None],
        ended: Callable[["RunningImport", list[FileFinished]], None],
        failed: Callable[["RunningImport", BaseException, str], None],
    ) -> None:
        self.progress = ImportProgress(0, 0, 0, 0, None)
        self._moved = moved
        self._ended = ended
        self._failed = failed
        self._finished: list[FileFinished] = []
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

    def _on_event(self, event: Any) -> None:
        if isinstance(event, ImportProgress):
            self.progress = event
            self._moved()
        elif isinstance(event, FileFinished):
            self._finished.append(event)

    def _on_done(self, results: list[FileFinished]) -> None:
        self._ended(self, results)

    def _on_cancelled(self) -> None:
        self._ended(self, self._finished)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._failed(self, error, details)


@dataclass(frozen=True, slots=True)
class ImportState:
    """What the progress strip shows; running 0 hides it."""

    running: int = 0
    files_done: int = 0
    files: int = 0
    chunks_done: int = 0
    chunks: int = 0
    seconds_left: float | None = None

    @classmethod
    def of(cls, imports: Iterable[RunningImport]) -> "ImportState":
        """Return the sum of several imports; the time left is that of the longest."""
        progress = [running.progress for running in imports]
        times = [one.seconds_left for one in progress if one.seconds_left is not None]
        return cls(
            running=len(progress),
            files_done=sum(one.files_done for one in progress),
            files=sum(one.files for one in progress),
            chunks_done=sum(one.chunks_done for one in progress),
            chunks=sum(one.chunks for one in progress),
            seconds_left=max(times) if times else None,
        )

    @property
    def thousandths(self) -> int:
        """How far it is, 0 to 1000: files count half, chunks half, for chunks are known only as files are read."""
        files = self.files_done / self.files if self.files else 0.0
        chunks = self.chunks_done / self.chunks if self.chunks else files
        return round(1000 * (files + chunks) / 2)
