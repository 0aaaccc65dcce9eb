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
        self.share = 0.0
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

    @property
    def seconds_left(self) -> float | None:
        """How long it will take."""
        return self.progress.seconds_left

    def _on_event(self, event: Any) -> None:
        if isinstance(event, ImportProgress):
            self.progress = event
            # A file that is read brings new chunks: the sum grows, and a bar that went back would alarm.
            self.share = max(self.share, share_done(event))
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
    thousandths: int = 0

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
            files_done=sum(one.files_done for one in progress),
            files=files,
            chunks_done=sum(one.chunks_done for one in progress),
            chunks=sum(one.chunks for one in progress),
            seconds_left=max(known) if known else None,
            thousandths=round(1000 * share / files) if files else 0,
        )


def share_done(progress: ImportProgress) -> float:
    """Return how far an import is, 0 to 1: by its files, or by the chunks of those that are read."""
    if not progress.files:
        return 0.0
    by_files = progress.files_done / progress.files
    if not progress.chunks:
        return by_files
    # Two files are read at a time: those are the ones whose chunks are known and not all embedded.
    known = min(1.0, (progress.files_done + 2) / progress.files)
    return max(by_files, known * progress.chunks_done / progress.chunks)
