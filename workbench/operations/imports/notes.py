"""Notes: text typed by the user or added by a model becomes a document."""

import hashlib
import re
from typing import Any

from workbench.errors import DocumentError, EmptyDocument, NotFound
from workbench.fetching.content_type import safe_name
from workbench.language import mark
from workbench.model.agent import Agent
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.filter import ChunkFilter
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome
from workbench.model.knowledge_base import DEFAULT
from workbench.operations.imports.non_file_sources import FetchedContent, arrive, receive, take_in, unchanged
from workbench.operations.imports.source_files import find_original
from workbench.operations.imports.temp_files import staging_folder, write_staged
from workbench.operations.library.library import Library
from workbench.store.intake import Origins
from workbench.worker.job import JobContext, Operation

LONGEST_NAME = 60
_MARKS = "#>*-+_`~ \t"
_EMPHASIS = re.compile(r"\*\*|__|`")


def add_note(
    library: Library, text: str, *, title: str = "", knowledge_base: str = "default"
) -> Operation[list[FileFinished]]:
    """Add a note in Markdown; without a title it goes by its first words.

    Raises:
        EmptyDocument: There is no text.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        kept = _checked(text)
        found = await library.on_store(_same, library, knowledge_base, kept)
        if found is not None:
            result = unchanged(found, found.path, mark(f"You have this note already: “{found.name}”."))
            context.emit(result)
            return [result]
        name = title.strip() or first_words(kept)
        row = await library.on_store(_row, library, knowledge_base, kept, name)
        context.emit(DocumentChanged(row))
        return await _write(library, context, row, kept, name)

    return operation


def edit_note(library: Library, document: int, text: str, *, title: str = "") -> Operation[list[FileFinished]]:
    """Replace the text of a note; the old one is searched until the new one can be.

    Raises:
        EmptyDocument: There is no text.
        NotFound: There is no such note.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        kept = _checked(text)
        note = await library.on_store(_note, library, document)
        return await _write(library, context, note, kept, title.strip() or first_words(kept))

    return operation


def note_text(library: Library, document: int) -> Operation[str]:
    """Return a note as it was written.

    Raises:
        NotFound: There is no such note, or its copy is gone.
    """

    async def operation(_context: JobContext) -> str:
        return await library.on_store(_read, library, document)

    return operation


def first_words(text: str) -> str:
    """Return what a note without a title is called: its first line, shortened at a word."""
    line = (
        next((_EMPHASIS.sub("", line).strip(_MARKS) for line in text.splitlines() if line.strip(_MARKS)), "") or "Note"
    )
    if len(line) <= LONGEST_NAME:
        return line
    return line[:LONGEST_NAME].rpartition(" ")[0] + "…" if " " in line[:LONGEST_NAME] else line[:LONGEST_NAME] + "…"


def _checked(text: str) -> str:
    if not text.strip():
        raise EmptyDocument("The note is empty.", "Write something first.")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"


def _note(library: Library, document: int) -> Document:
    note = library.documents.get(document)
    if note.origin is not Origin.NOTE:
        raise NotFound(f"“{note.name}” is not a note.", "Only notes can be edited here.")
    return note


def _read(library: Library, document: int) -> str:
    file = find_original(library.originals, _note(library, document))
    if file is None:
        raise NotFound("The library's copy of this note is gone.", "Write it again.")
    return file.read_text("utf-8")


def _same(library: Library, knowledge_base: str, text: str) -> Document | None:
    found = library.documents.by_hash(knowledge_base, hashlib.sha256(_bytes(text)).hexdigest())
    return found if found is not None and found.status is not DocumentStatus.FAILED else None


def _bytes(text: str) -> bytes:
    # A pasted text may hold half a character.
    return text.encode("utf-8", "replace")


def _row(library: Library, knowledge_base: str, text: str, name: str) -> Document:
    return Origins(library.database).queue(
        knowledge_base, text, path=f"note:{name}", name=name, origin=Origin.NOTE, details={}
    )


async def _write(library: Library, context: JobContext, note: Document, text: str, name: str) -> list[FileFinished]:
    async def staged() -> Document | FileFinished:
        return await library.on_store(_receive, library, context, note, text, name)

    return await take_in(library, context, [arrive(library, context, note, staged())])


def _receive(library: Library, context: JobContext, note: Document, text: str, name: str) -> Document | FileFinished:
    with staging_folder(library) as folder:
        # Parsing takes a document's title from the name of its file, where the text has no heading.
        file = write_staged(folder / f"{safe_name(name)}.md", _bytes(text))
        return receive(library, context, note, FetchedContent(file, f"note:{name}", name, Origin.NOTE, {}))


_MARK = "(written by a model)"


class LibraryNotes:
    """Lets a tool add notes to one knowledge base."""

    def __init__(self, library: Library, knowledge_base: str, context: JobContext) -> None:
        """Take where they go, and the run's context: the window's list follows what it is told there."""
        self._library = library
        self._knowledge_base = knowledge_base
        self._context = context

    @property
    def knowledge_base(self) -> str:
        """The one that notes are added to."""
        return self._knowledge_base

    async def add(self, title: str, text: str) -> str:
        """Add a note and return its name.

        Raises:
            DocumentError: It could not be read as a document.
        """
        name = f"{title or first_words(text)} {_MARK}"
        adding = add_note(self._library, text, title=name, knowledge_base=self._knowledge_base)
        for outcome in await adding(JobContext(self._pass_on)):
            if outcome.outcome is FileOutcome.FAILED:
                raise DocumentError(outcome.reason)
            if outcome.outcome is FileOutcome.UNCHANGED and outcome.document is not None:
                # The same text stands there already, under whatever name.
                return (await self._library.on_store(self._library.documents.get, outcome.document)).name
        return name

    def _pass_on(self, event: Any) -> None:
        """Tell of the new document; an import's progress is none of the run's."""
        if isinstance(event, (DocumentChanged, DocumentsRemoved)):
            self._context.emit(event)


def notes_go_to(agent: Agent, allowed: ChunkFilter) -> str:
    """Return the knowledge base that the notes of a run go to: the one it searches, or the first of several."""
    return allowed.knowledge_base or next(iter(agent.knowledge_bases), DEFAULT)
