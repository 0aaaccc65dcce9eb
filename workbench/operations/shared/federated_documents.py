"""Documents of the personal library and of the connected shared ones, read through one store.

What is read by an id comes from the library that the id belongs to. Lists and filters of DocumentStore stay those of
the personal library, on which imports and maintenance work; all_documents() and the like contain everything.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import NotFound, WorkbenchError
from workbench.model.chunk import Chunk, ChunkText
from workbench.model.document import Block, Document, Headings, Page
from workbench.model.filter import ChunkFilter
from workbench.model.knowledge_base import Removal
from workbench.model.source_lines import SourceLines
from workbench.operations.shared.federated_ids import by_slot, local_id, personal_filter, slot_of
from workbench.operations.shared.shared_library import SharedLibraries, SharedLibrary
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.filtering import FilterValues

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
Numbers = list[int]
Names = list[str]
Documents = list[Document]
Chunks = list[Chunk]


class FederatedDocuments(DocumentStore):
    """Documents of all libraries, by ids that are unique among them."""

    def __init__(self, database: Database, shared: SharedLibraries) -> None:
        """Read the personal library in this database, and the connected shared ones."""
        super().__init__(database)
        self._shared = shared
        self._own_values = FilterValues(database)

    def _routed(self, number: int, own: Callable[[int], T], method: str, *arguments: object) -> T:
        """Return the result of a method of the store that a document belongs to."""
        library = self._shared.of_number(number) if slot_of(number) else None
        if library is None:
            return own(number)
        found: T = getattr(library.tables().documents, method)(local_id(number), *arguments)
        return library.ids.value(found)

    def all_knowledge_bases(self) -> Names:
        """Return the names of the knowledge bases of all libraries, those of the personal one first."""
        return [*self.knowledge_bases(), *self._shared.knowledge_bases()]

    def all_documents(self, knowledge_base: str | None = None) -> Documents:
        """Return the documents of all libraries, or of one knowledge base, in the order they were added.

        Documents of a shared library that cannot be reached are those of the last time, unless it is named.

        Raises:
            NotFound: There is no such knowledge base.
            SharedLibraryUnreachable: Its server cannot be reached.
        """
        if knowledge_base is None:
            return [*self.list(), *(document for one in self._shared for document in one.documents())]
        found = self._shared.of_knowledge_base(knowledge_base)
        if found is None:
            return self.list(knowledge_base)
        library, name = found
        library.tables().knowledge_bases.require(name)
        return [document for document in library.documents() if document.knowledge_base == knowledge_base]

    def find_in_all(self, spec: str, knowledge_base: str | None = None) -> Document:
        """Return the only document of all libraries that find() would return.

        Raises:
            NotFound: None matches, or more than one.
        """
        try:
            if knowledge_base is None or self._shared.of_knowledge_base(knowledge_base) is None:
                return self.find(spec, knowledge_base)
        except NotFound:
            if not self._shared:
                raise
        for document in self.all_documents(knowledge_base):
            if slot_of(document.id) and spec in (str(document.id), document.name, document.path):
                return document
        return self.find(spec)

    def get(self, id: int) -> Document:
        """Return a document that is not removed."""
        return self._routed(id, super().get, "get")

    def text(self, id: int) -> str:
        """Return the whole text."""
        return self._routed(id, super().text, "text")

    def blocks(self, id: int) -> tuple[Block, ...]:
        """Return the blocks in reading order."""
        return self._routed(id, super().blocks, "blocks")

    def headings(self, id: int) -> Headings:
        """Return the headings with their positions."""
        return self._routed(id, super().headings, "headings")

    def page(self, id: int, number: int) -> Page | None:
        """Return a page with the boxes of its words, or None if there is no such page."""
        return self._routed(id, lambda own: super(FederatedDocuments, self).page(own, number), "page", number)

    def pages(self, id: int) -> tuple[Page, ...]:
        """Return all pages without their words."""
        return self._routed(id, super().pages, "pages")

    def page_breaks(self, document: int, first: int, last: int) -> tuple[int, ...]:
        """Return the starts of the pages after the first, up to the last."""
        own = super().page_breaks
        return self._routed(document, lambda number: own(number, first, last), "page_breaks", first, last)

    def page_labels(self, document: int, first: int, last: int) -> tuple[str, ...]:
        """Return the labels of these pages."""
        own = super().page_labels
        return self._routed(document, lambda number: own(number, first, last), "page_labels", first, last)

    def source_lines(self, document: int, start: int = 0, end: int = 2**31 - 1) -> SourceLines | None:
        """Return the lines of the whole file that contain text[start:end]."""
        own = super().source_lines
        return self._routed(document, lambda number: own(number, start, end), "source_lines", start, end)

    def source_lines_of(self, chunks: Sequence[Chunk]) -> dict[int, SourceLines]:
        """Return source_lines() by the ids of those chunks that belong to a part."""
        own = [chunk for chunk in chunks if not slot_of(chunk.document)]
        found = super().source_lines_of(own) if own else {}
        for chunk in chunks:
            if slot_of(chunk.document):
                lines = self.source_lines(chunk.document, chunk.start, chunk.end)
                found |= {chunk.id: lines} if lines is not None else {}
        return found

    def chunks(self, id: int) -> Chunks:
        """Return a document's chunks in order."""
        return self._routed(id, super().chunks, "chunks")

    def chunks_between(self, id: int, start: int, end: int) -> Chunks:
        """Return a document's chunks that overlap text[start:end], in order."""
        own = super().chunks_between
        return self._routed(id, lambda number: own(number, start, end), "chunks_between", start, end)

    def chunks_at(self, id: int, first: int, last: int) -> Chunks:
        """Return a document's chunks with ordinals from first to last, in order."""
        own = super().chunks_at
        return self._routed(id, lambda number: own(number, first, last), "chunks_at", first, last)

    def chunks_by_id(self, ids: Sequence[int]) -> dict[int, tuple[Chunk, Document]]:
        """Return these chunks with their documents, in the order of ids; those removed or unknown are left out."""
        found: dict[int, tuple[Chunk, Document]] = {}
        for slot, local in by_slot(int(id) for id in ids).items():
            if not slot:
                found |= super().chunks_by_id(local)
            elif (library := self._library(slot)) is not None:
                found |= library.ids.value(library.tables().documents.chunks_by_id(local))
        return {int(id): found[int(id)] for id in ids if int(id) in found}

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks with their titles and headings."""
        found: dict[int, ChunkText] = {}
        for slot, local in by_slot(int(id) for id in ids).items():
            if not slot:
                found |= super().chunk_texts(local)
            elif (library := self._library(slot)) is not None:
                found |= library.ids.value(library.tables().documents.chunk_texts(local))
        return found

    def chunks_on_pages(self, documents: Sequence[int], pages: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of the chunks that begin or continue on any of these pages of these documents."""
        found: list[int] = []
        for slot, local in by_slot(documents).items():
            if not slot:
                found += super().chunks_on_pages(local, pages)
            elif (library := self._library(slot)) is not None:
                found += map(library.ids.number, library.tables().documents.chunks_on_pages(local, pages))
        return tuple(found)

    def custom_keys(self) -> Names:
        """Return the keys of the user's own metadata that documents of any library have, in alphabetical order."""
        keys = set(super().custom_keys())
        for one in self._reachable():
            keys |= set(one.tables().documents.custom_keys())
        return sorted(keys)

    def searchable_chunks(self, filter: ChunkFilter) -> "NDArray[np.int64] | None":
        """Return the ids of all libraries that pass the filter, ascending; None if every chunk does."""
        if filter.is_empty:
            return None
        if not self._shared:
            return super().searchable_chunks(filter)
        import numpy as np  # 100 ms that the window does not wait for

        own = self.own_filter(filter)
        found = [super().passing_chunks(own) if own is not None else np.empty(0, np.int64)]
        for one, local in self._filters(filter):
            found.append(one.tables().documents.passing_chunks(local) + one.ids.number(0))
        return np.concatenate(found)

    def documents_passing(self, filter: ChunkFilter) -> Numbers:
        """Return the ids of the documents of all libraries with a passage that passes a filter, ascending."""
        own = self.own_filter(filter)
        found = self._own_values.documents(own) if own is not None else []
        for one, local in self._filters(filter):
            found += map(one.ids.number, one.tables().filter_values.documents(local))
        return found

    def own_filter(self, filter: ChunkFilter) -> ChunkFilter | None:
        """Return a filter in terms of the personal library; None if nothing of it can pass."""
        if not self._shared or filter.is_empty:
            return filter
        return personal_filter(filter, self.knowledge_bases(), self._shared.knowledge_bases())

    def mark_removed(self, ids: Iterable[int], removal: Removal = Removal.BY_USER) -> Numbers:
        """Move documents to the bin, out of every list and search; return the ids of those that existed."""
        slots = by_slot(ids)
        own = slots.pop(0, [])
        moved = super().mark_removed(own, removal) if own else []
        for slot, local in slots.items():
            library = self._library(slot)
            if library is not None:
                moved += map(library.ids.number, library.tables().jobs.remove(local, removal))
        return moved

    def restore(self, ids: Iterable[int]) -> Numbers:
        """Undo mark_removed; return the ids of the restored documents."""
        slots = by_slot(ids)
        own = slots.pop(0, [])
        back = super().restore(own) if own else []
        for slot, local in slots.items():
            library = self._library(slot)
            if library is not None:
                back += map(library.ids.number, library.tables().documents.restore(local))
        return back

    def read_original(self, document: Document, target: Path) -> None:
        """Write the original file of a document of a shared library to a new file.

        Raises:
            NotFound: It has none.
            SharedLibraryUnreachable: It cannot be reached.
        """
        library = self._shared.of_number(document.id)
        assert library is not None
        library.tables().jobs.read_original(local_id(document.id), target)

    def _library(self, slot: int) -> SharedLibrary | None:
        return next((one for one in self._shared if one.connection.slot == slot), None)

    def _reachable(self) -> list[SharedLibrary]:
        reachable = []
        for one in self._shared:
            try:
                one.tables()
            except WorkbenchError:
                continue  # the search reports it
            reachable.append(one)
        return reachable

    def _filters(self, filter: ChunkFilter) -> list[tuple[SharedLibrary, ChunkFilter]]:
        found = []
        for one in self._reachable():
            names = [name for name, _ in one.tables().knowledge_bases.list()]
            if (local := one.ids.filter(filter, names)) is not None:
                found.append((one, local))
        return found
