"""Ask: a question to a run with events as they happen, forks of runs, and decisions that a person makes meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.base import Approver, Curator
from workbench.agent.run_log import RecordedRun, replay_until
from workbench.egress.gate import carrying
from workbench.errors import NotFound, RetrievalError, ToolError
from workbench.model.agent import Agent
from workbench.model.approval import Approval, Decision, PassageChoice
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import Hit
from workbench.model.run import Run
from workbench.model.session import is_following, line
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import provider_of
from workbench.operations.questions.agent_session import AgentSession, RunConditions, allowed_filter
from workbench.operations.questions.agents import asked_agent
from workbench.operations.questions.memories import schedule_memory_extraction
from workbench.operations.questions.run_persister import RunPersister
from workbench.operations.questions.tool_documents import layout_of, passage_of
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.sessions import SessionStore
from workbench.worker.job import JobContext, Operation

ApproverOf = Callable[[int, int], Approver]
"""Of a session and a run: who speaks for the person."""

CuratorOf = Callable[[int, int], Curator]
"""Of a session and a run: who chooses from what is found."""


@dataclass(frozen=True, slots=True)
class AskOptions:
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
    asking = AskOptions(
        question, session, agent, profile, knowledge_base, filter, given, approver, user, curator, plan, after
    )

    async def operation(context: JobContext) -> Run:
        return await answered(library, asking, context)

    return operation


async def answered(
    library: Library,
    asking: AskOptions,
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
            recorder = await RunPersister.start(
                library, sessions, asking.session, asking.question, profile.name, provider.mode, context, parent=after
            )
            approver = asking.approver(recorder.session, recorder.run) if asking.approver else None
            around = RunConditions(
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
            running = AgentSession(library, agent, around, context)
            answer = running.answer(asking.question, earlier, approver=approver, recorded=recorded)
            with carrying(run=recorder.run):
                run = await recorder.record(answer)
        schedule_memory_extraction(library, settings, profile, run, user)
        return run
    finally:
        await provider.close()


async def _history(
    library: Library, sessions: SessionStore, asking: AskOptions, *, before: int | None = None
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
        asking = AskOptions(
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


def chosen_in_person(library: Library) -> Callable[[int, int], Curator]:
    """Return who chooses for the person in front of the window, for ask: every search waits until choose_passages."""
    return library.choices.curator


def choose_passages(
    library: Library, run: int, number: int, hits: Sequence[Hit], *, pinned: Sequence[int] = ()
) -> Operation[None]:
    """Say what of a search that waits the answerer is handed.

    Args:
        library: The open library.
        run: The number that RunBegan told.
        number: As CurationAsked has it.
        hits: What the answerer is handed, in this order; none is allowed: it is told that nothing was found.
        pinned: Ids of those chunks among them that later searches of the session begin with.

    Raises:
        NotFound: No such search waits (any more).
    """

    async def operation(_context: JobContext) -> None:
        library.choices.choose(run, number, PassageChoice(tuple(hits), tuple(pinned)))

    return operation


def passages_around(library: Library, hit: Hit) -> Operation[tuple[Hit | None, Hit | None]]:
    """Return the passages straight before and after a hit, as hits; None at the ends of the document.

    Raises:
        NotFound: The passage is no longer in the library.
    """

    def work() -> tuple[Hit | None, Hit | None]:
        store, number = library.documents, hit.chunk.document
        document, chunks, layout = store.get(number), store.chunks(number), layout_of(store, number)
        place = next((place for place, one in enumerate(chunks) if one.start == hit.chunk.start), None)
        if place is None:
            raise NotFound("This passage no longer stands in the library.", "Search again.")

        def at(other: int) -> Hit | None:
            return passage_of(document, chunks[other], layout, other + 1) if 0 <= other < len(chunks) else None

        return at(place - 1), at(place + 1)

    async def operation(_context: JobContext) -> tuple[Hit | None, Hit | None]:
        if hit.is_outside:
            raise NotFound("This passage is not from a document of the library.", "Choose another one.")
        return await library.on_store(work)

    return operation
