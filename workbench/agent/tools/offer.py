"""Declaration of a tool (ToolOffer), its context in one run (ToolContext), and the base of tools that read.

A package adds a tool with an entry point for a function that returns a ToolOffer:

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

`workbench tools` then lists the tool, and agents that list it may call it: `workbench agents put clerk --set
'tools=["gulls"]'`. Arguments are validated against the schema before a call. The model receives the message of a
ToolError (workbench.errors), but only the type of any other exception. A tool that sends data declares
ToolReach.NETWORK, one that changes something ToolReach.CHANGES: the user is asked before such a call.
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
    """Return the current time in the time zone of this machine."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Services from which the tools of one run are created.

    Attributes:
        settings: Current settings.
        references: Numbered references of the run.
        documents: Access to the documents of the run; None without a library.
        web: Network access; None without one.
        notes: Write access to the library; None without one.
        window: Context window of the model; None for an answerer without a limit.
        search: Search function for passages.
        handing_over: Fits search results into the context window.
        now: Returns the current time.
        steps: Reasoning steps, shared by the two reasoning tools.
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
    """Declaration of a tool that an agent may list.

    Attributes:
        name: Name for agents and models: letters, digits, “_” and “-”, at most 64 characters.
        title: Title for the user.
        help: Description for the user in one sentence.
        icon: Name of an icon.
        make: Creates the tool for a run.
        needs_network: True if the tool sends data from this machine; it is off until the user allows such tools.
        has_side_effects: True if the tool changes the library or something outside it.
        needs_documents: True if the tool reads the library; it is omitted from a run without one.
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
    """Base class of tools that read accessible chunks, number them, and return as many as fit the context window."""

    def __init__(self, documents: DocumentAccess, references: RunReferences, room: RemainingRoom) -> None:
        self._documents = documents
        self._references = references
        self._room = room

    @classmethod
    def of(cls, context: ToolContext) -> Self:
        """Create the tool for a run with documents (see ToolOffer.needs_documents)."""
        assert context.documents is not None
        return cls(context.documents, context.references, RemainingRoom(context.window))
