"""Main loop of a child process: setup, memory limits and serving of calls."""

import gc
import importlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from workbench.logs.log_file import set_up_child_log
from workbench.system import current
from workbench.worker.child_messages import MOST_BYTES, ProcessOutputTooLarge, pack_value, send_with, unpack_value
from workbench.worker.confinement import Confined, Confinement, confine_process
from workbench.worker.process_memory import reduce_memory_use, release_memory

Call = tuple[Callable[..., Any], tuple[Any, ...], int, tuple[Path, ...]]
"""Function, arguments, memory limit in megabytes, and files that it may read."""

TRIM_SECONDS = 1.0
"""Interval at which a child releases freed memory, in 3 ms: after 800 pages it holds 71 MB instead of 92."""

_COLLECT_AFTER = 50_000
"""Threshold of the garbage collector, instead of 700: a text of 8 MB is parsed and chunked in 3.7 s instead of 4.3.
Imported objects are frozen, so they are not examined."""

_STACK = 16 * 2**20
"""Stack size of a call's thread in bytes: twice that of a process, for deeply nested documents."""

_EXIT_SOFTWARE = 70
"""Exit code of a child whose call thread ended without a result: EX_SOFTWARE of sysexits.h."""


def serve(
    connection: Connection, preload: tuple[str, ...], in_background: bool, confinement: Confinement, scratch: Path
) -> None:
    """Serve calls until the parent ends."""
    die_with_parent()
    set_up_child_log()
    reduce_memory_use()
    if in_background:
        current().lower_process_priority()
    # Ctrl-C in a terminal signals the whole process group; the parent decides when its children end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    current().lead_group()
    for module in preload:
        importlib.import_module(module)
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 50, 50)
    confined = confine_process(confinement, scratch)
    if confinement.programs:
        from workbench.worker.programs import start_program_thread  # imports psutil, which few children need

        start_program_thread(confined)
    confined.no_processes()
    watch_parent()
    threading.stack_size(_STACK)
    connection.send_bytes(pack_value("ready"))
    send_with(lambda value: connection.send_bytes(_check_size(pack_value((None, value)))))
    _serve_calls(connection, confined)


def _serve_calls(connection: Connection, confined: Confined) -> None:
    last_release = 0.0
    while True:
        try:
            if time.monotonic() - last_release > TRIM_SECONDS or not connection.poll(TRIM_SECONDS):
                release_memory()
                last_release = time.monotonic()
            data = connection.recv_bytes()
        except (EOFError, OSError):
            return
        connection.send_bytes(_handle_call(data, confined))


def _handle_call(data: bytes, confined: Confined) -> bytes:
    try:
        call: Call = pickle.loads(data)
    except Exception as error:  # noqa: BLE001 - reported to the caller, for example a module that cannot be imported
        return _pack_error(error)
    return _run_on_thread(call, confined) if confined.by_thread else _run(*call[:3])


def _run_on_thread(call: Call, confined: Confined) -> bytes:
    """Run a call on a new thread that can read only its own files: a thread gives up rights permanently."""
    answers: list[bytes] = []
    function, args, megabytes, paths = call

    def work() -> None:
        confined.for_call(paths)
        answers.append(_run(function, args, megabytes))

    thread = threading.Thread(target=work, name="call", daemon=True)
    thread.start()
    thread.join()
    if not answers:
        os._exit(_EXIT_SOFTWARE)
    return answers[0]


def _run(function: Callable[..., Any], args: tuple[Any, ...], megabytes: int) -> bytes:
    """Return the packed pair (True, value) or (False, exception); partial results are (None, value)."""
    cap_memory(megabytes)
    try:
        data = pack_value((True, function(*args)))
    except Exception as error:  # noqa: BLE001 - any exception is passed to the caller in the other process
        lift_memory_cap()
        return _pack_error(error)
    finally:
        lift_memory_cap()
    try:
        return _check_size(data)
    except ProcessOutputTooLarge as error:
        return _pack_error(error)


def _check_size(data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise ProcessOutputTooLarge(f"{len(data)} bytes are too many.")
    return data


def _pack_error(error: Exception) -> bytes:
    try:
        data = pack_value((False, error))
        unpack_value(data)
    except Exception:  # noqa: BLE001 - pickling an exception may fail with any error
        return pack_value((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return data


SLACK_MEGABYTES = 512
"""Margin between the limit on resident memory, which the parent watches, and the limit on address space, which only has
to stop growth too fast to be watched; allocators map more than they use."""


def die_with_parent() -> None:
    """Have the system kill this process when its parent ends in any way, even while a C library holds the interpreter.

    Only Linux does; on Windows the parent's job object has the same effect.
    """
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        current().end_with_parent(parent.pid)


def watch_parent() -> None:
    """Start a thread that ends this process when its parent has ended; on every system."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel
        threading.Thread(target=_exit_after, args=(sentinel,), name="parent-watch", daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def cap_memory(megabytes: int) -> None:
    """Limit the memory of this process to what it has plus megabytes and SLACK_MEGABYTES; on Linux and Windows."""
    current().cap_memory((megabytes + SLACK_MEGABYTES) * 2**20)


def lift_memory_cap() -> None:
    """Undo cap_memory."""
    current().lift_memory_cap()
