"""Decisions of a person during a run: approval of tool calls, and curation of found passages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.model.hit import Hit
from workbench.model.message import ToolReach, ToolSpec


class AskBefore(StrEnum):
    """Tools that need approval; NETWORK means those that reach further than this machine's library."""

    NEVER = "never"
    NETWORK = "network"
    ALWAYS = "always"


class Decision(StrEnum):
    """Decision of a person about a waiting call."""

    APPROVE = "approve"
    EDIT = "edit"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Approval:
    """Approval or denial of one call.

    Attributes:
        arguments: For EDIT: the new arguments as JSON text.
        note: For DENY: a sentence for the model, instead of the default one.
    """

    decision: Decision
    arguments: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """Policy for calls that wait for approval.

    Attributes:
        default: For tools that are not named.
        tools: By a tool's name: True if approval is needed.
    """

    default: AskBefore = AskBefore.NETWORK
    tools: Mapping[str, bool] = field(default_factory=dict)

    def asks(self, tool: ToolSpec) -> bool:
        """Return whether a call of the tool needs approval; recording a thought never does unless it is named."""
        override = self.tools.get(tool.name)
        if override is not None:
            return override
        if tool.reach is ToolReach.THOUGHT or self.default is AskBefore.NEVER:
            return False
        return self.default is AskBefore.ALWAYS or tool.reach in (ToolReach.NETWORK, ToolReach.CHANGES)


@dataclass(frozen=True, slots=True)
class CurationAsked:
    """Request to a person to choose from the results of a search.

    Attributes:
        number: Number of this request among those of the run, from 1.
        query: The query.
        hits: The results, best first, after the pinned ones.
        pinned: Ids of the chunks that an earlier choice of this session pinned.
        is_relevant: Whether the results exceed the user's threshold; otherwise none is preselected.
        room: Estimated number of tokens available to the answerer; None if unknown.
        is_sure: Whether the search considers the question answered by them.
    """

    number: int
    query: str
    hits: tuple[Hit, ...]
    pinned: tuple[int, ...] = ()
    is_relevant: bool = True
    room: int | None = None
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class CurationGiven:
    """Result of a curation.

    Attributes:
        number: As in CurationAsked.
        chunks: Ids of the chunks for the answerer, in this order.
        left_out: Number of results that were deselected.
        added: Number of chunks that are not among the results.
    """

    number: int
    chunks: tuple[int, ...]
    left_out: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """Choice of a person: the passages in order, and the ids of those to pin for later questions."""

    hits: tuple[Hit, ...]
    pinned: tuple[int, ...] = ()
