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
    """Add a note in Markdown; a note without a title is named by its first words.

    Raises:
        EmptyDocument: There is no text.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        kept = _normalise(text)
        found = await library.on_store(_find_same_note, library, knowledge_base, kept)
        if found is not None:
            result = unchanged(found, found.path, mark(f"You have this note already: “{found.name}”."))
            context.emit(result)
            return [result]
        name = title.strip() or first_words(kept)
        row = await library.on_store(_queue_row, library, knowledge_base, kept, name)
        context.emit(DocumentChanged(row))
        return await _write(library, context, row, kept, name)

    return operation


def edit_note(library: Library, document: int, text: str, *, title: str = "") -> Operation[list[FileFinished]]:
    """Replace the text of a note; the old text is searched until the new text is stored.

    Raises:
        EmptyDocument: There is no text.
        NotFound: There is no such note.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        kept = _normalise(text)
        note = await library.on_store(_get_note, library, document)
        return await _write(library, context, note, kept, title.strip() or first_words(kept))

    return operation


def note_text(library: Library, document: int) -> Operation[str]:
    """Return the text of a note as it was written.

    Raises:
        NotFound: There is no such note, or its copy is missing.
    """

    async def operation(_context: JobContext) -> str:
        return await library.on_store(_read, library, document)

    return operation


def first_words(text: str) -> str:
    """Return the name of a note without a title: its first line, shortened at a word boundary."""
    line = (
        next((_EMPHASIS.sub("", line).strip(_MARKS) for line in text.splitlines() if line.strip(_MARKS)), "") or "Note"
    )
    if len(line) <= LONGEST_NAME:
        return line
    return line[:LONGEST_NAME].rpartition(" ")[0] + "…" if " " in line[:LONGEST_NAME] else line[:LONGEST_NAME] + "…"


def _normalise(text: str) -> str:
    if not text.strip():
        raise EmptyDocument("The note is empty.", "Write something first.")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"


def _get_note(library: Library, document: int) -> Document:
    note = library.documents.get(document)
    if note.origin is not Origin.NOTE:
        raise NotFound(f"“{note.name}” is not a note.", "Only notes can be edited here.")
    return note


def _read(library: Library, document: int) -> str:
    file = find_original(library.originals, _get_note(library, document))
    if file is None:
        raise NotFound("The library's copy of this note is gone.", "Write it again.")
    return file.read_text("utf-8")


def _find_same_note(library: Library, knowledge_base: str, text: str) -> Document | None:
    found = library.documents.by_hash(knowledge_base, hashlib.sha256(_encode(text)).hexdigest())
    return found if found is not None and found.status is not DocumentStatus.FAILED else None


def _encode(text: str) -> bytes:
    # Pasted text may contain half of a surrogate pair.
    return text.encode("utf-8", "replace")


def _queue_row(library: Library, knowledge_base: str, text: str, name: str) -> Document:
    return Origins(library.database).queue(
        knowledge_base, text, path=f"note:{name}", name=name, origin=Origin.NOTE, details={}
    )


async def _write(library: Library, context: JobContext, note: Document, text: str, name: str) -> list[FileFinished]:
    async def staged() -> Document | FileFinished:
        return await library.on_store(_receive, library, context, note, text, name)

    return await take_in(library, context, [arrive(library, context, note, staged())])


def _receive(library: Library, context: JobContext, note: Document, text: str, name: str) -> Document | FileFinished:
    with staging_folder(library) as folder:
        # If the text has no heading, the parser takes the document's title from the file name.
        file = write_staged(folder / f"{safe_name(name)}.md", _encode(text))
        return receive(library, context, note, FetchedContent(file, f"note:{name}", name, Origin.NOTE, {}))


_MARK = "(written by a model)"


class LibraryNotes:
    """Interface with which a tool adds notes to one knowledge base."""

    def __init__(self, library: Library, knowledge_base: str, context: JobContext) -> None:
        """Set the knowledge base, and the run's context, whose events update the document list in the window."""
        self._library = library
        self._knowledge_base = knowledge_base
        self._context = context

    @property
    def knowledge_base(self) -> str:
        """Name of the knowledge base to which notes are added."""
        return self._knowledge_base

    async def add(self, title: str, text: str) -> str:
        """Add a note and return its name.

        Raises:
            DocumentError: The note could not be read as a document.
        """
        name = f"{title or first_words(text)} {_MARK}"
        adding = add_note(self._library, text, title=name, knowledge_base=self._knowledge_base)
        for outcome in await adding(JobContext(self._pass_on)):
            if outcome.outcome is FileOutcome.FAILED:
                raise DocumentError(outcome.reason)
            if outcome.outcome is FileOutcome.UNCHANGED and outcome.document is not None:
                # A document with the same text exists already, perhaps under another name.
                return (await self._library.on_store(self._library.documents.get, outcome.document)).name
        return name

    def _pass_on(self, event: Any) -> None:
        """Forward the events of the new document; the progress events of the import are not part of the run."""
        if isinstance(event, (DocumentChanged, DocumentsRemoved)):
            self._context.emit(event)


def notes_go_to(agent: Agent, allowed: ChunkFilter) -> str:
    """Return the knowledge base that receives the notes of a run: the one it searches, or the first of several."""
    return allowed.knowledge_base or next(iter(agent.knowledge_bases), DEFAULT)
