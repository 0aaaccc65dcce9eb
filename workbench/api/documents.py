"""Methods for the documents, the passages and the map of an open library."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.arguments import DocumentRef, OnImportEvent, Texts, context, document_number, document_numbers
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.chunk import Chunk, ChunkEdit, Stretch
from workbench.model.document import Document, Origin
from workbench.model.import_progress import FileFinished
from workbench.model.map import MapOutlook, MapPassage, MapProgress, MapState
from workbench.model.metadata import MetadataImport
from workbench.model.options import known_options, texts_of
from workbench.worker.job import JobContext


@known_options
class AsyncDocuments(Awaited):
    """Methods of AsyncLibrary for documents that the library contains."""

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def document(self, document: DocumentRef) -> Document:
        """Return a document by its number, path, name or the start of its hash.

        Raises:
            NotFound: No document matches, or more than one.
        """
        number = await document_number(self._opened, document)
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Move documents to the bin, or delete them permanently with for_good.

        Raises:
            NotFound: There is no such document; nothing is removed then.
        """
        numbers = await document_numbers(self._opened, documents)
        await operations.remove_documents(self._opened, numbers, for_good=for_good)(JobContext())

    async def reindex(
        self, documents: DocumentRef | Iterable[DocumentRef] | None = None, *, on_event: OnImportEvent = None
    ) -> list[FileFinished]:
        """Process all documents, or these, again from the library's copies; needed after some settings change.

        Raises:
            NotFound: There is no such document.
        """
        chosen = await self.documents() if documents is None else documents
        numbers = await document_numbers(self._opened, chosen)
        return await operations.reindex_documents(self._opened, numbers)(context(on_event))

    async def refetch(
        self,
        documents: DocumentRef | Iterable[DocumentRef] | None = None,
        *,
        allow_hosts: Texts = (),
        on_event: OnImportEvent = None,
    ) -> list[FileFinished]:
        """Fetch all web pages and run all queries again, or these; files and notes are skipped.

        Args:
            documents: Only these.
            allow_hosts: As for add.
            on_event: Called with each event as it happens.

        Raises:
            NotFound: There is no such document.
        """
        fetched = (Origin.URL, Origin.QUERY)
        chosen = (
            documents if documents is not None else [one for one in await self.documents() if one.origin in fetched]
        )
        numbers = await document_numbers(self._opened, chosen)
        allowed = texts_of("allow_hosts", allow_hosts)
        return await operations.refetch(self._opened, numbers, allow_hosts=allowed)(context(on_event))

    async def unlock(
        self, password: str, documents: DocumentRef | Iterable[DocumentRef] | None = None, *, remember: bool = False
    ) -> list[FileFinished]:
        """Try a password on all locked documents, or on these, and read those that it fits.

        Raises:
            NotFound: There is no such document.
        """
        chosen = None if documents is None else await document_numbers(self._opened, documents)
        return await operations.unlock_documents(self._opened, password, chosen, remember=remember)(JobContext())

    async def tag(self, documents: DocumentRef | Iterable[DocumentRef], add: Texts = (), *, remove: Texts = ()) -> None:
        """Add tags to documents, and remove others; a filter selects them with “tag:”.

        Raises:
            NotFound: There is no such document.
            MetadataError: A tag is blank or too long.
        """
        numbers = await document_numbers(self._opened, documents)
        wanted, unwanted = texts_of("add", add), texts_of("remove", remove)
        await operations.tag_documents(self._opened, numbers, add=wanted, remove=unwanted)(JobContext())

    async def tags(self, knowledge_base: str | None = None) -> dict[str, int]:
        """Return the tags in use with the number of their documents, the most used first."""
        return dict(await operations.list_tags(self._opened, knowledge_base)(JobContext()))

    async def set_metadata(self, document: DocumentRef, metadata: Mapping[str, Any]) -> Document:
        """Set your own metadata on a document, and return it; None removes a key, and keys not given are kept.

        Raises:
            NotFound: There is no such document.
            MetadataError: A key or a value is invalid.
        """
        number = await document_number(self._opened, document)
        await operations.give_metadata(self._opened, [number], metadata)(JobContext())
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def metadata_keys(self, knowledge_base: str | None = None) -> dict[str, int]:
        """Return your own metadata keys with the number of their documents, the most used first."""
        return dict(await operations.list_metadata_keys(self._opened, knowledge_base)(JobContext()))

    async def import_metadata(self, table: str | Path, knowledge_base: str | None = None) -> MetadataImport:
        """Set metadata from a CSV file: a column headed “file” with names or paths, and one column per key.

        Returns:
            The earlier metadata of each document by its number, the names that match no document, and what was skipped.

        Raises:
            DocumentError: The file cannot be read.
            MetadataError: The file has no such table.
            NotFound: There is no such knowledge base.
        """
        return await operations.import_metadata(self._opened, Path(table), knowledge_base)(JobContext())

    async def edit_document(
        self,
        document: DocumentRef,
        *,
        title: str | None = None,
        author: str | None = None,
        created: str | None = None,
        modified: str | None = None,
        keywords: Texts | None = None,
        language: str | None = None,
    ) -> Document:
        """Set fields of a document, and return it; they persist when the file is read again. None keeps a field.

        Args:
            document: Its number, path, name, or the Document itself.
            title: Searchable by keyword at once; the document is embedded again.
            author: Name of the author.
            created: Date of creation, like "2024", "2024-05" or "2024-05-31".
            modified: Date of the last change, in the same format.
            keywords: One or several.
            language: Language code, like "en".

        Raises:
            NotFound: There is no such document.
            MetadataError: A value is invalid, or the document is being read.
        """
        number = await document_number(self._opened, document)
        words = None if keywords is None else texts_of("keywords", keywords)
        given = {"title": title, "author": author, "created": created, "modified": modified, "language": language}
        fields: dict[str, object] = {key: value for key, value in given.items() if value is not None}
        if words is not None:
            fields["keywords"] = words
        return (await operations.edit_metadata(self._opened, number, fields)(JobContext())).after

    async def edit_note(
        self, document: DocumentRef, text: str, *, title: str = "", on_event: OnImportEvent = None
    ) -> list[FileFinished]:
        """Replace the text of a note, and return the outcome; searches use the old text until the new one is ready.

        Raises:
            NotFound: There is no such note.
            DocumentError: The text is empty.
        """
        number = await document_number(self._opened, document)
        return await operations.edit_note(self._opened, number, text, title=title)(context(on_event))


