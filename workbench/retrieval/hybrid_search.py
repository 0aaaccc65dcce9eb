"""Hybrid search: the dense list and the keyword list of a question, and the weight that each has in their fusion.

Both scores are put on a scale with a meaning of its own, and then added: the cosine on the embedder's own scale
(0 unrelated, 1 an answer), BM25 as a share of the most that the question's words could give. A list that does not tell
its chunks apart then has no say, because its scores lie close together; ranks would hide that. On top, the dense list
counts only as far as the embedder was measured to understand the question (embedder_calibration.py).

nDCG@10, keyword list alone / ranks fused (k = 60) / as here: xquad en 0.971 / 0.968 / 0.982, xquad zh 0.967 / 0.573 /
0.967, squad2 0.898 / 0.905 / 0.922, hotpot 0.755 / - / 0.831; 0.25 to 0.4 in place of 1/3 differ by 0.002.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError, IndexUnavailable, RetrievalError
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

# Never quite nothing: where no word of the question is found, the dense list still gives an order, and an embedder that
# does not know the script still tells a little. nDCG@10 reranked, with 0.01 / as here: xquad zh 0.974 / 0.976, cmrc
# 0.988 / 0.989, drcd 0.979 in both, the pages of xquad's Chinese PDFs 0.980 / 0.983.
LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A chunk's place in both lists and its score in the new order; None where a list does not hold it."""

    chunk: int
    score: float
    dense: float | None
    keyword: float | None
    dense_rank: int | None
    keyword_rank: int | None


def dense_weight(understanding: EmbedderCalibration) -> float:
    """Return the dense list's share of the say, 0 to 1; the keyword list has the rest."""
    dense = DENSE_SHARE * understanding.degree
    return max(LEAST_SHARE, dense / (dense + 1 - DENSE_SHARE))


logger = logging.getLogger(__name__)

# Each list gives this many times the hits wanted, and at least so many: fusing 50 or 100 for 10 measured the same.
_OVER_FETCH = 4
_FEWEST_FETCHED = 50

_NOTHING = CompleteRanking((), np.empty(0, np.int64), np.empty(0, np.float32))

_Vector: TypeAlias = NDArray[np.float32]
_Found = TypeVar("_Found")

PhraseVectors = Callable[[], Mapping[str, NDArray[np.float32]]]
"""Gives the vectors of the phrases of query_expansion.py, which are made or read at their first use."""


def get_list_depth(k: int) -> int:
    """Return how many of each list a search for k hits compares."""
    return max(_FEWEST_FETCHED, _OVER_FETCH * k)


@dataclass(frozen=True, slots=True)
class SearchExtent:
    """What may stand in a list, and how much of it is wanted.

    Attributes:
        depth: So many of each list, from its head.
        mode: Which lists.
        filter: What may be found.
        allowed: The ids that pass the filter; None means all.
        also: Chunks that are compared too, wherever they stand in the lists, with their BM25.
        dense_weight: The dense list's share of the say; None means as measured.
    """

    depth: int
    mode: SearchMode
    filter: ChunkFilter
    allowed: NDArray[np.int64] | None
    also: Mapping[int, float] = field(default_factory=dict)
    dense_weight: float | None = None


