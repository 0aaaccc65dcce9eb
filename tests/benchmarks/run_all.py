"""Run every benchmark in turn on the benchmark documents; the docstring of each explains its output.

usage: python tests/benchmarks/run_all.py [--data DIR] [--peers PYTHON SCRIPT]
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "shared" / "data"


def main() -> None:
    """Run all benchmarks; a failure does not stop the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--peers", nargs=2, metavar=("PYTHON", "SCRIPT"))
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"There are no documents at {options.data}: give their folder with --data.")
    pages = options.data / "generated" / "page_truth"
    peers = ["--peers", *options.peers] if options.peers else []
    for script, *arguments in (
        ("window.py", options.data / "docs_corpora"),
        ("document_list.py",),
        ("long_pdf.py",),
        ("embedding_speed.py", options.data),
        ("ingest.py", pages, "--questions", pages / "questions.jsonl", *peers),
        ("ingest.py", options.data / "docs_corpora"),
        ("retrieval.py", "--data", options.data),
        ("offline_answers.py", "--data", options.data),
        ("refusals.py", "--data", options.data),
        ("compression.py", "--data", options.data),
    ):
        print(f"\n== {script} {' '.join(map(str, arguments))}", flush=True)
        subprocess.run([sys.executable, str(HERE / script), *map(str, arguments)], check=False)


if __name__ == "__main__":
    main()
