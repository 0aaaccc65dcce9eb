"""Progress of an import over all its stages, and one estimate of the remaining time.

    reading -> OCR and the layout model (second pass) -> embedding

Embedding begins when all files are read, and runs beside the second pass. Both need the processor, so that the longer
of the two determines the time, and the other one prolongs it.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

from workbench.model.import_progress import ImportProgress
from workbench.worker.job import JobContext

_ENOUGH_CHUNKS = 128
"""Chunks to embed, one batch, before an import's own speed replaces that of an earlier import."""

_ENOUGH_PAGES = 6
"""Pages of the second pass before an import's own speed replaces that of an earlier import; until then they are mixed.
"""

_REPORT_SECONDS = 0.05
"""Minimum time between progress reports: 1,000 unchanged files take 0.2 s, and nobody reads 1,000 numbers."""

_USUAL_EMBEDDING = 0.04
"""Seconds a chunk on a machine where the other stages have FIRST_PACES: 2 cores that nothing else uses."""

_LEAST_SLOWNESS, _MOST_SLOWNESS = 0.5, 8.0
"""Minimum and maximum factor by which the stages that were not measured yet are expected to be slower than usual."""

_WARM_UP = 24
"""Chunks that could be embedded in the time that the first batch takes longer, because the model warms up."""

_FILE_BYTES = 50_000
"""Bytes as which each file counts besides its own when seconds are expected.

Short files are read first, and among them are those for which a reader is started: a page of HTML that was read in 10
seconds does not mean that one of 100 times its size takes a quarter of an hour.
"""

_LEAST_BYTES = 2_000
"""Bytes as which each file counts besides its own when chunks are expected: also the shortest file has one."""

_FIRST = 2
"""Divisor of the time of the first page, which includes the start of the model."""

_BESIDE = 0.2
"""Share of the shorter of two stages by which it prolongs the longer one beside which it runs.

1 would mean that they take turns, 0 that each has its own processors; fitted to the recorded imports of the tests.
"""

FIRST_PACES = {"embedding": 0.0, "ocr": 6.0, "tables": 0.8, "endings": 2.0}
"""Seconds of each unit of work, a chunk, a page or the end of a document, before any import measured it; 0 if it must
be measured first."""


@dataclass(slots=True)
class _Kind:
    """Statistics of the files with one suffix.

    Attributes:
        waiting: Bytes that wait to be read.
        read: Bytes that were read.
        files_waiting: Number of files that wait.
        files_read: Number of files that were read.
        chunks: Chunks of the files that were read.
        ocr: Pages of these files for OCR.
        tables: Pages of these files for the layout model.
        seconds: Seconds that their reading took.
    """

    waiting: int = 0
    read: int = 0
    files_waiting: float = 0.0
    files_read: float = 0.0
    chunks: int = 0
    ocr: int = 0
    tables: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Pace:
    """Speed of a stage: seconds per unit of an earlier import, until this one has measured enough units of its own."""

    seconds_each: float
    enough: int
    mixes: bool = False
    units: int = 0
    seconds: float = 0.0
    earlier: float = 0.0

    def __post_init__(self) -> None:
        self.earlier = self.seconds_each

    def add(self, units: int, seconds: float) -> None:
        """Count units that were done in some seconds."""
        self.units += units
        self.seconds += seconds
        if not self.earlier or self.units >= self.enough:
            self.seconds_each = self.seconds / self.units
        elif self.mixes:
            # As if one unit had been done at the earlier pace.
            self.seconds_each = (self.earlier + self.seconds) / (1 + self.units)

    def pace_in(self, units: int, seconds: float) -> float:
        """Return the pace if some units under way have taken some seconds so far: more if they are slow ones."""
        if seconds <= units * self.seconds_each:
            return self.seconds_each
        return (self.seconds_each * self.units + seconds) / (self.units + units) if units else self.seconds_each

    def pace_with(self, seconds: float, slowness: float) -> float:
        """Return the pace if a unit that is under way has taken some seconds so far: more if it is a slow one.

        Args:
            seconds: Seconds of the unit under way; 0 if there is none.
            slowness: Factor by which the stages that were measured are slower than an earlier import.
        """
        pace = self.seconds_each
        if self.units < self.enough:
            pace = (self.earlier * slowness + self.seconds) / (1 + self.units)
        return pace if seconds <= pace else (pace * (1 + self.units) + seconds) / (2 + self.units)

    def take(self, seconds_each: float) -> None:
        """Begin with the pace of an earlier import."""
        self.seconds_each = self.earlier = seconds_each


@dataclass(slots=True)
class PagesLeft:
    """Pages of a document that the second pass will read."""

    ocr: int = 0
    tables: int = 0


@dataclass(slots=True)
class _PartlyRead:
    """Pages of a file that were read so far, and the seconds they took."""

    done: int
    total: int
    seconds: float


