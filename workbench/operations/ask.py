"""Question -> run: every step an event as it happens, all of it kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.base import Approver, Curator
from workbench.agent.run_log import RecordedRun
from workbench.egress.gate import carrying
from workbench.errors import NotFound, RetrievalError
from workbench.model.agent import Agent
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.run import Run
from workbench.model.session import is_following, line
from workbench.operations.agent_run import AgentRun, Circumstances
from workbench.operations.agent_scope import allowed_filter
from workbench.operations.agents import asked_agent
from workbench.operations.library import Library
from workbench.operations.model_provider import provider_of
from workbench.operations.recorder import Recorder
from workbench.operations.remembering import remember_afterwards
from workbench.store.sessions import SessionStore
from workbench.worker.job import JobContext, Operation

ApproverOf = Callable[[int, int], Approver]
"""Of a session and a run: who speaks for the person."""

CuratorOf = Callable[[int, int], Curator]
"""Of a session and a run: who chooses from what is found."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked, and of whom; see ask."""

    question: str
    session: int | None = None
    agent: str | Agent | None = None
    profile: str | None = None
    knowledge_base: str | None = None
    filter: ChunkFilter = EVERYTHING
    retrievers: tuple[Any, ...] = ()
    approver: ApproverOf | None = None
    user: str | None = None
    curator: CuratorOf | None = None
    plan: bool | None = None
    after: int | None = None


def ask(
    library: Library,
    question: str,
    *,
    session: int | None = None,
    agent: str | Agent | None = None,
    profile: str | None = None,
    knowledge_base: str | None = None,
    filter: ChunkFilter = EVERYTHING,
    retrievers: Sequence[Any] = (),
    approver: ApproverOf | None = None,
    user: str | None = None,
    curator: CuratorOf | None = None,
    plan: bool | None = None,
    after: int | None = None,
) -> Operation[Run]:
    """Answer a question from the library.

    Emits RunBegan and TimedEvent. Returns the run as it is kept, also when it failed: a failure is in its status and
    error.

    Args:
        library: The open library.
        question: What the user asks.
        session: Go on with this session; None begins a new one.
        agent: Who is asked, by name or as a value; None means the one of the settings.
        profile: Name of the model profile that answers; None means the agent's, else that of the settings.
        knowledge_base: Search only this one; None means all that the agent searches.
        filter: Search only what it lets through; kept with the run as text.
        retrievers: Retrievers, by name or themselves, in place of the agent's.
        approver: Says who decides on tool calls that wait for a person; None where nobody is there.
        user: Who asks: whose the session and the memories are, and what retrievers and {user_id} in the agent's texts
            are told. None means the user that the library was opened for.
        curator: Says who chooses from what each search found; None hands it over as it was found.
        plan: Whether the question is answered by a plan; None leaves it to the agent and the settings.
        after: The answer of the session to go on from, where it has several in one another's place: those beside it,
            and what was asked after them, is not told. None goes on from all, or as the question before did.

    Raises:
        NotFound: No such session of the user, agent, profile or knowledge base; no such answer in the session.
        SettingError: No user can be called so.
        RetrievalError: The question is empty, or the agent does not search that knowledge base.
    """
    given = tuple(retrievers)
    asking = Asking(
        question, session, agent, profile, knowledge_base, filter, given, approver, user, curator, plan, after
    )

    async def operation(context: JobContext) -> Run:
        return await answered(library, asking, context)

    return operation


async def answered(
    library: Library,
    asking: Asking,
    context: JobContext,
    *,
    parent: tuple[int, int] | None = None,
    recorded: RecordedRun | None = None,
) -> Run:
    """Answer a question and return the run as it is kept; raises as ask does.

    Args:
        library: The open library.
        asking: What is asked, and of whom.
        context: Told every event.
        parent: The run that this one goes on from, and behind which of its events.
        recorded: Turns of that run, which are gone through instead of asking the model for them.
    """
    if not asking.question.strip():
        raise RetrievalError("The question is empty.", "Type what you want to know.")
    user = library.whose(asking.user)
    sessions = library.sessions_of(user)
    settings = await library.on_store(library.setting_values.load)
    agent = await library.on_store(asked_agent, library, asking.agent, settings)
    profile = await library.on_store(library.profiles.get, asking.profile or agent.profile or settings.profile)
    allowed = await library.on_store(allowed_filter, library, agent, asking.knowledge_base, asking.filter)
    # A knowledge base that is not there is told before anything is asked; and the first search finds this done.
    await library.on_search(library.documents.searchable_chunks, allowed)
    earlier = await _history(library, sessions, asking, before=parent[0] if parent else None)
    after = parent or ((asking.after, None) if asking.after is not None else None)
    provider = await provider_of(library, profile)
    try:
        with library.afterwards.put_off():
            recorder = await Recorder.start(
                library, sessions, asking.session, asking.question, profile.name, provider.mode, context, parent=after
            )
            approver = asking.approver(recorder.session, recorder.run) if asking.approver else None
            around = Circumstances(
                settings,
                profile,
                provider,
                allowed,
                asking.retrievers or agent.retrievers,
                recorder,
                user,
                asking.curator(recorder.session, recorder.run) if asking.curator else None,
                asking.plan,
            )
            running = AgentRun(library, agent, around, context)
            answer = running.answer(asking.question, earlier, approver=approver, recorded=recorded)
            with carrying(run=recorder.run):
                run = await recorder.record(answer)
        remember_afterwards(library, settings, profile, run, user)
        return run
    finally:
        await provider.close()


async def _history(
    library: Library, sessions: SessionStore, asking: Asking, *, before: int | None = None
) -> Sequence[Run]:
    """Return the earlier runs that a question goes on from; with before, only those that came before that run."""
    session, after = asking.session, asking.after
    runs = (await library.on_store(sessions.get, session)).runs if session is not None else ()
    if before is not None:
        told = line(runs, before) if any(is_following(run) for run in runs) else runs
        return [run for run in told if run.id < before]
    if after is not None and all(run.id != after for run in runs):
        raise NotFound(f"There is no answer {after} in this session.", "“workbench runs list” lists those there are.")
    return line(runs, after)
