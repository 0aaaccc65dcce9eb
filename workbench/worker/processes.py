"""Functions run in child processes, with limits on time and memory: a crash or hang ends one call, nothing else.

Children are spawned (never forked: the parent has threads), kept warm, and replaced when one dies or is killed. Each is
served by one thread of the pool's own executor, so that the event loop never waits for a pipe. What travels is pickled.
"""

import asyncio
import importlib
import logging
import multiprocessing
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, TypeVar

import psutil

from workbench.worker.limits import cap_memory, die_with_parent, lift_memory_cap
from workbench.worker.memory import give_back_memory, hold_little_memory
from workbench.worker.priority import give_way

logger = logging.getLogger(__name__)
T = TypeVar("T")

START_SECONDS = 60.0
"""How long a child may take to come up (0.2 s measured with pymupdf; a loaded machine may need far longer)."""

WATCH_SECONDS = 0.1
"""How often the memory of a busy child is looked at; 2 x 10 us a look."""

TRIM_SECONDS = 1.0
"""How often a child gives back freed memory, in 3 ms: a reader of 800 pages keeps 71 MB then, and 92 without."""


class ProcessFailure(Exception):
    """A call that its child process did not survive."""


class ProcessCrashed(ProcessFailure):
    """The child died by itself; exit_code is negative for a signal."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"The child process ended with exit code {exit_code}.")
        self.exit_code = exit_code


class ProcessTimedOut(ProcessFailure):
    """The child was killed because the call took too long."""


class ProcessOutOfMemory(ProcessFailure):
    """The child wanted more memory than allowed."""


class ProcessPool:
    """A few warm child processes that run one call each at a time.

    Knows nothing of what it runs: function and arguments must be picklable, and the function importable by name.
    """

    def __init__(self, workers: int, *, preload: tuple[str, ...] = (), in_background: bool = False) -> None:
        """Start no child yet.

        Args:
            workers: How many children at most.
            preload: Modules that a child imports when it starts.
            in_background: The children give way to what a person waits for.
        """
        self._workers = workers
        self._preload = preload
        self._in_background = in_background
        self._idle: SimpleQueue[_Child] = SimpleQueue()
        self._children: set[_Child] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="child-process")

    async def run(self, function: Callable[..., T], *args: Any, seconds: float, megabytes: int) -> T:
        """Return function(*args), computed in a child process.

        Cancelling the awaiting task kills the child that works for it.

        Args:
            function: A module-level function.
            args: Its arguments.
            seconds: Limit on the call's own time; waiting for a free child does not count.
            megabytes: Limit on the child's memory during the call.

        Raises:
            ProcessCrashed: The child died.
            ProcessTimedOut: The call took longer than seconds.
            ProcessOutOfMemory: The child wanted more than megabytes.
            Exception: Whatever the function itself raised.
        """
        call = _Call((function, args, megabytes), seconds, megabytes)
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

    def close(self) -> None:
        """Kill every child; calls under way end as crashed."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for child in children:
            child.join()

    def _serve(self, call: "_Call") -> Any:
        child = self._take()
        try:
            return call.exchange(child)
        finally:
            self._put_back(child)

    def _take(self) -> "_Child":
        while True:
            try:
                child = self._idle.get_nowait()
            except Empty:
                break
            if child.alive:
                return child
            self._forget(child)
        return self._new_child()

    def _new_child(self) -> "_Child":
        child = _Child(self._preload, in_background=self._in_background)
        with self._lock:
            self._children.add(child)
            closed = self._closed
        if closed:
            child.kill()
        return child

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

    def _put_back(self, child: "_Child") -> None:
        if child.usable and child.alive:
            child.used = time.monotonic()
            self._idle.put(child)
            return
        child.kill()
        self._forget(child)

    def _forget(self, child: "_Child") -> None:
        child.join()
        with self._lock:
            self._children.discard(child)


