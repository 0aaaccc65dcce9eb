"""The documents of an open library: listed, removed, read anew, tagged, described. Part of AsyncLibrary."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.arguments import DocumentRef, OnImportEvent, context, document_number, document_numbers
from workbench.api.sources import Texts
from workbench.api.waiting import Awaited
from workbench.model.custom_fields import MetadataImport
from workbench.model.document import Document, Origin
from workbench.model.options import known_options, texts_of
from workbench.model.progress import FileFinished
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
