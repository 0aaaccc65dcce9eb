"""Soak test: hours of mixed work on one library, to detect growth of memory and other resources.

usage: python tests/benchmarks/soak.py [--minutes N] [--documents N] [--seed N] [--library DIR]

Runs the real operations concurrently, as the window does: adds files, changes and re-reads them, removes them and
empties the bin, asks questions offline, searches, edits passages and undoes that, exports and removes sessions,
reindexes; every 40 rounds the library is closed and opened, and its integrity checked. The number of documents and
sessions stays about the same, so nothing has a reason to grow.

Every ten seconds the resources of the program and its children are recorded: memory (PSS in MB if the system reports
it, else RSS), descriptors (handles on Windows), threads, processes, the size of the database and of the library's
folder, and of the folder of temporary files. Prints a JSON line per minute, and at the end one for each resource with
its slope per hour: of a straight line through the samples after the first quarter, in which caches fill. If a resource
grows from the first half of these samples to the second by more than is allowed, an operation fails, or the library is
not sound, this is reported, and the exit code is 1.
"""

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import psutil
from idle import held

from workbench import operations
from workbench.errors import ChunkError, NotFound, WorkbenchError
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation
from workbench.worker.process_memory import reduce_memory_use

NOTE_SECONDS = 10.0
TELL_SECONDS = 60.0
REOPEN = 40
"""Number of rounds before the library is closed and opened again."""
FIRST_PART = 0.25
_MB = 1e6
_WORDS = [
    "harbour",
    "ferry",
    "winter",
    "ice",
    "captain",
    "ledger",
    "copper",
    "roof",
    "bridge",
    "river",
    "lamp",
    "keeper",
    "storm",
    "tide",
    "market",
    "price",
    "barrel",
    "rope",
    "letter",
    "council",
    "summer",
    "school",
    "winter",
    "grain",
    "ship",
    "fog",
    "signal",
    "tower",
    "island",
    "north",
    "coast",
    "year",
    "report",
    "water",
    "depth",
    "metres",
    "港口",
    "灯塔",
    "水深",
    "冬天",
    "报告",
]
_FORMATS = ("md", "html", "json", "docx", "kwbundle")


@dataclass(frozen=True)
class Sample:
    """The resources at one moment."""

    seconds: float
    memory_mb: float
    descriptors: int
    threads: int
    processes: int
    database_mb: float
    folder_mb: float
    temporary_files: int


ALLOWED = {
    "memory_mb": (60.0, 0.10),
    "descriptors": (12.0, 0.05),
    "threads": (4.0, 0.0),
    "processes": (1.0, 0.0),
    "database_mb": (4.0, 0.15),
    "folder_mb": (8.0, 0.15),
    "temporary_files": (5.0, 0.0),
}
"""Allowed growth of the median from one part to the next: an absolute amount, or a share."""


