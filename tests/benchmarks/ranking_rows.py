"""Training rows for the ranking: candidates of questions with the features of both stages, and those that answer.

Real sets are libraries that real_documents.py created; the others are built here, one document per paragraph or text.
The features are the program's own: those of the search (workbench/retrieval/ranking.py) and those of the reranking, for
the best candidates by the current weights.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from benchmark_library import library_of, plain, sample
from benchmark_library import library_of_documents as _library_of_documents
from numpy.typing import NDArray
from real_documents import questions

from workbench.embedding.base import Embedder
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.filter import EVERYTHING
from workbench.model.hit import SearchMode
from workbench.operations import Library
from workbench.retrieval.hybrid_search import SearchExtent
from workbench.retrieval.ranking import Features, rank_scores, ranking_weights
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.lexical_overlap import LexicalReranker, by_topic, character_scores, han_share
from workbench.retrieval.retriever import Retriever

NAMES = (
    ("keyword", "question"), ("keyword", "rest"), ("keyword", "page"), ("dense", ""),
    ("expansions", "chunk"), ("expansions", "page"), ("expansions", "dense"), ("named", ""),
    ("texts", "headings"), ("texts", "years"), ("texts", "statement"), ("texts", "rows"),
    ("reranking", "tokens"), ("reranking", "letters"), ("reranking", "characters"), ("reranking", "topics"),
)  # fmt: skip
"""Group and key in ranking.json of each column of Row.features; the weights of places (locators) are not fitted."""

REAL = ("filings", "reports")
PARAGRAPHS = ("xquad_en", "xquad_zh", "squad2", "hotpot")

_DEPTH = 100
_MOST = 120

Matrix = NDArray[np.float64]
Place = tuple[Any, ...]
Label = Callable[[Chunk, Document], tuple[Place, float]]
"""A candidate -> its page, paragraph or chunk, and the share of the answer in it, 0 to 1."""


@dataclass(frozen=True)
class Row:
    """Data of a question.

    Attributes:
        set: Name of the set.
        group: Document or paragraph; never used for both fitting and measuring.
        features: float64 [candidates, NAMES].
        located: Weighted score for places that the question names; float64 [candidates].
        places: Page, paragraph or chunk of each candidate.
        answers: Share of the answer in each candidate, float64 [candidates].
        documents: int64 [candidates].
        ordinals: int64 [candidates].
        at_ends: Whether each is the first or last chunk of its document.
        wanted: Number of places that answer.
    """

    set: str
    group: str
    features: Matrix
    located: Matrix
    places: list[Place]
    answers: Matrix
    documents: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    at_ends: NDArray[np.bool_]
    wanted: int


def real_rows(name: str, library: Path, data: Path) -> Iterator[Row]:
    """Yield the rows of the answerable questions of a real set."""
    opened = Library.open(library / name)
    try:
        for question in questions(data / "real" / name):

            def label(chunk: Chunk, document: Document, gold: frozenset[tuple[str, int]] = question.gold) -> Any:
                stem = Path(document.path).stem
                held = [(stem, page) for page in range(chunk.page or 0, (chunk.page_end or 0) + 1)]
                found = next((page for page in held if page in gold), None)
                return found or held[0], float(found is not None)

            group = min(question.documents)
            yield from _rows(opened.models.retriever(), question.text, label, name, group, len(question.gold))
    finally:
        opened.close()


def paragraph_rows(name: str, data: ModuleType, size: int, embedder: Embedder) -> Iterator[Row]:
    """Yield the rows of a sample of a set of paragraphs."""
    loaders = {"xquad_en": lambda: data.xquad("en"), "xquad_zh": lambda: data.xquad("zh")}
    loaders |= {"squad2": data.squad2, "hotpot": data.hotpot_mini}
    paragraphs, asked, gold, _ = loaders[name]()
    with library_of(paragraphs, embedder) as library:
        for key in sample(list(asked), size):
            wanted = set(gold[key])

            def label(_: Chunk, document: Document, wanted: set[str] = wanted) -> Any:
                paragraph = library.paragraph_of[document.id]
                return (paragraph,), float(paragraph in wanted)

            yield from _rows(library.retriever, asked[key], label, name, min(wanted), len(wanted))


def evidence_rows(data: ModuleType, size: int, embedder: Embedder) -> Iterator[Row]:
    """Yield the rows of a sample of the questions whose evidence is spans of long texts."""
    texts, asked = data.chunk_spans()
    with _library_of_documents({name: plain(text) for name, text in texts.items()}, embedder) as library:
        for question, name, spans in (asked[place] for place in sample(list(range(len(asked))), size)):
            total = sum(end - start for start, end, _ in spans)

            def label(
                chunk: Chunk, document: Document, name: str = name, spans: Any = spans, total: int = total
            ) -> Any:
                shared = (min(end, chunk.end) - max(start, chunk.start) for start, end, _ in spans)
                got = sum(max(0, one) for one in shared) / total
                return (document.id, chunk.ordinal), got * (library.paragraph_of[document.id] == name)

            yield from _rows(library.retriever, question, label, "evidence", name, 1)


def _rows(retriever: Retriever, question: str, label: Label, name: str, group: str, wanted: int) -> Iterator[Row]:
    """Yield the row of a question, if an answer is among its candidates."""
    search, reranker, stored = retriever._candidates, retriever._reranker, retriever._documents
    assert reranker is not None
    ids, features, share = search.features(question, SearchExtent(_DEPTH, SearchMode.HYBRID, EVERYTHING, None))
    if not ids:
        return
    scores = rank_scores(features, share, ranking_weights())
    best = np.argsort(-scores, kind="stable")[:_MOST]
    chunks = stored.chunks_by_id([ids[place] for place in best])
    best = np.array([place for place in best if ids[place] in chunks])
    found = [chunks[ids[place]] for place in best]
    labels = [label(chunk, document) for chunk, document in found]
    if not any(answer for _, answer in labels):
        return
    candidates = [
        Candidate(chunk.text, chunk=chunk.id, document=document.id, ordinal=chunk.ordinal, chunks=document.chunks)
        for chunk, document in found
    ]
    columns = (_searched(features, share)[best], _reranked(reranker, question, candidates))
    yield Row(
        name,
        group,
        np.concatenate(columns, axis=1),
        np.asarray(features.located, np.float64)[best],
        [place for place, _ in labels],
        np.array([answer for _, answer in labels]),
        np.array([one.document for one in candidates]),
        np.array([one.ordinal for one in candidates]),
        np.array([one.ordinal == 0 or one.ordinal + 1 >= one.chunks for one in candidates]),
        wanted,
    )


def _searched(features: Features, share: float) -> Matrix:
    """Return the columns of the search's weights, in the order of NAMES."""
    columns = (
        *((1 - share) * one for one in (features.keyword, features.keyword_rest, features.page)),
        share * features.dense,
        (1 - share) * features.expansions,
        (1 - share) * features.expansions_page,
        share * features.expansions_dense,
        features.named,
        features.headings,
        features.years,
        features.statement,
        features.rows,
    )
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _reranked(reranker: Any, question: str, candidates: Sequence[Candidate]) -> Matrix:
    """Return the columns of the reranking's weights, in the order of NAMES."""
    counts, zeros, weights = reranker._keywords, [0.0] * len(candidates), ranking_weights().reranking
    near = reranker.similarities(question, [one.chunk for one in candidates])
    usual = float(np.mean(list(near.values()))) if near else 0.0
    texts = [one.text for one in candidates]
    held = character_scores(question, texts, counts) if han_share(question) else zeros
    characters = han_share(question) * np.array(held)
    letters = np.array(LexicalReranker(counts).scores(question, candidates)) - weights["characters"] * characters
    columns = (
        np.array([near.get(one.chunk, usual) for one in candidates]),
        letters / weights["letters"],
        characters,
        np.array(by_topic(question, zeros, candidates, counts)) / weights["topics"],
    )
    return np.stack(columns, axis=1)
