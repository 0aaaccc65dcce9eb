"""Contribution of each part of a search: every part is switched off, one at a time, over all sets.

    python tests/benchmarks/ablation.py [--data DIR] [--questions N] [--sets NAME...] [--parts NAME...]

Prints a Markdown table: nDCG@10 of the whole search, and the change without each part. Documents of the paragraph sets
have no titles or names; "reports" are the pages of long_reports.py, "filings" those of filings.py, both measured by
page recall@10; "evidence" is the share of the evidence's characters in the first five chunks; "pairs" are two questions
of squad2 combined into one, measured by whether both paragraphs are among the first five.
"""

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from unittest.mock import patch

import long_reports
import numpy as np
from benchmark_library import (
    DEFAULT_DATA,
    Library,
    default_embedder,
    library_of_documents,
    loaders,
    plain,
    sample,
)
from filings import write_filings
from retrieval import ndcg

from workbench.embedding.base import Embedder
from workbench.model.document import ParsedDocument
from workbench.model.hit import Hit, SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.parsing.parse import parse_file
from workbench.retrieval.ranking import ranking_weights

WHOLE = SearchConfiguration()


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of the search, and how to disable it.

    Attributes:
        name: Name in the table.
        configuration: The search configuration without the part.
        patches: Replacements in the modules, for parts that no configuration disables.
        weights: Replacements for weights of the reranking.
        has_context: Whether title and headings precede the text that is embedded and searched.
        has_names: Whether file names precede the text that rerankers compare.
    """

    name: str
    configuration: SearchConfiguration = WHOLE
    patches: Mapping[str, object] = dataclasses.field(default_factory=dict)
    weights: Mapping[str, float] = dataclasses.field(default_factory=dict)
    has_context: bool = True
    has_names: bool = True


def _all_of(found: Iterable[object], _chunk_of: object, wanted: int) -> list[object]:
    """Fold nothing."""
    return list(islice(found, wanted))


PARTS = (
    Part("whole"),
    Part("dense list", SearchConfiguration(SearchMode.KEYWORD)),
    Part("keyword list", SearchConfiguration(SearchMode.DENSE)),
    Part("neighbours' words", patches={"workbench.store.bm25_scorer._BESIDE": 0.0}),
    Part("reranking", SearchConfiguration(reranking="none")),
    Part("compounds", patches={"workbench.store.bm25._COMPOUND": 1000.0}),
    Part("topics", weights={"topics": 0.0}),
    Part("good neighbours", weights={"neighbours": 0.0}),
    Part("names", SearchConfiguration(names=False)),
    Part("parts", SearchConfiguration(parts=False)),
    Part("folding", patches={"workbench.retrieval.retriever.distinct": _all_of}),
    Part("title and headings in front", has_context=False),
    Part("file names in front", has_names=False),
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A question and the scoring of its hits."""

    question: str
    score: Callable[[Library, Sequence[Hit]], float]


@dataclasses.dataclass(frozen=True)
class Set:
    """Documents by name, and questions about them; are_named: the search knows the documents' names."""

    name: str
    documents: Mapping[str, ParsedDocument]
    cases: Sequence[Case]
    are_named: bool = False
    wanted: int = 20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=300, help="sample size a set, 0 for all")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--parts", nargs="*", default=[part.name for part in PARTS])
    parser.add_argument("--backend", default="fp32", help='or "int8", or "auto" for what the program chooses here')
    options = parser.parse_args()
    embedder = default_embedder(options.backend)
    data = loaders(options.data)
    parts = [part for part in PARTS if part.name in options.parts]
    columns = []
    for name in options.sets:
        made = SETS[name](data, options.questions)
        of_parts = figures(made, parts, embedder)
        columns.append([of_parts[part.name] for part in parts])
        print(name, *(f"{one:.4f}" for one in columns[-1]), flush=True)
    print("\n| without | " + " | ".join(options.sets) + " |\n|---" + "|---" * len(options.sets) + "|")
    for row, part in enumerate(parts):
        cells = [f"{column[row]:.3f}" if not row else f"{column[row] - column[0]:+.3f}" for column in columns]
        print(f"| {part.name if row else 'nothing: the whole search'} | " + " | ".join(cells) + " |")


def stages(name: str, folder: Path, size: int) -> dict[str, float]:
    """Return the scores of a set by keyword, by both lists and by the whole search, with the model used here.

    Args:
        name: Name of the set.
        folder: Folder with the data.
        size: Number of questions; 0 for all.
    """
    parts = (
        Part("keyword", SearchConfiguration(SearchMode.KEYWORD, reranking="none")),
        Part("both", SearchConfiguration(reranking="none")),
        Part("whole"),
    )
    found = figures(SETS[name](loaders(folder), size), parts, default_embedder("auto"))
    return {part: round(score, 4) for part, score in found.items()}


def figures(made: Set, parts: Sequence[Part], embedder: Embedder) -> dict[str, float]:
    """Return the mean score of a set without each part; parts that do not affect the documents share one library."""
    found = {}
    for has_context, has_names in dict.fromkeys((part.has_context, part.has_names) for part in parts):
        documents = made.documents if has_context else {name: bare(one) for name, one in made.documents.items()}
        with ExitStack() as stack:
            if not has_names:
                stack.enter_context(patch("workbench.model.chunk.called", _title_alone))
            library = stack.enter_context(library_of_documents(documents, embedder, are_named=made.are_named))
            for part in parts:
                if (part.has_context, part.has_names) == (has_context, has_names):
                    found[part.name] = figure(library, made, part)
    return found


def _title_alone(_name: str, title: str) -> tuple[str, ...]:
    return (title,)


