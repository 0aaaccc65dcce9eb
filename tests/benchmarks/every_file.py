"""Add every hostile, damaged and odd file there is to a real library, and show how each ended.

    python tests/benchmarks/every_file.py [--data DIR] [--only NAME ...] [--json FILE]

One line a file: outcome, seconds, path, reason. Ends with 1 if a file has no final state, no reason, or a
result that its expectation (expect.jsonl, the labels of the hostile files) does not allow.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from file_sweep import DATA, SETS, Ended, add_all, files_of, wrong


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
    if options.json:
        options.json.write_text(json.dumps([one.record(options.data) for one in ended], indent=1), "utf-8")
    return int(failures > 0)


def report(ended: list[Ended], data: Path) -> int:
    """Print a line for each file; return how many are not as expected."""
    failures = 0
    for one in sorted(ended, key=lambda one: str(one.path)):
        problem = wrong(one, data)
        failures += bool(problem)
        mark = f"  <-- {problem}" if problem else ""
        print(f"{one.outcome:<9} {one.seconds:6.2f} s  {one.path.relative_to(data)}  {one.reason}{mark}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
