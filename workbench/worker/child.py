"""Child process as its parent controls it: start, measurement, watching of limits, termination."""

import contextlib
import logging
import multiprocessing
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Protocol

import psutil

from workbench.logs.crash_marker import crash_of
from workbench.logs.formatting import TRACE
from workbench.system import ProcessGroup, current
from workbench.worker.child_messages import (
    MOST_BYTES,
    ProcessFailure,
    ProcessOutputTooLarge,
    ProcessTimedOut,
    unpack_value,
)
from workbench.worker.confinement import Confinement, is_filtered
from workbench.worker.scratch import drop_dead_sockets, drop_scratch, empty_scratch, new_scratch, scratch_size
from workbench.worker.serving import Call, serve

logger = logging.getLogger(__name__)

START_SECONDS = 60.0
"""Time limit for the start of a child (0.2 s measured with pymupdf; a loaded machine may need far longer)."""

MOST_FILES = 20_000
"""Maximum number of files in a scratch folder. LibreOffice's profile has 60, a book in EPUB some hundred."""


_LIST_SECONDS = 0.05
"""Time for which a list of a child's processes is used, on systems that list all processes to find them."""


class Child:
    """Child process and the parent's end of its pipe.

    Attributes:
        usable: True while the child can take another call.
        used: Monotonic time at which it last finished a call.
    """

    def __init__(self, preload: tuple[str, ...], confinement: Confinement, *, in_background: bool) -> None:
        """Start the child process.

        Raises:
            OSError: It cannot be started, or its scratch folder cannot be created.
        """
        self.usable = True
        self.used = 0.0
        self._ready = False
        self._listed: tuple[float, list[int]] = (0.0, [])
        self._start_time = time.time()
        self._confinement = confinement
        self._existing_places = confinement.existing_places()
        self._scratch = new_scratch()
        context = multiprocessing.get_context("spawn")
        self._connection, child_end = context.Pipe()
        self._process = context.Process(
            target=serve,
            args=(child_end, preload, in_background, confinement, self._scratch),
            name="workbench-child",
            daemon=True,
        )
        try:
            with _hide_main():
                self._process.start()
            pid = self._process.pid
            self._group = current().group(pid) if pid is not None else ProcessGroup()
        except BaseException:
            drop_scratch(self._scratch)
            raise
        child_end.close()
        self._psutil_process = psutil.Process(self._process.pid) if self._process.is_alive() else None

    @property
    def alive(self) -> bool:
        """True while the process runs."""
        return self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        """Exit code; negative for a signal, None while the process runs."""
        return self._process.exitcode

    def may_read(self, paths: Iterable[Path]) -> bool:
        """Return True if the child's sandbox permits reading these files."""
        return self._confinement.may_read(paths, self._existing_places)

    def wait_until_ready(self) -> None:
        """Wait for the child's ready message, once.

        Raises:
            ProcessTimedOut: The message does not arrive.
        """
        if self._ready:
            return
        if not self._connection.poll(START_SECONDS):
            self.usable = False
            raise ProcessTimedOut(f"No child process came up within {START_SECONDS:g} s.")
        unpack_value(self.receive())
        self._ready = True

    def send(self, call: Call) -> None:
        """Send a call to the child.

        Raises:
            OSError: The child has ended.
        """
        self._connection.send(call)

    def receive(self) -> bytes:
        """Wait for the child's next message and return it packed.

        Raises:
            EOFError: The child has ended.
            OSError: The child has ended.
            ProcessOutputTooLarge: The message exceeds MOST_BYTES.
        """
        try:
            return self._connection.recv_bytes(MOST_BYTES)
        except OSError as error:
            if error.errno is None:  # raised by the connection itself before it reads the oversized message
                raise ProcessOutputTooLarge("The child's answer is larger than an answer may be.") from error
            raise

    def memory(self) -> int:
        """Return the child's resident memory in bytes."""
        try:
            return int(self._psutil_process.memory_info().rss) if self._psutil_process else 0
        except psutil.Error:
            return 0

    def processor_seconds(self) -> float:
        """Return the CPU seconds of the child and of all that it started, such as LibreOffice, running or ended."""
        if self._psutil_process is None:
            return 0.0
        seconds = 0.0
        for number in (self._psutil_process.pid, *self._descendants()):
            with contextlib.suppress(psutil.Error):  # it has ended meanwhile
                seconds += sum(psutil.Process(number).cpu_times()[:4])
        return seconds

    def processes(self) -> int:
        """Return the number of running processes below the child; 0 if it cannot start any."""
        return len(self._descendants())

    def _descendants(self) -> list[int]:
        """Return the numbers of the running processes below the child; empty if it cannot start any."""
        if self._psutil_process is None or self._confinement.is_users:
            return []
        if is_filtered():
            if not self._confinement.programs:
                return []
            if (found := current().descendants(self._psutil_process.pid)) is not None:
                return found
        listed, pids = self._listed
        if time.monotonic() - listed > _LIST_SECONDS:
            with contextlib.suppress(psutil.Error):
                pids = [one.pid for one in self._psutil_process.children(recursive=True)]
            self._listed = time.monotonic(), pids
        return pids

    def written(self) -> int:
        """Return the bytes in the scratch folder; an impossibly large number if it has too many files."""
        return scratch_size(self._scratch, MOST_FILES)

    def tidy(self) -> None:
        """Empty the scratch folder after a call; the user's own code may use the files later, so its folder is kept."""
        if not self._confinement.is_users:
            empty_scratch(self._scratch)

    def kill(self) -> None:
        """Kill the child with all processes that it started; callable from any thread, and more than once."""
        for escaped in self._escaped_processes():
            with contextlib.suppress(psutil.Error):
                escaped.kill()
        # Once started, the child leads its own process group; before that it has started nothing.
        self._group.kill()
        self._process.kill()

    def join(self) -> None:
        """Wait for the end of the child, delete its scratch folder, and log a crash in native code."""
        self._process.join(5.0)
        self._group.close()
        drop_scratch(self._scratch)
        if self._confinement.programs:
            drop_dead_sockets(self._start_time)
        crash = crash_of(self._process.pid) if self._process.pid is not None else None
        if crash is not None:
            # Logged at INFO, because damaged files cause such crashes; the caller is informed by the exit code.
            logger.info(
                "A child was ended by native code, with exit code %s", self.exit_code, extra={TRACE: crash.trace}
            )

    def _escaped_processes(self) -> list[psutil.Process]:
        """Return started processes that may have left the process group, which sandboxed ones cannot."""
        if self._psutil_process is None or (is_filtered() and not self._confinement.is_users):
            return []
        try:
            return self._psutil_process.children(recursive=True)
        except psutil.Error:
            return []


