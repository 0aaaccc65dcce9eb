"""Child processes as their parent sees them: started, measured, watched against limits, ended with all they started."""

import contextlib
import logging
import multiprocessing
import os
import signal
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
from workbench.worker.confinement import Confinement, is_filtered
from workbench.worker.failures import ProcessFailure, ProcessOutputTooLarge, ProcessTimedOut
from workbench.worker.safe_pickle import MOST_BYTES, unpack_value
from workbench.worker.scratch import drop_dead_sockets, drop_scratch, empty_scratch, new_scratch, scratch_size
from workbench.worker.serving import Call, serve

logger = logging.getLogger(__name__)

START_SECONDS = 60.0
"""How long a child may take to come up (0.2 s measured with pymupdf; a loaded machine may need far longer)."""

MOST_FILES = 20_000
"""In a scratch folder. LibreOffice's profile has 60, a book in EPUB some hundred."""


class Child:
    """One child process and the parent's end of its pipe.

    Attributes:
        usable: It may be given another call.
        used: When it last had something to do, on the monotonic clock.
    """

    def __init__(self, preload: tuple[str, ...], confinement: Confinement, *, in_background: bool) -> None:
        """Start it.

        Raises:
            OSError: It cannot be started, or there is no room for its scratch folder.
        """
        self.usable = True
        self.used = 0.0
        self._ready = False
        self._began = time.time()
        self._confinement = confinement
        self._stood = confinement.stands()
        self._scratch = new_scratch()
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=serve,
            args=(theirs, preload, in_background, confinement, self._scratch),
            name="workbench-child",
            daemon=True,
        )
        try:
            with _main_hidden():
                self._process.start()
        except BaseException:
            drop_scratch(self._scratch)
            raise
        theirs.close()
        self._watched = psutil.Process(self._process.pid) if self._process.is_alive() else None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        """How it ended; negative for a signal, None while it runs."""
        return self._process.exitcode

    def may_read(self, paths: Iterable[Path]) -> bool:
        """Whether it was started so that it can be given these files."""
        return self._confinement.may_read(paths, self._stood)

    def wait_until_ready(self) -> None:
        """Wait for the child's greeting, once.

        Raises:
            ProcessTimedOut: It does not come.
        """
        if self._ready:
            return
        if not self._connection.poll(START_SECONDS):
            self.usable = False
            raise ProcessTimedOut(f"No child process came up within {START_SECONDS:g} s.")
        unpack_value(self.hear())
        self._ready = True

    def say(self, call: Call) -> None:
        """Give it something to do.

        Raises:
            OSError: It is gone.
        """
        self._connection.send(call)

    def hear(self) -> bytes:
        """Wait for its next answer, and return it as it came.

        Raises:
            EOFError: It is gone.
            OSError: It is gone.
            ProcessOutputTooLarge: There is more of it than is taken.
        """
        try:
            return self._connection.recv_bytes(MOST_BYTES)
        except OSError as error:
            if error.errno is None:  # the connection's own, before anything of the answer was read
                raise ProcessOutputTooLarge("The child's answer is larger than an answer may be.") from error
            raise

    def memory(self) -> int:
        """Bytes that the child holds."""
        try:
            return int(self._watched.memory_info().rss) if self._watched else 0
        except psutil.Error:
            return 0

    def processor_seconds(self) -> float:
        """Seconds that it has kept a processor busy, with what it had started and was done."""
        try:
            return sum(self._watched.cpu_times()[:4]) if self._watched else 0.0
        except psutil.Error:
            return 0.0

    def processes(self) -> int:
        """How many processes it has had started and are still there; 0 where it cannot have any."""
        if self._watched is None or self._confinement.is_users:
            return 0
        if is_filtered():
            return _descendants(self._watched.pid) if self._confinement.programs else 0
        try:
            return len(self._watched.children(recursive=True))
        except psutil.Error:
            return 0

    def written(self) -> int:
        """Bytes in its scratch folder; more than there can be where they are of too many files."""
        return scratch_size(self._scratch, MOST_FILES)

    def tidy(self) -> None:
        """Delete what a call left in the scratch folder; code of the user's own may mean to keep it."""
        if not self._confinement.is_users:
            empty_scratch(self._scratch)

    def kill(self) -> None:
        """End it with everything that it started; callable from any thread, and more than once."""
        for escaped in self._escaped():
            with contextlib.suppress(psutil.Error):
                escaped.kill()
        pid = self._process.pid
        if pid is not None and sys.platform != "win32":
            # It is a group of its own once it is up; before that it has started nothing.
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
        self._process.kill()

    def join(self) -> None:
        """Wait until it has ended, write down where native code ended it, and delete its scratch folder."""
        self._process.join(5.0)
        drop_scratch(self._scratch)
        if self._confinement.programs:
            drop_dead_sockets(self._began)
        crash = crash_of(self._process.pid) if self._process.pid is not None else None
        if crash is not None:
            # Nothing unheard of: a damaged file does it. Whoever asked is told by the exit code.
            logger.info(
                "A child was ended by native code, with exit code %s", self.exit_code, extra={TRACE: crash.trace}
            )

    def _escaped(self) -> list[psutil.Process]:
        """Return what it started, where such may have left the group: nothing does that is confined."""
        if self._watched is None or (is_filtered() and not self._confinement.is_users):
            return []
        try:
            return self._watched.children(recursive=True)
        except psutil.Error:
            return []


def _descendants(pid: int) -> int:
    """Count the processes below one, by what the kernel keeps for each; 20 us where there is none."""
    found, waiting = 0, [str(pid)]
    while waiting:
        process = waiting.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{process}/task/{thread}/children", "rb") as children:
                    below = children.read().decode("ascii").split()
                    found += len(below)
                    waiting += below
    return found


_hiding = threading.Lock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep a child from running the program's own script again, which spawning does to find functions in it.

    None of ours stand there, and a script that opens a library need not know of children.
    """
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


WATCH_SECONDS = 0.1
"""How often the memory and the processes of a busy child are looked at; 30 us a look."""


class Watched(Protocol):
    """A call under way."""

    @property
    def deadline(self) -> float:
        """When it has taken too long, on the monotonic clock."""

    def offence(self) -> ProcessFailure | None:
        """Return what limit is passed now, if any."""

    def end(self, failure: ProcessFailure) -> None:
        """End the child, for that reason."""


class CallWatcher:
    """One thread for all the calls of a pool, started with the first."""

    def __init__(self) -> None:
        self._calls: set[Watched] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def over(self, call: Watched) -> Iterator[None]:
        """Watch a call meanwhile."""
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
        """Watch no longer; returns when the thread has ended."""
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
