"""Hybrid search: the dense list and the keyword list of a question, and their weights in the fusion.

Both scores are scaled and then added: the cosine on the embedder's own scale (0 unrelated, 1 an answer), BM25 as a
share of the maximum that the question's words could reach. A list that does not discriminate between its chunks then
has no influence, because its scores are close together; ranks would hide that. In addition, the dense list counts only
as far as the embedder was measured to understand the question (embedder_calibration.py).

nDCG@10, keyword list alone / ranks fused (k = 60) / this fusion: xquad en 0.971 / 0.968 / 0.982, xquad zh 0.967 / 0.573
/ 0.967, squad2 0.898 / 0.905 / 0.922, hotpot 0.755 / - / 0.831; 0.25 to 0.4 in place of 1/3 differ by 0.002.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.errors import EmbedderUnreachable, EmbeddingError, IndexUnavailable, RetrievalError
from workbench.indexing.base import VectorSearch
from workbench.language import mark
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.retrieval.base import KeywordSearch
from workbench.retrieval.embedder_calibration import EmbedderCalibration, EmbedderProbe
from workbench.retrieval.question_words import QuestionWords, question_words
from workbench.store.ranks import CompleteRanking

# The dense list's weight when the embedder understands the question fully.
DENSE_SHARE = 1 / 3

# The dense weight is never zero: if no word of the question is found, the dense list still gives an order, and an
# embedder that does not know the script still carries some information. nDCG@10 after reranking, with 0.01 / with 0.05:
# xquad zh 0.974 / 0.976, cmrc 0.988 / 0.989, drcd 0.979 in both, the pages of xquad's Chinese PDFs 0.980 / 0.983.
LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class FusedHit:
    """Chunk with its rank and score in both lists and its fused score; None if a list does not contain it."""

    chunk: int
    score: float
    dense: float | None
    keyword: float | None
    dense_rank: int | None
    keyword_rank: int | None


def dense_weight(understanding: EmbedderCalibration) -> float:
    """Return the weight of the dense list, 0 to 1; the keyword list has the rest."""
    dense = DENSE_SHARE * understanding.degree
    return max(LEAST_SHARE, dense / (dense + 1 - DENSE_SHARE))


logger = logging.getLogger(__name__)

# Each list returns this multiple of the requested hits, and at least this many: fetching 50 or 100 for 10 hits gave the
# same results.
_OVER_FETCH = 4
_FEWEST_FETCHED = 50

_NOTHING = CompleteRanking((), np.empty(0, np.int64), np.empty(0, np.float32))

_Vector: TypeAlias = NDArray[np.float32]
_Found = TypeVar("_Found")

PhraseVectors = Callable[[], Mapping[str, NDArray[np.float32]]]
"""Returns the vectors of the phrases of query_expansion.py, which are computed or read on first use."""


def get_list_depth(k: int) -> int:
    """Return the number of entries of each list that a search for k hits compares."""
    return max(_FEWEST_FETCHED, _OVER_FETCH * k)


@dataclass(frozen=True, slots=True)
class SearchExtent:
    """Limits of a search: the allowed chunks, the lists, and their depth.

    Attributes:
        depth: Number of entries to take from the head of each list.
        mode: Lists to search.
        filter: Filter that chunks must pass.
        allowed: The ids that pass the filter; None means all.
        also: Additional chunks to compare, at any rank, with their BM25.
        dense_weight: Weight of the dense list; None means the measured weight.
    """

    depth: int
    mode: SearchMode
    filter: ChunkFilter
    allowed: NDArray[np.int64] | None
    also: Mapping[int, float] = field(default_factory=dict)
    dense_weight: float | None = None


@dataclass(slots=True)
class RankedLists:
    """Heads of both lists for one question.

    Attributes:
        words: Words of the question.
        keyword: Chunk -> BM25, best first.
        dense: Chunk -> cosine, for the dense list.
        dense_ranks: Chunk -> 1-based rank in the dense list, best first.
        understanding: Calibration of the cosine; None if the vectors were not searched.
        weight: Weight of the dense list.
        notes: Sentences for the user.
    """

    words: QuestionWords
    keyword: dict[int, float] = field(default_factory=dict)
    dense: dict[int, float] = field(default_factory=dict)
    dense_ranks: dict[int, int] = field(default_factory=dict)
    understanding: EmbedderCalibration | None = None
    weight: float = 0.0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class CompleteLists:
    """Both lists of one question in full length.

    Attributes:
        words: Words of the question.
        keyword: Ranking by BM25; empty if words were not searched.
        dense: Ranking by cosine; empty if the vectors were not searched.
        understanding: As in RankedLists.
        weight: As in RankedLists.
    """

    words: QuestionWords
    keyword: CompleteRanking
    dense: CompleteRanking
    understanding: EmbedderCalibration | None
    weight: float


class HybridSearch:
    """Searches both lists for a question. Blocking; safe to call from several threads."""

    def __init__(
        self,
        keywords: KeywordSearch,
        vectors: VectorSearch | None,
        embedder: Embedder | None,
        phrase_vectors: PhraseVectors | None = None,
    ) -> None:
        """Store what is searched; without phrase vectors, each phrase is embedded when it is searched."""
        self._keywords = keywords
        self._vectors = vectors
        self._embedder = embedder
        self._probe = EmbedderProbe(embedder) if embedder is not None else None
        self._phrase_vectors = phrase_vectors
        self._phrases: Mapping[str, NDArray[np.float32]] | None = None
        self._ahead: _Ahead | None = None

    def prepare(self) -> None:
        """Measure the embedder and read the phrase vectors ahead of the first question; takes 0.1 to 0.5 s."""
        try:
            if self._probe is not None:
                self._probe.understanding("What?")
            self._load_phrases()
        except EmbeddingError as error:  # the search reports it
            logger.info("The first question cannot be prepared for: %s", error)

    def empty(self, question: str) -> RankedLists:
        """Return empty lists for a question."""
        return RankedLists(question_words(question, self._keywords))

    def lists(self, question: str, extent: SearchExtent) -> RankedLists:
        """Return the lists that the mode requests.

        Raises:
            RetrievalError: The mode is DENSE and the vectors cannot be searched.
            NotFound: The filter names an unknown knowledge base.
        """
        lists = self.empty(question)
        if extent.mode is not SearchMode.DENSE:
            lists.keyword = self.keyword(question, extent)
        # Append after the results: ranks follow the order.
        lists.keyword |= {chunk: score for chunk, score in extent.also.items() if chunk not in lists.keyword}
        if extent.mode is not SearchMode.KEYWORD:
            self._search_dense(question, extent, lists)
        return lists

    def whole(self, question: str, extent: SearchExtent, passing: NDArray[np.int64]) -> CompleteLists:
        """Return the lists that the mode requests, without a depth limit.

        Args:
            question: Question as searched.
            extent: Limits of the search.
            passing: The ids that pass the filter, ascending, even if all chunks pass.

        Raises:
            RetrievalError: As in lists().
        """
        lists, keyword, dense = self.empty(question), _NOTHING, _NOTHING
        if extent.mode is not SearchMode.DENSE:
            keyword = self._keywords.whole_list(question, passing)
        if extent.mode is not SearchMode.KEYWORD:
            found = self._search_by_meaning(
                question, extent, lists, lambda vectors, vector: vectors.products(vector, allowed=extent.allowed)
            )
            dense = CompleteRanking((), *found) if found is not None else _NOTHING
        return CompleteLists(lists.words, keyword, dense, lists.understanding, lists.weight)

    def keyword(self, question: str, extent: SearchExtent) -> dict[int, float]:
        """Return the head of the keyword list as chunk -> BM25, best first."""
        return dict(self._keywords.search(question, extent.depth, filter=extent.filter, allowed=extent.allowed))

    def search_ahead(self, question: str, extent: SearchExtent) -> None:
        """Start to embed a question and to search its vector on another core while its words are looked up.

        Embedding ahead saves 5 of 30 ms, and searching 1,000,000 vectors on a server 25 of 80.
        """
        if self._embedder is None or self._vectors is None:
            return
        self._ahead = ahead = _Ahead(question, extent)
        # A separate thread ends with the question; starting it takes 0.1 ms. The context has the scope of the search.
        run, work = copy_context().run, (ahead.run, self._embedder, self._vectors)
        threading.Thread(target=run, args=work, name="question", daemon=True).start()

    def _embed(self, embedder: Embedder, text: str) -> NDArray[np.float32]:
        ahead = self._ahead
        return ahead.vector.result() if ahead is not None and ahead.question == text else embedder.embed_query(text)

    def _nearest(self, vectors: VectorSearch, vector: _Vector, question: str, extent: SearchExtent) -> dict[int, float]:
        """Return the head of the dense list, searched ahead or now."""
        ahead = self._ahead
        if ahead is not None and ahead.question == question and ahead.extent is extent:
            return ahead.nearest.result()
        return _search_cosines(vectors, vector, extent.depth, extent.allowed)

    def vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a question or a phrase, float32 [dim]; None if it cannot be computed."""
        if self._embedder is None or self._vectors is None:
            return None
        try:
            return self._embed(self._embedder, text)
        except EmbeddingError:
            logger.warning("A part of the question cannot be searched by meaning", exc_info=True)
            return None

    def phrases_vector(self, phrases: Sequence[str]) -> NDArray[np.float32] | None:
        """Return the mean of the vectors of phrases, float32 [dim]; None if they cannot be computed.

        Its inner product with a chunk's vector is the mean of the phrases' cosines.
        """
        known = self._load_phrases()
        found = [self.vector(phrase) if (vector := known.get(phrase)) is None else vector for phrase in phrases]
        available = [vector for vector in found if vector is not None]
        if not available or len(available) < len(found):
            return None
        mean: NDArray[np.float32] = np.mean(available, axis=0, dtype=np.float32)
        return mean

    def _load_phrases(self) -> Mapping[str, NDArray[np.float32]]:
        if self._phrases is None:
            try:
                self._phrases = self._phrase_vectors() if self._phrase_vectors is not None else {}
            except EmbeddingError:
                logger.warning("The phrases of documents cannot be searched by meaning", exc_info=True)
                return {}
        return self._phrases

    def dense(self, vector: NDArray[np.float32] | None, extent: SearchExtent) -> list[int]:
        """Return the head of the dense list for a vector, nearest first; empty if it cannot be searched."""
        return list(self._search_vectors(vector, extent.depth, extent.allowed))

    def cosines(self, vector: NDArray[np.float32] | None, ids: Sequence[int]) -> dict[int, float]:
        """Return the inner product of a vector with each chunk's vector; chunks without a vector are left out."""
        wanted = np.array(sorted(ids), np.int64)
        return self._search_vectors(vector, len(wanted), wanted)

    def _search_vectors(
        self, vector: NDArray[np.float32] | None, k: int, allowed: NDArray[np.int64] | None
    ) -> dict[int, float]:
        if vector is None or self._vectors is None:
            return {}
        try:
            return _search_cosines(self._vectors, vector, k, allowed)
        except IndexUnavailable:
            logger.warning("A part of the question cannot be searched by meaning", exc_info=True)
            return {}

    def _search_dense(self, question: str, extent: SearchExtent, lists: RankedLists) -> None:
        """Fill in the dense list and its ranks."""
        found = self._search_by_meaning(
            question,
            extent,
            lists,
            lambda vectors, vector: self._nearest(vectors, vector, question, extent),
        )
        if found is not None:
            lists.dense = found
            lists.dense_ranks = {chunk: rank for rank, chunk in enumerate(found, start=1)}

    def _search_by_meaning(
        self, question: str, extent: SearchExtent, lists: RankedLists, search: Callable[[VectorSearch, _Vector], _Found]
    ) -> _Found | None:
        """Return the result of a vector search, and set the calibration and weight of the lists.

        A failure adds a note and returns None in HYBRID mode; in DENSE mode it raises an error.
        """
        try:
            if self._embedder is None or self._probe is None:
                raise EmbeddingError("The embedding model could not be loaded.")
            if self._vectors is None:
                raise IndexUnavailable("The vector index cannot be used.")
            vector = self._embed(self._embedder, question)
            understanding = self._probe.understanding(question)
            found = search(self._vectors, vector)
        except (EmbeddingError, IndexUnavailable) as error:
            # The trace of a server that is down says nothing, and every question would log it.
            trace = None if isinstance(error, EmbedderUnreachable) else error
            logger.warning("The vectors cannot be searched. %s", error, exc_info=trace)
            if extent.mode is SearchMode.DENSE:
                raise RetrievalError(f"The vectors cannot be searched. {error.message}", error.hint) from error
            lists.notes.append(mark(f"Only keywords were searched, not the meaning. {error.message}"))
            return None
        lists.understanding = understanding
        wanted = 1.0 if extent.mode is SearchMode.DENSE else extent.dense_weight
        lists.weight = dense_weight(understanding) if wanted is None else wanted
        return found


class _Ahead:
    """Vector of a question, and the nearest ones to it, computed on another thread."""

    def __init__(self, question: str, extent: SearchExtent) -> None:
        self.question = question
        self.extent = extent
        self.vector: Future[_Vector] = Future()
        self.nearest: Future[dict[int, float]] = Future()

    def run(self, embedder: Embedder, vectors: VectorSearch) -> None:
        _resolve(self.vector, lambda: embedder.embed_query(self.question))
        if self.vector.exception() is None:
            vector = self.vector.result()
            _resolve(self.nearest, lambda: _search_cosines(vectors, vector, self.extent.depth, self.extent.allowed))


def _resolve(future: Future[_Found], compute: Callable[[], _Found]) -> None:
    try:
        future.set_result(compute())
    except BaseException as error:  # noqa: BLE001 - the caller that waits for the result gets it
        future.set_exception(error)


def _search_cosines(
    vectors: VectorSearch, vector: NDArray[np.float32], k: int, allowed: NDArray[np.int64] | None
) -> dict[int, float]:
    ids, cosines = vectors.search(vector, k, allowed=allowed)
    return dict(zip(ids.tolist(), cosines.tolist(), strict=True))