_main_lock = threading.Lock()


@contextmanager
def _hide_main() -> Iterator[None]:
    """Stop the spawned child from importing the program's main script.

    The functions called in children are never defined there, and so a script that opens a library needs no main guard.
    """
    with _main_lock:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


WATCH_SECONDS = 0.1
"""Interval at which the memory and processes of a busy child are checked; 30 us each time."""


class Watched(Protocol):
    """Protocol of a running call with limits."""

    @property
    def deadline(self) -> float:
        """Monotonic time at which the call times out."""

    def offence(self) -> ProcessFailure | None:
        """Return the failure for an exceeded limit, None if there is none."""

    def end(self, failure: ProcessFailure) -> None:
        """Kill the child because of a failure."""


class CallWatcher:
    """Thread that checks the limits of all calls of a pool; started with the first call."""

    def __init__(self) -> None:
        self._calls: set[Watched] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def over(self, call: Watched) -> Iterator[None]:
        """Watch a call while the block runs."""
        with self._changed:
            self._calls.add(call)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="child-watch", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.discard(call)

    def close(self) -> None:
        """Stop watching; returns when the thread has ended."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._calls and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                nearest = min(call.deadline for call in self._calls) - time.monotonic()
                self._changed.wait(max(0.0, min(WATCH_SECONDS, nearest)))
                busy = list(self._calls)
            for call in busy:
                failure = call.offence()
                if failure is not None:
                    call.end(failure)
