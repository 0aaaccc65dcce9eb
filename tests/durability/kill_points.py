"""Points at which a program can be killed: before and after every operation that changes the disk.

They are counted in order; at the selected one the process ends by SIGKILL. Meanwhile everything that a power cut could
undo is recorded: what reached the disk, and what was replaced (power_loss.py).
"""

import builtins
import functools
import io
import itertools
import json
import os
import shutil
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kill_world import World

from workbench.indexing import atomic_files
from workbench.operations.imports import original_copies
from workbench.operations.imports.source_files import Digest

ANY = "any"
"""Counts all kinds of points."""


class Points:
    """Counts the kill points of this process, and ends it at one of them."""

    def __init__(self, world: World, target: tuple[str, int] | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._target = target
        self._now = str(world.now) + os.sep
        self._saved = world.saved
        self._numbers = itertools.count()
        self._journal = os.open(world.journal, os.O_WRONLY | os.O_APPEND)
        self._lock = threading.Lock()

    def reach(self, kind: str) -> None:
        """Reach a kill point."""
        with self._lock:
            for counted in (kind, ANY):
                self.counts[counted] += 1
                if self._target == (counted, self.counts[counted]):
                    os.kill(os.getpid(), signal.SIGKILL)

    def is_ours(self, path: str) -> bool:
        """Return whether a file belongs to the world and is not managed by SQLite."""
        return path.startswith(self._now) and "library.sqlite3" not in path and not path.endswith("library.lock")

    def note(self, what: str, path: str, **more: object) -> None:
        """Record an operation on a file or folder."""
        os.write(self._journal, json.dumps({"what": what, "path": path, **more}).encode() + b"\n")

    def save(self, path: str) -> str:
        """Save the content of a path in case a power cut restores it; return its location, or nothing."""
        kept = str(self._saved / str(next(self._numbers)))
        try:
            os.link(path, kept)
        except OSError:
            return ""
        return kept

    def watch(self) -> None:
        """Enable the kill points of this process."""
        self._watch_names()
        self._watch_content()
        sqlite3.connect = functools.partial(sqlite3.connect, factory=functools.partial(_Watched, self))  # type: ignore[assignment]

    def _watch_names(self) -> None:
        for name, kind in (("replace", "rename"), ("rename", "rename"), ("unlink", "unlink"), ("remove", "unlink")):
            setattr(os, name, self._around(kind, getattr(os, name)))
        for name in ("mkdir", "rmdir"):
            setattr(os, name, self._around("folder", getattr(os, name)))

    def _around(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **more: Any) -> Any:
            path = _path(args[-1] if kind == "rename" else args[0], more.get("dir_fd"))
            if not self.is_ours(path):
                return real(*args, **more)
            kept = self.save(path) if kind in ("rename", "unlink") else ""
            self.reach(f"before {kind}")
            value = real(*args, **more)
            self.note(kind, path, kept=kept)
            self.reach(f"after {kind}")
            return value

        return step

    def _watch_content(self) -> None:
        sync, copy, write = os.fsync, shutil.copyfile, Path.write_bytes

        def fsync(number: Any) -> None:
            descriptor = number if isinstance(number, int) else number.fileno()
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            if not self.is_ours(path + os.sep):
                sync(number)
                return
            self.reach("before fsync")
            sync(number)
            if os.path.isdir(path):
                self.note("folder kept", path, names=os.listdir(path))
            else:
                status = os.fstat(descriptor)
                self.note("file kept", path, inode=status.st_ino, size=status.st_size, time=status.st_mtime_ns)
            self.reach("after fsync")

        def copyfile(source: Any, target: Any, **more: Any) -> Any:
            if self.is_ours(_path(target)):
                data = Path(source).read_bytes()
                write(Path(target), data[: len(data) // 2])
                self.reach("in a copy")
            return copy(source, target, **more)

        def write_bytes(path: Path, data: Any) -> int:
            if self.is_ours(_path(path)):
                write(path, bytes(data[: len(data) // 2]))
                self.reach("in a copy")
            return write(path, data)

        def sync_file_system(folder: Path) -> None:
            self.reach("before fsync")
            # Files that other threads write meanwhile may be lost.
            written = [(path, os.stat(path)) for path in self._files()]
            names = [(current, os.listdir(current)) for current, _, _ in os.walk(self._now)]
            sync_all(folder)
            for path, status in written:
                self.note("file kept", path, inode=status.st_ino, size=status.st_size, time=status.st_mtime_ns)
            for current, inside in names:
                self.note("folder kept", current.rstrip(os.sep), names=inside)
            self.reach("after fsync")

        sync_all = atomic_files.sync_file_system
        atomic_files.sync_file_system = sync_file_system
        whole = original_copies.copy_file

        def copy_file(path: Path, target: Path, root: Path | None = None) -> Digest:
            if self.is_ours(_path(target)):
                data = path.read_bytes()
                write(target, data[: len(data) // 2])
                self.reach("in a copy")
            return whole(path, target, root)

        original_copies.copy_file = copy_file
        os.fsync, shutil.copyfile, Path.write_bytes = fsync, copyfile, write_bytes  # type: ignore[method-assign,assignment]
        builtins.open = io.open = self._opening(io.open)  # type: ignore[assignment]

    def _files(self) -> list[str]:
        found = [os.path.join(current, name) for current, _, names in os.walk(self._now) for name in names]
        return [path for path in found if self.is_ours(path) and os.path.exists(path)]

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
            stream = real(file, mode, *args, **more)
            if set(mode) & set("wax+") and not isinstance(file, int) and self.is_ours(_path(file)):
                self.reach("open")
            return stream

        return opened


class _Watched(sqlite3.Connection):
    """A connection whose commits and statements are kill points."""

    def __init__(self, points: Points, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._points = points
        self.set_trace_callback(self._trace)

    def _trace(self, _statement: str) -> None:
        if self.in_transaction and self.total_changes:
            self._points.reach("in a transaction")

    def close(self) -> None:
        self._points.reach("before close")
        super().close()  # the last one to close deletes the log
        self._points.reach("after close")

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:  # type: ignore[override]
        if sql != "COMMIT":
            return super().execute(sql, *args)
        self._points.reach("before commit")
        cursor = super().execute(sql, *args)
        self._points.reach("after commit")
        return cursor


def _path(given: Any, folder: int | None = None) -> str:
    path = os.fsdecode(given)
    if folder is not None and not os.path.isabs(path):
        return os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
    return os.path.abspath(path)
