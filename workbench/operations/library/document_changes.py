"""Change requests for documents that one program sends to another: add, read again, tag, edit, remove."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, NewType, TypeVar

from workbench import operations
from workbench.model.chunk import ChunkEdit
from workbench.model.custom_metadata import typed_pairs
from workbench.model.import_progress import FileFinished
from workbench.model.knowledge_base import FolderCheck, Transfer
from workbench.model.metadata import MetadataImport
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation

T_co = TypeVar("T_co", covariant=True)

Whole = NewType("Whole", int)
"""An integer entered by the user, which may refer to nothing: the operation reports that. An int is a row id."""


class Change(ABC, Generic[T_co]):
    """Change that may be requested; subclasses are data classes, whose fields are those of the message.

    Attributes:
        is_import: True if it reads documents, which may take long: the window shows it among its imports.
        is_of_setup: True if it changes anything else in the window: settings, profiles, agents, links, sessions.
    """

    __slots__ = ()
    is_import: ClassVar[bool] = False
    is_of_setup: ClassVar[bool] = False

    @abstractmethod
    def operation(self, library: Library) -> Operation[T_co]:
        """Return the operation that makes the change in the program that may write to the library."""


@dataclass(frozen=True, slots=True)
class AddFiles(Change[list[FileFinished]]):
    """Request to add files, folders and archives, with the options of add_documents; metadata as “key=value”."""

    is_import = True
    paths: tuple[Path, ...]
    knowledge_base: str
    password: str = field(default="", repr=False)
    remember: bool = False
    rehash: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    follow_links: bool | None = None
    metadata: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        return operations.add_documents(
            library,
            self.paths,
            knowledge_base=self.knowledge_base,
            password=self.password or None,
            remember_password=self.remember,
            check_contents=self.rehash,
            include=self.include,
            exclude=self.exclude,
            follow_links=self.follow_links,
            metadata=typed_pairs(self.metadata),
        )


@dataclass(frozen=True, slots=True)
class AddLinks(Change[list[FileFinished]]):
    """Request to add web pages; allow_hosts and the gate of the receiving program decide whether they are fetched.

    Custom metadata are given as “key=value”.
    """

    is_import = True
    links: tuple[str, ...]
    knowledge_base: str
    run_scripts: bool = False
    metadata: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        add = operations.add_urls(
            library,
            self.links,
            knowledge_base=self.knowledge_base,
            run_scripts=self.run_scripts,
            allow_hosts=self.allow_hosts,
        )
        return _with_metadata(library, add, self.metadata)


@dataclass(frozen=True, slots=True)
class AddTopics(Change[list[FileFinished]]):
    """Request to add articles of the encyclopaedia that the library's settings name; the gate applies as for links."""

    is_import = True
    topics: tuple[str, ...]
    knowledge_base: str
    metadata: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        add = operations.add_topics(
            library, self.topics, knowledge_base=self.knowledge_base, allow_hosts=self.allow_hosts
        )
        return _with_metadata(library, add, self.metadata)


@dataclass(frozen=True, slots=True)
class AddNote(Change[list[FileFinished]]):
    """Request to add a note, in Markdown."""

    is_import = True
    text: str
    title: str
    knowledge_base: str

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds it."""
        return operations.add_note(library, self.text, title=self.title, knowledge_base=self.knowledge_base)


@dataclass(frozen=True, slots=True)
class EditNote(Change[list[FileFinished]]):
    """Request to replace the text of a note."""

    is_import = True
    document: int
    text: str
    title: str

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that replaces it."""
        return operations.edit_note(library, self.document, self.text, title=self.title)


@dataclass(frozen=True, slots=True)
class Unlock(Change[list[FileFinished]]):
    """Request to try a password on locked documents; on all of them if none are named."""

    is_import = True
    documents: tuple[int, ...]
    password: str = field(repr=False)
    remember: bool = False

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that tries it."""
        return operations.unlock_documents(library, self.password, self.documents or None, remember=self.remember)


@dataclass(frozen=True, slots=True)
class Remove(Change[None]):
    """Request to move documents to the bin, or to delete them for good."""

    documents: tuple[int, ...]
    for_good: bool = False

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes them."""
        return operations.remove_documents(library, self.documents, for_good=self.for_good)


