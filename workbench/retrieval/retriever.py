"""Retriever: filter, hybrid search, fusion, deduplication, reranking and limit for one question."""

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.errors import RetrievalError
from workbench.indexing.base import VectorSearch
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document, PageKind
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import Hit, Scores, SearchMode, SearchResult, page_key
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.model.source_lines import SourceLines
from workbench.retrieval.base import ChunkSource, KeywordSearch
from workbench.retrieval.candidates import Candidates, CandidateSearch
from workbench.retrieval.chunk_context import sections_in
from workbench.retrieval.deduplication import REACH, distinct, diversify_passages
from workbench.retrieval.document_names import NameSource
from workbench.retrieval.hybrid_search import (
    CompleteLists,
    FusedHit,
    HybridSearch,
    PhraseVectors,
    RankedLists,
    SearchExtent,
    get_list_depth,
)
from workbench.retrieval.query_expansion import AbbreviationSource
from workbench.retrieval.question_words import QuestionWords, first_with, shorten_question, words_of
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.retrieval.relevance import (
    SURE_FLOOR,
    RelevanceInputs,
    combine_relevance,
    hit_relevance,
    search_certainty,
    search_features,
)
from workbench.retrieval.reranking.base import CalibratedReranker, Candidate, Reranked, Reranker, rerank_items
from workbench.store.segmentation import matched_in

MOST_HITS = 1000

# Additional chunks to read, for those that were deleted or have the same text as one before.
_SPARE = 3

# Passages to look at per requested hit, since some lie on the page of a better one.
_PAGE_REACH = 3

# Further passages returned per page.
_BESIDE = 2

_NO_RERANKING = "none"

_Found: TypeAlias = tuple[FusedHit, Chunk, Document]


@dataclasses.dataclass(frozen=True, slots=True)
class LocatedPassage:
    """Passage with the page that matches the question best.

    Attributes:
        found: Passage in the reranker's order.
        page: 1-based page; None if the format has no pages.
        breaks: Start offsets of its pages after the first, in the document's text; empty for a passage on one page.
    """

    found: Reranked[_Found]
    page: int | None
    breaks: tuple[int, ...] = ()

    @property
    def chunk(self) -> Chunk:
        """Chunk of the passage."""
        return self.found.item[1]

    @property
    def page_key(self) -> tuple[int, int]:
        """Key shared by all passages of one page."""
        return page_key(self.chunk, self.page)