def figure(library: Library, made: Set, part: Part) -> float:
    """Return the mean score of the questions without a part."""
    with ExitStack() as stack:
        for place, instead in part.patches.items():
            stack.enter_context(patch(place, instead))
        stack.enter_context(patch.dict(ranking_weights().reranking, part.weights))
        search = library.retriever.search
        return float(
            np.mean(
                [
                    case.score(library, search(case.question, k=made.wanted, configuration=part.configuration).hits)
                    for case in made.cases
                ]
            )
        )


def bare(document: ParsedDocument) -> ParsedDocument:
    """Return a document without title and headings."""
    blocks = tuple(dataclasses.replace(block, level=0, title="") for block in document.blocks)
    metadata = dataclasses.replace(document.metadata, title="")
    return dataclasses.replace(document, blocks=blocks, metadata=metadata)


def _paragraphs(name: str, loaded: tuple[dict, dict, dict, dict], size: int) -> Set:
    paragraphs, questions, gold, _ = loaded

    def case(key: str) -> Case:
        def score(library: Library, hits: Sequence[Hit]) -> float:
            order = list(dict.fromkeys(library.paragraph_of[hit.chunk.document] for hit in hits))[:10]
            return ndcg(order, set(gold[key]))

        return Case(questions[key], score)

    cases = [case(key) for key in sample(list(questions), size)]
    return Set(name, {key: plain(text) for key, text in paragraphs.items()}, cases)


def _pairs(loaded: tuple[dict, dict, dict, dict], size: int) -> Set:
    """Return pairs of questions ("... and ...?"), scored by whether both are answered within five passages."""
    paragraphs, questions, gold, _ = loaded

    def case(one: str, other: str) -> Case:
        def score(library: Library, hits: Sequence[Hit]) -> float:
            found = {library.paragraph_of[hit.chunk.document] for hit in hits}
            return float(not found.isdisjoint(gold[one]) and not found.isdisjoint(gold[other]))

        joined = f"{questions[one].rstrip('?. ')}, and {questions[other][0].lower()}{questions[other][1:]}"
        return Case(joined, score)

    keys = sample(list(questions), 2 * size)
    cases = [case(one, other) for one, other in zip(keys[::2], keys[1::2], strict=False)]
    return Set("pairs", {key: plain(text) for key, text in paragraphs.items()}, cases, wanted=5)


def _page_case(question: str, gold: set[tuple[str, int]]) -> Case:
    def score(library: Library, hits: Sequence[Hit]) -> float:
        places = dict.fromkeys((library.paragraph_of[hit.chunk.document], hit.page or 0) for hit in hits)
        return float(not gold.isdisjoint(list(places)[:10]))

    return Case(question, score)


def _page_truth(data: ModuleType, language: str, size: int) -> Set:
    rows = data.page_truth(language)
    files = sorted({row["pdf"] for row in rows})
    cases = [_page_case(rows[n]["question"], {(rows[n]["pdf"], rows[n]["page1"])}) for n in sample(_places(rows), size)]
    return Set("pages", {name: parse_file(data.ROOT / "generated" / name) for name in files}, cases)


def _evidence(data: ModuleType, size: int) -> Set:
    texts, rows = data.chunk_spans()

    def case(question: str, name: str, spans: Sequence[tuple[int, int, str]]) -> Case:
        def score(library: Library, hits: Sequence[Hit]) -> float:
            chunks = [hit.chunk for hit in hits if library.paragraph_of[hit.chunk.document] == name]
            got = sum(max(0, min(end, c.end) - max(start, c.start)) for start, end, _ in spans for c in chunks)
            return got / sum(end - start for start, end, _ in spans)

        return Case(question, score)

    cases = [case(*rows[n]) for n in sample(_places(rows), size)]
    return Set("evidence", {name: plain(text) for name, text in texts.items()}, cases, wanted=5)


def _reports(data: ModuleType, _size: int) -> Set:
    cases = [_page_case(question, gold) for question, gold in long_reports.questions()]
    documents = {called: parse_file(data.ROOT / file) for file, called in long_reports.DOCUMENTS.items()}
    return Set("reports", documents, cases, are_named=True, wanted=30)


def _filings(_data: ModuleType, _size: int) -> Set:
    with TemporaryDirectory() as folder:
        asked = write_filings(Path(folder))
        documents = {path.name: parse_file(path) for path in sorted(Path(folder).glob("*.pdf"))}
    cases = [_page_case(one.text, {(one.name, one.page)}) for one in asked]
    return Set("filings", documents, cases, are_named=True, wanted=30)


def _places(rows: Sequence[object]) -> list[int]:
    return list(range(len(rows)))


SETS: dict[str, Callable[[ModuleType, int], Set]] = {
    "xquad_en": lambda data, size: _paragraphs("xquad_en", data.xquad("en"), size),
    "xquad_zh": lambda data, size: _paragraphs("xquad_zh", data.xquad("zh"), size),
    "squad2": lambda data, size: _paragraphs("squad2", data.squad2(), size),
    "drcd": lambda data, size: _paragraphs("drcd", data.drcd(), size),
    "cmrc": lambda data, size: _paragraphs("cmrc", data.cmrc(), size),
    "hotpot": lambda data, size: _paragraphs("hotpot", data.hotpot_mini(), size),
    "pairs": lambda data, size: _pairs(data.squad2(), size),
    "pages_en": lambda data, size: _page_truth(data, "en", size),
    "pages_zh": lambda data, size: _page_truth(data, "zh", size),
    "evidence": _evidence,
    "reports": _reports,
    "filings": _filings,
}

if __name__ == "__main__":
    main()
