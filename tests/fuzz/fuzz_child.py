"""Fuzz one target in a child process: usage fuzz_child.py TARGET FOLDER SECONDS SEED ENGINE.

Writes into the folder: current (the current input), state.json (counts), findings/ (inputs with the error that each
raised). A process that dies or hangs leaves its input in current; fuzz.py handles that.
"""

import atexit
import contextlib
import faulthandler
import hashlib
import json
import logging
import mmap
import os
import resource
import struct
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "unit" / "export")]

MEGABYTES = 3000
"""Additional address space of the process: an input of 64 KB must not need more."""

HEAD = struct.Struct("<dQI")
"""Header of the current input: start time (seconds of time.time(), 0 for none), number, length."""

_SHRINK_SECONDS = 8.0
_STATE_SECONDS = 2.0
_WORTH_TELLING = 0.5


class Notebook:
    """Findings of a run, written to disk immediately."""

    def __init__(self, name: str, folder: Path, most: int) -> None:
        self._folder = folder
        self.name = name
        self.executions, self.refused, self.lines = 0, 0, 0
        self.engine = ""
        self._slowest = 0.0
        self._known: set[str] = set()
        self._written = 0.0
        (folder / "findings").mkdir(parents=True, exist_ok=True)
        path = folder / "current"
        path.write_bytes(bytes(HEAD.size + most))
        with path.open("r+b") as file:
            self._current = mmap.mmap(file.fileno(), 0)

    def begin(self, data: bytes) -> None:
        """Record the current input."""
        self._current[HEAD.size : HEAD.size + len(data)] = data
        self._current[: HEAD.size] = HEAD.pack(time.time(), self.executions, len(data))

    def end(self, data: bytes, seconds: float, limit: float) -> None:
        """Record the end of the current input."""
        self._current[: HEAD.size] = HEAD.pack(0.0, self.executions, len(data))
        self.executions += 1
        if seconds > self._slowest:
            self._slowest = seconds
            if seconds > _WORTH_TELLING:
                (self._folder / "slowest").write_bytes(data)
        if seconds > limit:
            self.finding(data, f"slow-{self.name}", f"{seconds:.1f} s for {len(data):,} bytes; {limit:g} s are allowed")
        if time.monotonic() - self._written > _STATE_SECONDS:
            self.write()

    def is_known(self, signature: str) -> bool:
        """Return whether such a finding is recorded."""
        return (self._folder / "findings" / f"{_digest(signature)}.txt").exists()

    def finding(self, data: bytes, signature: str, words: str) -> None:
        """Record a finding, or a smaller input for it."""
        path = self._folder / "findings" / _digest(signature)
        if not path.with_suffix(".bin").exists() or len(data) < path.with_suffix(".bin").stat().st_size:
            path.with_suffix(".bin").write_bytes(data)
            path.with_suffix(".txt").write_text(f"{signature}\n\n{words}\n", "utf-8", "backslashreplace")

    def write(self) -> None:
        """Write the counts."""
        self._written = time.monotonic()
        state = {
            "executions": self.executions,
            "refused": self.refused,
            "lines": self.lines,
            "engine": self.engine,
            "slowest": round(self._slowest, 2),
        }
        path = self._folder / "state.json"
        path.with_suffix(".new").write_text(json.dumps(state))
        path.with_suffix(".new").replace(path)