VectorsOf: TypeAlias = Callable[[Sequence[int]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Returns, for chunk ids, those that have a vector, and the vectors."""


class Retriever:
    """Searches the library. Blocking; safe to call from several threads."""

    def __init__(
        self,
        documents: ChunkSource,
        keywords: KeywordSearch,
        vectors: VectorSearch | None,
        embedder: Embedder | None,
        reranker: Reranker | None = None,
        *,
        rerankers: Callable[[str], Reranker | None] | None = None,
        names: NameSource | None = None,
        abbreviations: AbbreviationSource | None = None,
        vectors_of: VectorsOf | None = None,
        phrase_vectors: PhraseVectors | None = None,
        recent: RecentChunks | None = None,
        turn: AbstractContextManager[object] | None = None,
    ) -> None:
        """Store the lower layers; without vectors or embedder, a search uses keywords only and adds a note.

        Args:
            documents: The chunks.
            keywords: The keyword index.
            vectors: The vector index.
            embedder: The embedder that computed the vectors.
            reranker: The default reranker, unless a search requests another one.
            rerankers: Creates a reranker by name, for searches that request one.
            names: Names of documents; without them, no document is recognised in a question.
            abbreviations: Abbreviations that documents define; without them, only general terms are expanded.
            vectors_of: Returns the vectors of chunks, for diversity; without it their words are compared.
            phrase_vectors: Returns the vectors of expansion phrases; without it each phrase is embedded.
            recent: Receives the chunks of each search's hits.
            turn: Held while hits are made from the lists, unless the reranker may wait for a server; see
                models.turn_of().
        """
        self._turn = turn or nullcontext()
        self._documents = documents
        self._keywords = keywords
        self._lists = HybridSearch(keywords, vectors, embedder, phrase_vectors)
        self._candidates = CandidateSearch(self._lists, keywords, documents, names, abbreviations)
        self._reranker = reranker
        self._vectors_of = vectors_of
        self._make_reranker = rerankers
        self._recent = recent if recent is not None else RecentChunks()
        self._created: dict[str, Reranker | None] = {_NO_RERANKING: None}
        self._creation_lock = threading.Lock()

    def prepare(self) -> None:
        """Do the work that the first question would wait for: 0.1 s, and 0.5 s at the first start on a machine."""
        self._lists.prepare()

    def search(
        self,
        question: str,
        *,
        k: int = 10,
        filter: ChunkFilter = EVERYTHING,
        configuration: SearchConfiguration = DEFAULT_SEARCH,
    ) -> SearchResult:
        """Return the best k chunks for a question.

        Args:
            question: Any text.
            k: Number of hits, 1 to 1000.
            filter: Filter that chunks must pass; applied before the limit.
            configuration: Lists and steps, for this call only.

        Raises:
            RetrievalError: k is out of bounds, or the mode is DENSE and the vectors cannot be searched.
            NotFound: The filter names an unknown knowledge base.
            SettingError: No reranker has that name.
        """
        began = time.perf_counter()
        mode = configuration.mode
        if not 1 <= k <= MOST_HITS:
            raise RetrievalError(f"A search cannot give {k} passages.", f"Ask for 1 to {MOST_HITS}.")
        reranker = self._get_reranker(configuration)
        if problem := self._documents.filter_problem(filter):
            return SearchResult(question, mode, (), (time.perf_counter() - began) * 1000, notes=(problem,))
        allowed = self._documents.searchable_chunks(filter)
        chunks, embedded = self._documents.counts(filter.knowledge_base)
        if filter.where and allowed is not None:
            chunks, embedded = len(allowed), min(len(allowed), embedded)
        query = shorten_question(question)
        if query.strip() and chunks:
            extent = SearchExtent(get_list_depth(k), mode, filter, allowed, dense_weight=configuration.dense_weight)
            found = self._candidates.candidates(query, extent, by_name=configuration.names, by_part=configuration.parts)
            lists = found.lists
            if mode is not SearchMode.KEYWORD and filter.where:  # otherwise the counts in the result suffice
                _note_missing(chunks - embedded, lists)
        else:
            lists = self._lists.empty(query)
            found = Candidates(lists, [])
        if len(query) < len(question):
            lists.notes.insert(0, mark("The question is very long: only its beginning and its end were searched."))
        hits, beside = self._make_hits(query, k, found, reranker, configuration.diversity)
        self._recent.add(hit.chunk for hit in (*hits, *beside))
        return SearchResult(
            question=question,
            mode=mode,
            hits=hits,
            milliseconds=(time.perf_counter() - began) * 1000,
            searched_chunks=chunks,
            embedded_chunks=embedded,
            notes=tuple(lists.notes),
            by_meaning=lists.understanding is not None,
            floor=configuration.floor or 0.0,
            certainty=_compute_certainty(hits, lists.words),
            sure_from=SURE_FLOOR,
            beside=beside,
        )

    def candidates(
        self,
        question: str,
        *,
        k: int,
        filter: ChunkFilter,
        configuration: SearchConfiguration,
        also: Mapping[int, float],
    ) -> list[Hit]:
        """Return every chunk that a search for k hits compares, best first; for search_explanation.py.

        A reranker that only reorders the first k hits is left out, so the order is final from the k-th hit on.

        Args:
            question: Question as searched.
            k: Number of hits that the search was to return.
            filter: Filter of the search.
            configuration: Its lists and steps.
            also: Additional chunks to compare, at any rank, with their BM25.

        Raises:
            RetrievalError: As in search().
            NotFound: As in search().
        """
        query = shorten_question(question)
        allowed = self._documents.searchable_chunks(filter)
        extent = SearchExtent(get_list_depth(k), configuration.mode, filter, allowed, also, configuration.dense_weight)
        found = self._candidates.candidates(query, extent, by_name=configuration.names, by_part=configuration.parts)
        reranker = self._get_reranker(configuration) if self.reranks_beyond(k, configuration) else None
        return list(self._make_hits(query, len(found.order), found, reranker)[0])

    def reranks_beyond(self, k: int, configuration: SearchConfiguration) -> bool:
        """Return True if the reranker reads more than k passages and therefore influences which ones are returned."""
        reranker = self._get_reranker(configuration)
        return reranker is not None and reranker.most > k

    def whole_lists(self, question: str, *, mode: SearchMode, filter: ChunkFilter) -> CompleteLists:
        """Return both lists in full length, as far as the mode requests them.

        Raises:
            RetrievalError: As in search().
            NotFound: As in search().
        """
        allowed, passing = self._documents.searchable_chunks(filter), self._documents.passing_chunks(filter)
        return self._lists.whole(shorten_question(question), SearchExtent(0, mode, filter, allowed), passing)

    def _get_reranker(self, configuration: SearchConfiguration) -> Reranker | None:
        """Return the reranker that a search requests; a named one is created once and cached."""
        name = configuration.reranking
        if not name:
            return self._reranker
        with self._creation_lock:
            if name not in self._created:
                if self._make_reranker is None:
                    raise RetrievalError(f"There is no reranker “{name}” here.", "Leave out which one to use.")
                self._created[name] = self._make_reranker(name)
            return self._created[name]

    def _make_hits(
        self, question: str, k: int, candidates: Candidates, reranker: Reranker | None, diversity: float = 0.0
    ) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        """Return the best k hits in the reranker's order, including each part's best, and others on their pages."""
        # The lists were made beside other searches: that is mostly work of SQLite and FAISS, on several cores.
        with nullcontext() if isinstance(reranker, CalibratedReranker) else self._turn:
            return self._order_hits(question, k, candidates, reranker, diversity)

    def _order_hits(
        self, question: str, k: int, candidates: Candidates, reranker: Reranker | None, diversity: float
    ) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        lists = candidates.lists
        degree = lists.understanding.degree if lists.understanding else 0.0
        circumstances = RelevanceInputs(degree, lists.words.pairs, self._keywords.count)
        most = reranker.most if reranker else 0
        enough = max(k * (REACH if diversity else _PAGE_REACH), most)
        stored = self._read_stored(candidates.order, enough + _SPARE)
        found = distinct(stored, _chunk_of, enough)
        candidates_of_reranker = [
            Candidate(
                chunk=chunk.id,
                text=chunk.text,
                title=document.metadata.title,
                headings=chunk.headings,
                score=one.score,
                name=document.name,
                document=document.id,
                ordinal=chunk.ordinal,
                chunks=document.chunks,
            )
            for one, chunk, document in found[:most]
        ]
        order = rerank_items(reranker, question, found, candidates_of_reranker)
        if order.note:
            lists.notes.append(order.note)
        ordered = self._diversify(order.items, k, diversity) if diversity else order.items
        wanted = candidates.best_of_parts
        located: list[LocatedPassage] = []
        pages: set[tuple[int, int]] = set()
        for place, one in enumerate(ordered[:enough]):
            is_enough = place >= k * _PAGE_REACH or len(pages) >= k
            if not is_enough or one.item[1].id in wanted:
                located.append(self._locate(one, candidates.words(one.item[1].id)))
                pages.add(located[-1].page_key)
        located = spread_over_pages(located)
        given = [located[place] for place in first_with([one.chunk.id for one in located], wanted, k)]

        ranked = [*enumerate(given, start=1), *adjacent_on_page(given, located)]
        lines = self._documents.source_lines_of([one.found.item[1] for _, one in ranked])
        hits = tuple(
            self._add_places(_make_hit(rank, question, one, candidates, circumstances), lines) for rank, one in ranked
        )
        return hits[: len(given)], hits[len(given) :]

    def _diversify(self, items: Sequence[Reranked[_Found]], k: int, diversity: float) -> Sequence[Reranked[_Found]]:
        near = items[: k * REACH]
        chunks = [one.item[1] for one in near]
        places = {chunk.id: index for index, chunk in enumerate(chunks)}
        ids, vectors = self._vectors_of(list(places)) if self._vectors_of else ((), ())
        known = {places[int(id)]: vector for id, vector in zip(ids, vectors, strict=True)}
        order = diversify_passages([words_of(chunk.text) for chunk in chunks], known, diversity=diversity, wanted=k)
        return [near[index] for index in order]

    def _locate(self, found: Reranked[_Found], words: QuestionWords) -> LocatedPassage:
        """Return a passage with the page that matches the question best; most chunks lie on one page anyway.

        Page nDCG@10 on the PDFs of xquad en / zh: with the page on which the chunk begins 0.942 / 0.943, with the best
        page 0.987 / 0.976, with a whole page as the document 0.973 / 0.973.
        """
        chunk = found.item[1]
        if chunk.page is None or chunk.page_end is None or chunk.page_end == chunk.page:
            return LocatedPassage(found, chunk.page)
        breaks = self._documents.page_breaks(chunk.document, chunk.page, chunk.page_end)
        edges = [0, *(min(max(place - chunk.start, 0), len(chunk.text)) for place in breaks), len(chunk.text)]
        shares = [words.share(words_of(chunk.text[start:end])) for start, end in pairwise(edges)]
        return LocatedPassage(found, chunk.page + shares.index(max(shares)), breaks)

    def _add_places(self, hit: Hit, lines: Mapping[int, SourceLines]) -> Hit:
        """Return a hit with its sections, its lines in a divided file and the labels of its pages."""
        chunk = hit.chunk
        if chunk.id in lines:
            hit = dataclasses.replace(hit, lines=lines[chunk.id])
        # A single line, or a chunk that is not prose, contains no heading.
        if "\n" in chunk.slice.strip() and not chunk.kind.is_atomic:
            hit = dataclasses.replace(hit, sections=sections_in(chunk, self._documents.headings(chunk.document)))
        if chunk.page is None or chunk.page_end is None or hit.page_kind is PageKind.PAGE:
            return hit
        labels = self._documents.page_labels(chunk.document, chunk.page, chunk.page_end)
        return dataclasses.replace(hit, page_labels=labels)

    def _read_stored(self, fused: Sequence[FusedHit], size: int) -> Iterator[_Found]:
        """Yield the chunks that still exist, read in batches; the first batch usually suffices."""
        for start in range(0, len(fused), size):
            batch = fused[start : start + size]
            stored = self._documents.chunks_by_id([one.chunk for one in batch])
            for one in batch:
                # A chunk that was disabled just now may still be in the index.
                if one.chunk in stored and not stored[one.chunk][0].disabled:
                    yield (one, *stored[one.chunk])


def spread_over_pages(placed: Sequence[LocatedPassage]) -> list[LocatedPassage]:
    """Return the best passage of each page first, in order, then the others: ten hits are ten places.

    Share of questions whose page is among the first ten hits, with two hits per page / with one: 34 questions to annual
    reports 0.74 / 0.85, 108 questions to manuals, slides and papers 0.81 / 0.82.
    """
    seen: set[tuple[int, int]] = set()
    first: list[LocatedPassage] = []
    others: list[LocatedPassage] = []
    for one in placed:
        (others if one.page_key in seen else first).append(one)
        seen.add(one.page_key)
    return first + others


def adjacent_on_page(
    given: Sequence[LocatedPassage], placed: Sequence[LocatedPassage]
) -> list[tuple[int, LocatedPassage]]:
    """Return the best other passages on the pages of the given ones, each with the rank of its page."""
    ids = {one.chunk.id for one in given}
    ranks: dict[tuple[int, int], int] = {}
    for rank, one in enumerate(given, start=1):
        ranks.setdefault(one.page_key, rank)
    left = dict.fromkeys(ranks, _BESIDE)
    others = []
    for one in placed:
        if one.chunk.id not in ids and left.get(one.page_key, 0) > 0:
            left[one.page_key] -= 1
            others.append((ranks[one.page_key], one))
    return others


def _note_missing(missing: int, lists: RankedLists) -> None:
    if missing > 0 and lists.understanding is not None:
        one = mark("1 passage is still being prepared and can be found by its words only.")
        several = mark(f"{missing:,} passages are still being prepared and can be found by their words only.")
        lists.notes.append(one if missing == 1 else several)


def _compute_certainty(hits: Sequence[Hit], words: QuestionWords) -> float:
    best = max((hit.scores.relevance for hit in hits), default=0.0)
    return search_certainty(
        search_features(best, words=len(words.weights), pairs=words.pairs, asks_for_stranger=words.asks_for_stranger)
    )


def _chunk_of(found: _Found) -> Chunk:
    return found[1]


def _make_hit(
    rank: int,
    question: str,
    placed: LocatedPassage,
    candidates: Candidates,
    circumstances: RelevanceInputs,
) -> Hit:
    found = placed.found
    fused, chunk, document = found.item
    lists = candidates.lists
    title = document.metadata.title
    share = candidates.words(chunk.id).share(words_of(" ".join((title, *chunk.headings))) | words_of(chunk.text))
    cosine = lists.understanding.scaled(fused.dense) if lists.understanding and fused.dense is not None else 0.0
    if fused.dense is None:
        # Not embedded, or searched by keyword only: the relevance depends on the words alone.
        circumstances = RelevanceInputs(0.0, circumstances.pairs, circumstances.chunks)
    scores = Scores(
        dense=fused.dense,
        keyword=fused.keyword,
        fused=fused.score,
        dense_rank=fused.dense_rank,
        keyword_rank=fused.keyword_rank,
        dense_weight=lists.weight,
        relevance=combine_relevance(hit_relevance(share, cosine, circumstances), found.certainty),
        rerank=found.score,
        rerank_rank=found.rank,
        named=candidates.named.get(chunk.id, 0.0),
    )
    return Hit(
        rank=rank,
        chunk=chunk,
        document_name=document.name,
        document_title=title,
        path=document.path,
        knowledge_base=document.knowledge_base,
        scores=scores,
        matched_terms=matched_in(question, words_of(chunk.text)),
        page_kind=document.page_kind,
        page_breaks=placed.breaks,
        matched_page=placed.page if placed.breaks else None,
        ocr_pages=document.ocr_pages(chunk.page, chunk.page_end),
        meta_data=document.custom_json,
    )