@dataclass(slots=True)
class RankedLists:
    """What both lists gave for one question.

    Attributes:
        words: The question's.
        keyword: Chunk -> BM25, best first.
        dense: Chunk -> cosine, of the dense list.
        dense_ranks: Chunk -> 1-based place in the dense list proper, best first.
        understanding: What a cosine is worth; None where the vectors were not searched.
        weight: The dense list's share of the say.
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
    """Both lists of one question to their ends.

    Attributes:
        words: The question's.
        keyword: By BM25; nothing in it where words were not searched.
        dense: By cosine; nothing in it where the vectors were not searched.
        understanding: As in Lists.
        weight: As in Lists.
    """

    words: QuestionWords
    keyword: CompleteRanking
    dense: CompleteRanking
    understanding: EmbedderCalibration | None
    weight: float


class HybridSearch:
    """Fills in the lists for a question. Blocking; safe to call from several threads."""

    def __init__(
        self,
        keywords: KeywordSearch,
        vectors: VectorSearch | None,
        embedder: Embedder | None,
        phrase_vectors: PhraseVectors | None = None,
    ) -> None:
        """Take what is searched; without phrase vectors each phrase is embedded when it is searched."""
        self._keywords = keywords
        self._vectors = vectors
        self._embedder = embedder
        self._probe = EmbedderProbe(embedder) if embedder is not None else None
        self._phrase_vectors = phrase_vectors
        self._phrases: Mapping[str, NDArray[np.float32]] | None = None
        self._ahead: tuple[str, Future[NDArray[np.float32]]] | None = None

    def prepare(self) -> None:
        """Do what the first question would wait for: measure the embedder, read the phrases' vectors; 0.1 to 0.5 s."""
        try:
            if self._probe is not None:
                self._probe.understanding("What?")
            self._known_phrases()
        except EmbeddingError as error:  # the search will say so
            logger.info("The first question cannot be prepared for: %s", error)

    def empty(self, question: str) -> RankedLists:
        """Return lists without anything found."""
        return RankedLists(question_words(question, self._keywords))

    def lists(self, question: str, extent: SearchExtent) -> RankedLists:
        """Return the lists that the mode asks for.

        Raises:
            RetrievalError: The mode is DENSE and the vectors cannot be searched.
            NotFound: The filter names a knowledge base that is not there.
        """
        lists = self.empty(question)
        if extent.mode is not SearchMode.DENSE:
            lists.keyword = self.keyword(question, extent)
        # After what was found: ranks go by the order.
        lists.keyword |= {chunk: score for chunk, score in extent.also.items() if chunk not in lists.keyword}
        if extent.mode is not SearchMode.KEYWORD:
            self._search_dense(question, extent, lists)
        return lists

    def whole(self, question: str, extent: SearchExtent, passing: NDArray[np.int64]) -> CompleteLists:
        """Return the lists that the mode asks for, whatever the depth.

        Args:
            question: As searched.
            extent: What may stand in them.
            passing: The ids that pass the filter, ascending, even where all do.

        Raises:
            RetrievalError: As lists().
        """
        lists, keyword, dense = self.empty(question), _NOTHING, _NOTHING
        if extent.mode is not SearchMode.DENSE:
            keyword = self._keywords.whole_list(question, passing)
        if extent.mode is not SearchMode.KEYWORD:
            found = self._by_meaning(
                question, extent, lists, lambda vectors, vector: vectors.products(vector, allowed=extent.allowed)
            )
            dense = CompleteRanking((), *found) if found is not None else _NOTHING
        return CompleteLists(lists.words, keyword, dense, lists.understanding, lists.weight)

    def keyword(self, question: str, extent: SearchExtent) -> dict[int, float]:
        """Return the head of the keyword list: chunk -> BM25, best first."""
        return dict(self._keywords.search(question, extent.depth, filter=extent.filter, allowed=extent.allowed))

    def embed_ahead(self, question: str) -> None:
        """Begin to embed a question on another core, while its words are looked up here: 5 of 30 ms."""
        if self._embedder is None or self._vectors is None:
            return
        vector: Future[NDArray[np.float32]] = Future()
        self._ahead = question, vector
        # A thread of its own ends with the question; to start it takes 0.1 ms.
        threading.Thread(target=_resolve, args=(vector, self._embedder, question), name="question", daemon=True).start()

    def _embedded(self, embedder: Embedder, text: str) -> NDArray[np.float32]:
        begun, vector = self._ahead or ("", None)
        return vector.result() if vector is not None and begun == text else embedder.embed_query(text)

    def vector(self, text: str) -> NDArray[np.float32] | None:
        """Return the vector of a question or a phrase, float32 [dim]; None where it cannot be made."""
        if self._embedder is None or self._vectors is None:
            return None
        try:
            return self._embedded(self._embedder, text)
        except EmbeddingError:
            logger.warning("A part of the question cannot be searched by meaning", exc_info=True)
            return None

    def phrases_vector(self, phrases: Sequence[str]) -> NDArray[np.float32] | None:
        """Return the mean of the vectors of phrases, float32 [dim]; None where they cannot be made.

        Its inner product with a chunk's vector is the mean of the phrases' cosines.
        """
        known = self._known_phrases()
        found = [self.vector(phrase) if (vector := known.get(phrase)) is None else vector for phrase in phrases]
        there = [vector for vector in found if vector is not None]
        if not there or len(there) < len(found):
            return None
        mean: NDArray[np.float32] = np.mean(there, axis=0, dtype=np.float32)
        return mean

    def _known_phrases(self) -> Mapping[str, NDArray[np.float32]]:
        if self._phrases is None:
            try:
                self._phrases = self._phrase_vectors() if self._phrase_vectors is not None else {}
            except EmbeddingError:
                logger.warning("The phrases of documents cannot be searched by meaning", exc_info=True)
                return {}
        return self._phrases

    def dense(self, vector: NDArray[np.float32] | None, extent: SearchExtent) -> list[int]:
        """Return the head of the dense list for a vector, nearest first; nothing where it cannot be searched."""
        return list(self._searched(vector, extent.depth, extent.allowed))

    def cosines(self, vector: NDArray[np.float32] | None, ids: Sequence[int]) -> dict[int, float]:
        """Return the inner product of a vector with that of each chunk that has one; nothing where it has none."""
        wanted = np.array(sorted(ids), np.int64)
        return self._searched(vector, len(wanted), wanted)

    def _searched(
        self, vector: NDArray[np.float32] | None, k: int, allowed: NDArray[np.int64] | None
    ) -> dict[int, float]:
        if vector is None or self._vectors is None:
            return {}
        try:
            return _cosines(self._vectors, vector, k, allowed)
        except IndexUnavailable:
            logger.warning("A part of the question cannot be searched by meaning", exc_info=True)
            return {}

    def _search_dense(self, question: str, extent: SearchExtent, lists: RankedLists) -> None:
        """Fill in the dense list."""
        found = self._by_meaning(
            question, extent, lists, lambda vectors, vector: _cosines(vectors, vector, extent.depth, extent.allowed)
        )
        if found is not None:
            lists.dense = found
            lists.dense_ranks = {chunk: rank for rank, chunk in enumerate(found, start=1)}

    def _by_meaning(
        self, question: str, extent: SearchExtent, lists: RankedLists, search: Callable[[VectorSearch, _Vector], _Found]
    ) -> _Found | None:
        """Return what a search in the vectors finds, and fill in what it is worth.

        In HYBRID a failure becomes a note, and None; in DENSE an error.
        """
        try:
            if self._embedder is None or self._probe is None:
                raise EmbeddingError("The embedding model could not be loaded.")
            if self._vectors is None:
                raise IndexUnavailable("The vector index cannot be used.")
            vector = self._embedded(self._embedder, question)
            understanding = self._probe.understanding(question)
            found = search(self._vectors, vector)
        except (EmbeddingError, IndexUnavailable) as error:
            logger.warning("The vectors cannot be searched", exc_info=error)
            if extent.mode is SearchMode.DENSE:
                raise RetrievalError(f"The vectors cannot be searched. {error.message}", error.hint) from error
            lists.notes.append(mark(f"Only keywords were searched, not the meaning. {error.message}"))
            return None
        lists.understanding = understanding
        wanted = 1.0 if extent.mode is SearchMode.DENSE else extent.dense_weight
        lists.weight = dense_weight(understanding) if wanted is None else wanted
        return found


def _resolve(vector: Future[NDArray[np.float32]], embedder: Embedder, question: str) -> None:
    try:
        vector.set_result(embedder.embed_query(question))
    except BaseException as error:  # noqa: BLE001 - whoever waits for the vector gets it
        vector.set_exception(error)


def _cosines(
    vectors: VectorSearch, vector: NDArray[np.float32], k: int, allowed: NDArray[np.int64] | None
) -> dict[int, float]:
    ids, cosines = vectors.search(vector, k, allowed=allowed)
    return dict(zip(ids.tolist(), cosines.tolist(), strict=True))
