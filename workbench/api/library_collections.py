"""What a library keeps beside its documents: folders, bin, knowledge bases, sessions, memories. Awaited, waited for."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.api.arguments import DocumentRef, OnFolderEvent, context, document_numbers
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.errors import NotFound
from workbench.export.registry import exporter_for, formats
from workbench.model.knowledge_base import (
    BinnedDocument,
    FolderCheck,
    KnowledgeBase,
    LinkedFolder,
    RemovedBase,
    Transfer,
)
from workbench.model.memory import Memory, MemoryKind
from workbench.model.options import choice_of, known_options, shown
from workbench.model.session import ExportProgress, ImportedSession, Part, Session, SessionInfo, SessionMatch
from workbench.worker.job import JobContext

_ARCHIVE = ".zip"

# Methods are called “list” below, which then is no type there.
Documents = list[BinnedDocument]
Linked = list[LinkedFolder]
Checks = list[FolderCheck]
Bases = list[KnowledgeBase]
Infos = list[SessionInfo]
Matches = list[SessionMatch]
Remembered = list[Memory]
Numbers = list[int]

FolderRef = int | str | Path | LinkedFolder
"""A linked folder: its number, its path, or itself."""


@known_options
class AsyncFolders(Awaited):
    """Linked folders: their files are read in place, and the library follows what becomes of them; library.folders.

    A script looks at them when it calls check; the window watches them by itself.
    """

    async def list(self) -> Linked:
        """Return them as they stood at their last check, in the order they were linked."""
        return await operations.list_linked_folders(self._opened)(JobContext())

    async def link(
        self,
        folder: str | Path,
        *,
        knowledge_base: str = "default",
        metadata: Mapping[str, Any] | None = None,
        on_event: OnFolderEvent = None,
    ) -> FolderCheck:
        """Link a folder, read its files, and return what that came to: how many were added, and how many failed.

        Args:
            folder: Its path.
            knowledge_base: Where its documents belong; made if there is none of that name.
            metadata: Keys of your own for all its documents, those to come too, in the place of those of before; None
                leaves them.
            on_event: Told each event as it happens.

        Raises:
            DocumentError: There is no such folder, or it cannot be read; or it and the library lie inside each other.
            LibraryError: It lies inside a linked folder, or around one.
            MetadataError: A key or a value cannot be; nothing is linked then.
        """
        link = operations.link_folder(self._opened, Path(folder), knowledge_base=knowledge_base, metadata=metadata)
        (check,) = await link(context(on_event))
        return check

    async def unlink(self, folder: FolderRef, *, remove_documents: bool = False) -> None:
        """Follow a folder no longer; its documents stay with copies of their files, or go to the bin.

        Raises:
            NotFound: There is no such linked folder.
        """
        number = await self._number(folder)
        await operations.unlink_folder(self._opened, number, remove_documents=remove_documents)(JobContext())

    async def check(
        self, folders: FolderRef | Iterable[FolderRef] | None = None, *, on_event: OnFolderEvent = None
    ) -> Checks:
        """Bring the library into step with all linked folders now, or with these, and return what was done in each.

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
    """Documents that were removed and can still come back; library.bin."""

    async def list(self) -> Documents:
        """Return them, the one removed last first."""
        return await operations.list_bin(self._opened)(JobContext())

    async def restore(self, documents: int | Iterable[int]) -> Numbers:
        """Bring documents back, by their numbers, and return those that are back.

        One that was added anew meanwhile stays in the bin.
        """
        return await operations.restore_documents(self._opened, _numbers(documents))(JobContext())

    async def empty(self, documents: int | Iterable[int] | None = None) -> int:
        """Delete all of them for good, or these; returns how many."""
        chosen = None if documents is None else _numbers(documents)
        return await operations.empty_bin(self._opened, chosen)(JobContext())


