"""The interfaces that a search needs of the layers below, and those that the agent needs of a search."""

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
    """The chunks of the library; store/documents.py."""

    def searchable_chunks(self, filter: ChunkFilter) -> NDArray[np.int64] | None:
        """Return the ids that pass the filter; None means all."""
        ...

    def passing_chunks(self, filter: ChunkFilter) -> NDArray[np.int64]:
        """Return the ids that pass the filter, ascending, even where all do."""
        ...

    def filter_problem(self, filter: ChunkFilter) -> str:
        """Return why a filter finds nothing whatever there is, a key that there is not; else nothing."""
        ...

    def chunks_by_id(self, ids: Sequence[int]) -> dict[int, tuple[Chunk, Document]]:
        """Return chunks with their documents; ids that are gone are left out."""
        ...

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks, and what stands over them; ids that are gone are left out."""
        ...

    def headings(self, id: int) -> Headings:
        """Return where the headings of a document are."""
        ...

    def page_breaks(self, document: int, first: int, last: int) -> tuple[int, ...]:
        """Return where the pages after the first begin, up to the last, as offsets into the document's text."""
        ...

    def chunks_on_pages(self, documents: Sequence[int], pages: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of the chunks that stand on any of these pages, 1-based, of these documents."""
        ...

    def page_labels(self, document: int, first: int, last: int) -> tuple[str, ...]:
        """Return the own names of these pages."""
        ...

    def source_lines(self, document: int, start: int, end: int) -> SourceLines | None:
        """Return the lines of the whole file on which text[start:end] of one of its parts stands."""
        ...

    def counts(self, knowledge_base: str | None) -> tuple[int, int]:
        """Return how many chunks there are and how many have their vector."""
        ...


class WordCounts(Protocol):
    """The document frequencies of words in the library; store/keywords.py."""

    @property
    def count(self) -> int:
        """The number of chunks."""
        ...

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many chunks each word stands."""
        ...


class WordPlaces(WordCounts, Protocol):
    """Where words stand, too."""

    def words_around(
        self, words: Sequence[str], chunks: Sequence[int], reach: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return bool [words, chunks], whether a chunk holds a word, and float32, the share of those around that do."""
        ...


class KeywordSearch(WordPlaces, Protocol):
    """The keyword index; store/keywords.py."""

    def search(
        self, question: str, k: int, *, filter: ChunkFilter, allowed: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return (chunk id, BM25), best first; allowed are the ids that pass the filter, where they are known."""
        ...

    def whole_list(self, question: str, allowed: NDArray[np.int64]) -> CompleteRanking:
        """Return all that holds a word of the question, of the ids allowed, ascending."""
        ...

    def evidence(self, parts: Sequence[str], chunks: Sequence[int]) -> KeywordEvidence:
        """Return how much of each part of a question stands in each chunk and on its page."""
        ...
