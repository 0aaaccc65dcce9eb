"""Documents that tools may read: only those within a run's knowledge base and filter."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.tools.access import Mentions, ReadableDocument, Section
from workbench.errors import NotFound, RetrievalError
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Document, Headings, Page
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Coverage, Hit, Scores
from workbench.model.source_lines import SourceLines
from workbench.operations.library.library import Library
from workbench.retrieval.chunk_context import heading_words, sections_in
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.documents import DocumentStore
from workbench.store.keywords import terms
from workbench.store.segmentation import segment

# Number of chunks loaded at once while those that contain all words are checked.
_AT_ONCE = 500


class LibraryDocuments:
    """Access of tools to the documents that a run may see."""

    def __init__(self, library: Library, allowed: ChunkFilter) -> None:
        self._library = library
        self._allowed = allowed

    async def documents(self, filter: str = "") -> Sequence[Document]:
        """Return the documents with at least one chunk that may be seen, in the order they were added.

        Raises:
            RetrievalError: The filter is invalid, or names an unknown key.
            NotFound: It names a knowledge base that does not exist.
        """
        allowed = self._allowed.restricted(*filter_of_text(filter).where) if filter.strip() else self._allowed
        if problem := await self._library.on_store(self._library.documents.filter_problem, allowed):
            raise RetrievalError(problem)
        return await self._library.on_search(self._documents, allowed)

    def _documents(self, allowed: ChunkFilter) -> Sequence[Document]:
        numbers = set(self._library.documents.documents_passing(allowed))
        return [one for one in self._library.documents.all_documents() if one.id in numbers]

    async def read(self, document: Document) -> ReadableDocument:
        """Return a document with the chunks that may be seen.

        Raises:
            NotFound: It is no longer in the library, or none of its chunks may be seen.
        """
        return await self._library.on_search(self._read, document.id)

    def _read(self, number: int) -> ReadableDocument:
        import numpy as np  # takes 100 ms: not during the start of the window

        store = self._library.documents
        document = store.get(number)
        chunks = [chunk for chunk in store.chunks(number) if not chunk.disabled]
        if problem := store.filter_problem(self._allowed):
            raise RetrievalError(problem)
        seen = store.searchable_chunks(self._allowed)
        if seen is not None:
            kept = np.isin([chunk.id for chunk in chunks], seen, assume_unique=True)
            chunks = [chunk for chunk, is_seen in zip(chunks, kept, strict=True) if is_seen]
        if not chunks:
            raise NotFound(f"There is nothing to read in document {number}.")
        layout = layout_of(store, number)
        hits = tuple(passage_of(document, chunk, layout, rank) for rank, chunk in enumerate(chunks, 1))
        text = store.text(number)
        return ReadableDocument(document, text, hits, layout.pages, sections_of(text, store.blocks(number)))

    async def mentions(self, words: str, documents: Sequence[Document], *, places: int = 3) -> Sequence[Mentions]:
        """Return the documents that contain words in sequence, in any inflection; those with the most mentions first.

        Args:
            words: The words to search for.
            documents: Documents to search, among those that the run may see.
            places: Maximum number of passages of each document.
        """
        return await self._library.on_search(self._mentions, words, documents, places)

    async def coverage(self) -> Coverage:
        """Return how much of the text of the documents that the run may see is in the library."""
        library = self._library
        return await library.on_search(library.federated_search.coverage, library, self._allowed)

    def _mentions(self, words: str, documents: Sequence[Document], places: int) -> Sequence[Mentions]:
        import numpy as np  # takes 100 ms: not during the start of the window

        store = self._library.documents
        ids = [*self._library.keywords.holding_all(terms(words)), *self._library.shared.holding_all(terms(words))]
        seen = store.searchable_chunks(self._allowed)
        if seen is not None:
            ids = np.intersect1d(np.asarray(ids, np.int64), seen, assume_unique=True).tolist()
        wanted = {one.id for one in documents}
        times: dict[int, int] = {}
        found: dict[int, list[Chunk]] = {}
        for first in range(0, len(ids), _AT_ONCE):
            for chunk, document in store.chunks_by_id(ids[first : first + _AT_ONCE]).values():
                count = _times(words, chunk.text) if document.id in wanted and not chunk.disabled else 0
                if count:
                    times[document.id] = times.get(document.id, 0) + count
                    found.setdefault(document.id, []).append(chunk)
        mentioned = sorted((one for one in documents if one.id in found), key=lambda one: -times[one.id])
        return [
            Mentions(one, times[one.id], len(found[one.id]), self._first(one, found[one.id], places))
            for one in mentioned
        ]

    def _first(self, document: Document, chunks: Sequence[Chunk], places: int) -> tuple[Hit, ...]:
        layout = layout_of(self._library.documents, document.id)
        first = sorted(chunks, key=lambda chunk: chunk.ordinal)[:places]
        return tuple(passage_of(document, chunk, layout, rank) for rank, chunk in enumerate(first, 1))


def _times(words: str, text: str) -> int:
    """Return the number of times that a text contains words in sequence; "piles" also matches "pile"."""
    wanted = segment(words)
    if not wanted.isascii():
        # The segments are pairs of characters: those at the ends of the words belong to other pairs in the text.
        return "".join(text.casefold().split()).count("".join(words.casefold().split()))
    return f" {segment(text)} ".replace(" ", "  ").count(f" {wanted.replace(' ', '  ')} ")


def sections_of(text: str, blocks: Sequence[Block]) -> tuple[Section, ...]:
    """Return a document's sections: each ends at the next heading of the same or a higher level."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    found = []
    for place, heading in enumerate(headings):
        after = (one.start for one in headings[place + 1 :] if one.level <= heading.level)
        title = heading_words(text[heading.start : heading.end])
        found.append(Section(title, heading.start, next(after, len(text))))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ChunkPlaces:
    """Layout of a document that locates its chunks: all pages, headings and lines, in order."""

    pages: tuple[Page, ...]
    headings: Headings
    lines: SourceLines | None = None


def layout_of(store: DocumentStore, document: int) -> ChunkPlaces:
    """Return the pages, headings and lines of a document; blocking."""
    return ChunkPlaces(store.pages(document), store.headings(document), store.source_lines(document))


def passage_of(document: Document, chunk: Chunk, layout: ChunkPlaces, rank: int) -> Hit:
    """Return a chunk as a hit without a search, so that it is numbered and cited like any other hit.

    Args:
        document: The document of the chunk.
        chunk: The chunk.
        layout: Layout of the document.
        rank: Its rank among the returned hits.
    """
    first, last = chunk.page, chunk.page_end
    on = layout.pages[first - 1 : last] if first is not None and last is not None else ()
    return Hit(
        rank,
        chunk,
        document.name,
        document.metadata.title,
        document.path,
        document.knowledge_base,
        Scores(),
        page_breaks=tuple(page.start for page in on[1:]),
        page_kind=document.page_kind,
        page_labels=tuple(page.label for page in on) if any(page.label for page in on) else (),
        ocr_pages=document.ocr_pages(first, last),
        sections=sections_in(chunk, layout.headings),
        meta_data=document.custom_json,
        lines=None if layout.lines is None else layout.lines.within(chunk.start, chunk.end),
    )
