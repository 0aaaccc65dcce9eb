"""Real and old sets in one run and one table: search quality, refusals, latency, import speed, memory, disk.

usage: python tests/benchmarks/real_documents.py [--data DIR] [--sets NAME...] [--questions N] [--library FOLDER]
           [--peers PYTHON SCRIPT] [--baseline FILE] [--json FILE] [--missed]

The real sets: DIR/real/SET contains "pdfs/" and "questions.jsonl": a line has "question", "gold" ([[file stem, 1-based
page], ...], empty if the documents do not answer) and, in some sets, "document", the stem of the file that the question
is about. Each set is added to a new library by the real program (FOLDER/SET is reused if it exists; import figures are
then omitted). Each answerable question is searched in the whole library and inside its own document, and asked of the
offline answerer. Recall@50 is of a search for 50 passages, the rest of one for 10. The levels are in-sample: the
shipped coefficients were fitted on these questions, too; certainty.py reports those of documents outside the fit.

The old sets are those of ablation.py: paragraphs (nDCG@10), PDFs (page recall@10) and long texts (share of the evidence
in five passages), by keyword, by both lists and by the whole search.

Prints progress to stderr and a Markdown report to stdout, with the processor's vector instructions. --peers runs SCRIPT
with PYTHON on the same files and questions right after each real set, as ingest.py does. --json writes all figures;
--baseline reads such a file, adds the change of the whole search on each old set, and exits with 1 if a set lost more
than 0.005.
"""

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from ingest import PEERS, add_files, largest_child

# Imported inside the functions: parser processes import this file, too, and would need more memory.
if TYPE_CHECKING:
    from workbench.operations import Library

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SETS = ("filings", "reports")
_VECTOR_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "sve")


OLD_SETS = (
    "xquad_en", "xquad_zh", "squad2", "drcd", "cmrc", "hotpot", "pages_en", "pages_zh", "evidence",
)  # fmt: skip
_MOST_LOST = 0.005
# Title of a column -> its figures.
_COLUMNS = (
    ("page recall@5 / @10 / @50", ("recall5", "recall10", "recall50")),
    ("MRR@10", ("mrr10",)),
    ("inside the document, recall@10 / MRR@10", ("recall10_inside", "mrr10_inside")),
    ("answerable: found / closest / refused", ("found", "closest", "refused")),
    ("nothing for a model", ("nothing",)),
    ("not answerable: found / closest / refused", ("found_wrongly", "closest_wrongly", "refused_rightly")),
    ("search p50 / p95, ms", ("p50_ms", "p95_ms")),
    ("pages/s by keyword / all vectors", ("keyword_pages_per_s", "pages_per_s")),
    ("peak memory, MB", ("rss_mb",)),
    ("bytes a chunk", ("bytes_a_chunk",)),
)
_OF_PEERS = {"page_recall5": "recall5", "page_recall10": "recall10"}

Report = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question, the pages (file stem, 1-based) that answer it, and the stem of the file it is asked about."""

    text: str
    gold: frozenset[tuple[str, int]]
    document: str

    @property
    def documents(self) -> frozenset[str]:
        """Files that contain the answer."""
        return frozenset(stem for stem, _ in self.gold)


def main() -> None:
    """Measure each set, print the report, compare with the baseline."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="*", default=[*SETS, *OLD_SETS], choices=[*SETS, *OLD_SETS])
    parser.add_argument("--questions", type=int, default=300, help="sample size of each old set, 0 for all")
    parser.add_argument("--library", type=Path, help="keep the libraries there, and reuse those that are there")
    parser.add_argument("--peers", nargs=2, metavar=("PYTHON", "SCRIPT"))
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--missed", action="store_true", help="print each question whose page is not among ten")
    options = parser.parse_args()
    found: Report = {"cpu": cpu(), "real": {}, "peers": {}, "old": {}}
    for name in (name for name in SETS if name in options.sets):
        folder = options.data / "real" / name
        with ExitStack() as stack:
            kept = options.library or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            found["real"][name], missed = asyncio.run(measure(folder, kept / name))
        _tell({"set": name, **found["real"][name]}, *(missed if options.missed else ()))
        if options.peers:
            found["peers"][name] = peers(options.peers, folder)
            _tell(*found["peers"][name])
    if old := [name for name in OLD_SETS if name in options.sets]:
        import ablation  # slow: builds the libraries of the old sets

        for name in old:
            found["old"][name] = ablation.stages(name, options.data, options.questions)
            _tell({"set": name, **found["old"][name]})
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    baseline = json.loads(options.baseline.read_text("utf-8")) if options.baseline else None
    print("\n".join(markdown(found, baseline)))
    sys.exit(int(baseline is not None and bool(losses(found, baseline))))


