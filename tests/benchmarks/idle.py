"""Idle CPU use of the program, and growth of its memory over many questions.

usage: python tests/benchmarks/idle.py FOLDER [--seconds N] [--settle N] [--questions N] [--first N] [--no-window]

FOLDER is first added to a new library, in a separate process. Prints two JSON lines; leave the machine idle meanwhile.

idle    The program is started with its window, left alone for --settle seconds, and then observed from outside for
        --seconds: processor time of it and of all its children in per cent of one core, wake-ups per second, and the
        threads that used most of it, by process and name. It should stay at or below 0.5 %.
memory  --questions made of sentences of the documents are asked offline, 20 per session; after each session the memory
        of the program and its children is recorded (PSS in MB if the system reports it, else RSS). "kb_a_question" is
        the slope of a straight line through the samples after the --first questions. Measured in the window, whose
        inspector shows each cited passage; with --no-window, with the library alone.

Runs on the platform that QT_QPA_PLATFORM or the display names; otherwise on "offscreen".
"""

import argparse
import asyncio
import gc
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from window import Events, opened_window

if TYPE_CHECKING:
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.worker.job import Operation

A_SESSION = 20
MOST_THREADS = 6
PATIENCE = 120.0
_MB = 1e6


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--settle", type=float, default=30.0)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--no-window", action="store_true")
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as place:
        library = Path(place) / "library"
        os.environ["WORKBENCH_LIBRARY"] = str(library)
        adding = [sys.executable, "-m", "workbench", "add", str(options.folder)]
        subprocess.run(adding, check=False, stdout=subprocess.DEVNULL)
        if options.seconds:
            print(json.dumps({"idle": idle(options.settle, options.seconds)}), flush=True)
        if options.questions:
            ask = in_library if options.no_window else in_window
            notes = ask(library, options.questions)
            print(json.dumps({"memory": growth(notes, options.first)}), flush=True)


def idle(settle: float, seconds: float) -> dict[str, object]:
    """Start the program and observe it from outside."""
    program = subprocess.Popen([sys.executable, "-m", "workbench"])
    try:
        time.sleep(settle)
        before, began = _threads(program.pid), time.perf_counter()
        time.sleep(seconds)
        after, took = _threads(program.pid), time.perf_counter() - began
    finally:
        program.terminate()
        program.wait()
    spent = {
        one: (cpu - before.get(one, (0.0, 0))[0], woken - before.get(one, (0.0, 0))[1])
        for one, (cpu, woken) in after.items()
    }
    most = sorted(spent.items(), key=lambda item: (-item[1][0], -item[1][1]))[:MOST_THREADS]
    return {
        "processes": len({pid for pid, _thread, _name in after}),
        "percent": round(100 * sum(cpu for cpu, _ in spent.values()) / took, 2),
        "woken_a_second": round(sum(woken for _, woken in spent.values()) / took, 1),
        "most": [
            f"{'program' if pid == program.pid else 'child'} {name}: {100 * cpu / took:.2f} %, {woken / took:.1f}/s"
            for (pid, _thread, name), (cpu, woken) in most
        ],
    }


def _threads(program: int) -> dict[tuple[int, int, str], tuple[float, int]]:
    """Return the processor time and wake-ups of each thread of a program and its children."""
    root = psutil.Process(program)
    found = {}
    for process in (root, *root.children(recursive=True)):
        for thread in process.threads():
            folder = Path(f"/proc/{process.pid}/task/{thread.id}")
            name, woken, cpu = str(thread.id), 0, thread.user_time + thread.system_time
            if folder.is_dir():
                status = dict(
                    line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line
                )
                name, woken = status["Name"], int(status["voluntary_ctxt_switches"])
                # In nanoseconds; the other file counts ticks of 10 ms only.
                cpu = int((folder / "schedstat").read_text().split()[0]) / 1e9
            found[process.pid, thread.id, name] = (cpu, woken)
    return found


def questions(library: "Library") -> Iterator[str]:
    """Yield questions made of the documents' sentences, endlessly."""
    texts = [library.documents.text(document.id) for document in library.documents.list()]
    words = [sentence.split() for text in texts for sentence in text.split(". ")]
    asked = [" ".join(one[:12]) for one in words if len(one) > 6]
    yield from (f"What is said about {one}?" for one in itertools.cycle(asked[:: max(1, len(asked) // 500)]))


def in_library(folder: Path, number: int) -> list[tuple[int, float]]:
    """Ask the given number of questions without a window; return the memory after each session."""
    from workbench import operations

    notes = []
    library = operations.Library.open(folder)
    try:
        session = None
        for done, question in enumerate(itertools.islice(questions(library), number), start=1):
            session = asyncio.run(_answered(operations.ask(library, question, session=session))).session
            if done % A_SESSION == 0:
                session = None
                notes.append((done, _memory()))
    finally:
        library.close()
    return notes


async def _answered(operation: "Operation[Run]") -> "Run":
    from workbench.worker.job import JobContext

    return await operation(JobContext())


def in_window(folder: Path, number: int) -> list[tuple[int, float]]:
    """Ask the given number of questions in the real window; return the memory after each session."""
    from workbench.worker.process_memory import reduce_memory_use

    notes = []
    with opened_window(folder) as shell:
        shell.window.painted.connect(reduce_memory_use)
        opened = Events()
        shell.settled.connect(opened.happened)
        shell.window.show()
        opened.wait(PATIENCE)
        for done, question in enumerate(itertools.islice(questions(shell.library), number), start=1):
            _ask(shell, question)
            if done % A_SESSION == 0:
                shell.sessions.new()
                Events().wait(0.5)
                notes.append((done, _memory()))
    return notes


def _ask(shell: Any, question: str) -> None:
    """Ask in the window and click the first citation, as a user does."""
    answered = Events()
    happened: Callable[..., None] = answered.happened
    shell.chat.session_updated.connect(happened)
    shell.chat.ask(question)
    answered.wait(PATIENCE)
    shell.chat.session_updated.disconnect(happened)
    run = shell.chat.cards[-1]._transcript.run
    if run is not None and run.citations:
        shell.inspector.show_citation(run.citations[0])


def growth(notes: list[tuple[int, float]], first: int) -> dict[str, object]:
    """Return the growth of the memory with the number of questions."""
    later = [(float(done), memory) for done, memory in notes if done > first]
    slope = statistics.linear_regression(*zip(*later, strict=True)).slope if len(later) > 1 else 0.0
    return {
        "questions": notes[-1][0],
        "mb": [round(memory, 1) for _, memory in notes[:: max(1, len(notes) // 10)]],
        "kb_a_question": round(1000 * slope, 2),
    }


def _memory() -> float:
    gc.collect()
    me = psutil.Process()
    return sum(map(held, (me, *me.children(recursive=True)))) / _MB


def held(process: psutil.Process) -> int:
    """Return the memory of a process in bytes: PSS if the system reports it, else RSS; 0 if it has ended."""
    try:
        full = process.memory_full_info()
    except psutil.Error:
        return 0
    return int(getattr(full, "pss", full.rss))


if __name__ == "__main__":
    main()
