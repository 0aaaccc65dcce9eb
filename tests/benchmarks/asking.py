"""Offline answers under load: one question at a time, 20 at once, and the first question of a process.

usage: python tests/benchmarks/asking.py LIBRARY [--rounds N] [--questions FILE]

LIBRARY is a folder with an open-able library, for example of 6,000 passages. The questions are the lines of FILE; by
default, each asks about the heading of a passage of the library ("What is …?"). Prints JSON lines: seconds from the
start of a new process to its first answer, including opening the library; milliseconds of one answer (p50, p95); and
seconds of 20 questions asked at once by as many threads (median, least, most), with the processor time of the median
round and the time of 20 million additions in a loop, which tells how fast the machine is in this hour.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import workbench

AT_ONCE = 20
FIRST = """
import sys, workbench
with workbench.open_library(sys.argv[1]) as library:
    library.ask(sys.argv[2])
"""


def main() -> None:
    """Measure the first question in other processes, then the others in this one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    questions = _questions(options.library, options.questions)
    firsts = []
    for question in questions[:4]:  # the first of them fills the caches of the system
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", FIRST, str(options.library), question], check=True)
        firsts.append(time.perf_counter() - began)
    print(json.dumps({"first_question_s": round(statistics.median(firsts[1:]), 2)}), flush=True)
    with workbench.open_library(options.library) as library:
        library.ask(questions[0])
        print(json.dumps(_one_at_a_time(library, questions[1 : 5 * AT_ONCE])), flush=True)
        print(json.dumps(_at_once(library, questions, options.rounds)), flush=True)


def _questions(library: Path, file: Path | None) -> list[str]:
    """Return at least 40 questions, in a reproducible random order."""
    if file is not None:
        found = file.read_text("utf-8").split("\n")
    else:
        with workbench.open_library(library, read_only=True) as opened:
            chunks = [chunk for one in opened.documents()[:200] for chunk in opened.chunks(one.id)]
            found = [f"What is {chunk.headings[-1]}?" for chunk in chunks if chunk.headings]
    distinct = sorted({question for question in found if question.strip()})
    if len(distinct) < 2 * AT_ONCE:
        sys.exit(f"There are only {len(distinct)} questions: give a FILE of at least {2 * AT_ONCE}.")
    random.Random(0).shuffle(distinct)
    return distinct


def _one_at_a_time(library: workbench.Library, questions: list[str]) -> dict[str, float]:
    times = []
    for question in questions:
        began = time.perf_counter()
        library.ask(question)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return {"one_p50_ms": round(times[len(times) // 2], 1), "one_p95_ms": round(times[int(0.95 * len(times))], 1)}


def _at_once(library: workbench.Library, questions: list[str], rounds: int) -> dict[str, float]:
    figures = []
    for number in range(rounds + 1):
        first = number * AT_ONCE % (len(questions) - AT_ONCE + 1)
        threads = [threading.Thread(target=library.ask, args=(one,)) for one in questions[first : first + AT_ONCE]]
        began, used = time.perf_counter(), time.process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        figures.append((time.perf_counter() - began, time.process_time() - used))
    figures = sorted(figures[1:])
    seconds, processor = figures[len(figures) // 2]
    return {
        "at_once_s": round(seconds, 2),
        "at_once_least_s": round(figures[0][0], 2),
        "at_once_most_s": round(figures[-1][0], 2),
        "at_once_processor_s": round(processor, 2),
        "loop_s": round(_loop(), 2),
    }


def _loop() -> float:
    began, total = time.perf_counter(), 0
    for number in range(20_000_000):
        total += number
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
