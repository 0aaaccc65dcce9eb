"""Similarity of our text and tables to the Markdown of a reference parser, compared with other programs.

Usage: python tests/benchmarks/parse_truth.py [--data FOLDER] [--peers PYTHON] [--each]

PYTHON is an interpreter that has markitdown and pymupdf4llm. Text: normalised similarity of the words in order (Indel).
Tables: F1 of the cells as a multiset, over the documents in which either side has a table.
"""

import argparse
import html
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from rapidfuzz.distance import Indel

from workbench.errors import DocumentError
from workbench.parsing.parse import parse_file

DEFAULT_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
OURS = "workbench"

PEERS = """
import contextlib, io, json, logging, sys, time, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
from markitdown import MarkItDown
import pymupdf4llm
reader = MarkItDown()
tools = {"markitdown": lambda p: reader.convert(p).text_content, "pymupdf4llm": pymupdf4llm.to_markdown}
for path in json.load(sys.stdin):
    for name, read in tools.items():
        started = time.perf_counter()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                text = read(path)
        except BaseException as error:
            text = ""
        print(json.dumps([path, name, text, time.perf_counter() - started]), flush=True)
"""

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
_RULE = re.compile(r"\|?[\s:|-]+\|?")
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Score:
    """Scores of one tool for one document; cells is None if neither side has a table."""

    text: float
    cells: float | None
    seconds: float


def pairs(root: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield format, file and expected Markdown."""
    for truth in sorted(root.glob("*/groundtruth/*.md")):
        source = truth.parents[1] / "sources" / truth.name.removesuffix(".md")
        if source.is_file():
            yield source.suffix.removeprefix("."), source, truth.read_text("utf-8")
        rendered = source.with_name(f"{source.name}.pdf")
        if rendered.is_file():
            yield "pdf", rendered, truth.read_text("utf-8")


def words(text: str) -> list[str]:
    """Return the words of Markdown without markup."""
    text = _LINK.sub(r"\1", _COMMENT.sub(" ", html.unescape(text)))
    return _WORD.findall(_TAG.sub(" ", text.replace("\\", " ")).casefold())


def cells(text: str) -> Counter[str]:
    """Return the non-empty cells of the Markdown tables."""
    found: Counter[str] = Counter()
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("|") and line.count("|") > 1 and not _RULE.fullmatch(line):
            found.update(cell for part in _PIPE.split(line.strip("|")) if (cell := " ".join(words(part))))
    return found


def score(text: str, truth: str, seconds: float) -> Score:
    """Compare the output of a tool with the expected Markdown."""
    similarity = Indel.normalized_similarity(words(text), words(truth))
    own, expected = cells(text), cells(truth)
    if not own and not expected:
        return Score(similarity, None, seconds)
    return Score(similarity, 2 * (own & expected).total() / (own.total() + expected.total()), seconds)


def read_ourselves(path: Path) -> tuple[str, float]:
    """Return our text of a file, empty if it cannot be read, and the seconds."""
    started = perf_counter()
    try:
        text = parse_file(path).text
    except DocumentError as error:
        print(f"  {path.name}: {error}", file=sys.stderr)
        text = ""
    return text, perf_counter() - started


def read_by_peers(python: str, paths: Sequence[Path]) -> Iterator[tuple[str, str, str, float]]:
    """Yield path, tool, text and seconds of the other programs."""
    done = subprocess.run(
        [python, "-c", PEERS], input=json.dumps([str(p) for p in paths]), capture_output=True, text=True, check=False
    )
    for line in done.stdout.splitlines():
        if line.startswith("["):
            yield tuple(json.loads(line))


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 if there are no values."""
    return sum(values) / len(values) if values else 0.0


def table(scores: Mapping[str, Mapping[str, Sequence[Score]]]) -> Iterator[str]:
    """Yield the lines of a Markdown table: one row per format with text and cells of each tool."""
    tools = list(dict.fromkeys(tool for by_tool in scores.values() for tool in by_tool))
    yield "| format | files | " + " | ".join(f"{tool} text | cells | ms/file" for tool in tools) + " |"
    yield "| --- | --- |" + " --- | --- | --- |" * len(tools)
    for name, by_tool in sorted(scores.items()):
        row = [name, str(len(next(iter(by_tool.values()))))]
        for tool in tools:
            found = by_tool.get(tool, ())
            with_tables = [s.cells for s in found if s.cells is not None]
            row.append(f"{mean([s.text for s in found]):.3f}")
            row.append(f"{mean(with_tables):.3f} ({len(with_tables)})" if with_tables else "-")
            row.append(f"{1000 * mean([s.seconds for s in found]):.0f}")
        yield "| " + " | ".join(row) + " |"


def main() -> None:
    """Print the comparison."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA)
    arguments.add_argument("--peers", help="an interpreter with markitdown and pymupdf4llm")
    arguments.add_argument("--each", action="store_true", help="a line for every file")
    given = arguments.parse_args()
    files = list(pairs(given.data / "parse_truth" / "docling"))
    truths = {path: (name, truth) for name, path, truth in files}
    results = [(path, OURS, *read_ourselves(path)) for path in truths]
    if given.peers:
        results += [(Path(p), tool, text, s) for p, tool, text, s in read_by_peers(given.peers, list(truths))]
    scores: dict[str, dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for path, tool, text, seconds in results:
        name, truth = truths[path]
        found = score(text, truth, seconds)
        scores[name][tool].append(found)
        if given.each:
            shown = "-" if found.cells is None else f"{found.cells:.3f}"
            print(f"{tool:12} {found.text:.3f} {shown:>5} {name}/{path.name}")
    print("\n".join(table(scores)))


if __name__ == "__main__":
    main()
