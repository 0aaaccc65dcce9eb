"""add_to_knowledge: adds a note to the library, with the user's permission."""

from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.tools.access import NoteTaking
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.errors import ToolError, WorkbenchError
from workbench.language import mark
from workbench.model.message import ToolReach, ToolSpec

ADD_TO_KNOWLEDGE = "add_to_knowledge"
MOST_CHARACTERS = 20_000
_LONGEST_TITLE = 80


class AddToKnowledgeTool:
    """Tool that adds one note; it cannot change existing documents."""

    def __init__(self, notes: NoteTaking | None) -> None:
        self._notes = notes

    @property
    def spec(self) -> ToolSpec:
        base = self._notes.knowledge_base if self._notes else ""
        return ToolSpec(
            ADD_TO_KNOWLEDGE,
            "Adds a note to the knowledge base, so that later searches find it. Use it only when the user asks to keep"
            " something. Write the text so that it can be understood by itself, and say where it is from.",
            {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "A few words."},
                    "text": {"type": "string", "description": "The note, in Markdown."},
                },
                "required": ["title", "text"],
                "additionalProperties": False,
            },
            reach=ToolReach.CHANGES,
            sends=mark(f"It adds a note that the model wrote to your knowledge base “{base}”."),
            aliases=("update_knowledge",),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Add the note and return its name in the library.

        Raises:
            ToolError: The text is empty or too long, or the note could not be added.
        """
        title, text = " ".join(str(arguments["title"]).split()), str(arguments["text"]).strip()
        if not text:
            raise ToolError("There is nothing to save: give the text to save.")
        if len(text) > MOST_CHARACTERS:
            raise ToolError(
                f"The text is longer than {MOST_CHARACTERS:,} characters: shorten it, or divide it into several."
            )
        if self._notes is None:
            raise ToolError("There is no library to add to.")
        try:
            name = await self._notes.add(title[:_LONGEST_TITLE], text)
        except WorkbenchError as error:
            raise ToolError(f"The note was not added. {error.message} {error.hint}".strip()) from error
        return ToolResult(f"The note “{name}” is in the knowledge base “{self._notes.knowledge_base}”.")


def _make(context: ToolContext) -> AddToKnowledgeTool:
    return AddToKnowledgeTool(context.notes)


OFFER = ToolOffer(
    ADD_TO_KNOWLEDGE,
    mark("Add to knowledge"),
    mark("Lets the model add notes to the library. You are asked before each, unless you say otherwise."),
    "file-plus",
    _make,
    has_side_effects=True,
    needs_documents=True,
)
