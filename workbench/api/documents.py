"""Documents and passages of an open library, and the map of them: listed, changed, tagged, removed."""

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
    """The verbs of AsyncLibrary that are about documents which are there."""

    async def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return await operations.list_documents(self._opened, knowledge_base)(JobContext())

    async def document(self, document: DocumentRef) -> Document:
        """Return a document by its number, path, name or the start of its hash.

        Raises:
            NotFound: There is none, or more than one is meant.
        """
        number = await document_number(self._opened, document)
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def remove(self, documents: DocumentRef | Iterable[DocumentRef], *, for_good: bool = False) -> None:
        """Remove documents; they lie in the bin, unless they are to go for good.

        Raises:
            NotFound: There is no such document; nothing is removed then.
        """
        numbers = await document_numbers(self._opened, documents)
        await operations.remove_documents(self._opened, numbers, for_good=for_good)(JobContext())

    async def reindex(
        self, documents: DocumentRef | Iterable[DocumentRef] | None = None, *, on_event: OnImportEvent = None
    ) -> list[FileFinished]:
        """Read all documents, or these, anew from the library's copies, as settings changed since then ask for.

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
        """Fetch all web pages and run all queries again, or these; files and notes are passed over.

        Args:
            documents: Only these.
            allow_hosts: As for add.
            on_event: Told each event as it happens.

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
        """Add tags to documents, and take others away; a filter asks for them by “tag:”.

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
        """Give a document metadata of your own, and return it; None takes a key away, other keys stay.

        Raises:
            NotFound: There is no such document.
            MetadataError: A key or a value cannot be.
        """
        number = await document_number(self._opened, document)
        await operations.give_metadata(self._opened, [number], metadata)(JobContext())
        return await operations.show_document(self._opened, str(number))(JobContext())

    async def metadata_keys(self, knowledge_base: str | None = None) -> dict[str, int]:
        """Return the keys of your own metadata with the number of their documents, the most used first."""
        return dict(await operations.list_metadata_keys(self._opened, knowledge_base)(JobContext()))

    async def import_metadata(self, table: str | Path, knowledge_base: str | None = None) -> MetadataImport:
        """Give documents the metadata of a CSV file: a column headed “file” with names or paths, and a column a key.

        Returns:
            What each document had before, by its number; the names of which there is no document; what was left out.

        Raises:
            DocumentError: The file cannot be read.
            MetadataError: It is no such table.
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
        """Write fields of a document, and return it; they stay when the file is read again. None leaves a field.

        Args:
            document: Its number, path, name, or itself.
            title: Found by keyword at once; the document is embedded anew.
            author: Who wrote it.
            created: Like "2024", "2024-05" or "2024-05-31".
            modified: Likewise.
            keywords: One or several.
            language: Its code, like "en".

        Raises:
            NotFound: There is no such document.
            MetadataError: A field cannot have that value, or the document is being read.
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
        """Replace the text of a note, and return how that ended; the old one is searched until the new one can be.

        Raises:
            NotFound: There is no such note.
            DocumentError: There is no text.
        """
        number = await document_number(self._opened, document)
        return await operations.edit_note(self._opened, number, text, title=title)(context(on_event))


@known_options
class AsyncPassages(Awaited):
    """The verbs of AsyncLibrary that are about passages."""

    async def chunks(self, document: DocumentRef) -> list[Chunk]:
        """Return the passages of a document in order; hit.chunk of a search is one of them, too.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.list_chunks(self._opened, number)(JobContext())

    async def neighbours(self, chunk: Chunk, *, before: int = 1, after: int = 1) -> Stretch:
        """Return a passage with so many before and after it, as they stand in the document.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.neighbours(self._opened, chunk, before=before, after=after)(JobContext())

    async def section(self, chunk: Chunk) -> Stretch:
        """Return the section in which a passage stands; of a very long one the part around the passage.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.section(self._opened, chunk)(JobContext())

    async def edit_chunk(self, chunk: int, text: str) -> ChunkEdit | None:
        """Give a passage another text; the file is not changed, and a citation shows what stands there.

        This and the next five return what was done, None where there was nothing to do. Passages of another text or
        other ends have new numbers, in its `after`; undo_chunk_edit takes it back.

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is no text or too much, or the document is just being read.
        """
        return await operations.edit_chunk(self._opened, chunk, text)(JobContext())

    async def merge_chunks(self, chunk: int, *, other: int = 1) -> ChunkEdit | None:
        """Make one passage of a passage and those beside it: the next (1), the one before (-1), the next two (2)...

        Raises:
            NotFound: There is no such passage.
            ChunkError: There is none beside it.
        """
        return await operations.merge_chunks(self._opened, chunk, other=other)(JobContext())

    async def split_chunk(self, chunk: int, at: int) -> ChunkEdit | None:
        """Make two passages of one; at is the first character of the second, in the passage's text.

        Raises:
            NotFound: There is no such passage.
            ChunkError: One of them would be empty.
        """
        return await operations.split_chunk(self._opened, chunk, at)(JobContext())

    async def disable_chunk(self, chunk: int, *, disabled: bool = True) -> ChunkEdit | None:
        """Have a passage found by no search any more, or again."""
        return await operations.disable_chunk(self._opened, chunk, disabled=disabled)(JobContext())

    async def tag_chunk(self, chunk: int, tags: Texts) -> ChunkEdit | None:
        """Give a passage these tags in the place of its own; a filter asks for them by “passage_tag:”.

        Raises:
            MetadataError: A tag is blank or too long.
        """
        return await operations.tag_chunk(self._opened, chunk, texts_of("tags", tags))(JobContext())

    async def reset_chunk(self, chunk: int) -> ChunkEdit | None:
        """Give back what a passage was made of; what was merged or split together goes back together."""
        return await operations.reset_chunk(self._opened, chunk)(JobContext())

    async def undo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Undo an edit of a document, the last one that can be undone if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: A later edit was built upon it.
        """
        number = await document_number(self._opened, document)
        return await operations.undo_chunk_edit(self._opened, number, edit)(JobContext())

    async def redo_chunk_edit(self, document: DocumentRef, edit: int | None = None) -> ChunkEdit:
        """Do an edit again that was undone, the one undone last if none is named.

        Raises:
            NotFound: There is none.
            ChunkError: What it changed is not there as it was.
        """
        number = await document_number(self._opened, document)
        return await operations.redo_chunk_edit(self._opened, number, edit)(JobContext())

    async def chunk_edits(self, document: DocumentRef) -> list[ChunkEdit]:
        """Return the edits of a document, oldest first: in force, undone, and not to be applied again."""
        number = await document_number(self._opened, document)
        return await operations.list_chunk_edits(self._opened, number)(JobContext())


OnMapEvent = Callable[[MapProgress], object] | None


@known_options
class AsyncMap(Awaited):
    """The passages of a library as points in a plane, what is alike close together; library.map."""

    async def get(self, *, redraw: bool = False, on_event: OnMapEvent = None) -> MapOutlook:
        """Return the map; it is drawn first where there is none, or where enough has changed since.

        result.map.points is float32 [n, 2], within the circle of radius 1, y upwards; result.map.ids is int64 [n], the
        numbers of the passages; result.map.regions has the topics with their words, the largest first. Drawing 100,000
        passages takes 15 s of one processor.

        Args:
            redraw: Lay out all passages again, even where little has changed.
            on_event: Told how far the drawing is.

        Returns:
            Its state says why map is None: no documents, no vectors yet, or no embedding model.

        Raises:
            IndexUnavailable: It could not be drawn.
        """
        outlook = await operations.library_map(self._opened)(JobContext())
        if redraw or outlook.state in (MapState.NOT_DRAWN, MapState.OUTDATED):
            outlook = await operations.draw_map(self._opened)(context(on_event))
        return outlook

    async def place(self, questions: Texts) -> tuple[tuple[float, float], ...]:
        """Return where questions stand on the map, x and y, in their order; nothing where there is no map."""
        return await operations.place_on_map(self._opened, texts_of("questions", questions))(JobContext())

    async def passage(self, chunk: int) -> MapPassage:
        """Return a point as people read it: the passage, its document and page.

        Raises:
            NotFound: The passage is no longer in the library.
        """
        return await operations.passage_on_map(self._opened, chunk)(JobContext())


class Map(Waiting[AsyncMap]):
    """The passages of a library as points in a plane, what is alike close together; library.map."""

    get = waited(AsyncMap.get)
    place = waited(AsyncMap.place)
    passage = waited(AsyncMap.passage)