@dataclass(slots=True)
class Progress:
    """Progress of one import. Only working time is measured, so a pause does not affect the estimate.

    Attributes:
        files: Number of files.
        files_done: Number of files that have ended.
        chunks: Number of chunks to embed in the files that were read.
        chunks_done: Number of chunks that were embedded.
        readers: Number of files that are read at the same time.
        later_chunks: Chunks of documents that are still in the second pass and not among chunks yet, by document.
        pages_left: Pages that the second pass will read, by document.
        embedding: Pace of embedding, by chunk.
        ocr: Pace of OCR, by page.
        tables: Pace of the layout model, by page.
        endings: Pace of storing what the second pass found, by document.
        page_seconds: Seconds that the page that the second pass is reading has taken so far.
        batch: Number of chunks that are being embedded, and the time since which; None if there are none.
    """

    files: int = 0
    files_done: int = 0
    chunks: int = 0
    chunks_done: int = 0
    readers: int = 1
    later_chunks: dict[int, int] = field(default_factory=dict)
    pages_left: dict[int, PagesLeft] = field(default_factory=dict)
    embedding: Pace = field(default_factory=lambda: Pace(FIRST_PACES["embedding"], _ENOUGH_CHUNKS))
    ocr: Pace = field(default_factory=lambda: Pace(FIRST_PACES["ocr"], _ENOUGH_PAGES, mixes=True))
    tables: Pace = field(default_factory=lambda: Pace(FIRST_PACES["tables"], _ENOUGH_PAGES, mixes=True))
    endings: Pace = field(default_factory=lambda: Pace(FIRST_PACES["endings"], _ENOUGH_PAGES, mixes=True))
    page_seconds: float = 0.0
    batch: tuple[int, float] | None = None
    _last_is_table: bool | None = None
    _last_document: int = 0
    _unread: dict[str, tuple[str, int]] = field(default_factory=dict)
    _partly: dict[str, _PartlyRead] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    _reported: float = 0.0
    _kinds: dict[str, _Kind] = field(default_factory=lambda: defaultdict(_Kind))
    _seconds_read: float = 0.0

    def waits(self, path: Path, size: int) -> None:
        """Count a file that is to be read."""
        self._unread[str(path)] = path.suffix, size
        self._kinds[path.suffix].waiting += size
        self._kinds[path.suffix].files_waiting += 1

    def leaves(self, path: str) -> None:
        """Count a file that no longer needs to be read, whether or not it had to wait."""
        self._read.add(path)
        self._partly.pop(path, None)
        if path in self._unread:
            ending, size = self._unread.pop(path)
            self._kinds[ending].waiting -= size
            self._kinds[ending].files_waiting -= 1

    def pages_were_read(self, path: Path, done: int, total: int, seconds: float) -> None:
        """Count the pages of a file that were read so far, with the seconds they took, while the rest is read."""
        if str(path) in self._unread and total:
            self._partly[str(path)] = _PartlyRead(done, total, seconds)

    def was_read(self, path: Path, size: int, chunks: int, seconds: float) -> None:
        """Count a file that was read, with its number of chunks and the seconds it took."""
        self.leaves(str(path))
        self._seconds_read += seconds
        kind = self._kinds[path.suffix]
        kind.read += size
        kind.files_read += 1
        kind.chunks += chunks
        kind.seconds += seconds

    def batch_begins(self, chunks: int) -> None:
        """Count a batch that is being embedded from now on."""
        self.batch = chunks, time.perf_counter()

    def was_embedded(self, chunks: int, seconds: float) -> None:
        """Count a batch that was embedded, with the seconds it took."""
        self.batch = None
        self.chunks_done += chunks
        is_short_first = not self.embedding.units and chunks < _ENOUGH_CHUNKS
        self.embedding.add(chunks + _WARM_UP if is_short_first else chunks, seconds)

    def pages_wait(self, document: int, suffix: str, *, ocr: int, tables: int) -> None:
        """Count the pages of a document, whose file has this suffix, that the second pass will read."""
        self.pages_left[document] = PagesLeft(ocr, tables)
        self._kinds[suffix].ocr += ocr
        self._kinds[suffix].tables += tables

    def page_was_read(self, document: int, seconds: float, *, is_table: bool) -> None:
        """Count a page that OCR read, or that the layout model examined, with the seconds it took."""
        is_first = is_table is not self._last_is_table
        (self.tables if is_table else self.ocr).add(1, seconds / _FIRST if is_first else seconds)
        self._last_is_table, self._last_document = is_table, document
        self.page_seconds = 0.0
        left = self.pages_left.get(document)
        if left is not None and is_table:
            left.tables = max(0, left.tables - 1)
        elif left is not None:
            left.ocr = max(0, left.ocr - 1)

    def page_takes(self, document: int, seconds: float) -> None:
        """Tell how long the page of a document that is being read has taken so far."""
        left = self.pages_left.get(document)
        is_reading = left is not None and (left.ocr or left.tables)
        # The first page of a document includes the opening of its file.
        self.page_seconds = (seconds if document == self._last_document else seconds / 2) if is_reading else 0.0

    def pages_end(self, document: int, seconds: float | None = None) -> None:
        """Count a document that left the second pass, and the seconds since its last page; None if it was dropped."""
        self.page_seconds = 0.0
        if self.pages_left.pop(document, None) is not None and seconds is not None:
            self.endings.add(1, seconds)

    def emit(self, context: JobContext) -> None:
        """Report progress, unless a report was sent a moment ago; the end is always reported."""
        now = time.monotonic()
        if now - self._reported < _REPORT_SECONDS and self.files_done < self.files:
            return
        self._reported = now
        read = min(len(self._read), self.files)
        counts = self.files_done, self.files, self.chunks_done, self.chunks
        context.emit(ImportProgress(*counts, self.seconds_left, read, self.share))

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until every file is read, embedded and through the second pass; None if it is too early."""
        stages = self._stages()
        if stages is None:
            return None
        reading, beside = stages
        return reading + max(beside) + _BESIDE * min(beside)

    @property
    def share(self) -> float:
        """Share of the work that is done, 0 to 1, by time; 0 if it is too early for an estimate."""
        left = self._stages()
        if left is None:
            return 0.0
        reading, beside = left
        done = (self._seconds_read + sum(one.seconds for one in self._partly.values())) / self.readers
        done += self.embedding.seconds + self.ocr.seconds + self.tables.seconds + self.endings.seconds
        everything = done + reading + sum(beside)
        return done / everything if everything else 1.0

    @property
    def paces(self) -> Mapping[str, float]:
        """Seconds per unit of each stage, under the names of FIRST_PACES."""
        return {name: getattr(self, name).seconds_each for name in FIRST_PACES}

    def take_paces(self, paces: Mapping[str, float]) -> None:
        """Take the paces that an earlier import measured."""
        for name in paces.keys() & FIRST_PACES.keys():
            getattr(self, name).take(paces[name])

    def _stages(self) -> tuple[float, tuple[float, float]] | None:
        """Return the seconds left to read, and to embed and to read pages again; None if it is too early to tell."""
        chunks = self.chunks or sum(self.later_chunks.values())
        if not (self.embedding.seconds_each if chunks else self.pages_left):
            return None
        read, come = self._seconds_to_read(), _Kind()
        for share, like in _waiting_shares(self._kinds, file_bytes=_LEAST_BYTES):
            come.chunks += round(share * like.chunks)
            come.ocr += round(share * like.ocr)
            come.tables += round(share * like.tables)
        ocr = come.ocr + sum(one.ocr for one in self.pages_left.values())
        tables = come.tables + sum(one.tables for one in self.pages_left.values())
        # A page that OCR has read gives about one chunk.
        chunks = self.chunks - self.chunks_done + come.chunks + sum(self.later_chunks.values()) + ocr
        slowness = self._slowness()
        ocr_pace = self.ocr.pace_with(0.0 if self._last_is_table else self.page_seconds, slowness)
        tables_pace = self.tables.pace_with(self.page_seconds if self._last_is_table else 0.0, slowness)
        second = ocr * ocr_pace + tables * tables_pace + len(self.pages_left) * self.endings.seconds_each
        in_batch, began = self.batch or (0, 0.0)
        pace = self.embedding.pace_in(in_batch, time.perf_counter() - began if in_batch else 0.0)
        return read / self.readers, (chunks * pace, second)

    def _slowness(self) -> float:
        """Return how many times as long as expected took what was measured: other programs may use the processors."""
        measured = ((self.embedding, _USUAL_EMBEDDING), (self.ocr, 0.0), (self.tables, 0.0))
        expected = sum(pace.units * (pace.earlier or usual) for pace, usual in measured)
        taken = sum(pace.seconds for pace, _usual in measured)
        return min(max(taken / expected, _LEAST_SLOWNESS), _MOST_SLOWNESS) if expected else 1.0

    def _seconds_to_read(self) -> float:
        """Return the seconds that the files that wait take a single reader; of a partly read one, only the rest."""
        kinds = {suffix: copy(kind) for suffix, kind in self._kinds.items()}
        for path, partly in self._partly.items():
            suffix, size = self._unread[path]
            share = partly.done / partly.total
            kinds[suffix].waiting -= round(share * size)
            kinds[suffix].read += round(share * size)
            kinds[suffix].files_waiting -= share
            kinds[suffix].files_read += share
            kinds[suffix].seconds += partly.seconds
        return sum(share * like.seconds for share, like in _waiting_shares(kinds, file_bytes=_FILE_BYTES))


def _waiting_shares(of: Mapping[str, _Kind], *, file_bytes: int) -> Iterator[tuple[float, _Kind]]:
    """Yield, for each suffix of files that wait, their size as a share of similar files, and what those took and gave.

    Similar are the files with the same suffix that were read, or all that were read if there are none. Each file counts
    as file_bytes more than it has.
    """
    kinds = of.values()
    everything = _Kind(
        read=sum(kind.read for kind in kinds),
        files_read=sum(kind.files_read for kind in kinds),
        chunks=sum(kind.chunks for kind in kinds),
        ocr=sum(kind.ocr for kind in kinds),
        tables=sum(kind.tables for kind in kinds),
        seconds=sum(kind.seconds for kind in kinds),
    )
    for kind in kinds:
        if kind.files_waiting > 0:
            like = kind if kind.read else everything
            share = (kind.waiting + file_bytes * kind.files_waiting) / max(like.read + file_bytes * like.files_read, 1)
            yield share, like