@known_options
class AsyncPassages(Awaited):
    """Methods of AsyncLibrary for passages."""

    async def chunks(self, document: DocumentRef) -> list[Chunk]:
        """Return the passages of a document in reading order, in the same form as hit.chunk of a search.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.list_chunks(self._opened, number)(JobContext())

    async def neighbours(self, chunk: Chunk, *, before: int = 1, after: int = 1) -> Stretch:
        """Return a passage with the given numbers of passages before and after it, in document order.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.neighbours(self._opened, chunk, before=before, after=after)(JobContext())

    async def section(self, chunk: Chunk) -> Stretch:
        """Return the section that contains a passage; for a very long section, the part around the passage.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.section(self._opened, chunk)(JobContext())

    async def edit_chunk(self, chunk: int, text: str) -> ChunkEdit | None:
        """Replace the text of a passage; the file is not changed, and citations show the file's own text.

        This method and the next five return the edit, or None if there was nothing to do. Passages whose text or bounds
        change get new numbers, listed in the edit's `after`; undo_chunk_edit reverts the edit.

        Raises:
            NotFound: There is no such passage.
            ChunkError: The text is empty or too long, or the document is being read.
        """
        return await operations.edit_chunk(self._opened, chunk, text)(JobContext())

    async def merge_chunks(self, chunk: int, *, other: int = 1) -> ChunkEdit | None:
        """Merge a passage with its neighbours: the next one (1), the previous one (-1), the next two (2), and so on.

        Raises:
            NotFound: There is no such passage.
            ChunkError: It has no such neighbour.
        """
        return await operations.merge_chunks(self._opened, chunk, other=other)(JobContext())

    async def split_chunk(self, chunk: int, at: int) -> ChunkEdit | None:
        """Split a passage in two; at is the offset of the second one's first character in the passage's text.

        Raises:
            NotFound: There is no such passage.
            ChunkError: One of the two would be empty.
        """
        return await operations.split_chunk(self._opened, chunk, at)(JobContext())

    async def disable_chunk(self, chunk: int, *, disabled: bool = True) -> ChunkEdit | None:
        """Exclude a passage from all searches, or include it again."""
        return await operations.disable_chunk(self._opened, chunk, disabled=disabled)(JobContext())

    async def tag_chunk(self, chunk: int, tags: Texts) -> ChunkEdit | None:
        """Replace the tags of a passage; a filter selects them with “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, texts_of("tags", tags))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Restore the original of an edited passage, together with the passages that were merged or split with it."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document; by default the last one that can be undone.

        Raises:
            NotFound: There is no such edit.
            ChunkError: A later edit depends on it.
        """
        number = await document_number(self._opened, document)
        return await operations.undo_chunk_edit(self._opened, number, edit)(JobContext())

    async def redo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Apply an undone edit again; by default the one undone last.

        Raises:
            NotFound: There is no such edit.
            ChunkError: The passages that it changed have changed since.
        """
        number = await document_number(self._opened, document)
        return await operations.redo_chunk_edit(self._opened, number, edit)(JobContext())

    async def chunk_edits(self, document: DocumentRef) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: those in effect, undone, and no longer applicable."""
        number = await document_number(self._opened, document)
        return await operations.list_chunk_edits(self._opened, number)(JobContext())


OnMapEvent = Callable[[MapProgress], object] | None


@known_options
class AsyncMap(Awaited):
    """Map of a library: its passages as points in a plane, similar ones close together; library.map."""

    async def get(self, *, redraw: bool = False, on_event: OnMapEvent = None) -> MapOutlook:
        """Return the map; it is drawn first if there is none, or if enough has changed since.

        result.map.points is float32 [n, 2], within the circle of radius 1, y upwards; result.map.ids is int64 [n], the
        numbers of the passages; result.map.regions has the topics with their words, the largest first. Drawing 100,000
        passages takes 15 s on one processor.

        Args:
            redraw: Lay out all passages again, even if little has changed.
            on_event: Called with the progress of the drawing.

        Returns:
            The map and its state. If map is None, the state gives the reason: no documents, no vectors yet, or no
            embedding model.

        Raises:
            IndexUnavailable: The map could not be drawn.
        """
        outlook = await operations.library_map(self._opened)(JobContext())
        if redraw or outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED):
            outlook = await operations.draw_map(self._opened)(context(on_event))
        return outlook

    async def place(self, questions: Texts) -> tuple[tuple[float, float], ...]:
        """Return the map coordinates (x, y) of questions, in their order; empty without a map or an embedding model."""
        return await operations.place_on_map(self._opened, texts_of("questions", questions))(JobContext())

    async def passage(self, chunk: int) -> MapPassage:
        """Return the passage of a point with its document and page.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.passage_on_map(self._opened, chunk)(JobContext())


class Map(Waiting[AsyncMap]):
    """Map of a library: its passages as points in a plane, similar ones close together; library.map."""

    get = waited(AsyncMap.get)
    place = waited(AsyncMap.place)
    passage = waited(AsyncMap.passage)
