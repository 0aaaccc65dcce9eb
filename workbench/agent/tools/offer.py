"""Declaration of a tool (ToolOffer), its context in one run (ToolContext), and the base of tools that read.

A package adds a tool by an entry point that names a function, which gives a ToolOffer:

    [project.entry-points."workbench.tools"]
    gulls = "my_package.gulls:offer"

    from workbench.agent.base import ToolResult
    from workbench.agent.tools.offer import ToolOffer
    from workbench.model.message import ToolReach, ToolSpec

    class Gulls:
        spec = ToolSpec(
            "gulls",
            "Counts the gulls of a harbour.",
            {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]},
            reach=ToolReach.LOCAL,
        )

        async def call(self, arguments):
            return ToolResult(f"There are 12 gulls in {arguments['harbour']}.")

    def offer():
        return ToolOffer("gulls", "Gulls", "Counts the gulls of a harbour.", "tool", lambda context: Gulls())

`workbench tools` lists it then, and an agent that names it may call it: `workbench agents put clerk --set
'tools=["gulls"]'`. Arguments are checked against the schema before a call; a ToolError (workbench.errors) reaches the
model as its sentence, any other error as its type only. What sends something away says so by ToolReach.NETWORK, what
changes something by ToolReach.CHANGES: the user is asked before such a call.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from workbench.agent.base import Tool
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker
from workbench.agent.token_budget import ContextWindow
from workbench.agent.tools.access import DocumentAccess, NoteTaking, WebAccess
from workbench.agent.tools.reasoning import ReasoningSteps
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.tool_results import RemainingRoom
from workbench.settings import Settings


def local_now() -> datetime:
    """Return the time, with the zone of this machine."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the tools of one run are made of.

    Attributes:
        settings: Those in force.
        references: Numbers what the run finds.
        documents: The library as far as the run may see it; None where there is none.
        web: The one way out; None where there is none.
        notes: The one way into the library; None where there is none.
        window: The room that the model has left; None for an answerer without a limit.
        search: Finds passages.
        handing_over: Fits what a search found into the room.
        now: Tells the time.
        steps: The record that the two reasoning tools share.
    """

    settings: Settings
    references: RunReferences
    documents: DocumentAccess | None = None
    web: WebAccess | None = None
    window: ContextWindow | None = None
    search: SearchFunction | None = None
    handing_over: ContextPacker | None = None
    now: Callable[[], datetime] = local_now
    steps: ReasoningSteps = field(default_factory=ReasoningSteps)
    notes: NoteTaking | None = None


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """One tool that an agent may name.

    Attributes:
        name: What agents and models call it: letters, digits, “_” and “-”, at most 64.
        title: For people.
        help: One sentence for people.
        icon: The name of an icon.
        make: Makes the tool for a run.
        needs_network: It sends something away from this machine: off until the user allows such tools.
        has_side_effects: It changes the library, or something outside it.
        needs_documents: It reads the library, and is left out of a run without one.
    """

    name: str
    title: str
    help: str
    icon: str
    make: Callable[[ToolContext], Tool]
    needs_network: bool = False
    has_side_effects: bool = False
    needs_documents: bool = False


class DocumentTool:
    """Reads what the run may see, numbers it, and gives as much as there is room for."""

    def __init__(self, documents: DocumentAccess, references: RunReferences, room: RemainingRoom) -> None:
        self._documents = documents
        self._references = references
        self._room = room

    @classmethod
    def of(cls, context: ToolContext) -> Self:
        """Return the tool for one run, which has documents: see ToolOffer.needs_documents."""
        assert context.documents is not None
        return cls(context.documents, context.references, RemainingRoom(context.window))
