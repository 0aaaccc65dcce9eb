"""The documents that tools may read: those within a run's knowledge base and filter, and of these no more."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.tools.access import Mentions, ReadableDocument, Section
from workbench.errors import NotFound, RetrievalError
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, Document, Headings, Page
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Hit, Scores
from workbench.model.source_lines import SourceLines
from workbench.operations.library.library import Library
from workbench.retrieval.chunk_context import heading_words, sections_in
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.documents import DocumentStore
from workbench.store.keywords import terms
from workbench.store.segmentation import segment

# Texts held at once while the passages that hold all words are looked through.
_AT_ONCE = 500


class LibraryDocuments:
    """Gives tools the documents that a run may see."""

    def __init__(self, library: Library, allowed: ChunkFilter) -> None:
        self._library = library
        self._allowed = allowed

    async def documents(self, filter: str = "") -> Sequence[Document]:
        """Return the documents of which something may be seen, in the order they were added.

        Raises:
            RetrievalError: The filter is not one, or names a key that there is not.
            NotFound: It names a knowledge base that is not there.
        """
        allowed = self._allowed.restricted(*filter_of_text(filter).where) if filter.strip() else self._allowed
        if problem := await self._library.on_store(self._library.documents.filter_problem, allowed):
            raise RetrievalError(problem)
        return await self._library.on_search(self._documents, allowed)

    def _documents(self, allowed: ChunkFilter) -> Sequence[Document]:
        numbers = set(self._library.filter_values.documents(allowed))
        return [one for one in self._library.documents.list() if one.id in numbers]

    async def read(self, document: Document) -> ReadableDocument:
        """Return what may be seen of a document.

        Raises:
            NotFound: It is no longer in the library, or nothing of it may be seen.
        """
        return await self._library.on_search(self._read, document.id)

    def _read(self, number: int) -> ReadableDocument:
        import numpy as np  # 100 ms that the window does not wait for

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
        """Return in which documents words stand one behind another, in any inflection; the most mentions first.

        Args:
            words: What is looked for.
            documents: Where, among those that the run may see.
            places: How many passages of each are given at most.
        """
        return await self._library.on_search(self._mentions, words, documents, places)

    def _mentions(self, words: str, documents: Sequence[Document], places: int) -> Sequence[Mentions]:
        import numpy as np  # 100 ms that the window does not wait for

        store = self._library.documents
        ids = self._library.keywords.holding_all(terms(words))
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
    """Return how often words stand in a text one behind another; "piles" is found where "pile" stands."""
    wanted = segment(words)
    if not wanted.isascii():
        # Pairs of characters: those at the ends of the words are parts of other pairs in the text.
        return "".join(text.casefold().split()).count("".join(words.casefold().split()))
    return f" {segment(text)} ".replace(" ", "  ").count(f" {wanted.replace(' ', '  ')} ")


def sections_of(text: str, blocks: Sequence[Block]) -> tuple[Section, ...]:
    """Return a document's sections: each reaches to the next heading of its own level or above."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    found = []
    for place, heading in enumerate(headings):
        after = (one.start for one in headings[place + 1 :] if one.level <= heading.level)
        title = heading_words(text[heading.start : heading.end])
        found.append(Section(title, heading.start, next(after, len(text))))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ChunkPlaces:
    """What tells where in a document a chunk stands: all of its pages, headings and lines, in order."""

    pages: tuple[Page, ...]
    headings: Headings
    lines: SourceLines | None = None


def layout_of(store: DocumentStore, document: int) -> ChunkPlaces:
    """Return the pages, headings and lines of a document; blocking."""
    return ChunkPlaces(store.pages(document), store.headings(document), store.source_lines(document))


def passage_of(document: Document, chunk: Chunk, layout: ChunkPlaces, rank: int) -> Hit:
    """Return a chunk as a hit that no search found, so that it is numbered and cited like any other.

    Args:
        document: That holds it.
        chunk: The chunk.
        layout: Of the document.
        rank: Its place among those that are given.
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
