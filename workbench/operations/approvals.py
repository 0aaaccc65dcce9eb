"""Tool calls that wait for a person: the word that lets them go on, or not."""

from collections.abc import Callable

from workbench.agent.base import Approver
from workbench.model.approval import Approval, Decision
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def in_person(library: Library) -> Callable[[int, int], Approver]:
    """Return who speaks for the person in front of the window, for ask: every call waits until decide_call."""
    return library.approvals.approver


def decide_call(
    library: Library, run: int, call_id: str, decision: Decision, arguments: str = "", *, always: bool = False
) -> Operation[None]:
    """Give the word on a call that waits.

    Args:
        library: The open library.
        run: The number that RunBegan told.
        call_id: As ApprovalAsked has it.
        decision: Approve it, approve it with other arguments, or deny it.
        arguments: For EDIT: JSON text of an object.
        always: Let this tool through from now on, without asking, in the session of this run.

    Raises:
        NotFound: No such call waits (any more).
        ToolError: The arguments are not a JSON object.
    """

    async def operation(_context: JobContext) -> None:
        library.approvals.decide(run, call_id, Approval(decision, arguments), always=always)

    return operation
