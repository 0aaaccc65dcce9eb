"""Metadata edits by the user: fields, tags and custom keys of documents, each with its undo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.model.custom_metadata import checked_metadata, metadata_in_file
from workbench.model.document import Document
from workbench.model.import_progress import DocumentChanged
from workbench.model.metadata import CustomFields, CustomSource, MetadataImport, checked_tags
from workbench.operations.documents.file_metadata import table_rows
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation


@dataclass(frozen=True, slots=True)
class MetadataEdit:
    """Document before and after an edit of its fields; undo_edit takes the one before."""

    before: Document
    after: Document


def edit_metadata(library: Library, document: int, fields: Mapping[str, object]) -> Operation[MetadataEdit]:
    """Set fields of a document: title, author, created, modified, keywords, language.

    The values are kept when the file is read again. Keyword search finds a new title at once.

    Raises:
        NotFound: There is no such document.
        MetadataError: There is no such field, or the value is invalid.
    """

    async def operation(context: JobContext) -> MetadataEdit:
        before = await library.on_store(library.documents.get, document)
        after = await library.on_store(library.metadata.edit, before, fields)
        context.emit(DocumentChanged(after))
        return MetadataEdit(before, after)

    return operation


def undo_edit(library: Library, before: Document) -> Operation[Document]:
    """Restore the fields that a document had before edit_metadata, and return the document."""

    async def operation(context: JobContext) -> Document:
        after = await library.on_store(library.metadata.put_back, before)
        context.emit(DocumentChanged(after))
        return after

    return operation


def tag_documents(
    library: Library, documents: Sequence[int], *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> Operation[dict[int, tuple[str, ...]]]:
    """Add tags to documents and remove others; returns the tags each had before, for put_tags.

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
    """Replace the tags of documents and return the documents; undoes tag_documents.

    Raises:
        MetadataError: A tag is blank or too long.
    """

    async def operation(context: JobContext) -> list[Document]:
        return _emit_changed(context, await library.on_store(library.metadata.put_tags, tags))

    return operation


def list_tags(library: Library, knowledge_base: str | None = None) -> Operation[list[tuple[str, int]]]:
    """Return the tags in use with the number of their documents, the most used first."""

    async def operation(_context: JobContext) -> list[tuple[str, int]]:
        return await library.on_store(library.metadata.tags, knowledge_base)

    return operation


def give_metadata(
    library: Library, documents: Sequence[int], metadata: Mapping[str, object]
) -> Operation[dict[int, CustomFields]]:
    """Set custom metadata of documents; returns the metadata each had before, for put_metadata.

    Args:
        library: The open library.
        documents: Their ids.
        metadata: Texts, numbers, dates or lists of these by key; None removes a key. Other keys are kept.

    Raises:
        NotFound: There is no such document.
        MetadataError: A key or a value is invalid; then nothing is changed.
    """

    async def operation(context: JobContext) -> dict[int, CustomFields]:
        fields = checked_metadata(metadata)
        before = {number: (await library.on_store(library.documents.get, number)).stored_custom for number in documents}
        _emit_changed(context, await library.on_store(library.custom_metadata.put, dict.fromkeys(before, fields)))
        return before

    return operation


def put_metadata(library: Library, metadata: Mapping[int, CustomFields]) -> Operation[list[Document]]:
    """Replace all custom metadata of documents and return the documents; undoes give_metadata."""

    async def operation(context: JobContext) -> list[Document]:
        return _emit_changed(context, await library.on_store(library.custom_metadata.put_back, metadata))

    return operation


def import_metadata(library: Library, table: Path, knowledge_base: str | None = None) -> Operation[MetadataImport]:
    """Set metadata of documents from a CSV file with a column “file” of names or paths and one column per key.

    A name that several documents have applies to all of them.

    Raises:
        DocumentError: The file cannot be read.
        MetadataError: The file is not a metadata table.
        NotFound: There is no such knowledge base.
    """

    async def operation(context: JobContext) -> MetadataImport:
        outcome, changed = await library.on_store(_import_table, library, table, knowledge_base)
        _emit_changed(context, changed)
        return outcome

    return operation


def _import_table(library: Library, table: Path, base: str | None) -> tuple[MetadataImport, list[Document]]:
    by_name: dict[str, list[Document]] = {}
    for document in library.documents.list(base):
        for name in dict.fromkeys((document.name, document.path)):
            by_name.setdefault(name, []).append(document)
    given: dict[int, CustomFields] = {}
    unknown: list[str] = []
    messages: dict[str, None] = {}
    for name, values in table_rows(table.absolute()).items():
        fields, left_out = metadata_in_file(values, CustomSource.USER)
        messages |= dict.fromkeys(left_out)
        documents = by_name.get(name) or by_name.get(str((table.parent / name).absolute()), [])
        given |= {document.id: fields for document in documents}
        unknown += [] if documents else [name]
    before = {one.id: one.stored_custom for found in by_name.values() for one in found if one.id in given}
    changed = library.custom_metadata.put(given)
    return MetadataImport(before, tuple(unknown), tuple(messages)), changed


def list_metadata_keys(library: Library, knowledge_base: str | None = None) -> Operation[list[tuple[str, int]]]:
    """Return the keys of custom metadata with the number of their documents, the most used first."""

    async def operation(_context: JobContext) -> list[tuple[str, int]]:
        return await library.on_store(library.custom_metadata.count, knowledge_base)

    return operation


def _emit_changed(context: JobContext, documents: list[Document]) -> list[Document]:
    for document in documents:
        context.emit(DocumentChanged(document))
    return documents
