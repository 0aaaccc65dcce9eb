"""What the user writes of documents: metadata fields, tags and keys of their own, each change with its way back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import MetadataError
from workbench.model.custom_metadata import checked_metadata, metadata_in_file
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import DocumentChanged
from workbench.model.metadata import CustomFields, CustomSource, MetadataImport, checked_tags
from workbench.operations.documents.file_metadata import table_rows
from workbench.operations.imports.importing import Import
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation


@dataclass(frozen=True, slots=True)
class MetadataEdit:
    """A document before and after its fields were edited; undo_edit takes the one before."""

    before: Document
    after: Document


def edit_metadata(library: Library, document: int, fields: Mapping[str, object]) -> Operation[MetadataEdit]:
    """Write fields of a document: title, author, created, modified, keywords, language.

    They stay when the file is read again. Another title is found by keyword at once; its vectors are made anew.

    Raises:
        NotFound: There is no such document.
        MetadataError: There is no such field, it cannot have that value, or the document is being read.
    """

    async def operation(context: JobContext) -> MetadataEdit:
        before = await library.on_store(library.documents.get, document)
        _must_not_be_read(library, before, fields)
        after = await library.on_store(library.metadata.edit, before, fields)
        return MetadataEdit(before, await _embedded(library, context, after))

    return operation


def undo_edit(library: Library, before: Document) -> Operation[Document]:
    """Give a document back the fields it had before edit_metadata, and return it."""

    async def operation(context: JobContext) -> Document:
        _must_not_be_read(library, before, ("title",))
        after = await library.on_store(library.metadata.put_back, before)
        return await _embedded(library, context, after)

    return operation


def tag_documents(
    library: Library, documents: Sequence[int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> Operation[dict[int, tuple[str, ...]]]:
    """Add tags to documents and take others away; returns the tags each had before, for put_tags.

    Raises:
        NotFound: There is no such document.
        MetadataError: A tag is blank or too long.
    """

    async def operation(context: JobContext) -> dict[int, tuple[str, ...]]:
        wanted = checked_tags(add)
        unwanted = {tag.casefold() for tag in remove}
        before = {number: (await library.on_store(library.documents.get, number)).tags for number in documents}
        after = {
            number: checked_tags([*(tag for tag in tags if tag.casefold() not in unwanted), *wanted])
            for number, tags in before.items()
        }
        await put_tags(library, {number: tags for number, tags in after.items() if tags != before[number]})(context)
        return before

    return operation


def put_tags(library: Library, tags: Mapping[int, Sequence[str]]) -> Operation[list[Document]]:
    """Give documents these tags in the place of their own, and return them: undoes tag_documents.

    Raises:
        MetadataError: A tag is blank or too long.
    """

    async def operation(context: JobContext) -> list[Document]:
        return _changed(context, await library.on_store(library.metadata.put_tags, tags))

    return operation


def list_tags(library: Library, knowledge_base: str | None = None) -> Operation[list[tuple[str, int]]]:
    """Return the tags in use with the number of their documents, the most used first."""

    async def operation(_context: JobContext) -> list[tuple[str, int]]:
        return await library.on_store(library.metadata.tags, knowledge_base)

    return operation


def give_metadata(
    library: Library, documents: Sequence[int], metadata: Mapping[str, object]
) -> Operation[dict[int, CustomFields]]:
    """Give documents metadata of one's own; returns what each had before, for put_metadata.

    Args:
        library: The open library.
        documents: Their numbers.
        metadata: Texts, numbers, dates or lists of these by key; None takes a key away. Other keys stay.

    Raises:
        NotFound: There is no such document.
        MetadataError: A key or a value cannot be; nothing is changed then.
    """

    async def operation(context: JobContext) -> dict[int, CustomFields]:
        fields = checked_metadata(metadata)
        before = {number: (await library.on_store(library.documents.get, number)).stored_custom for number in documents}
        _changed(context, await library.on_store(library.custom_metadata.put, dict.fromkeys(before, fields)))
        return before

    return operation


def put_metadata(library: Library, metadata: Mapping[int, CustomFields]) -> Operation[list[Document]]:
    """Give documents these metadata in the place of all they have, and return them: undoes give_metadata."""

    async def operation(context: JobContext) -> list[Document]:
        return _changed(context, await library.on_store(library.custom_metadata.put_back, metadata))

    return operation


def import_metadata(library: Library, table: Path, knowledge_base: str | None = None) -> Operation[MetadataImport]:
    """Give documents what a CSV file says: a column headed “file” with names or paths, and a column a key.

    A name that several documents have means all of them.

    Raises:
        DocumentError: The file cannot be read.
        MetadataError: It is no such table.
        NotFound: There is no such knowledge base.
    """

    async def operation(context: JobContext) -> MetadataImport:
        outcome, changed = await library.on_store(_import_table, library, table, knowledge_base)
        _changed(context, changed)
        return outcome

    return operation


def _import_table(library: Library, table: Path, base: str | None) -> tuple[MetadataImport, list[Document]]:
    by_name: dict[str, list[Document]] = {}
    for document in library.documents.list(base):
        for name in dict.fromkeys((document.name, document.path)):
            by_name.setdefault(name, []).append(document)
    given: dict[int, CustomFields] = {}
    unknown: list[str] = []
    told: dict[str, None] = {}
    for name, values in table_rows(table.absolute()).items():
        fields, left_out = metadata_in_file(values, CustomSource.USER)
        told |= dict.fromkeys(left_out)
        documents = by_name.get(name) or by_name.get(str((table.parent / name).absolute()), [])
        given |= {document.id: fields for document in documents}
        unknown += [] if documents else [name]
    before = {one.id: one.stored_custom for found in by_name.values() for one in found if one.id in given}
    changed = library.custom_metadata.put(given)
    return MetadataImport(before, tuple(unknown), tuple(told)), changed


def list_metadata_keys(library: Library, knowledge_base: str | None = None) -> Operation[list[tuple[str, int]]]:
    """Return the keys of the user's own metadata with the number of their documents, the most used first."""

    async def operation(_context: JobContext) -> list[tuple[str, int]]:
        return await library.on_store(library.custom_metadata.count, knowledge_base)

    return operation


def _changed(context: JobContext, documents: list[Document]) -> list[Document]:
    for document in documents:
        context.emit(DocumentChanged(document))
    return documents


def _must_not_be_read(library: Library, document: Document, fields: Mapping[str, object] | Sequence[str]) -> None:
    # Vectors under way carry the old title; whoever reads the document would bring them in after the new ones.
    if "title" in fields and document.id in library.active:
        raise MetadataError(f"“{document.name}” is being read just now.", "Change its title when it is ready.")


async def _embedded(library: Library, context: JobContext, document: Document) -> Document:
    """Return the document with the vectors of its chunks, which another title takes away."""
    context.emit(DocumentChanged(document))
    if document.status is not DocumentStatus.INDEXED or document.embedded == document.chunks:
        return document
    await Import(library, context).finish([document])
    return await library.on_store(library.documents.get, document.id)
