"""Pool of sandboxed child processes with limits on time, memory, disk and processes.

A crash or hang of a child ends only one call. Children are spawned (never forked, because the parent has threads), kept
warm, and replaced when one dies or is killed. Each is served by one thread of the pool's own executor, so that the
event loop never waits for a pipe. Calls are pickled; results are unpickled with restrictions (child_messages.py).
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
from workbench.worker.child_messages import (
    ProcessCrashed,
    ProcessFailure,
    ProcessFilledDisk,
    ProcessForked,
    ProcessOutOfMemory,
    ProcessOutputTooLarge,
    ProcessTimedOut,
    unpack_value,
)
from workbench.worker.confinement import Confinement
from workbench.worker.process_memory import MemoryShortage
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
"""Maximum bytes that a call may have on disk at any time."""
MOST_PROCESSES = 32
"""Maximum number of processes of a call; LibreOffice needs 4."""
MOST_RESTARTS = 50
"""Maximum processor time of a call as a multiple of its time limit, however much progress it reports: a document of
10,000 pages takes 100 seconds of a processor, and a document that pretends to be endless must end, too."""
_LOOK_SECONDS = 0.5
"""Interval at which the size of a child's scratch folder is measured; 20 us if it is empty."""

_COMPUTE_ONLY = Confinement()


class ProcessPool:
    """Pool of warm child processes, each of which runs one call at a time.

    Function and arguments of a call must be picklable, and the function importable by name.
    """

    def __init__(
        self,
        workers: int,
        *,
        preload: tuple[str, ...] = (),
        in_background: bool = False,
        confined: Callable[[], Confinement] = lambda: _COMPUTE_ONLY,
    ) -> None:
        """Create a pool without starting a child.

        Args:
            workers: Maximum number of children.
            preload: Modules that a child imports when it starts.
            in_background: Start the children with low priority.
            confined: Returns the permissions of a child that is started now; by default, it can only compute.
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
        on_partial: Callable[[Any], None] | None = None,
    ) -> T:
        """Return function(*args), computed in a child process.

        Cancelling the awaiting task kills the child that runs the call.

        Args:
            function: A module-level function, or a partial of one.
            args: Its arguments. It may read only the files and folders that are among them as paths.
            seconds: Time limit of the call, without the wait for a free child. Partial results (child_messages.py)
                restart it, up to MOST_RESTARTS times the limit altogether.
            megabytes: Limit on the child's memory during the call.
            patience: Factor by which the wall time may exceed seconds on a busy machine, as long as the call keeps
                using the processor, and its processor time stays below seconds.
            on_partial: Called with each partial result, on a thread of the pool; it must not raise.

        Raises:
            ProcessCrashed: The child died.
            ProcessTimedOut: The call took longer.
            ProcessOutOfMemory: The child needed more than megabytes.
            ProcessOutputTooLarge: The result is too large.
            ProcessFilledDisk: The call wrote too much.
            ProcessForked: The call started too many processes.
            Exception: Any exception of the function itself.
        """
        call = _ChildCall(
            (function, args, megabytes, tuple(_paths_in(function, args))), seconds, patience, self._watch, on_partial
        )
        future = asyncio.get_running_loop().run_in_executor(self._threads, self._serve, call)
        try:
            return await future  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            call.cancel()
            raise

    async def start(self) -> None:
        """Start every child before the first call; the first call reports a child that fails to start."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(
            *(loop.run_in_executor(self._threads, self._start_idle_child) for _ in range(self._workers))
        )

    def rest(self, idle_seconds: float = 0.0) -> None:
        """Kill children idle for at least idle_seconds, to free memory; the next call starts a new one. Blocking."""
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
        """True if the pool accepts no more calls."""
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
            # The child died, or was started before a folder existed that this call reads from.
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
        if not confinement.may_read(paths, confinement.existing_places()):
            around = {path if path.is_dir() else path.parent for path in paths}
            confinement = replace(confinement, reads=(*(confinement.reads or ()), *around))
        return Child(self._preload, confinement, in_background=self._in_background)

    def _start_idle_child(self) -> None:
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
    """Yield the paths among a call's arguments, including those of a partial."""
    if isinstance(function, partial):
        yield from _paths_in(function.func, (*function.args, *function.keywords.values()))
    yield from (one for one in args if isinstance(one, Path))


class _ChildCall:
    """Call in a child process with its limits."""

    def __init__(
        self,
        call: Call,
        seconds: float,
        patience: float,
        watch: CallWatcher,
        on_partial: Callable[[Any], None] | None = None,
    ) -> None:
        self._call = call
        self._on_partial_result = on_partial
        self._seconds = seconds
        self._patience = patience
        self._bytes = call[2] * 2**20
        self._watch = watch
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._cancelled = False
        self._failure: ProcessFailure | None = None
        self._next_look = 0.0
        self._has_progress = False
        self._shortage: MemoryShortage | None = None
        self._start_time = self._latest_deadline = self._busy_before = self._busy = self._busy_at_first = 0.0
        self.deadline = 0.0

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files that the call reads."""
        return self._call[3]

    def cancel(self) -> None:
        """Kill the child that runs the call, or stop the call from starting."""
        with self._lock:
            self._cancelled = True
            self._kill()

    def offence(self) -> ProcessFailure | None:
        """Return the failure for an exceeded limit, None if there is none."""
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
        if now >= self._next_look:
            self._next_look = now + _LOOK_SECONDS
            if self._shortage is not None:
                self._shortage.look(held, self._bytes)
            if child.written() > MOST_WRITTEN:
                return ProcessFilledDisk("The call wrote more than allowed.")
        return None

    def _took_too_long(self, child: Child, now: float) -> bool:
        """Return True if the call exceeded its time or is idle; extend the deadline if it used the processor."""
        if self._has_progress:
            # Restarted here, where time is measured anyway, and not for each partial result: there can be 500 a second.
            self._has_progress = False
            self._start_clock(child)
        busy = child.processor_seconds()
        if busy != self._busy:  # less if a program ended and the system does not add its time to the child's
            self._busy = busy
            self.deadline = min(now + self._seconds, self._latest_deadline)
        used = min(busy - self._busy_before, now - self._start_time)
        in_all = busy - self._busy_at_first
        return now >= self.deadline or used >= self._seconds or in_all >= MOST_RESTARTS * self._seconds

    def end(self, failure: ProcessFailure) -> None:
        """Kill the child because of a failure."""
        with self._lock:
            if self._child is not None:
                self._failure = failure
                self._kill()

    def exchange(self, child: Child) -> Any:
        """Run the call in a child and return its result.

        Raises:
            ProcessFailure: The child died, or the call exceeded a limit.
            Exception: Any exception of the function.
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
            # The state of the child after a MemoryError is unknown, and a new child is cheap.
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
                child.send(self._call)
                done, value = unpack_value(child.receive())
                while done is None:
                    self._has_progress = True
                    self.deadline = time.monotonic() + self._seconds
                    if self._on_partial_result is not None:
                        self._on_partial_result(value)
                    done, value = unpack_value(child.receive())
        except Exception as error:
            # The child has ended or sent an invalid message; it is not used again.
            child.usable = False
            child.kill()
            child.join()
            raise self._make_failure(error, child) from error
        child.tidy()
        return bool(done), value

    def _start_clock(self, child: Child) -> None:
        self._start_time = time.monotonic()
        self._busy = self._busy_before = child.processor_seconds()
        self._latest_deadline = self._start_time + self._patience * self._seconds
        self.deadline = self._start_time + self._seconds

    def _make_failure(self, error: Exception, child: Child) -> ProcessFailure:
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