class _Call:
    """One call: sent to a child, watched, and answered."""

    def __init__(
        self, request: tuple[Callable[..., Any], tuple[Any, ...], int], seconds: float, megabytes: int
    ) -> None:
        self._request = request
        self._seconds = seconds
        self._bytes = megabytes * 2**20
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Kill the child that works on it, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            if self._child is not None:
                self._child.usable = False
                self._child.kill()

    def exchange(self, child: "_Child") -> Any:
        with self._lock:
            if self._cancelled:
                raise asyncio.CancelledError
            self._child = child
        try:
            return self._exchange(child)
        except (EOFError, OSError) as error:
            child.usable = False
            child.join()
            raise ProcessCrashed(child.exit_code) from error
        finally:
            with self._lock:
                self._child = None

    def _exchange(self, child: "_Child") -> Any:
        child.wait_until_ready()
        child.connection.send(self._request)
        deadline = time.monotonic() + self._seconds
        while not child.connection.poll(min(WATCH_SECONDS, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                child.usable = False
                raise ProcessTimedOut(f"The call took longer than {self._seconds:g} s.")
            if child.memory() > self._bytes:
                child.usable = False
                raise ProcessOutOfMemory("The call wanted more memory than allowed.")
        done, value = child.connection.recv()
        if done:
            return value
        if isinstance(value, MemoryError):
            # What a MemoryError left behind in the child is unknown: a fresh one is cheap.
            child.usable = False
            raise ProcessOutOfMemory("The call wanted more memory than allowed.") from value
        raise value


class _Child:
    """One child process and the parent's end of its pipe."""

    def __init__(self, preload: tuple[str, ...], *, in_background: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.usable = True
        self.used = 0.0
        self._ready = False
        self._process = context.Process(
            target=_work, args=(theirs, preload, in_background), name="workbench-child", daemon=True
        )
        with _main_hidden():
            self._process.start()
        theirs.close()
        self._watched = psutil.Process(self._process.pid) if self._process.is_alive() else None

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        return self._process.exitcode

    def wait_until_ready(self) -> None:
        """Wait for the child's greeting, once."""
        if self._ready:
            return
        if not self.connection.poll(START_SECONDS):
            self.usable = False
            raise ProcessTimedOut(f"No child process came up within {START_SECONDS:g} s.")
        self.connection.recv()
        self._ready = True

    def memory(self) -> int:
        """Bytes that the child holds."""
        try:
            return int(self._watched.memory_info().rss) if self._watched else 0
        except psutil.Error:
            return 0

    def kill(self) -> None:
        self._process.kill()

    def join(self) -> None:
        self._process.join(5.0)


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


def _work(connection: Connection, preload: tuple[str, ...], in_background: bool) -> None:
    """Serve calls until the parent goes: the whole life of a child."""
    die_with_parent()
    hold_little_memory()
    if in_background:
        give_way()
    # Ctrl-C in a terminal reaches the whole group; the parent decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in preload:
        importlib.import_module(module)
    connection.send("ready")
    given_back = 0.0
    while True:
        try:
            if time.monotonic() - given_back > TRIM_SECONDS or not connection.poll(TRIM_SECONDS):
                give_back_memory()
                given_back = time.monotonic()
            function, args, megabytes = connection.recv()
        except (EOFError, OSError):
            return
        connection.send_bytes(_answer(function, args, megabytes))


def _answer(function: Callable[..., Any], args: tuple[Any, ...], megabytes: int) -> bytes:
    """Return the pickled pair (True, value) or (False, exception)."""
    cap_memory(megabytes)
    try:
        return pickle.dumps((True, function(*args)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - whatever it raises belongs to the caller in the other process
        lift_memory_cap()
        return _pickled_error(error)
    finally:
        lift_memory_cap()


def _pickled_error(error: Exception) -> bytes:
    try:
        data = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)
    except Exception:  # noqa: BLE001 - an exception may refuse to be pickled in any way it likes
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")), pickle.HIGHEST_PROTOCOL)
    return data