@known_options
class AsyncKnowledgeBases(Awaited):
    """The knowledge bases of a library; library.knowledge_bases. library.knowledge(name) gives one as a thing."""

    async def list(self) -> Bases:
        """Return them with what they hold, the oldest first."""
        return await operations.describe_knowledge_bases(self._opened)(JobContext())

    async def create(self, name: str) -> str:
        """Add an empty one and return its name.

        Raises:
            LibraryError: The name is blank, too long, or taken.
        """
        return await operations.add_knowledge_base(self._opened, name)(JobContext())

    async def rename(self, name: str, new: str) -> str:
        """Give one another name and return that.

        Raises:
            NotFound: There is none of that name.
            LibraryError: The new name is blank, too long, or taken; or it is the default one.
        """
        return await operations.rename_knowledge_base(self._opened, name, new)(JobContext())

    async def delete(self, name: str) -> RemovedBase:
        """Remove one; its documents go into the bin. Returns what restore takes.

        Raises:
            NotFound: There is none of that name.
            LibraryError: It is the default one.
        """
        return await operations.remove_knowledge_base(self._opened, name)(JobContext())

    async def restore(self, removed: RemovedBase) -> None:
        """Bring back what delete removed, with its documents.

        Raises:
            LibraryError: Another one has its name by now.
        """
        await operations.restore_knowledge_base(self._opened, removed)(JobContext())

    async def move(
        self, documents: DocumentRef | Iterable[DocumentRef], target: str, *, copy: bool = False
    ) -> Transfer:
        """Move documents to another one, or copy them there; what it holds already stays, and the result says so.

        Raises:
            NotFound: There is no such knowledge base or document.
        """
        numbers = await document_numbers(self._opened, documents)
        return await operations.move_documents(self._opened, numbers, target, copy=copy)(JobContext())


