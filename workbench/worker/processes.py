"""Functions run in child processes, confined and with limits: a crash or hang ends one call, nothing else.

Children are spawned (never forked: the parent has threads), kept warm, and replaced when one dies or is killed. Each is
served by one thread of the pool's own executor, so that the event loop never waits for a pipe. What travels is pickled;
of what comes back only plain values are taken (answers.py).
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from workbench.worker.child import CallWatcher, Child
from workbench.worker.confinement import Confinement
from workbench.worker.failures import (
    ProcessCrashed,
    ProcessFailure,
    ProcessFilledDisk,
    ProcessForked,
    ProcessOutOfMemory,
    ProcessOutputTooLarge,
    ProcessTimedOut,
)
from workbench.worker.process_memory import MemoryShortage
from workbench.worker.safe_pickle import unpack_value
from workbench.worker.scratch import drop_abandoned
from workbench.worker.serving import Call

__all__ = [
    "ProcessCrashed",
    "ProcessFailure",
    "ProcessFilledDisk",
    "ProcessForked",
    "ProcessOutOfMemory",
    "ProcessOutputTooLarge",
    "ProcessPool",
    "ProcessTimedOut",
]

logger = logging.getLogger(__name__)
T = TypeVar("T")

MOST_WRITTEN = 2 * 2**30
"""Bytes that a call may leave on the disk at any time."""
MOST_PROCESSES = 32
"""That a call may have running for it; LibreOffice takes 4."""
MOST_RESTARTS = 50
"""Times its limit that a call may take altogether, however often it says that it goes on: a document of 10,000 pages
takes 100 seconds of a processor, and one that pretends to have no end must have one."""
_LOOK_SECONDS = 0.5
"""How often it is looked at what a child wrote: a walk over its scratch folder, 20 us where that is empty."""

_ALONE = Confinement()


class ProcessPool:
    """A few warm child processes that run one call each at a time.

    Knows nothing of what it runs: function and arguments must be picklable, and the function importable by name.
    """

    def __init__(
        self,
        workers: int,
        *,
        preload: tuple[str, ...] = (),
        in_background: bool = False,
        confined: Callable[[], Confinement] = lambda: _ALONE,
    ) -> None:
        """Start no child yet.

        Args:
            workers: How many children at most.
            preload: Modules that a child imports when it starts.
            in_background: The children give way to what a person waits for.
            confined: Returns what a child may do that is started now; nothing but compute where it is not said.
        """
        self._workers = workers
        self._preload = preload
        self._in_background = in_background
        self._confined = confined
        self._idle: SimpleQueue[Child] = SimpleQueue()
        self._children: set[Child] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._watch = CallWatcher()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="child-process")

    async def run(
        self,
        function: Callable[..., T],
        *args: Any,
        seconds: float,
        megabytes: int,
        patience: float = 1.0,
        heard: Callable[[Any], None] | None = None,
    ) -> T:
        """Return function(*args), computed in a child process.

        Cancelling the awaiting task kills the child that works for it.

        Args:
            function: A module-level function, or a partial of one.
            args: Its arguments. It may read the files and folders that stand among them as paths, and no others.
            seconds: Limit on the call's own time; waiting for a free child does not count. What the function says
                before its answer (partial_results.py) restarts it, up to MOST_RESTARTS times the limit altogether.
            megabytes: Limit on the child's memory during the call.
            patience: How many times as long it may take on a busy machine, as long as it keeps a processor busy now
                and then, and has not done so for more than the seconds altogether.
            heard: Given what the function says before its answer, on a thread of the pool; it must not raise.

        Raises:
            ProcessCrashed: The child died.
            ProcessTimedOut: The call took longer.
            ProcessOutOfMemory: The child wanted more than megabytes.
            ProcessOutputTooLarge: What it came to is too large to be taken.
            ProcessFilledDisk: It wrote too much.
            ProcessForked: It had too many processes started.
            Exception: Whatever the function itself raised.
        """
        call = _ChildCall(
            (function, args, megabytes, tuple(_paths_in(function, args))), seconds, patience, self._watch, heard
        )
        future = asyncio.get_running_loop().run_in_executor(self._threads, self._serve, call)
        try:
            return await future  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            call.cancel()
            raise

    async def start(self) -> None:
        """Have every child up before the first call comes; one that does not come up is the first call's to report."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self._threads, self._start_one) for _ in range(self._workers)))

    def rest(self, idle_seconds: float = 0.0) -> None:
        """End the children that had nothing to do for so long, for their memory; the next call starts one anew.

        Blocking.
        """
        kept = []
        while True:
            try:
                child = self._idle.get_nowait()
            except Empty:
                break
            if time.monotonic() - child.used < idle_seconds:
                kept.append(child)
            else:
                child.kill()
                self._forget(child)
        for child in kept:
            self._idle.put(child)

    @property
    def is_closed(self) -> bool:
        """Whether it takes no calls any more."""
        return self._closed

    def close(self) -> None:
        """Kill every child; calls under way end as crashed."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._watch.close()
        for child in children:
            child.join()

    def _serve(self, call: "_ChildCall") -> Any:
        child = self._take(call)
        try:
            return call.exchange(child)
        finally:
            self._put_back(child)

    def _take(self, call: "_ChildCall") -> Child:
        while True:
            try:
                child = self._idle.get_nowait()
            except Empty:
                break
            if child.alive and child.may_read(call.paths):
                return child
            # It died, or was started before a folder was there that this call reads from.
            child.kill()
            self._forget(child)
        return self._new_child(call.paths)

    def _new_child(self, paths: tuple[Path, ...] = ()) -> Child:
        child = self._started(paths)
        with self._lock:
            is_first = not self._children
            self._children.add(child)
            closed = self._closed
        if closed:
            child.kill()
        if is_first:
            drop_abandoned()
        return child

    def _started(self, paths: tuple[Path, ...]) -> Child:
        confinement = self._confined()
        if not confinement.may_read(paths, confinement.stands()):
            around = {path if path.is_dir() else path.parent for path in paths}
            confinement = replace(confinement, reads=(*(confinement.reads or ()), *around))
        return Child(self._preload, confinement, in_background=self._in_background)

    def _start_one(self) -> None:
        with self._lock:
            if len(self._children) >= self._workers:
                return
        child = self._new_child()
        try:
            child.wait_until_ready()
        except (ProcessFailure, EOFError, OSError):
            child.usable = False
        self._put_back(child)

    def _put_back(self, child: Child) -> None:
        if child.usable and child.alive:
            child.used = time.monotonic()
            self._idle.put(child)
            return
        child.kill()
        self._forget(child)

    def _forget(self, child: Child) -> None:
        child.join()
        with self._lock:
            self._children.discard(child)


def _paths_in(function: Callable[..., Any], args: tuple[Any, ...]) -> Iterator[Path]:
    """Yield the paths among a call's arguments, those that a partial holds included."""
    if isinstance(function, partial):
        yield from _paths_in(function.func, (*function.args, *function.keywords.values()))
    yield from (one for one in args if isinstance(one, Path))


