"""Add all hostile, damaged and odd files to a real library, and show the outcome of each.

    python tests/benchmarks/every_file.py [--data DIR] [--only NAME ...] [--json FILE]

Prints one line per file: outcome, seconds, path, reason; at the end the number of parser processes that crashed or
exceeded a limit. Exits with 1 if a file has no final state, no reason, or a result that its expectation (expect.jsonl,
the labels of the hostile files) does not allow.
"""

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from file_sweep import DATA, SETS, Ended, add_all, files_of, wrong

_ENDS = {
    "crashed": "crashed the reader",
    "timed out": "Reading the file took longer",
    "out of memory": "megabytes of memory",
    "killed for memory": "The system stopped the reading",
    "killed by another program": "Another program, or the system, ended",
    "too large": "one file may hold",
    "filled the disk": "filled the disk",
    "too many programs": "one program after another",
}
"""Process endings by the text of a file's reason."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--contains", default="", help="only files with this in their path")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = [path for name in options.only for path in files_of(options.data, name) if options.contains in str(path)]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        ended = asyncio.run(add_all(Path(folder) / "library", files))
    seconds = time.perf_counter() - started
    failures = report(ended, options.data)
    print(f"\n{len(files)} files in {seconds:.0f} s: {dict(Counter(one.outcome for one in ended))}")
    print(f"{failures} not as expected")
    print(f"readers: {dict(Counter(map(end_of_reader, ended)))}; the largest child held {largest_child() >> 20} MB")
    if options.json:
        options.json.write_text(json.dumps([one.record(options.data) for one in ended], indent=1), "utf-8")
    return int(failures > 0)


def end_of_reader(ended: Ended) -> str:
    """Return how the parser process of a file ended."""
    return next((word for word, reason in _ENDS.items() if reason in ended.reason), "went on")


def largest_child() -> int:
    """Return the peak memory in bytes of all ended child processes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def report(ended: list[Ended], data: Path) -> int:
    """Print a line per file; return the number of unexpected outcomes."""
    failures = 0
    for one in sorted(ended, key=lambda one: str(one.path)):
        problem = wrong(one, data)
        failures += bool(problem)
        mark = f"  <-- {problem}" if problem else ""
        print(f"{one.outcome:<9} {one.seconds:6.2f} s  {one.path.relative_to(data)}  {one.reason}{mark}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
