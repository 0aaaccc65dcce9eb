"""Ask: answer a question with events as they happen, fork runs, and pass on decisions of the user meanwhile."""

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
from workbench.model.profile import ModelProfile
from workbench.model.run import Run
from workbench.model.search_configuration import SearchInForce
from workbench.model.session import is_following, line
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import provider_of
from workbench.operations.questions.agent_session import (
    AgentSession,
    RunConditions,
    allowed_filter,
    search_in_force,
)
from workbench.operations.questions.agents import asked_agent
from workbench.operations.questions.memory_management import schedule_memory_extraction
from workbench.operations.questions.run_persister import RunPersister
from workbench.operations.questions.tool_documents import layout_of, passage_of
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.settings import Settings
from workbench.store.sessions import SessionStore
from workbench.worker.job import JobContext, Operation

ApproverOf = Callable[[int, int], Approver]
"""Factory of the approver for a session and a run."""

CuratorOf = Callable[[int, int], Curator]
"""Factory of the curator for a session and a run."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """Arguments of a question; see ask."""

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

    Emits RunBegan and TimedEvent. Returns the stored run even if it failed: its status and error then report the
    failure.

    Args:
        library: The open library.
        question: The user's question.
        session: The session to continue; None begins a new one.
        agent: The agent that answers, by name or as an object; None means the one of the settings.
        profile: Name of the model profile that answers; None means the agent's, else that of the settings.
        knowledge_base: The only knowledge base to search; None means all that the agent searches.
        filter: Restricts the search; stored with the run as text.
        retrievers: Retrievers, by name or as objects, that replace the agent's.
        approver: Factory of the approver that decides on tool calls which need approval; None without a user.
        user: The user who asks: owner of the session and the memories, and the value of {user_id} in the agent's texts
            and for retrievers. None means the user that the library was opened for.
        curator: Factory of the curator that chooses from the hits of each search; None passes on all hits.
        plan: Whether the question is answered by a plan; None leaves it to the agent and the settings.
        after: The answer to continue from, if the session has alternative answers: the alternatives to it, and the
            runs after those, are not part of the history. None continues from all, or as the previous question did.

    Raises:
        NotFound: No such session of the user, agent, profile or knowledge base; no such answer in the session.
        SettingError: The user name is invalid.
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
    """Answer a question and return the stored run; raises the same errors as ask.

    Args:
        library: The open library.
        asking: The arguments of the question.
        context: Receives every event.
        parent: The run that this one continues, and the number of its event after which it does.
        recorded: Turns of that run, which are replayed instead of calling the model for them.
    """
    if not asking.question.strip():
        raise RetrievalError("The question is empty.", "Type what you want to know.")
    user = library.resolve_user(asking.user)
    sessions = library.sessions_of(user)
    read = await library.on_store(_read_configuration, library, asking)
    earlier = await _history(library, sessions, asking, before=parent[0] if parent else None)
    after = parent or ((asking.after, None) if asking.after is not None else None)
    provider = await provider_of(library, read.profile)
    try:
        with library.afterwards.put_off():
            recorder = await RunPersister.start(
                library,
                sessions,
                asking.session,
                asking.question,
                read.profile.name,
                provider.mode,
                context,
                parent=after,
            )
            approver = asking.approver(recorder.session, recorder.run) if asking.approver else None
            around = RunConditions(
                read.settings,
                read.profile,
                provider,
                read.allowed,
                read.retrievers,
                recorder,
                user,
                asking.curator(recorder.session, recorder.run) if asking.curator else None,
                asking.plan,
                read.search,
            )
            running = AgentSession(library, read.agent, around, context)
            answer = running.answer(asking.question, earlier, approver=approver, recorded=recorded)
            with carrying(run=recorder.run):
                run = await recorder.record(answer)
        schedule_memory_extraction(library, read.settings, read.profile, run, user)
        return run
    finally:
        await provider.close()


@dataclass(frozen=True, slots=True)
class _Configuration:
    """Stored configuration of a question: what answers it, and what is searched for it."""

    settings: Settings
    agent: Agent
    profile: ModelProfile
    allowed: ChunkFilter
    retrievers: Sequence[Any]
    search: SearchInForce | None


def _read_configuration(library: Library, asking: AskOptions) -> _Configuration:
    """Return the configuration of a question, read in one step of a thread, since 20 questions compete for them.

    Raises:
        NotFound: There is no such agent, profile or knowledge base.
    """
    settings = library.setting_values.load()
    agent = asked_agent(library, asking.agent, settings)
    profile = library.profiles.get(asking.profile or agent.profile or settings.profile)
    allowed = allowed_filter(library, agent, asking.knowledge_base, asking.filter)
    # Reports a missing knowledge base before the run begins, and caches the result for the first search.
    library.documents.searchable_chunks(allowed)
    retrievers = asking.retrievers or agent.retrievers
    search = search_in_force(library, agent, settings, allowed, retrievers)
    return _Configuration(settings, agent, profile, allowed, retrievers, search)


async def _history(
    library: Library, sessions: SessionStore, asking: AskOptions, *, before: int | None = None
) -> Sequence[Run]:
    """Return the earlier runs that are the history of a question; with before, only those before that run."""
    session, after = asking.session, asking.after
    runs = (await library.on_store(sessions.get, session)).runs if session is not None else ()
    if before is not None:
        history = line(runs, before) if any(is_following(run) for run in runs) else runs
        return [run for run in history if run.id < before]
    if after is not None and all(run.id != after for run in runs):
        raise NotFound(f"There is no answer {after} in this session.", "“workbench runs list” shows all answers.")
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
    """Fork a run at one of its steps, in the same session.

    With a result, the run is replayed up to that step without calling a model or a tool, and continues live from
    there. With a question, the same agent answers it with the history before that run.

    Args:
        library: The open library.
        run: The run to fork.
        at_event: The number of the event that is the result of a tool; 0 with a question.
        result: Replacement for the tool's result.
        question: Replacement for the question.
        profile: Name of the model profile that answers; None means that of the run.
        approver: As for ask.
        user: The owner of the run; None means the user that the library was opened for.

    Raises:
        NotFound: The user has no such run, or the run has no such step.
        ToolError: Neither a result nor a question is given, or both.
    """

    async def operation(context: JobContext) -> Run:
        if (result is None) == (question is None):
            raise ToolError("Say what to change: a result or the question.", "Enter exactly one of the two.")
        parent = await library.on_store(library.sessions_of(library.resolve_user(user)).run, run)
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
    """Return the approver factory of the window, for ask: every tool call waits until decide_call is called."""
    return library.approvals.approver


def decide_call(
    library: Library, run: int, call_id: str, decision: Decision, arguments: str = "", *, always: bool = False
) -> Operation[None]:
    """Decide on a tool call that waits for approval.

    Args:
        library: The open library.
        run: The number of the run in RunBegan.
        call_id: The id of the call in ApprovalAsked.
        decision: Approve it, approve it with other arguments, or deny it.
        arguments: For EDIT: JSON text of an object.
        always: Approve this tool without asking from now on, in the session of this run.

    Raises:
        NotFound: No such call is waiting (any more).
        ToolError: The arguments are not a JSON object.
    """

    async def operation(_context: JobContext) -> None:
        library.approvals.decide(run, call_id, Approval(decision, arguments), always=always)

    return operation


def chosen_in_person(library: Library) -> Callable[[int, int], Curator]:
    """Return the curator factory of the window, for ask: every search waits until choose_passages is called."""
    return library.choices.curator


def choose_passages(
    library: Library, run: int, number: int, hits: Sequence[Hit], *, pinned: Sequence[int] = ()
) -> Operation[None]:
    """Choose the hits of a waiting search that are passed to the model.

    Args:
        library: The open library.
        run: The number of the run in RunBegan.
        number: The number of the search in CurationAsked.
        hits: The chosen hits, in this order; if empty, the model is told that nothing was found.
        pinned: Ids of those chunks among them that are put before the results of later searches of the session.

    Raises:
        NotFound: No such search is waiting (any more).
    """

    async def operation(_context: JobContext) -> None:
        library.choices.choose(run, number, PassageChoice(tuple(hits), tuple(pinned)))

    return operation


def passages_around(library: Library, hit: Hit) -> Operation[tuple[Hit | None, Hit | None]]:
    """Return the passages directly before and after a hit, as hits; None at the ends of the document.

    Raises:
        NotFound: The passage is no longer in the library.
    """

    def work() -> tuple[Hit | None, Hit | None]:
        store, number = library.documents, hit.chunk.document
        document, chunks, layout = store.get(number), store.chunks(number), layout_of(store, number)
        place = next((place for place, one in enumerate(chunks) if one.start == hit.chunk.start), None)
        if place is None:
            raise NotFound("This passage is no longer in the library.", "Search again.")

        def at(other: int) -> Hit | None:
            return passage_of(document, chunks[other], layout, other + 1) if 0 <= other < len(chunks) else None

        return at(place - 1), at(place + 1)

    async def operation(_context: JobContext) -> tuple[Hit | None, Hit | None]:
        if hit.is_outside:
            raise NotFound("This passage is not from a document of the library.", "Choose another one.")
        return await library.on_store(work)

    return operation