class _ChildCall:
    """One call: sent to a child, watched, and answered."""

    def __init__(
        self,
        call: Call,
        seconds: float,
        patience: float,
        watch: CallWatcher,
        heard: Callable[[Any], None] | None = None,
    ) -> None:
        self._call = call
        self._heard = heard
        self._seconds = seconds
        self._patience = patience
        self._bytes = call[2] * 2**20
        self._watch = watch
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._cancelled = False
        self._failure: ProcessFailure | None = None
        self._look_again = 0.0
        self._goes_on = False
        self._shortage: MemoryShortage | None = None
        self._began = self._last = self._busy_before = self._busy = self._busy_at_first = 0.0
        self.deadline = 0.0

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that it reads."""
        return self._call[3]

    def cancel(self) -> None:
        """Kill the child that works on it, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            self._kill()

    def offence(self) -> ProcessFailure | None:
        """Return what limit is passed now, if any."""
        child, now = self._child, time.monotonic()
        if child is None:
            return None
        if self._took_too_long(child, now):
            return ProcessTimedOut(f"The call took longer than {self._seconds:g} s.")
        held = child.memory()
        if held > self._bytes:
            return ProcessOutOfMemory("The call wanted more memory than allowed.")
        if child.processes() > MOST_PROCESSES:
            return ProcessForked("The call had more processes started than allowed.")
        if now >= self._look_again:
            self._look_again = now + _LOOK_SECONDS
            if self._shortage is not None:
                self._shortage.look(held, self._bytes)
            if child.written() > MOST_WRITTEN:
                return ProcessFilledDisk("The call wrote more than allowed.")
        return None

    def _took_too_long(self, child: Child, now: float) -> bool:
        """Tell whether a call used its time up, or does nothing; and move the deadline of one that does something."""
        if self._goes_on:
            # Here, where it is looked at anyway, and not for each of the 500 small files a second of which it is said.
            self._goes_on = False
            self._start_clock(child)
        busy = child.processor_seconds()
        if busy > self._busy:
            self._busy = busy
            self.deadline = min(now + self._seconds, self._last)
        used = min(busy - self._busy_before, now - self._began)
        in_all = busy - self._busy_at_first
        return now >= self.deadline or used >= self._seconds or in_all >= MOST_RESTARTS * self._seconds

    def end(self, failure: ProcessFailure) -> None:
        """End the child, for that reason."""
        with self._lock:
            if self._child is not None:
                self._failure = failure
                self._kill()

    def exchange(self, child: Child) -> Any:
        """Return what the child answers.

        Raises:
            ProcessFailure: It did not survive, or passed a limit.
            Exception: What the function raised.
        """
        with self._lock:
            if self._cancelled:
                raise asyncio.CancelledError
            self._child = child
        try:
            done, value = self._exchange(child)
        finally:
            with self._lock:
                self._child = None
        if done:
            return value
        if isinstance(value, MemoryError):
            # What a MemoryError left behind in the child is unknown: a fresh one is cheap.
            child.usable = False
            raise ProcessOutOfMemory("The call wanted more memory than allowed.") from value
        raise value

    def _exchange(self, child: Child) -> tuple[bool, Any]:
        try:
            child.wait_until_ready()
            self._shortage = MemoryShortage()
            self._start_clock(child)
            self._busy_at_first = self._busy_before
            with self._watch.over(self):
                child.say(self._call)
                done, value = unpack_value(child.hear())
                while done is None:
                    self._goes_on = True
                    self.deadline = time.monotonic() + self._seconds
                    if self._heard is not None:
                        self._heard(value)
                    done, value = unpack_value(child.hear())
        except Exception as error:
            # It is gone, or what it says is no answer: nothing more is asked of it.
            child.usable = False
            child.kill()
            child.join()
            raise self._reason(error, child) from error
        child.tidy()
        return bool(done), value

    def _start_clock(self, child: Child) -> None:
        self._began = time.monotonic()
        self._busy = self._busy_before = child.processor_seconds()
        self._last = self._began + self._patience * self._seconds
        self.deadline = self._began + self._seconds

    def _reason(self, error: Exception, child: Child) -> ProcessFailure:
        if self._failure is not None:
            return self._failure
        if isinstance(error, ProcessFailure):
            return error
        if not isinstance(error, (EOFError, OSError)):
            logger.warning("A child process gave what no answer is made of: %s", type(error).__name__)
        return ProcessCrashed(child.exit_code, memory_ran_out=self._shortage is not None and self._shortage.is_evident)

    def _kill(self) -> None:
        if self._child is not None:
            self._child.usable = False
            self._child.kill()
