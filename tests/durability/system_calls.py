"""Kills within SQLite, between two of its system calls, by strace if available.

This covers states that kill_points.py cannot reach: a commit with only some of its pages in the log.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CALLS = "pwrite64,fdatasync,ftruncate"
MOST = 60
"""System calls per thread of an act; each thread is counted separately."""
_SECONDS = 10.0


def can_trace() -> bool:
    """Return whether processes can be traced here."""
    if shutil.which("strace") is None:
        return False
    child = os.fork()
    if child == 0:
        stopped()
        os._exit(0)
    try:
        with tracing(child, 1) as is_traced:
            return is_traced
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def stopped() -> None:
    """Stop this process until it is traced."""
    os.kill(os.getpid(), signal.SIGSTOP)


@contextmanager
def tracing(child: int, number: int) -> Iterator[bool]:
    """Resume a stopped child and kill it at the given call; return whether that is possible here."""
    os.waitpid(child, os.WUNTRACED)
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(child), "-e", f"trace={CALLS}"]
    command += ["-e", f"inject={CALLS}:signal=KILL:when={number}"]
    tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _SECONDS
        while not (is_traced := _is_traced(child)) and tracer.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(child, signal.SIGCONT)
        yield is_traced
    finally:
        # SIGTERM would make it wait for a process that is already dead and waits to be reaped.
        tracer.kill()
        tracer.wait()


def _is_traced(process: int) -> bool:
    lines = Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines()
    return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in lines)
