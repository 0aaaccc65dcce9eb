"""How far an import is, and how long it will take: files that wait to be read count by others of their kind."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from workbench.model.import_progress import ImportProgress
from workbench.worker.job import JobContext

_ENOUGH_CHUNKS = 128
"""One batch: what a shorter import says of its own speed is not worth telling."""


_TELL_SECONDS = 0.05
"""How often progress is told: 1,000 unchanged files are done within 0.2 s, and nobody reads 1,000 numbers."""


@dataclass(slots=True)
class _Kind:
    """What is known of the files with one ending."""

    waiting: int = 0
    read: int = 0
    chunks: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Progress:
    """Counts one import. Only time spent working counts, so a pause changes nothing.

    Attributes:
        files: Files that take part.
        files_done: Those of them that have come to their end.
        chunks: Chunks to embed, as far as files were read.
        chunks_done: Those of them that were embedded.
        readers: Files that are read at a time.
        pace: Seconds that a chunk takes to embed; of an earlier import, until this one has its own; 0 if unknown.
    """

    files: int = 0
    files_done: int = 0
    chunks: int = 0
    chunks_done: int = 0
    readers: int = 1
    pace: float = 0.0
    _unread: dict[str, tuple[str, int]] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    _told: float = 0.0
    _kinds: dict[str, _Kind] = field(default_factory=lambda: defaultdict(_Kind))
    _embedded: int = 0
    _embedding_seconds: float = 0.0

    def waits(self, path: Path, size: int) -> None:
        """Count a file that is to be read."""
        self._unread[str(path)] = path.suffix, size
        self._kinds[path.suffix].waiting += size

    def leaves(self, path: str) -> None:
        """Count a file that needs no reading any more, whether or not it had to wait."""
        self._read.add(path)
        ending, size = self._unread.pop(path, ("", 0))
        self._kinds[ending].waiting -= size

    def was_read(self, path: Path, size: int, chunks: int, seconds: float) -> None:
        """Count a file that was read within seconds and gave chunks."""
        self.leaves(str(path))
        kind = self._kinds[path.suffix]
        kind.read += size
        kind.chunks += chunks
        kind.seconds += seconds

    def was_embedded(self, chunks: int, seconds: float) -> None:
        """Count a batch."""
        self.chunks_done += chunks
        self._embedded += chunks
        self._embedding_seconds += seconds
        if self._embedded >= _ENOUGH_CHUNKS or not self.pace:
            self.pace = self._embedding_seconds / self._embedded

    def emit(self, context: JobContext) -> None:
        """Tell the listener, unless that was done a moment ago; the end is always told."""
        now = time.monotonic()
        if now - self._told < _TELL_SECONDS and self.files_done < self.files:
            return
        self._told = now
        read = min(len(self._read), self.files)
        context.emit(
            ImportProgress(self.files_done, self.files, self.chunks_done, self.chunks, self.seconds_left, read)
        )

    @property
    def seconds_left(self) -> float | None:
        """What is left to read and then to embed; None when it is too early."""
        if not self.pace or not self.chunks:
            return None
        to_read, to_come = 0.0, 0.0
        everything = self._everything()
        for kind in self._kinds.values():
            if kind.waiting > 0:
                like = kind if kind.read else everything
                to_read += kind.waiting * like.seconds / max(like.read, 1)
                to_come += kind.waiting * like.chunks / max(like.read, 1)
        return to_read / self.readers + (self.chunks - self.chunks_done + to_come) * self.pace

    def _everything(self) -> _Kind:
        kinds = self._kinds.values()
        return _Kind(
            read=sum(kind.read for kind in kinds),
            chunks=sum(kind.chunks for kind in kinds),
            seconds=sum(kind.seconds for kind in kinds),
        )