@dataclass(frozen=True, slots=True)
class Restore(Change[list[int]]):
    """Request to restore documents from the bin; its result is the ids of the restored ones."""

    documents: tuple[int, ...]

    def operation(self, library: Library) -> Operation[list[int]]:
        """Return the operation that restores them."""
        return operations.restore_documents(library, self.documents)


@dataclass(frozen=True, slots=True)
class Delete(Change[int]):
    """Request to delete documents in the bin for good; its result is their number."""

    documents: tuple[int, ...]

    def operation(self, library: Library) -> Operation[int]:
        """Return the operation that deletes them."""
        return operations.empty_bin(library, self.documents)


@dataclass(frozen=True, slots=True)
class Edit(Change[None]):
    """Request to set fields of a document, and to add and remove tags."""

    document: int
    fields: dict[str, str]
    tag: tuple[str, ...] = ()
    untag: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that writes them."""

        async def operation(context: JobContext) -> None:
            if self.fields:
                await operations.edit_metadata(library, self.document, self.fields)(context)
            await operations.tag_documents(library, [self.document], add=self.tag, remove=self.untag)(context)

        return operation


@dataclass(frozen=True, slots=True)
class AddQuery(Change[list[FileFinished]]):
    """Request to add the result of a database query; an SQLite file has an absolute path, as from normalised().

    For a database server outside this machine, allow_hosts applies as for links.
    """

    is_import = True
    connection: str = field(repr=False)
    query: str
    title: str
    knowledge_base: str
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds it."""
        return operations.add_query(
            library,
            self.connection,
            self.query,
            title=self.title,
            knowledge_base=self.knowledge_base,
            allow_hosts=self.allow_hosts,
        )


@dataclass(frozen=True, slots=True)
class Refetch(Change[list[FileFinished]]):
    """Request to fetch web pages and run queries again; allow_hosts applies as for links."""

    is_import = True
    documents: tuple[int, ...]
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that fetches them."""
        return operations.refetch(library, self.documents, allow_hosts=self.allow_hosts)


@dataclass(frozen=True, slots=True)
class Reindex(Change[list[FileFinished]]):
    """Request to read documents again, with an extended time limit per file on request."""

    is_import = True
    documents: tuple[int, ...]
    more_time: bool = False

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that reads them."""
        return operations.reindex_documents(library, self.documents, more_time=self.more_time)


@dataclass(frozen=True, slots=True)
class Recut(Change[list[FileFinished]]):
    """Request to chunk documents again that have chunks longer than the embedding model reads at once."""

    is_import = True

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that chunks them again."""
        return operations.recut_documents(library)


@dataclass(frozen=True, slots=True)
class Pause(Change[None]):
    """Request to pause imports: documents that are not read yet wait."""

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that pauses them."""
        return operations.pause_imports(library)


@dataclass(frozen=True, slots=True)
class Resume(Change[list[FileFinished]]):
    """Request to end the pause of imports, and to read all documents that no import is reading."""

    is_import = True

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that resumes them."""

        async def operation(context: JobContext) -> list[FileFinished]:
            await operations.pause_imports(library, False)(context)
            return await operations.resume_import(library)(context)

        return operation


@dataclass(frozen=True, slots=True)
class Move(Change[Transfer]):
    """Request to move or copy documents to another knowledge base."""

    documents: tuple[int, ...]
    target: str
    copy: bool = False

    def operation(self, library: Library) -> Operation[Transfer]:
        """Return the operation that moves them."""
        return operations.move_documents(library, self.documents, self.target, copy=self.copy)


@dataclass(frozen=True, slots=True)
class GiveMetadata(Change[None]):
    """Request to set custom metadata, as “key=value”, and to remove keys."""

    documents: tuple[int, ...]
    metadata: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that sets them."""
        given: dict[str, object] = {**typed_pairs(self.metadata), **dict.fromkeys(self.without)}

        async def operation(context: JobContext) -> None:
            await operations.give_metadata(library, self.documents, given)(context)

        return operation


@dataclass(frozen=True, slots=True)
class ImportMetadata(Change[MetadataImport]):
    """Request to import metadata from a CSV file, for the documents of a knowledge base, or of all if it is empty."""

    table: Path
    knowledge_base: str

    def operation(self, library: Library) -> Operation[MetadataImport]:
        """Return the operation that imports them."""
        return operations.import_metadata(library, self.table, self.knowledge_base or None)


