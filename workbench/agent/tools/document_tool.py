"""What the tools share that read one document."""

from typing import Self

from workbench.agent.references import RunReferences
from workbench.agent.tools.access import DocumentAccess
from workbench.agent.tools.offer import ToolContext
from workbench.agent.tools.room import Room


class DocumentTool:
    """Reads what the run may see, numbers it, and gives as much as there is room for."""

    def __init__(self, documents: DocumentAccess, references: RunReferences, room: Room) -> None:
        self._documents = documents
        self._references = references
        self._room = room

    @classmethod
    def of(cls, context: ToolContext) -> Self:
        """Return the tool for one run, which has documents: see ToolOffer.needs_documents."""
        assert context.documents is not None
        return cls(context.documents, context.references, Room(context.window))
