"""Execution of external programs: LibreOffice and Tesseract by blocking calls, browsers and installers by asyncio.

All external programs that read documents are started here. In a parser process, only one thread may start programs; the
thread that reads a document requests it. The programs can access the scratch folder and no document but a copy in it.
"""

import contextlib
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from workbench.language import in_seconds
from workbench.system import ProcessGroup, current
from workbench.worker.confinement import Confined
from workbench.worker.environment import select_variables

if TYPE_CHECKING:
    import asyncio

MOST_SAID = 64 * 2**20
"""Bytes of a program's output that are read."""


class ProgramTimedOut(Exception):
    """A program was killed because it exceeded its time limit."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Exit code and output of a program."""

    code: int
    output: bytes
    errors: bytes


def run_program(
    command: Sequence[str], folder: Path, *, seconds: float, environment: Mapping[str, str] | None = None
) -> ProgramResult:
    """Run a program to its end; if this process ends before, the program and all that it started are killed.

    Args:
        command: The program and its arguments.
        folder: Working directory, in which its output is stored; in a parser process, below the scratch folder.
        seconds: Time limit.
        environment: Variables in addition to those that every program needs.

    Raises:
        ProgramTimedOut: The program exceeded its time limit and was killed.
        OSError: The program cannot be started.
    """
    given = {**current().variables_for_programs(select_variables(os.environ)), **(environment or {})}
    if _starter is None:
        return _run(command, folder, seconds, given, is_apart=True)
    return _starter.run(lambda: _run(command, folder, seconds, given, is_apart=False))


class RunningProgram:
    """Program in a process group of its own, which the caller reads and then ends.

    Attributes:
        process: The program; its standard output is a pipe, and its standard input is empty.
    """

    def __init__(self, process: "asyncio.subprocess.Process") -> None:
        self.process = process
        self._group = current().group(process.pid)

    @classmethod
    async def start(cls, command: Sequence[str], *, errors: int, environment: Mapping[str, str]) -> "RunningProgram":
        """Start a program.

        Args:
            command: The program and its arguments.
            errors: DEVNULL or STDOUT of subprocess: where its standard error goes.
            environment: All of its variables.

        Raises:
            OSError: It cannot be started.
        """
        import asyncio  # a parser process does without it

        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            **current().start_options(apart=True),
            env=environment,
        )
        return cls(process)

    async def end(self) -> None:
        """Kill the program, if it still runs, and all that it started."""
        self._group.kill()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        self._group.close()


class _Starter:
    """Thread of a parser process that starts programs."""

    def __init__(self, confined: Confined) -> None:
        self._requests: queue.SimpleQueue[tuple[Callable[[], ProgramResult], Future[ProgramResult]]] = (
            queue.SimpleQueue()
        )
        self._confined = confined
        self._ready: Future[None] = Future()
        threading.Thread(target=self._serve, name="starter", daemon=True).start()
        self._ready.result()

    def run(self, work: Callable[[], ProgramResult]) -> ProgramResult:
        """Run work on the thread and return its result."""
        future: Future[ProgramResult] = Future()
        self._requests.put((work, future))
        return future.result()

    def _serve(self) -> None:
        try:
            self._confined.for_start()
        except BaseException as error:  # noqa: BLE001 - passed on to the waiting thread
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        while True:
            work, future = self._requests.get()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - as above
                future.set_exception(error)


_starter: _Starter | None = None


def start_program_thread(confined: Confined) -> None:
    """Start the thread that starts programs; a parser process calls this before it gives up the right itself."""
    global _starter
    _starter = _Starter(confined)


def _run(
    command: Sequence[str], folder: Path, seconds: float, environment: dict[str, str], *, is_apart: bool
) -> ProgramResult:
    output_file, error_file = folder / "said.txt", folder / "complained.txt"
    with output_file.open("wb") as output, error_file.open("wb") as errors:
        process = subprocess.Popen(
            # This ends the program even if this process is killed, where no job object does.
            current().guarded(command),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            # A parser process already has its own process group, which is killed as a whole and cannot be left.
            **current().start_options(apart=is_apart),
            env=environment,
            cwd=folder,
        )
        group = current().group(process.pid) if is_apart else ProcessGroup()
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as error:
            raise ProgramTimedOut(f"{command[0]} took longer than {in_seconds(seconds)}.") from error
        finally:
            _end(process, everything=not is_apart)
            group.close()
    return ProgramResult(code, _read_beginning(output_file), _read_beginning(error_file))


def _read_beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MOST_SAID)


def _end(process: "subprocess.Popen[bytes]", *, everything: bool) -> None:
    """Kill a program and all that it started; with everything, all descendants of this process.

    A parser process has started nothing else, so this also finds processes that were reparented to it.
    """
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
