"""Collections of a library: folders, bin, knowledge bases, sessions, memories, and the map of its passages.

Each has an asynchronous and a blocking class.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.arguments import DocumentRef, OnFolderEvent, Texts, context, document_numbers
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.errors import NotFound
from workbench.model.knowledge_base import (
    BinnedDocument,
    FolderCheck,
    KnowledgeBase,
    LinkedFolder,
    RemovedBase,
    Transfer,
)
from workbench.model.map import MapOutlook, MapPassage, MapProgress, MapState
from workbench.model.memory import Memory, MemoryKind
from workbench.model.options import choice_of, known_options, shown, texts_of
from workbench.model.session import ExportProgress, ImportedSession, Part, Session, SessionInfo, SessionMatch
from workbench.worker.job import JobContext

_ARCHIVE = ".zip"

# Aliases, because the methods named “list” below shadow the type in their classes.
Documents = list[BinnedDocument]
Linked = list[LinkedFolder]
Checks = list[FolderCheck]
Bases = list[KnowledgeBase]
Infos = list[SessionInfo]
Matches = list[SessionMatch]
Remembered = list[Memory]
Numbers = list[int]

FolderRef = int | str | Path | LinkedFolder
"""A linked folder: its number, its path, or the LinkedFolder itself."""


@known_options
class AsyncFolders(Awaited):
    """Linked folders, whose files are read in place and whose changes the library follows; library.folders.

    A script checks them by calling check; the window watches them automatically.
    """

    async def list(self) -> Linked:
        """Return the linked folders as of their last check, in the order they were linked."""
        return await operations.list_linked_folders(self._opened)(JobContext())

    async def link(
        self,
        folder: str | Path,
        *,
        knowledge_base: str = "default",
        metadata: Mapping[str, Any] | None = None,
        on_event: OnFolderEvent = None,
    ) -> FolderCheck:
        """Link a folder, read its files, and return the result: how many were added, and how many failed.

        Args:
            folder: Path of the folder.
            knowledge_base: Knowledge base of its documents; created if it does not exist.
            metadata: Your own keys for all its documents, present and future, replacing those set before; None keeps
                those.
            on_event: Called with each event as it happens.

        Raises:
            DocumentError: There is no such folder, it cannot be read, or it contains the library or is contained in it.
            LibraryError: The folder is inside a linked folder, or contains one.
            MetadataError: A key or a value is invalid; nothing is linked then.
        """
        link = operations.link_folder(self._opened, Path(folder), knowledge_base=knowledge_base, metadata=metadata)
        (check,) = await link(context(on_event))
        return check

    async def unlink(self, folder: FolderRef, *, remove_documents: bool = False) -> None:
        """Stop following a folder; its documents are kept with copies of their files, or moved to the bin.

        Raises:
            NotFound: There is no such linked folder.
        """
        number = await self._number(folder)
        await operations.unlink_folder(self._opened, number, remove_documents=remove_documents)(JobContext())

    async def check(
        self, folders: FolderRef | Iterable[FolderRef] | None = None, *, on_event: OnFolderEvent = None
    ) -> Checks:
        """Synchronise the library with all linked folders now, or with these, and return what was done in each.

        Raises:
            NotFound: There is no such linked folder.
        """
        numbers = None
        if folders is not None:
            is_one = isinstance(folders, FolderRef) or not isinstance(folders, Iterable)
            several: Any = [folders] if is_one else folders
            numbers = [await self._number(one) for one in several]
        return await operations.check_linked_folders(self._opened, numbers)(context(on_event))

    async def _number(self, folder: FolderRef) -> int:
        if isinstance(folder, LinkedFolder):
            return folder.id
        if isinstance(folder, bool) or not isinstance(folder, int | str | Path):
            raise TypeError(f"A linked folder is its number, its path or a LinkedFolder, not {folder!r}.")
        return (await operations.linked_folder(self._opened, str(folder))(JobContext())).id


@known_options
class AsyncBin(Awaited):
    """Removed documents that can be restored; library.bin."""

    async def list(self) -> Documents:
        """Return the documents in the bin, the one removed last first."""
        return await operations.list_bin(self._opened)(JobContext())

    async def restore(self, documents: int | Iterable[int]) -> Numbers:
        """Restore documents by their numbers, and return the numbers of those restored.

        A document that was added again meanwhile stays in the bin.
        """
        return await operations.restore_documents(self._opened, _numbers(documents))(JobContext())

    async def empty(self, documents: int | Iterable[int] | None = None) -> int:
        """Delete all documents in the bin permanently, or these, and return their number."""
        chosen = None if documents is None else _numbers(documents)
        return await operations.empty_bin(self._opened, chosen)(JobContext())


@known_options
class AsyncKnowledgeBases(Awaited):
    """Knowledge bases of a library; library.knowledge_bases. library.knowledge(name) returns one as an object."""

    async def list(self) -> Bases:
        """Return the knowledge bases with their contents, the oldest first."""
        return await operations.describe_knowledge_bases(self._opened)(JobContext())

    async def create(self, name: str) -> str:
        """Create an empty knowledge base and return its name.

        Raises:
            LibraryError: The name is blank, too long, or taken.
        """
        return await operations.add_knowledge_base(self._opened, name)(JobContext())

    async def rename(self, name: str, new: str) -> str:
        """Rename a knowledge base and return the new name.

        Raises:
            NotFound: There is no knowledge base of that name.
            LibraryError: The new name is blank, too long, or taken; or it is the default knowledge base.
        """
        return await operations.rename_knowledge_base(self._opened, name, new)(JobContext())

    async def delete(self, name: str) -> RemovedBase:
        """Delete a knowledge base and move its documents to the bin; return the value that restore takes.

        Raises:
            NotFound: There is no knowledge base of that name.
            LibraryError: It is the default one.
        """
        return await operations.remove_knowledge_base(self._opened, name)(JobContext())

    async def restore(self, removed: RemovedBase) -> None:
        """Restore a deleted knowledge base with its documents.

        Raises:
            LibraryError: Another knowledge base has taken its name.
        """
        await operations.restore_knowledge_base(self._opened, removed)(JobContext())

    async def move(
        self, documents: DocumentRef | Iterable[DocumentRef], target: str, *, copy: bool = False
    ) -> Transfer:
        """Move or copy documents to another knowledge base; the result lists those that it already contains.

        Raises:
            NotFound: There is no such knowledge base or document.
        """
        numbers = await document_numbers(self._opened, documents)
        return await operations.move_documents(self._opened, numbers, target, copy=copy)(JobContext())


@known_options
class AsyncSessions(Awaited):
    """Stored conversations; library.sessions. library.ask(question, session=number) continues one."""

    async def list(self) -> Infos:
        """Return all sessions, archived ones too: the pinned ones first, then the most recently changed."""
        return await operations.list_sessions(self._opened)(JobContext())

    async def find(self, words: str) -> Matches:
        """Return the sessions that contain all these words, the most recently changed first."""
        return await operations.find_sessions(self._opened, words)(JobContext())

    async def open(self, session: int) -> Session:
        """Return a session with all its runs, their events, references and citations.

        Raises:
            NotFound: There is no session of that number.
        """
        return await operations.open_session(self._opened, session)(JobContext())

    async def rename(self, session: int, title: str) -> None:
        """Change the title of a session.

        Raises:
            NotFound: There is no session of that number.
        """
        await operations.rename_session(self._opened, session, title)(JobContext())

    async def delete(self, session: int) -> None:
        """Delete a session; restore can bring it back until the library is closed.

        Raises:
            NotFound: There is no session of that number.
        """
        if session not in [info.id for info in await self.list()]:
            raise NotFound(f"There is no session {session}.", "“sessions” lists those there are.")
        await operations.remove_session(self._opened, session)(JobContext())

    async def restore(self, session: int) -> None:
        """Restore a deleted session."""
        await operations.restore_session(self._opened, session)(JobContext())

    async def export(
        self,
        sessions: int | Iterable[int],
        path: str | Path,
        *,
        format: str = "",
        parts: Part | str | Iterable[Part | str] | None = None,
        replace: bool = False,
        on_event: Callable[[ExportProgress], object] | None = None,
    ) -> tuple[Path, ...]:
        """Write sessions to files and return their paths.

        Args:
            sessions: Numbers of the sessions, as in list.
            path: A file for one session; a folder, or a “.zip”, for several.
            format: "md", "html", "pdf", "docx", "json" or "kwbundle"; empty uses the suffix of path, or else "md".
            parts: Contents besides questions, answers and passages: "pages", "steps", "tools", "reasoning", "searches",
                "prompts", "originals"; None uses the default of the format.
            replace: Whether existing files may be replaced.
            on_event: Called with the progress.

        Raises:
            NotFound: There is no such session.
            FileIsThere: A file exists and may not be replaced.
            ExportError: There is no such format, or a file cannot be written.
            ValueError: There is no such part, or no session is given.
        """
        from workbench.export.format_registry import exporter_for, formats  # 0.1 s, which few programs need

        target, numbers = Path(path), _numbers(sessions)
        if not numbers:
            raise ValueError("There is no session to export. Give one number, or several.")
        suffix = target.suffix.lower().removeprefix(".")
        is_one_file = len(numbers) == 1 and not target.is_dir() and target.suffix.lower() != _ARCHIVE
        # The ending of a file names its format, so that a format that there is none of is an error; "notes 2.1" has no
        # ending that is a word.
        names_format = suffix in formats() or (is_one_file and suffix.isalpha())
        exporter = exporter_for(format or (suffix if names_format else "md"))
        chosen = None if parts is None else _parts(parts)
        if is_one_file:
            write = operations.export_session(
                self._opened, numbers[0], exporter.format, target, parts=chosen, replace=replace
            )
            return (await write(context(on_event)),)
        write_all = operations.export_sessions(
            self._opened, numbers, exporter.format, target, parts=chosen, replace=replace
        )
        return await write_all(context(on_event))

    async def import_file(
        self,
        path: str | Path,
        *,
        documents: str | Path | None = None,
        on_event: Callable[[ExportProgress], object] | None = None,
    ) -> ImportedSession:
        """Import a session from a bundle (“.kwbundle”) or a JSON export.

        Args:
            path: The file.
            documents: A folder into which the documents of the bundle are written, and from which they are added; None
                ignores them.
            on_event: Called with the progress.

        Raises:
            ExportError: The file is neither, or it is damaged, modified or too large.
        """
        folder = None if documents is None else Path(documents)
        return await operations.import_session(self._opened, Path(path), documents=folder)(context(on_event))


@known_options
class AsyncMemories(Awaited):
    """Facts remembered from conversations; library.memories.

    Models receive memories, and new ones are made after each answer, only while the setting "memory" is "yes".
    """

    async def list(self) -> Remembered:
        """Return the memories, the newest first."""
        shelf = await operations.list_memories(self._opened)(JobContext())
        return [*shelf.memories]

    async def add(self, text: str, kind: MemoryKind | str = MemoryKind.USER_PREFERENCE) -> Memory:
        """Remember a sentence; kind is "USER_PREFERENCE", "TASK_RECORD", "TOOL_RESULT" or "CONTEXT_INFO".

        Raises:
            SettingError: The text is empty or too long, or may contain a key or password.
            ValueError: There is no such kind.
        """
        return await operations.put_memory(self._opened, text, choice_of("kind", kind, MemoryKind))(JobContext())

    async def edit(self, memory: int, text: str) -> Memory:
        """Change the text of a memory.

        Raises:
            NotFound: There is no memory of that number.
            SettingError: The text is empty or too long, is remembered already, or may contain a key or password.
        """
        return await operations.edit_memory(self._opened, memory, text)(JobContext())

    async def delete(self, memory: int) -> Memory:
        """Delete a memory and return it.

        Raises:
            NotFound: There is no memory of that number.
        """
        return await operations.remove_memory(self._opened, memory)(JobContext())

    async def clear(self) -> Remembered:
        """Delete all memories and return them."""
        return await operations.clear_memories(self._opened)(JobContext())


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


class Folders(Waiting[AsyncFolders]):
    """Linked folders; library.folders."""

    list = waited(AsyncFolders.list)
    link = waited(AsyncFolders.link)
    unlink = waited(AsyncFolders.unlink)
    check = waited(AsyncFolders.check)


class Bin(Waiting[AsyncBin]):
    """Removed documents that can be restored; library.bin."""

    list = waited(AsyncBin.list)
    restore = waited(AsyncBin.restore)
    empty = waited(AsyncBin.empty)


class KnowledgeBases(Waiting[AsyncKnowledgeBases]):
    """Knowledge bases of a library; library.knowledge_bases."""

    list = waited(AsyncKnowledgeBases.list)
    create = waited(AsyncKnowledgeBases.create)
    rename = waited(AsyncKnowledgeBases.rename)
    delete = waited(AsyncKnowledgeBases.delete)
    restore = waited(AsyncKnowledgeBases.restore)
    move = waited(AsyncKnowledgeBases.move)


class Sessions(Waiting[AsyncSessions]):
    """Stored conversations; library.sessions."""

    list = waited(AsyncSessions.list)
    find = waited(AsyncSessions.find)
    open = waited(AsyncSessions.open)
    rename = waited(AsyncSessions.rename)
    delete = waited(AsyncSessions.delete)
    restore = waited(AsyncSessions.restore)
    export = waited(AsyncSessions.export)
    import_file = waited(AsyncSessions.import_file)


class Memories(Waiting[AsyncMemories]):
    """Facts remembered from conversations; library.memories."""

    list = waited(AsyncMemories.list)
    add = waited(AsyncMemories.add)
    edit = waited(AsyncMemories.edit)
    delete = waited(AsyncMemories.delete)
    clear = waited(AsyncMemories.clear)


class Map(Waiting[AsyncMap]):
    """Map of a library: its passages as points in a plane, similar ones close together; library.map."""

    get = waited(AsyncMap.get)
    place = waited(AsyncMap.place)
    passage = waited(AsyncMap.passage)


def _numbers(given: object) -> Numbers:
    several = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    numbers = [one for one in several if isinstance(one, int) and not isinstance(one, bool)]
    if len(numbers) < len(several):
        raise TypeError(f"A number or several are needed, not {shown(given)}.")
    return numbers


def _parts(given: Part | str | Iterable[Part | str]) -> frozenset[Part]:
    several = [given] if isinstance(given, str) else given
    return frozenset(choice_of("parts", one, Part) for one in several)