@dataclass(frozen=True, slots=True)
class EditChunk(Change[ChunkEdit | None]):
    """Request to replace the text of a chunk."""

    chunk: Whole
    text: str

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that replaces it."""
        return operations.edit_chunk(library, self.chunk, self.text)


@dataclass(frozen=True, slots=True)
class MergeChunks(Change[ChunkEdit | None]):
    """Request to merge a chunk with the next or the previous one."""

    chunk: Whole
    previous: bool = False

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that merges them."""
        return operations.merge_chunks(library, self.chunk, other=-1 if self.previous else 1)


@dataclass(frozen=True, slots=True)
class SplitChunk(Change[ChunkEdit | None]):
    """Request to split a chunk into two; at is the offset of the first character of the second."""

    chunk: Whole
    at: Whole

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that splits it."""
        return operations.split_chunk(library, self.chunk, self.at)


@dataclass(frozen=True, slots=True)
class DisableChunk(Change[ChunkEdit | None]):
    """Request to exclude a chunk from searches, or to include it again."""

    chunk: Whole
    disabled: bool

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that switches it."""
        return operations.disable_chunk(library, self.chunk, disabled=self.disabled)


@dataclass(frozen=True, slots=True)
class TagChunk(Change[ChunkEdit | None]):
    """Request to replace the tags of a chunk."""

    chunk: Whole
    tags: tuple[str, ...]

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that replaces them."""
        return operations.tag_chunk(library, self.chunk, self.tags)


@dataclass(frozen=True, slots=True)
class ResetChunk(Change[ChunkEdit | None]):
    """Request to restore a chunk to its original, as read from the file."""

    chunk: Whole

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that restores it."""
        return operations.reset_chunk(library, self.chunk)


@dataclass(frozen=True, slots=True)
class GoBack(Change[ChunkEdit | None]):
    """Request to undo or redo a chunk edit; the last one if none is named."""

    document: int
    edit: Whole | None
    redo: bool = False

    def operation(self, library: Library) -> Operation[ChunkEdit | None]:
        """Return the operation that undoes or redoes it."""
        go_back = operations.redo_chunk_edit if self.redo else operations.undo_chunk_edit
        return go_back(library, self.document, self.edit)


@dataclass(frozen=True, slots=True)
class LinkFolder(Change[list[FolderCheck]]):
    """Request to link a folder; metadata as “key=value” apply to all its documents; none keeps the present ones."""

    is_import = True
    is_of_setup = True
    folder: Path
    knowledge_base: str
    metadata: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FolderCheck]]:
        """Return the operation that links it."""
        given = typed_pairs(self.metadata) or None
        return operations.link_folder(library, self.folder, knowledge_base=self.knowledge_base, metadata=given)


@dataclass(frozen=True, slots=True)
class UnlinkFolder(Change[None]):
    """Request to unlink a folder; its documents stay, or are moved to the bin."""

    is_of_setup = True
    folder: int
    remove: bool = False

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that unlinks it."""
        return operations.unlink_folder(library, self.folder, remove_documents=self.remove)


@dataclass(frozen=True, slots=True)
class CheckFolders(Change[list[FolderCheck]]):
    """Request to update the library from all linked folders."""

    is_import = True

    def operation(self, library: Library) -> Operation[list[FolderCheck]]:
        """Return the operation that checks them."""
        return operations.check_linked_folders(library)


def _with_metadata(
    library: Library, add: Operation[list[FileFinished]], pairs: tuple[str, ...]
) -> Operation[list[FileFinished]]:
    """Return an operation that adds documents and sets their metadata."""

    async def operation(context: JobContext) -> list[FileFinished]:
        given = typed_pairs(pairs)
        files = await add(context)
        if given and (added := [one.document for one in files if one.document is not None]):
            await operations.give_metadata(library, added, given)(context)
        return files

    return operation


DOCUMENT_CHANGES: tuple[type[Change[Any]], ...] = (
    *(AddFiles, AddLinks, AddTopics, AddNote, AddQuery, EditNote, Unlock, Refetch, Reindex, Recut, Pause, Resume),
    *(Remove, Restore, Delete, Move, Edit, GiveMetadata, ImportMetadata),
    *(EditChunk, MergeChunks, SplitChunk, DisableChunk, TagChunk, ResetChunk, GoBack),
    *(LinkFolder, UnlinkFolder, CheckFolders),
)
"""All changes of documents that a message may request."""
