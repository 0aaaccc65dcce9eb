"""A tool call that waits for a person's word: which ones do, and what may be said to one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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
