"""Programs that are run to read a document, LibreOffice and Tesseract: from here, and nowhere else.

In a reader process they are started by a thread of their own, the only one that may start any; the thread that reads a
document asks for it. They see the scratch folder and no document but the copy that lies there.
"""

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import psutil

from workbench.language import in_seconds
from workbench.worker.confinement import Confined
from workbench.worker.environment import select_variables

MOST_SAID = 64 * 2**20
"""Bytes of what a program writes to its output that are looked at."""

_GUARDED = 'exec 3<&0; { read -r _ <&3 || kill -KILL 0; } & exec "$@" </dev/null 3<&-'
"""A shell that becomes the program, and kills the whole group if the pipe to us closes without a word: when our process
was killed there is nobody else to do it."""


class ProgramTimedOut(Exception):
    """A program was ended because it took too long."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """How a program ended: its exit code, and what it wrote."""

    code: int
    output: bytes
    errors: bytes


def run_program(
    command: Sequence[str], folder: Path, *, seconds: float, environment: Mapping[str, str] | None = None
) -> ProgramResult:
    """Run a program to its end; it ends with this process, too, with everything that it started.

    Args:
        command: The program and its arguments.
        folder: Where its output is kept meanwhile; in a reader, below the scratch folder.
        seconds: How long it may take.
        environment: Variables that it is given beside those that every program needs.

    Raises:
        ProgramTimedOut: It took longer, and was ended.
        OSError: It cannot be started.
    """
    given = {**select_variables(os.environ), **(environment or {})}
    if _starter is None:
        return _run(command, folder, seconds, given, is_apart=True)
    return _starter.run(lambda: _run(command, folder, seconds, given, is_apart=False))


class _Starter:
    """The thread of a reader process that starts programs."""

    def __init__(self, confined: Confined) -> None:
        self._wanted: queue.SimpleQueue[tuple[Callable[[], ProgramResult], Future[ProgramResult]]] = queue.SimpleQueue()
        self._confined = confined
        self._ready: Future[None] = Future()
        threading.Thread(target=self._serve, name="starter", daemon=True).start()
        self._ready.result()

    def run(self, work: Callable[[], ProgramResult]) -> ProgramResult:
        """Return what work returns, done on that thread."""
        future: Future[ProgramResult] = Future()
        self._wanted.put((work, future))
        return future.result()

    def _serve(self) -> None:
        try:
            self._confined.for_start()
        except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        while True:
            work, future = self._wanted.get()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - as above
                future.set_exception(error)


_starter: _Starter | None = None


def start_program_thread(confined: Confined) -> None:
    """Have a thread of its own start programs from now on; for a reader process, before it gives up starting any."""
    global _starter
    _starter = _Starter(confined)


def _run(
    command: Sequence[str], folder: Path, seconds: float, environment: dict[str, str], *, is_apart: bool
) -> ProgramResult:
    guarded = list(command) if sys.platform == "win32" else ["/bin/sh", "-c", _GUARDED, "sh", *command]
    said, complained = folder / "said.txt", folder / "complained.txt"
    with said.open("wb") as output, complained.open("wb") as errors:
        process = subprocess.Popen(
            guarded,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            # A reader is a group of its own already, which is ended as one and which nothing may leave.
            start_new_session=is_apart,
            env=environment,
            cwd=folder,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise ProgramTimedOut(f"{command[0]} took longer than {in_seconds(seconds)}.") from error
        finally:
            _end(process, everything=not is_apart)
    return ProgramResult(code, _beginning(said), _beginning(complained))


def _beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MOST_SAID)


def _end(process: "subprocess.Popen[bytes]", *, everything: bool) -> None:
    """End a program with everything that it started; in a reader nothing else was, so that all of it is found."""
    with contextlib.suppress(psutil.Error, OSError):
        for child in psutil.Process(None if everything else process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.write(b"\n")
        with contextlib.suppress(OSError):
            process.stdin.close()
    if everything:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
