"""What waits for a person's decision during a run: tool calls to approve, and found passages to curate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.model.hit import Hit
from workbench.model.message import ToolReach, ToolSpec


class AskBefore(StrEnum):
    """Before which tools a person is asked; NETWORK means those that reach further than this machine's library."""

    NEVER = "never"
    NETWORK = "network"
    ALWAYS = "always"


class Decision(StrEnum):
    """What a person says to a call that waits."""

    APPROVE = "approve"
    EDIT = "edit"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Approval:
    """The word on one call.

    Attributes:
        arguments: For EDIT: the JSON text that it is called with.
        note: For DENY: a sentence for the model, in place of the usual one.
    """

    decision: Decision
    arguments: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """Which calls wait for a person.

    Attributes:
        default: For tools that are not named.
        tools: By a tool's name: True asks, False does not.
    """

    default: AskBefore = AskBefore.NETWORK
    tools: Mapping[str, bool] = field(default_factory=dict)

    def asks(self, tool: ToolSpec) -> bool:
        """Return whether a call of the tool waits; writing down a thought never does, unless the tool is named."""
        named = self.tools.get(tool.name)
        if named is not None:
            return named
        if tool.reach is ToolReach.THOUGHT or self.default is AskBefore.NEVER:
            return False
        return self.default is AskBefore.ALWAYS or tool.reach in (ToolReach.NETWORK, ToolReach.CHANGES)


@dataclass(frozen=True, slots=True)
class CurationAsked:
    """What a search found waits for a person to choose from it.

    Attributes:
        number: Which of the run's searches that wait it is, from 1.
        query: What was searched for.
        hits: What was found, best first, behind the pinned.
        pinned: Ids of those chunks that an earlier choice of this session pinned.
        is_relevant: Whether what was found passes the floor that the user set; if not, nothing of it is ticked.
        room: Tokens that the answerer has left for it, by an estimate; None where that is not known.
        is_sure: Whether the search holds that it answers the question.
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
    """What the person chose.

    Attributes:
        number: As in CurationAsked.
        chunks: Ids of the chunks that the answerer is handed, in this order.
        left_out: How many of those found it is not handed.
        added: How many it is handed that were not found.
    """

    number: int
    chunks: tuple[int, ...]
    left_out: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """The word of the person: the passages in the order wanted, and which of them to keep for later questions."""

    hits: tuple[Hit, ...]
    pinned: tuple[int, ...] = ()
