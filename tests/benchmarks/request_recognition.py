"""Measure the recognition of requests about whole documents among ordinary questions.

    python tests/benchmarks/request_recognition.py [--data DIR] [--show]

Counts false recognitions among the questions of squad2 (including its unanswerable ones), xquad, drcd, cmrc and hotpot,
and of long reports and filings if these exist. A few of the latter are such requests ("List all the sections that...");
--show prints the recognised questions. Missed requests are covered by
tests/unit/retrieval/test_retrieval_request_kinds.py, whose wordings must all be recognised.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

from benchmark_library import DEFAULT_DATA, loaders

from workbench.retrieval.request_recognition import request_of


def question_sets(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the questions of each existing set."""
    load = loaders(data)
    yield "squad2", [*load.squad2()[1].values(), *(question for _, question, _ in load.squad2_unanswerable())]
    for language in ("en", "zh"):
        yield f"xquad {language}", list(load.xquad(language)[1].values())
    yield "drcd", list(load.drcd()[1].values())
    yield "cmrc", list(load.cmrc()[1].values())
    hotpot = json.loads((data / "multihop_mini" / "hotpotqa_qa_train.json").read_text("utf-8"))
    yield "hotpot", [one["question"] for one in hotpot]
    for name in ("filings", "reports"):
        if (path := data / "real" / name / "questions.jsonl").is_file():
            yield name, [json.loads(line)["question"] for line in path.read_text("utf-8").splitlines()]


def main() -> None:
    """Print a line per set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--show", action="store_true", help="print what was recognised")
    chosen = parser.parse_args()
    print(f"{'set':10} questions  recognised   share  microseconds a question")
    for name, questions in question_sets(chosen.data):
        began = time.perf_counter()
        found = [(question, request) for question in questions if (request := request_of(question)) is not None]
        each = (time.perf_counter() - began) / len(questions) * 1e6
        print(f"{name:10} {len(questions):9,} {len(found):11} {len(found) / len(questions):7.2%} {each:8.0f}")
        for question, request in found if chosen.show else ():
            print(f"    {request.kind.value}: {question}")


if __name__ == "__main__":
    main()
