"""Fuzz all targets, or the named ones: usage fuzz.py [TARGET ...]; FUZZ_SECONDS is the time for each.

Each target runs in child processes, as many at a time as there are cores; a crash or a hang is a finding, and another
process uses the remaining time. Findings are stored in build/fuzz/TARGET/findings: the minimised input and the error.
Coverage guides the choice of inputs: by atheris if installed, otherwise by the executed lines. FUZZ_ENGINE=lines does
not use atheris; FUZZ_SEED changes the random seed.
"""

import importlib.util
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from fuzz_child import HEAD  # noqa: E402 - the path above makes it known

FOLDER = HERE.parents[1] / "build" / "fuzz"
SECONDS = 600.0
_HANG_SECONDS = 120.0
"""Time limit of one input, on a machine that may be busy, before its process is killed."""
_LOOK_SECONDS = 0.5
_START_SECONDS = 90.0


@dataclass(slots=True)
class Outcome:
    """Result of one target."""

    name: str
    executions: int = 0
    refused: int = 0
    covered: int = 0
    engine: str = ""
    slowest: float = 0.0
    seconds: float = 0.0
    deaths: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Folder of its findings."""
        return FOLDER / self.name

    @property
    def findings(self) -> list[str]:
        """Its findings, one line each."""
        told = sorted((self.folder / "findings").glob("*.txt"))
        return [f"{path.stem}: {path.read_text('utf-8').splitlines()[0]}" for path in told]


def fuzz(name: str, seconds: float, seed: int, engine: str) -> Outcome:
    """Fuzz one target for the given time, with a new process after each crash."""
    outcome = Outcome(name)
    shutil.rmtree(outcome.folder, ignore_errors=True)
    outcome.folder.mkdir(parents=True)
    began = time.monotonic()
    while (left := seconds - (time.monotonic() - began)) > min(2.0, seconds / 2):
        died = _child(outcome, left, seed + len(outcome.deaths), engine)
        _add_up(outcome)
        if died:
            outcome.deaths.append(died)
            _keep_current(outcome, died)
        if len(outcome.deaths) >= 20:
            break
    outcome.seconds = time.monotonic() - began
    return outcome


def _child(outcome: Outcome, seconds: float, seed: int, engine: str) -> str:
    """Run one process to its end; return the way it died, or nothing."""
    command = [
        sys.executable,
        str(HERE / "fuzz_child.py"),
        outcome.name,
        str(outcome.folder),
        str(seconds),
        str(seed),
        engine,
    ]
    with (outcome.folder / "output.txt").open("ab") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, cwd=HERE)
        began = time.monotonic()
        while child.poll() is None:
            time.sleep(_LOOK_SECONDS)
            started, _, _ = _current(outcome)
            is_hung = started > 0 and time.time() - started > _HANG_SECONDS
            if is_hung or time.monotonic() - began > seconds + _START_SECONDS + _HANG_SECONDS:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return "hang"
    if child.returncode == 0:
        return ""
    return signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit {child.returncode}"


def _current(outcome: Outcome) -> tuple[float, int, bytes]:
    """Return the start time, number and bytes of the current input."""
    try:
        data = (outcome.folder / "current").read_bytes()
        began, number, size = HEAD.unpack_from(data)
    except (OSError, struct.error):  # a new process has written nothing yet
        return 0.0, 0, b""
    return began, number, data[HEAD.size : HEAD.size + size]


def _add_up(outcome: Outcome) -> None:
    try:
        state: dict[str, Any] = json.loads((outcome.folder / "state.json").read_text())
    except (OSError, ValueError):
        return
    (outcome.folder / "state.json").unlink()
    outcome.executions += state["executions"]
    outcome.refused += state["refused"]
    outcome.covered = max(outcome.covered, state["lines"] or _edges(outcome))
    outcome.engine = state["engine"]
    outcome.slowest = max(outcome.slowest, state["slowest"])


def _edges(outcome: Outcome) -> int:
    """Return the number of covered edges that libFuzzer reports."""
    said = (outcome.folder / "output.txt").read_text("utf-8", "replace")
    words = said.rpartition(" cov: ")[2].split()
    return int(words[0]) if words and words[0].isdecimal() else 0


def _keep_current(outcome: Outcome, died: str) -> None:
    began, number, data = _current(outcome)
    if not began:
        return
    path = outcome.folder / "findings" / f"{died.replace(' ', '-')}-{number}"
    path.with_suffix(".bin").write_bytes(data)
    path.with_suffix(".txt").write_text(f"the process died: {died}\n")


def _table(outcomes: list[Outcome]) -> str:
    head = ("target", "seconds", "executions", "refused", "covered", "slowest", "findings")
    rows = [
        (
            one.name,
            f"{one.seconds:.0f}",
            f"{one.executions:,}",
            f"{100 * one.refused // max(1, one.executions)} %",
            f"{one.covered:,} {one.engine}",
            f"{one.slowest:.2f} s",
            str(len(one.findings)),
        )
        for one in outcomes
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def main(names: list[str]) -> int:
    """Fuzz, print the table and the findings, and return 1 if there are any."""
    from fuzz_targets import TARGETS

    if unknown := set(names) - set(TARGETS):
        print(f"There is no target {', '.join(sorted(unknown))}. The targets are {', '.join(TARGETS)}.")
        return 2
    seconds = float(os.environ.get("FUZZ_SECONDS", SECONDS))
    seed = int(os.environ.get("FUZZ_SEED", "1"))
    has_atheris = importlib.util.find_spec("atheris") is not None
    engine = os.environ.get("FUZZ_ENGINE") or ("atheris" if has_atheris else "lines")
    jobs = int(os.environ.get("FUZZ_JOBS", os.cpu_count() or 1))
    print(f"{len(names or TARGETS)} targets, {seconds:g} s each, {jobs} at a time, by {engine}", flush=True)
    with ThreadPoolExecutor(jobs) as threads:
        running = [threads.submit(fuzz, name, seconds, seed, engine) for name in names or TARGETS]
        outcomes = [one.result() for one in running]
    print(_table(outcomes))
    for one in outcomes:
        for line in one.findings:
            print(f"{one.name}: {line}")
    print(f"Inputs and errors: {FOLDER}")
    return 1 if any(one.findings or one.deaths for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
