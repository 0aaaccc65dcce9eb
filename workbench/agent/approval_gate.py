"""Approval of tool calls by the user."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from workbench.agent.base import Approver
from workbench.language import mark
from workbench.model.approval import Approval, ApprovalPolicy, AskBefore, Decision
from workbench.model.message import ToolCall, ToolReach, ToolSpec
from workbench.model.run import ApprovalAsked, ApprovalGiven, Notice, RunEvent

DENIED = (
    "The person did not allow this call, and it was not carried out. Do not make it again: go on without it, and say"
    " what you could not find out."
)
NOBODY = (
    "This tool may only be called with a person's consent, and nobody is there to give it. It was not carried out. Do"
    " not call it again: answer from what you have, and say what you could not find out."
)
NEVER = ApprovalPolicy(AskBefore.NEVER)

_REASONS = {
    ToolReach.THOUGHT: mark("You chose to approve this tool before each use."),
    ToolReach.LOCAL: mark("You chose to approve every tool before each use."),
    ToolReach.NETWORK: mark("It sends data over the network."),
    ToolReach.CHANGES: mark("It makes changes."),
}


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that must not be carried out; text is the reason for the model."""

    text: str


class ApprovalGate:
    """Approves tool calls, changed or unchanged, or refuses them.

    Args:
        policy: Decides which calls need approval.
        approver: Asks the user; None if no user is available.
        waiting: Context entered while waiting for the user: that time does not count against the run.
    """

    def __init__(
        self,
        policy: ApprovalPolicy = NEVER,
        approver: Approver | None = None,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._policy = policy
        self._approver = approver
        self._waiting = waiting
        self._noted: set[str] = set()

    async def passed(self, call: ToolCall, spec: ToolSpec, emit: Callable[[RunEvent], None]) -> ToolCall | RefusedCall:
        """Return the call to carry out, possibly changed, or the reason for its refusal."""
        if not self._policy.asks(spec):
            return call
        if self._approver is None:
            if spec.name not in self._noted:
                self._noted.add(spec.name)
                emit(Notice(mark(f"“{spec.name}” was not called: it needs your consent, and there was no way to ask.")))
            return RefusedCall(NOBODY)
        asked = ApprovalAsked(call.id, spec.name, call.arguments, spec.sends or _REASONS[spec.reach])
        word = await self.word_on(asked, emit)
        if word is None:
            return call
        if word.decision is Decision.DENY:
            return RefusedCall(word.note or DENIED)
        return replace(call, arguments=word.arguments if word.decision is Decision.EDIT else call.arguments)

    async def word_on(self, asked: ApprovalAsked, emit: Callable[[RunEvent], None]) -> Approval | None:
        """Return the user's decision, whatever the policy; None without a user, or if the tool is always allowed."""
        if self._approver is None or self._approver.remembers(asked.tool):
            return None
        emit(asked)
        with self._waiting():
            word = await self._approver.decide(asked)
        arguments = word.arguments if word.decision is Decision.EDIT else asked.arguments
        emit(ApprovalGiven(asked.call_id, word.decision, arguments))
        return word


def with_arguments(call: ToolCall, items: tuple[dict[str, object], ...]) -> tuple[dict[str, object], ...]:
    """Return a turn's raw items with the arguments of one call replaced by those that the user changed."""
    return tuple(
        {**item, "arguments": call.arguments} if item.get("call_id") == call.id and "arguments" in item else item
        for item in items
    )