def _digest(signature: str) -> str:
    return hashlib.sha256(signature.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def signature_of(error: BaseException) -> str:
    """Return the signature of a finding: the type of error, and the last frame of our code."""
    cause = error.__cause__ if type(error).__name__ == "Stumbled" and error.__cause__ is not None else error
    return f"{type(error).__name__}/{type(cause).__name__} {_place(cause.__traceback__)}"


def _place(last: TracebackType | None) -> str:
    ours = "?"
    while last is not None:
        code = last.tb_frame.f_code
        if "workbench" in code.co_filename or "fuzz" in code.co_filename:
            ours = f"{Path(code.co_filename).name}:{code.co_name}"
            # Our assertions are identified by line: there are several in a function.
            ours += f":{last.tb_lineno}" if "fuzz" in code.co_filename else ""
        last = last.tb_next
    return ours


class Trial:
    """Tries inputs and records the findings."""

    def __init__(self, target: Any, notebook: Notebook) -> None:
        from fuzz_target import try_input

        self._target, self._notebook, self._try = target, notebook, try_input

    def run(self, data: bytes) -> None:
        """Try an input; minimise a new finding."""
        signature, words = self.one(data)
        if signature and not self._notebook.is_known(signature):
            self._notebook.finding(data, signature, words)
            self._shrink(data, signature)

    def one(self, data: bytes) -> tuple[str, str]:
        """Try an input; return signature and description of a finding, or nothing."""
        self._notebook.begin(data)
        began = time.process_time()  # load of other programs must not count
        try:
            self._notebook.refused += self._try(self._target, data) is not None
        # Any exception is a finding.
        except Exception as error:  # noqa: BLE001
            sys.settrace(None)
            return signature_of(error), "".join(traceback.format_exception(error))[-6000:]
        finally:
            self._notebook.end(data, time.process_time() - began, self._target.seconds)
        return "", ""

    def _shrink(self, data: bytes, signature: str) -> None:
        from fuzz_engine import shrunk

        until = time.monotonic() + _SHRINK_SECONDS
        words = ""

        def is_finding(smaller: bytes) -> bool:
            nonlocal words
            if time.monotonic() > until:
                return False
            found, words = self.one(smaller)
            return found == signature

        for smaller in shrunk(data, is_finding):
            self._notebook.finding(smaller, signature, words)


def _limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    size = pages * resource.getpagesize() + MEGABYTES * 2**20
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def by_lines(target: Any, trial: Trial, notebook: Notebook, seconds: float, seed: int) -> None:
    """Fuzz with our own mutations, and keep inputs that reach new lines."""
    from fuzz_documents import OURS
    from fuzz_engine import Coverage, Inputs

    until = time.monotonic() + seconds
    inputs, coverage = Inputs(target, seed), Coverage(OURS)
    notebook.engine = "lines"
    waiting = list(inputs.first)
    while time.monotonic() < until:
        data = waiting.pop() if waiting else inputs.next()
        if coverage.run(lambda data=data: trial.run(data)):
            inputs.keep(data)
        notebook.lines = coverage.lines


def by_atheris(target: Any, trial: Trial, notebook: Notebook, folder: Path, seconds: float, seed: int) -> None:
    """Fuzz with libFuzzer through atheris; half of the mutations are ours."""
    import atheris
    from fuzz_engine import Inputs
    from fuzz_target import MOST_BYTES

    inputs = Inputs(target, seed)
    notebook.engine = "edges"
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for data in inputs.first:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    until = time.monotonic() + seconds

    def one_input(data: bytes) -> None:
        trial.run(data)
        if time.monotonic() > until:
            notebook.write()
            atexit._run_exitfuncs()
            os._exit(0)  # libFuzzer cannot be stopped otherwise

    def changed(data: bytes, most: int, number: int) -> bytes:
        if number % 2:
            return bytes(atheris.Mutate(data, most))
        return (inputs.next() if number % 8 == 0 else inputs.changed(data))[:most]

    options = [
        f"-max_len={MOST_BYTES}",
        f"-seed={seed % 2**31}",
        "-timeout=300",
        "-rss_limit_mb=0",
        "-print_final_stats=0",
    ]
    atheris.Setup(["fuzz", str(corpus), *options], one_input, custom_mutator=changed)
    atheris.Fuzz()


def main(name: str, where: str, seconds: str, seed: str, engine: str) -> None:
    """Fuzz one target."""
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    faulthandler.enable((folder / "crash.txt").open("a"))
    logging.disable(logging.CRITICAL)
    if engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["workbench"], enable_loader_override=False):
            from fuzz_targets import TARGETS
    else:
        from fuzz_targets import TARGETS
    from fuzz_target import MOST_BYTES

    target = TARGETS[name]
    largest = max([MOST_BYTES, *map(len, target.seeds())])
    notebook = Notebook(name, folder, 2 * largest)
    trial = Trial(target, notebook)
    _limit()
    if engine == "atheris":
        by_atheris(target, trial, notebook, folder, float(seconds), int(seed))
    else:
        by_lines(target, trial, notebook, float(seconds), int(seed))
    notebook.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