def _tell(*lines: Any) -> None:
    for line in lines:
        print(line if isinstance(line, str) else json.dumps(line), file=sys.stderr, flush=True)


def peers(runner: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """Return the figures of each other program on a real set; failures are omitted and reported."""
    found = []
    for peer in PEERS:
        command = [*runner, peer, str(folder / "pdfs"), str(folder / "questions.jsonl")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip():
            found.append(json.loads(done.stdout.strip().splitlines()[-1]))
        else:
            _tell(f"{peer}: {done.stderr[-200:]}")
    return found


def losses(found: Report, baseline: Report) -> dict[str, float]:
    """Return the losses of the whole search of more than 0.005, by old set."""
    changes = {
        name: row["whole"] - baseline["old"][name]["whole"]
        for name, row in found["old"].items()
        if name in baseline["old"]
    }
    return {name: change for name, change in changes.items() if change < -_MOST_LOST}


def markdown(found: Report, baseline: Report | None = None) -> list[str]:
    """Return the lines of the report.

    Args:
        found: The measured figures.
        baseline: The figures of another run, for the last column of the old sets.
    """
    flags = ", ".join(found["cpu"]["flags"])
    lines = [f"{found['cpu']['name']}, {found['cpu']['cores']} cores, {flags}", ""]
    if found["real"]:
        lines += _table(
            ("", *(title for title, _ in _COLUMNS)),
            [(_called(name, row), *(_cell(row, keys) for _, keys in _COLUMNS)) for name, row in _real_rows(found)],
        )
    if found["old"]:
        before = baseline["old"] if baseline else {}
        lines += _table(
            ("", "keyword", "both lists", "whole", "change"),
            [
                (name, *(f"{row[key]:.3f}" for key in ("keyword", "both", "whole")), _change(row, before.get(name)))
                for name, row in found["old"].items()
            ],
        )
    return lines


def _real_rows(found: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, row in found["real"].items():
        yield name, row
        yield from (
            (peer["peer"], {_OF_PEERS.get(key, key): value for key, value in peer.items()})
            for peer in found["peers"].get(name, ())
        )


def _called(name: str, row: Mapping[str, Any]) -> str:
    return f"{name}, {row['questions']} questions" if "questions" in row else f"{name}, same files"


def _cell(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    return " / ".join(str(row[key]) if key in row else "–" for key in keys) if any(key in row for key in keys) else "–"


def _change(row: Mapping[str, float], before: Mapping[str, float] | None) -> str:
    return f"{row['whole'] - before['whole']:+.3f}" if before else "–"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    listed = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return [listed[0], "|---" * len(head) + "|", *listed[1:], ""]


def cpu() -> dict[str, Any]:
    """Return the processor's name, its vector instructions and the number of usable cores."""
    rows = dict(
        (key.strip(), value.strip())
        for key, _, value in (row.partition(":") for row in Path("/proc/cpuinfo").read_text("utf-8").splitlines())
    )
    flags = rows.get("flags", rows.get("Features", "")).split()
    return {
        "name": rows.get("model name", "unknown"),
        "flags": [flag for flag in _VECTOR_FLAGS if flag in flags],
        "cores": len(psutil.Process().cpu_affinity()) if sys.platform == "linux" else psutil.cpu_count(),
    }


def questions(folder: Path) -> list[Question]:
    """Return the answerable questions of a set."""
    rows = [json.loads(row) for row in (folder / "questions.jsonl").read_text("utf-8").splitlines() if row.strip()]
    return [
        Question(row["question"], frozenset((stem, page) for stem, page in row["gold"]), row.get("document", ""))
        for row in rows
        if row["gold"]
    ]


async def measure(folder: Path, kept: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of one set and the questions that it missed; the library is created if it does not exist."""
    from workbench import operations
    from workbench.operations import Library
    from workbench.worker.job import JobContext

    is_new = not kept.exists()
    library = Library.open(kept)
    try:
        await operations.warm_up(library)(JobContext(lambda _event: None))
        figures: dict[str, Any] = {}
        if is_new:
            figures = await add_files(library, sorted((folder / "pdfs").glob("*.pdf")))
            figures["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            figures["largest_child_mb"] = largest_child()
        found, missed = _search(library, questions(folder))
        chunks = library.keywords.count
    finally:
        library.close()
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file() and "originals" not in path.parts)
    figures["bytes_a_chunk"] = round(size / max(1, chunks))
    library = Library.open(kept)  # opened again: the answers stored in it do not count above
    try:
        levels = await _levels(library, folder)
    finally:
        library.close()
    return figures | found | levels, missed


def _search(library: "Library", asked: Sequence[Question]) -> tuple[dict[str, Any], list[str]]:
    from workbench.retrieval.filters.text_syntax import filter_of_text

    retriever = library.models.retriever()
    names = {Path(document.path).stem: document.name for document in library.documents.list()}
    retriever.search("warm up", k=10)
    times, orders, longer, inside = [], [], [], []
    for question in asked:
        started = time.perf_counter()
        hits = retriever.search(question.text, k=10).hits
        times.append(1000 * (time.perf_counter() - started))
        orders.append(_pages(hits))
        longer.append(_pages(retriever.search(question.text, k=50).hits))
        target = question.document or (next(iter(question.documents)) if len(question.documents) == 1 else "")
        if target in names:
            within = filter_of_text(f'name:"{names[target]}"')
            inside.append((_pages(retriever.search(question.text, k=10, filter=within).hits), question))
    times.sort()
    rows = list(zip(orders, asked, strict=True))
    missed = [f"{q.text} {sorted(q.gold)}, first {order[:3]}" for order, q in rows if not _is_found(order, q, 10)]
    return {
        "questions": len(asked),
        **{f"recall{k}": _share(_is_found(order, q, k) for order, q in rows) for k in (5, 10)},
        "recall50": _share(_is_found(order, q, 50) for order, q in zip(longer, asked, strict=True)),
        "mrr10": _share(_reciprocal(order, q) for order, q in rows),
        "right_document_first": _share(bool(order) and order[0][0] in q.documents for order, q in rows),
        "recall10_inside": _share(_is_found(order, q, 10) for order, q in inside),
        "mrr10_inside": _share(_reciprocal(order, q) for order, q in inside),
        "nothing": _share(not order for order, _ in rows),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
    }, missed


async def _levels(library: "Library", folder: Path) -> dict[str, float]:
    """Return the outcomes of offline answers as shares of the answerable and the unanswerable questions."""
    from workbench import operations
    from workbench.model.run import Certainty
    from workbench.worker.job import JobContext

    rows = [json.loads(row) for row in (folder / "questions.jsonl").read_text("utf-8").splitlines() if row.strip()]
    levels: dict[bool, list[Certainty]] = {True: [], False: []}
    for row in rows:
        run = await operations.ask(library, row["question"])(JobContext(lambda _event: None))
        levels[bool(row["gold"])].append(run.certainty)
    named = {
        True: {"found": Certainty.FOUND, "closest": Certainty.CLOSEST, "refused": Certainty.NOT_FOUND},
        False: {
            "found_wrongly": Certainty.FOUND,
            "closest_wrongly": Certainty.CLOSEST,
            "refused_rightly": Certainty.NOT_FOUND,
        },
    }
    return {
        name: _share(one is level for one in levels[is_answerable])
        for is_answerable, of_names in named.items()
        for name, level in of_names.items()
        if levels[is_answerable]
    }


def _pages(hits: Iterable[Any]) -> list[tuple[str, int]]:
    return [(Path(hit.path).stem, hit.page or 0) for hit in hits]


def _is_found(order: Sequence[tuple[str, int]], question: Question, k: int) -> bool:
    return not question.gold.isdisjoint(order[:k])


def _reciprocal(order: Sequence[tuple[str, int]], question: Question) -> float:
    return next((1 / place for place, page in enumerate(order[:10], start=1) if page in question.gold), 0.0)


def _share(values: Iterable[float]) -> float:
    counted = list(values)
    return round(sum(counted) / max(1, len(counted)), 3)


if __name__ == "__main__":
    main()
