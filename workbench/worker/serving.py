"""The life of a child process: limits, calls served until its parent ends, and the ways in which a call can fail."""

import contextlib
import ctypes
import gc
import importlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from workbench.logs.log_file import set_up_child_log
from workbench.worker.confinement import Confined, Confinement, confine_process
from workbench.worker.failures import ProcessOutputTooLarge
from workbench.worker.partial_results import send_with
from workbench.worker.process_memory import lower_priority, reduce_memory_use, release_memory
from workbench.worker.safe_pickle import MOST_BYTES, pack_value, unpack_value

Call = tuple[Callable[..., Any], tuple[Any, ...], int, tuple[Path, ...]]
"""A function, its arguments, the megabytes that it may take, and the files that it may read."""

TRIM_SECONDS = 1.0
"""How often a child gives back freed memory, in 3 ms: a reader of 800 pages keeps 71 MB then, and 92 without."""

_COLLECT_AFTER = 50_000
"""New objects after which Python looks for garbage, instead of 700: a text of 8 MB is read and chunked in 3.7 s instead
of 4.3. What was imported is looked at no more."""

_STACK = 16 * 2**20
"""Bytes for a call's thread: twice what a process has, for documents that are nested deeply."""

_DIED = 70
"""The exit code of a child whose call ended in a way that no call may: EX_SOFTWARE of sysexits.h."""


def serve(
    connection: Connection, preload: tuple[str, ...], in_background: bool, confinement: Confinement, scratch: Path
) -> None:
    """Serve calls until the parent goes."""
    die_with_parent()
    set_up_child_log()
    reduce_memory_use()
    if in_background:
        lower_priority()
    # Ctrl-C in a terminal reaches the whole group; the parent decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _be_a_group()
    for module in preload:
        importlib.import_module(module)
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 50, 50)
    confined = confine_process(confinement, scratch)
    if confinement.programs:
        from workbench.worker.programs import start_program_thread  # psutil, which few children need

        start_program_thread(confined)
    confined.no_processes()
    watch_parent()
    threading.stack_size(_STACK)
    connection.send_bytes(pack_value("ready"))
    send_with(lambda value: connection.send_bytes(_within_bounds(pack_value((None, value)))))
    _serve_calls(connection, confined)


def _be_a_group() -> None:
    """Become a group of processes, so that whatever this child starts can be ended with it."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)


def _serve_calls(connection: Connection, confined: Confined) -> None:
    given_back = 0.0
    while True:
        try:
            if time.monotonic() - given_back > TRIM_SECONDS or not connection.poll(TRIM_SECONDS):
                release_memory()
                given_back = time.monotonic()
            data = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(_answer_to(data, confined))


def _answer_to(data: bytes, confined: Confined) -> bytes:
    try:
        call: Call = pickle.loads(data)
    except Exception as error:  # noqa: BLE001 - a module that cannot be imported here, say: the caller is told
        return _packed_error(error)
    return _on_a_thread(call, confined) if confined.by_thread else _answer(*call[:3])


def _on_a_thread(call: Call, confined: Confined) -> bytes:
    """Return the answer of a call that is given its own files only: a thread gives up rights for good."""
    answers: list[bytes] = []
    function, args, megabytes, paths = call

    def work() -> None:
        confined.for_call(paths)
        answers.append(_answer(function, args, megabytes))

    thread = threading.Thread(target=work, name="call", daemon=True)
    thread.start()
    thread.join()
    if not answers:
        os._exit(_DIED)
    return answers[0]


def _answer(function: Callable[..., Any], args: tuple[Any, ...], megabytes: int) -> bytes:
    """Return the packed pair (True, value) or (False, exception); (None, value) goes before it (partial_results.py)."""
    cap_memory(megabytes)
    try:
        data = pack_value((True, function(*args)))
    except Exception as error:  # noqa: BLE001 - whatever it raises belongs to the caller in the other process
        lift_memory_cap()
        return _packed_error(error)
    finally:
        lift_memory_cap()
    try:
        return _within_bounds(data)
    except ProcessOutputTooLarge as error:
        return _packed_error(error)


def _within_bounds(data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise ProcessOutputTooLarge(f"{len(data)} bytes are too many.")
    return data


def _packed_error(error: Exception) -> bytes:
    try:
        data = pack_value((False, error))
        unpack_value(data)
    except Exception:  # noqa: BLE001 - an exception may refuse to be pickled in any way it likes
        return pack_value((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return data


SLACK_MEGABYTES = 512
"""Room between the limit on resident memory, which the parent watches, and the cap on addresses, which only has to
stop a jump that is too quick to be watched; allocators map more than they use."""


def die_with_parent() -> None:
    """Make this process end when its parent does, however that ends; Linux only.

    The signal is sent even while a C library hangs with the interpreter's lock held (and it comes when the thread that
    started us ends, which is why a pool's threads live as long as the pool).
    """
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG
    if os.getppid() != parent.pid:
        os._exit(1)


def watch_parent() -> None:
    """Have a thread end this process when its parent has ended; on every system."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        threading.Thread(target=_exit_after, args=(sentinel,), name="parent-watch", daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def cap_memory(megabytes: int) -> None:
    """Let this process map at most megabytes (and some slack) more than it has now; nothing where that is unknown."""
    if sys.platform != "linux":
        return
    import resource  # absent on Windows

    with open("/proc/self/statm", encoding="ascii") as statm:
        pages = int(statm.read().split()[0])
    limit = pages * resource.getpagesize() + (megabytes + SLACK_MEGABYTES) * 2**20
    _set_soft_limit(limit)


def lift_memory_cap() -> None:
    """Undo cap_memory."""
    if sys.platform != "linux":
        return
    import resource  # absent on Windows

    _set_soft_limit(resource.getrlimit(resource.RLIMIT_AS)[1])


def _set_soft_limit(limit: int) -> None:
    import resource  # absent on Windows

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard) if limit != resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
