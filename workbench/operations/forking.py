"""Going on from a step of a kept run, with another result or question: a new run, the old one stays."""

from workbench.agent.run_log import replay_until
from workbench.errors import ToolError
from workbench.model.run import Run
from workbench.operations.ask import ApproverOf, Asking, answered
from workbench.operations.library import Library
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.worker.job import JobContext, Operation


def fork_run(
    library: Library,
    run: int,
    at_event: int = 0,
    *,
    result: str | None = None,
    question: str | None = None,
    profile: str | None = None,
    approver: ApproverOf | None = None,
    user: str | None = None,
) -> Operation[Run]:
    """Go on from a step of a run, in its session.

    With a result: what was recorded up to that step is gone through again, no model asked and no tool called, and the
    run goes on live from there. With a question: the same agent is asked it, after what was said before that run.

    Args:
        library: The open library.
        run: Where to go on from.
        at_event: The number of the event that is the result of a tool; 0 with a question.
        result: What the tool is to have answered.
        question: What is asked instead.
        profile: Who answers; None means the model of that run.
        approver: As for ask.
        user: Whose the run is; None means the user that the library was opened for.

    Raises:
        NotFound: The user has no such run, or there is no such step in it.
        ToolError: Neither a result nor a question is given, or both.
    """

    async def operation(context: JobContext) -> Run:
        if (result is None) == (question is None):
            raise ToolError("Say what is to be different: a result, or the question.", "Give one of the two.")
        parent = await library.on_store(library.sessions_of(library.whose(user)).run, run)
        recorded = replay_until(parent, at_event, result) if result is not None else None
        asking = Asking(
            question if question is not None else parent.question,
            parent.session,
            parent.agent or None,
            profile or parent.profile,
            parent.knowledge_base or None,
            filter_of_text(parent.filter),
            approver=approver,
            user=user,
            plan=parent.plan is not None or None,
        )
        return await answered(library, asking, context, parent=(run, at_event), recorded=recorded)

    return operation