@known_options
class AsyncSessions(Awaited):
    """Conversations as they were kept; library.sessions. library.ask(question, session=number) goes on with one."""

    async def list(self) -> Infos:
        """Return all, archived ones too: the pinned first, then the one changed last."""
        return await operations.list_sessions(self._opened)(JobContext())

    async def find(self, words: str) -> Matches:
        """Return those in which all these words were said, the one changed last first."""
        return await operations.find_sessions(self._opened, words)(JobContext())

    async def open(self, session: int) -> Session:
        """Return one with all its runs, their events, references and citations.

        Raises:
            NotFound: There is none of that number.
        """
        return await operations.open_session(self._opened, session)(JobContext())

    async def rename(self, session: int, title: str) -> None:
        """Give one another title.

        Raises:
            NotFound: There is none of that number.
        """
        await operations.rename_session(self._opened, session, title)(JobContext())

    async def delete(self, session: int) -> None:
        """Remove one; restore brings it back until the library is closed.

        Raises:
            NotFound: There is none of that number.
        """
        if session not in [info.id for info in await self.list()]:
            raise NotFound(f"There is no session {session}.", "“sessions” lists those there are.")
        await operations.remove_session(self._opened, session)(JobContext())

    async def restore(self, session: int) -> None:
        """Bring back what delete removed."""
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
            sessions: Numbers, as list has them.
            path: A file for one session; a folder, or a “.zip”, for several.
            format: "md", "html", "pdf", "docx", "json" or "kwbundle"; empty means what the file is called, else "md".
            parts: What stands in it besides questions, answers and passages: "pages", "steps", "tools", "reasoning",
                "searches", "prompts", "originals"; None means what is usual in the format.
            replace: Whether files that are there may be replaced.
            on_event: Told how far it is.

        Raises:
            NotFound: There is no such session.
            FileIsThere: A file is there, and may not be replaced.
            ExportError: There is no such format, or a file cannot be written.
            ValueError: There is no such part, or no session is named.
        """
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
        """Take in a session from a bundle (“.kwbundle”) or a JSON export.

        Args:
            path: The file.
            documents: A folder into which documents that the bundle holds are written, and added from; None leaves
                them.
            on_event: Told how far it is.

        Raises:
            ExportError: The file is neither, or it is damaged, changed or too large.
        """
        folder = None if documents is None else Path(documents)
        return await operations.import_session(self._opened, Path(path), documents=folder)(context(on_event))


@known_options
class AsyncMemories(Awaited):
    """What is remembered of conversations; library.memories.

    Only while the setting "memory" is "yes" is it handed to a model, and more remembered after each answer.
    """

    async def list(self) -> Remembered:
        """Return what is remembered, the newest first."""
        shelf = await operations.list_memories(self._opened)(JobContext())
        return [*shelf.memories]

    async def add(self, text: str, kind: MemoryKind | str = MemoryKind.USER_PREFERENCE) -> Memory:
        """Remember a sentence; kind is "USER_PREFERENCE", "TASK_RECORD", "TOOL_RESULT" or "CONTEXT_INFO".

        Raises:
            SettingError: It is empty or too long, or a key or password may stand in it.
            ValueError: There is no such kind.
        """
        return await operations.put_memory(self._opened, text, choice_of("kind", kind, MemoryKind))(JobContext())

    async def edit(self, memory: int, text: str) -> Memory:
        """Change what one says.

        Raises:
            NotFound: There is none of that number.
            SettingError: It is empty or too long, is remembered already, or a key or password may stand in it.
        """
        return await operations.edit_memory(self._opened, memory, text)(JobContext())

    async def delete(self, memory: int) -> Memory:
        """Forget one and return it.

        Raises:
            NotFound: There is none of that number.
        """
        return await operations.remove_memory(self._opened, memory)(JobContext())

    async def clear(self) -> Remembered:
        """Forget everything and return it."""
        return await operations.clear_memories(self._opened)(JobContext())


class Folders(Waiting[AsyncFolders]):
    """Linked folders; library.folders."""

    list = waited(AsyncFolders.list)
    link = waited(AsyncFolders.link)
    unlink = waited(AsyncFolders.unlink)
    check = waited(AsyncFolders.check)


class Bin(Waiting[AsyncBin]):
    """Documents that were removed and can still come back; library.bin."""

    list = waited(AsyncBin.list)
    restore = waited(AsyncBin.restore)
    empty = waited(AsyncBin.empty)


class KnowledgeBases(Waiting[AsyncKnowledgeBases]):
    """The knowledge bases of a library; library.knowledge_bases."""

    list = waited(AsyncKnowledgeBases.list)
    create = waited(AsyncKnowledgeBases.create)
    rename = waited(AsyncKnowledgeBases.rename)
    delete = waited(AsyncKnowledgeBases.delete)
    restore = waited(AsyncKnowledgeBases.restore)
    move = waited(AsyncKnowledgeBases.move)


class Sessions(Waiting[AsyncSessions]):
    """Conversations as they were kept; library.sessions."""

    list = waited(AsyncSessions.list)
    find = waited(AsyncSessions.find)
    open = waited(AsyncSessions.open)
    rename = waited(AsyncSessions.rename)
    delete = waited(AsyncSessions.delete)
    restore = waited(AsyncSessions.restore)
    export = waited(AsyncSessions.export)
    import_file = waited(AsyncSessions.import_file)


class Memories(Waiting[AsyncMemories]):
    """What is remembered of conversations; library.memories."""

    list = waited(AsyncMemories.list)
    add = waited(AsyncMemories.add)
    edit = waited(AsyncMemories.edit)
    delete = waited(AsyncMemories.delete)
    clear = waited(AsyncMemories.clear)


def _numbers(given: object) -> Numbers:
    several = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    numbers = [one for one in several if isinstance(one, int) and not isinstance(one, bool)]
    if len(numbers) < len(several):
        raise TypeError(f"A number or several are needed, not {shown(given)}.")
    return numbers


def _parts(given: Part | str | Iterable[Part | str]) -> frozenset[Part]:
    several = [given] if isinstance(given, str) else given
    return frozenset(choice_of("parts", one, Part) for one in several)