def main() -> None:
    """Run the work and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--library", type=Path, help="a folder to work in; it is left there")
    options = parser.parse_args()
    # As the window and the commands do: without it, threads that start and end with each reopening kept 850 MB.
    reduce_memory_use()
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        work = options.library or Path(place)
        temporary = Path(place) / "tmp"
        temporary.mkdir()
        tempfile.tempdir = os.environ["TMPDIR"] = str(temporary)
        soak = Soak(work, temporary, options.documents, options.seed)
        problems = asyncio.run(soak.run(options.minutes * 60))
    tell({"rounds": soak.rounds, "done": soak.done})
    for name, told in growth(soak.samples).items():
        tell({name: told})
        if told["grows"]:
            problems.append(f"{name} grows")
    for problem in problems:
        tell({"problem": problem})
    sys.exit(1 if problems else 0)


class Soak:
    """The work: one round after the other, each with a few concurrent operations.

    Attributes:
        samples: The recorded resources.
        done: Number of operations of each kind.
    """

    def __init__(self, work: Path, temporary: Path, documents: int, seed: int) -> None:
        self._files = work / "files"
        self._folder = work / "library"
        self._exports = work / "exports"
        self._temporary = temporary
        self._wanted = documents
        self._random = random.Random(seed)
        self._number = 0
        self._began = 0.0
        self._problems: list[str] = []
        self.samples: list[Sample] = []
        self.rounds = 0
        self.done: dict[str, int] = {}
        for folder in (self._files, self._exports):
            folder.mkdir(parents=True, exist_ok=True)

    async def run(self, seconds: float) -> list[str]:
        """Work for the given time; return the failures."""
        self._began = time.monotonic()
        told = noted = 0.0
        library = Library.open(self._folder)
        try:
            await self._fill(library)
            while (now := time.monotonic() - self._began) < seconds:
                await self._round(library)
                self.rounds += 1
                if self.rounds % REOPEN == 0:
                    library = await self._reopened(library)
                if now - noted >= NOTE_SECONDS:
                    noted = now
                    self._note()
                if now - told >= TELL_SECONDS and self.samples:
                    told = now
                    tell({"minutes": round(now / 60, 1), "rounds": self.rounds} | vars(self.samples[-1]))
        finally:
            library.close()
        return self._problems

    async def _round(self, library: Library) -> None:
        work: list[Callable[[Library], Awaitable[object]]] = [
            self._add,
            self._change,
            self._remove,
            self._ask,
            self._ask,
            self._search,
            self._search,
            self._edit,
            self._reindex,
            self._export,
        ]
        chosen = self._random.sample(work, 4)
        await asyncio.gather(*(self._tried(one, library) for one in chosen))

    async def _tried(self, work: Callable[[Library], Awaitable[object]], library: Library) -> None:
        name = work.__name__.strip("_")
        try:
            await work(library)
            self.done[name] = self.done.get(name, 0) + 1
        except WorkbenchError as error:
            # Another operation of the same round may have removed the document, or may be reading it again.
            if not isinstance(error, NotFound | ChunkError):
                self._problems.append(f"{name}: {type(error).__name__}: {error}")

    async def _fill(self, library: Library) -> None:
        files = [self._new_file() for _ in range(self._wanted)]
        await _do(operations.add_documents(library, files))

    async def _add(self, library: Library) -> None:
        await _do(operations.add_documents(library, [self._new_file() for _ in range(2)]))

    async def _change(self, library: Library) -> None:
        files = self._random.sample(sorted(self._files.iterdir()), 2)
        for file in files:
            file.write_text(self._text(), "utf-8")
        await _do(operations.add_documents(library, files))

    async def _remove(self, library: Library) -> None:
        there = await _do(operations.list_documents(library))
        gone = self._random.sample(there, max(0, len(there) - self._wanted))
        await _do(operations.remove_documents(library, [document.id for document in gone]))
        for document in gone:
            Path(document.path).unlink(missing_ok=True)
        await _do(operations.empty_bin(library))

    async def _ask(self, library: Library) -> None:
        await _do(operations.ask(library, f"What is said about {self._phrase()}?"))
        sessions = await _do(operations.list_sessions(library))
        for session in sessions[20:]:
            await _do(operations.remove_session(library, session.id))

    async def _search(self, library: Library) -> None:
        await _do(operations.search(library, self._phrase()))

    async def _edit(self, library: Library) -> None:
        document = self._random.choice(await _do(operations.list_documents(library)))
        chunks = await _do(operations.list_chunks(library, document.id))
        if chunks and await _do(operations.edit_chunk(library, chunks[0].id, f"{chunks[0].text} {self._phrase()}")):
            await _do(operations.undo_chunk_edit(library, document.id))

    async def _reindex(self, library: Library) -> None:
        document = self._random.choice(await _do(operations.list_documents(library)))
        await _do(operations.reindex_documents(library, [document.id]))

    async def _export(self, library: Library) -> None:
        sessions = await _do(operations.list_sessions(library))
        if sessions:
            format = self._random.choice(_FORMATS)
            await _do(operations.export_session(library, sessions[0].id, format, self._exports / f"session.{format}"))

    async def _reopened(self, library: Library) -> Library:
        problem = library.database.integrity_problem()
        if problem:
            self._problems.append(f"the database is not sound: {problem}")
        library.close()
        return Library.open(self._folder)

    def _new_file(self) -> Path:
        self._number += 1
        path = self._files / f"paper {self._number % (2 * self._wanted)}.md"
        path.write_text(self._text(), "utf-8")
        return path

    def _text(self) -> str:
        heading = f"# {self._phrase()}\n\n"
        return heading + "\n\n".join(self._paragraph() for _ in range(self._random.randint(3, 12)))

    def _paragraph(self) -> str:
        return " ".join(f"The {self._phrase()} of {self._random.randint(1800, 2026)}." for _ in range(8))

    def _phrase(self) -> str:
        return " ".join(self._random.choices(_WORDS, k=4))

    def _note(self) -> None:
        gc.collect()
        me = psutil.Process()
        processes = [me, *me.children(recursive=True)]
        files = [path for path in self._folder.rglob("*") if path.is_file()]
        self.samples.append(
            Sample(
                round(time.monotonic() - self._began, 1),
                round(sum(map(held, processes)) / _MB, 1),
                sum(map(_descriptors, processes)),
                me.num_threads(),
                len(processes),
                round(sum(_size(path) for path in files if path.name.startswith("library.sqlite3")) / _MB, 2),
                round(sum(map(_size, files)) / _MB, 2),
                sum(1 for _ in self._temporary.iterdir()),
            )
        )


def growth(samples: list[Sample]) -> dict[str, dict[str, Any]]:
    """Return first and last value and slope per hour of each resource, and whether it grows by more than allowed."""
    later = samples[int(len(samples) * FIRST_PART) :]
    told: dict[str, dict[str, Any]] = {}
    for name in (field.name for field in fields(Sample) if field.name in ALLOWED):
        values = [float(getattr(one, name)) for one in later]
        if len(values) < 4:
            told[name] = {"notes": len(values), "grows": False}
            continue
        hours = [one.seconds / 3600 for one in later]
        slope = statistics.linear_regression(hours, values).slope
        middle = len(values) // 2
        before, after = statistics.median(values[:middle]), statistics.median(values[middle:])
        most, share = ALLOWED[name]
        told[name] = {
            "first": values[0],
            "last": values[-1],
            "most": max(values),
            "slope_an_hour": round(slope, 2),
            "grows": after - before > max(most, share * before),
        }
    return told


def tell(record: dict[str, Any]) -> None:
    """Print a JSON line."""
    print(json.dumps(record, ensure_ascii=False), flush=True)


async def _do(operation: Operation[Any]) -> Any:
    return await operation(JobContext())


def _descriptors(process: psutil.Process) -> int:
    try:
        return int(process.num_handles() if sys.platform == "win32" else process.num_fds())
    except psutil.Error:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


if __name__ == "__main__":
    main()
