"""Protocols of the lower layers that a search needs, and of the search that the agent needs."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.model.chunk import Chunk, ChunkText
from workbench.model.document import Document, Headings
from workbench.model.filter import ChunkFilter
from workbench.model.source_lines import SourceLines
from workbench.store.keyword_evidence import KeywordEvidence
from workbench.store.ranks import CompleteRanking


class ChunkSource(Protocol):
    """Access to the chunks of the library; implemented in store/documents.py."""

    def searchable_chunks(self, filter: ChunkFilter) -> NDArray[np.int64] | None:
        """Return the ids that pass the filter; None means that all chunks pass."""
        ...

    def passing_chunks(self, filter: ChunkFilter) -> NDArray[np.int64]:
        """Return the ids that pass the filter, ascending, even if all chunks pass."""
        ...

    def filter_problem(self, filter: ChunkFilter) -> str:
        """Return why a filter can match nothing (for example an unknown key), or an empty string."""
        ...

    def chunks_by_id(self, ids: Sequence[int]) -> dict[int, tuple[Chunk, Document]]:
        """Return chunks with their documents; ids of deleted chunks are left out."""
        ...

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks and the headings above them; ids of deleted chunks are left out."""
        ...

    def headings(self, id: int) -> Headings:
        """Return the positions of the headings of a document."""
        ...

    def page_breaks(self, document: int, first: int, last: int) -> tuple[int, ...]:
        """Return the start offsets of the pages after the first, up to the last, in the document's text."""
        ...

    def chunks_on_pages(self, documents: Sequence[int], pages: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of the chunks that lie on any of these 1-based pages of these documents."""
        ...

    def page_labels(self, document: int, first: int, last: int) -> tuple[str, ...]:
        """Return the page labels that the document itself gives to these pages."""
        ...

    def source_lines_of(self, chunks: Sequence[Chunk]) -> dict[int, SourceLines]:
        """Return, by chunk id, the lines in the whole file of those chunks that belong to a part of one."""
        ...

    def counts(self, knowledge_base: str | None) -> tuple[int, int]:
        """Return the number of chunks and the number of chunks that have a vector."""
        ...


class WordCounts(Protocol):
    """Document frequencies of words in the library; implemented in store/keywords.py."""

    @property
    def count(self) -> int:
        """Number of chunks in the library."""
        ...

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word."""
        ...


class WordPlaces(WordCounts, Protocol):
    """Document frequencies of words, and the chunks that contain them."""

    def words_around(
        self, words: Sequence[str], chunks: Sequence[int], reach: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return bool [words, chunks] (the chunk has the word) and float32 (share of its neighbours that have it)."""
        ...


class KeywordSearch(WordPlaces, Protocol):
    """Keyword index; implemented in store/keywords.py."""

    def search(
        self, question: str, k: int, *, filter: ChunkFilter, allowed: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25), best first; allowed holds the ids that pass the filter, if they are known."""
        ...

    def whole_list(self, question: str, allowed: NDArray[np.int64]) -> CompleteRanking:
        """Return every allowed chunk that contains a word of the question; allowed is ascending."""
        ...

    def evidence(self, parts: Sequence[str], chunks: Sequence[int]) -> KeywordEvidence:
        """Return how much of each part of a question each chunk and its page contain."""
        ...
