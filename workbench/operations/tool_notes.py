"""Notes that a model adds: marked as its own, so that nobody takes them for a document of the user's."""

from typing import Any

from workbench.errors import DocumentError
from workbench.model.agent import Agent
from workbench.model.filter import ChunkFilter
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileOutcome
from workbench.model.knowledge_base import DEFAULT
from workbench.operations.library import Library
from workbench.operations.notes import add_note, first_words
from workbench.worker.job import JobContext

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
