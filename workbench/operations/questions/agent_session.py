"""Agent session: search scope, tools, prompt, limits, planning and claim check of one run, wired from its agent."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from workbench.agent.agent_loop import AgentLoop, RunLimits, RunOutcome
from workbench.agent.base import Approver, Curator, ModelProvider, Tool, ToolResult
from workbench.agent.built_in_agent import BUILT_IN
from workbench.agent.claims.checks import Checker, check_by_model
from workbench.agent.map_reduce import MapReduce
from workbench.agent.offline.provider import STRUCTURE_TOOLS, structure_call
from workbench.agent.planning.plan_runner import Planning
from workbench.agent.references import RunReferences
from workbench.agent.request_builder import RequestBuilder
from workbench.agent.run_log import RecordedRun
from workbench.agent.search_step import ContextPacker, CurationGate, SearchFunction, SearchStep
from workbench.agent.token_budget import ContextWindow
from workbench.agent.tool_loop import ToolCallProtocol
from workbench.agent.tools.read_document import READ_DOCUMENT
from workbench.agent.tools.reasoning import ANALYZE, THINK
from workbench.agent.tools.search import NarrowedSearch, SearchTool
from workbench.errors import ModelError, NotFound, RetrievalError, WorkbenchError
from workbench.language import in_seconds, mark
from workbench.model.agent import Agent
from workbench.model.approval import ApprovalPolicy, AskBefore
from workbench.model.claim import Claim
from workbench.model.extensions import RunContext
from workbench.model.filter import FILTER_KEYS, ChunkFilter, Condition, Operator
from workbench.model.hit import NumberedHit, SearchResult
from workbench.model.profile import ModelProfile, ToolCalling
from workbench.model.run import ClaimsChecked, Notice, PlanWhen, Run
from workbench.model.search_configuration import SearchInForce
from workbench.operations.imports.notes import LibraryNotes, notes_go_to
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import sentence_ranker
from workbench.operations.questions.library_search import search
from workbench.operations.questions.memory_management import memory_context_source
from workbench.operations.questions.plugin_files import retriever_search
from workbench.operations.questions.run_persister import RunPersister
from workbench.operations.questions.run_tools import OpenedTools, opened_tools
from workbench.operations.questions.tool_documents import LibraryDocuments
from workbench.retrieval.filters.json_forms import form_of
from workbench.retrieval.filters.mentions import without_mentions
from workbench.retrieval.filters.text_syntax import filter_of_text, text_of
from workbench.settings import Settings
from workbench.worker.job import JobContext

# Every document has these filter keys; a model is offered other keys only if some document has a value for them.
_ALWAYS = ("name", "title", "page", "pages", "added")
_NOT_FOR_MODELS = ("called", "document", "path")


@dataclass(frozen=True, slots=True)
class RunConditions:
    """Conditions of a run that are not part of its agent.

    Attributes:
        allowed: Filter that every passage found by the run must match.
        retrievers: Retrievers that replace the library's search, by name or as objects; empty for the library.
        curator: Chooses from the passages found; None uses them all.
        plan: Whether the user requested a plan with the question; None leaves it to the agent.
        search: How the library is searched; None if it is not.
    """

    settings: Settings
    profile: ModelProfile
    provider: ModelProvider
    allowed: ChunkFilter
    retrievers: Sequence[Any]
    recorder: RunPersister
    user: str = ""
    curator: Curator | None = None
    plan: bool | None = None
    search: SearchInForce | None = None


def search_in_force(
    library: Library, agent: Agent, settings: Settings, allowed: ChunkFilter, retrievers: Sequence[Any]
) -> SearchInForce | None:
    """Return how the library is searched for an answer; None if it is not searched, or cannot be; blocking."""
    if not agent.knowledge or retrievers:
        return None
    try:
        steps = library.search_steps(allowed.knowledge_base)
    except WorkbenchError:
        return None  # the search itself reports the error
    steps = replace(steps, reranking=steps.reranking or settings.reranking)
    return SearchInForce(agent.num_documents or settings.search_results, settings.embedder, steps)


class AgentSession:
    """Builder of the agent loop from an agent's data; answers one question with it."""

    def __init__(self, library: Library, agent: Agent, around: RunConditions, context: JobContext) -> None:
        self._library = library
        self._agent = agent
        self._around = around
        self._context = context
        self._references = RunReferences()
        self._window = ContextWindow.of(around.provider, around.settings)
        self._curation = self._curation_gate()

    async def answer(
        self,
        question: str,
        history: Sequence[Run],
        *,
        approver: Approver | None = None,
        recorded: RecordedRun | None = None,
    ) -> RunOutcome:
        """Answer the question; every event goes to the recorder."""
        library, agent, around = self._library, self._agent, self._around
        ranker = await library.on_search(sentence_ranker, library) if self._window else None
        handing_over = ContextPacker(self._window, ranker) if self._window and ranker else None
        find = self._search_within(around.allowed) if agent.knowledge or around.retrievers else None
        switched_on = [name for name, on in ((THINK, agent.think), (ANALYZE, agent.analyze)) if on]
        # The offline answerer weights sentences by the words of the question; the words of a mentioned file name
        # are not part of what is asked.
        stripped = without_mentions(question, around.allowed) if around.profile.is_offline else question
        # The offline answerer calls none of these tools, and programs of MCP servers would be started for nothing.
        agent_tools = () if around.profile.is_offline else agent.tools
        limits, began = await self._limits(), time.monotonic()
        custom = tuple(await library.on_store(library.documents.custom_keys)) if agent.agentic_filters else None
        opening_tools = opened_tools(
            library,
            list(dict.fromkeys([*switched_on, *agent_tools, *self._structure_tools(stripped)])),
            allowed=around.allowed,
            settings=around.settings,
            references=self._references,
            window=self._window,
            search=find,
            handing_over=handing_over,
            notes=LibraryNotes(library, notes_go_to(agent, around.allowed), self._context),
            seconds=limits.seconds / 2,  # the answer has the other half
        )
        async with opening_tools as opened:
            runner = AgentLoop(
                around.provider,
                [*opened.tools, *self._search_tool(find, handing_over, custom)],
                references=self._references,
                limits=replace(limits, spent=time.monotonic() - began),
                profile=around.profile.name,
                knowledge_base=around.allowed.knowledge_base or "",
                filter=text_of(around.allowed),
                window=self._window,
                opening=await self._opening(find, handing_over, opened, question),
                agent=agent.name,
                policy=ApprovalPolicy(
                    agent.ask_before_tools or AskBefore(around.settings.ask_before_tools), agent.ask_before
                ),
                manner=ToolCallProtocol(around.profile.calls_tools, self._remember_calling),
                checker=claim_checker(library, around.settings, around.profile, around.provider),
                curation=self._curation,
                planning=self._planning()[0],
                search=around.search,
            )
            return await runner.run(stripped, history, emit=around.recorder.emit, approver=approver, recorded=recorded)

    def _structure_tools(self, question: str) -> tuple[str, ...]:
        """Return the tools for requests about whole documents, if the question is one and the library is searched."""
        agent = self._agent
        asks_library = agent.knowledge and agent.search_knowledge and not self._around.retrievers
        if not asks_library or structure_call(question) is None:
            return ()
        # The offline answerer needs only the structure; a model may go on to read a section.
        return STRUCTURE_TOOLS if self._around.profile.is_offline else (*STRUCTURE_TOOLS, READ_DOCUMENT)

    def _structure(self, tools: Sequence[Tool], question: str) -> Callable[[], Awaitable[ToolResult]] | None:
        """Return a function that looks up document structure for a model's prompt; the offline one calls the tool."""
        call = structure_call(question) if self._structure_tools(question) else None
        tool = next((one for one in tools if call is not None and one.spec.name == call[0]), None)
        if call is None or tool is None or self._around.profile.is_offline:
            return None
        return partial(tool.call, call[1])

    def _whole(self, question: str) -> MapReduce | None:
        """Return the reader of whole documents for a request about them; the offline answerer uses their structure."""
        around = self._around
        if around.profile.is_offline or not self._structure_tools(question):
            return None
        settings = around.settings
        window = self._window or ContextWindow(None, size=settings.context_tokens, answer=settings.answer_tokens)
        documents = LibraryDocuments(self._library, around.allowed)
        return MapReduce(question, documents, self._references, window, answer=settings.answer_tokens)

    async def _limits(self) -> RunLimits:
        library, profile = self._library, self._around.profile
        limits = RunLimits.of(self._around.settings, self._agent)
        if profile.is_offline:
            return replace(limits, tokens=0)
        return replace(limits, price=await library.on_store(library.readings.price_of, profile.name))

    def _curation_gate(self) -> CurationGate | None:
        curator, window = self._around.curator, self._window
        return CurationGate(curator, window.room_for if window is not None else None) if curator is not None else None

    def _search_tool(
        self, find: SearchFunction | None, handing_over: ContextPacker | None, custom: tuple[str, ...] | None
    ) -> list[Tool]:
        """Return the search tool; custom are the keys of custom metadata, or None if the agent may not use filters."""
        if find is None or not self._agent.search_knowledge:
            return []
        format = self._agent.references_format
        narrowed = NarrowedSearch(self._around.allowed, self._search_within, custom) if custom is not None else None
        return [
            SearchTool(
                find,
                self._references,
                handing_over,
                format=format,
                narrowed=narrowed,
                curation=self._curation,
                notes_doubt=not self._around.profile.is_offline,
            )
        ]

    async def _opening(
        self, find: SearchFunction | None, handing_over: ContextPacker | None, opened: OpenedTools, question: str
    ) -> RequestBuilder:
        agent, around = self._agent, self._around
        return RequestBuilder(
            agent,
            finder=SearchStep(
                self._references,
                handing_over,
                agent.references_format,
                self._curation,
                notes_doubt=not around.profile.is_offline,
            ),
            ahead=find,
            filter_keys=await self._filter_keys() if agent.agentic_filters else (),
            user=around.user,
            memory=memory_context_source(self._library, around.settings, around.profile, around.user),
            notices=(*opened.notices, *self._offline_notices(), *filter(None, self._planning()[1:])),
            structure=self._structure(opened.tools, question),
            whole=self._whole(question),
        )

    async def _filter_keys(self) -> tuple[str, ...]:
        used = await self._library.on_store(self._library.filter_values.in_use, 1)
        there = [key for key in FILTER_KEYS if (key in used or key in _ALWAYS) and key not in _NOT_FOR_MODELS]
        return (*there, *(key for key in used if key not in FILTER_KEYS))

    def _planning(self) -> tuple[Planning | None, str]:
        around = self._around
        return planning_of(self._agent, around.settings, around.plan, offline=around.profile.is_offline)

    def _offline_notices(self) -> tuple[str, ...]:
        instruction_fields = (
            "description",
            "role",
            "instructions",
            "system_message",
            "expected_output",
            "additional_context",
        )
        if not self._around.profile.is_offline or all(
            getattr(self._agent, name) in ("", (), getattr(BUILT_IN, name)) for name in instruction_fields
        ):
            return ()
        notice = mark(
            "Without a model, no instructions are followed: of the agent"
            f" “{self._agent.name}”, only what it searches is used."
        )
        return (notice,)

    def _search_within(self, allowed: ChunkFilter) -> SearchFunction:
        """Return the agent's search function within a filter: its retrievers' if it has any, else the library's."""
        agent, around = self._agent, self._around
        context = RunContext(
            run_id=str(around.recorder.run),
            session_id=str(around.recorder.session),
            user_id=around.user,
            agent=agent,
            dependencies=dict(agent.dependencies),
            knowledge_filters=for_retrievers(allowed),
            session_state=dict(agent.state),
            metadata=dict(agent.metadata),
        )
        # without knowledge the retriever itself decides how many passages it returns.
        number = agent.num_documents or (around.settings.search_results if agent.knowledge else None)
        custom_search = retriever_search(self._library, around.retrievers, context, number)
        return custom_search or self._library_search(allowed)

    def _library_search(self, allowed: ChunkFilter) -> SearchFunction:
        async def run(query: str) -> SearchResult:
            library = self._library
            stripped = without_mentions(query, allowed)
            result = await search(library, stripped, k=self._agent.num_documents, filter=allowed)(self._context)
            # Documents that were found are embedded before other waiting ones.
            found = dict.fromkeys(hit.chunk.document for hit in result.hits)
            library.queue.first(number for number in found if number in library.active)
            return result

        return run

    def _remember_calling(self, calling: ToolCalling) -> None:
        library = self._library
        library.store_soon(library.profiles.remember_tool_calling, self._around.profile.name, calling)


def allowed_filter(library: Library, agent: Agent, knowledge_base: str | None, filter: ChunkFilter) -> ChunkFilter:
    """Return the filter that every passage found by a run must match; blocks on the store.

    Args:
        library: The open library.
        agent: The agent that answers.
        knowledge_base: The only one to be searched, if the user chose one.
        filter: Further conditions of the user.

    Raises:
        NotFound: A knowledge base of the agent does not exist (any more).
        RetrievalError: The agent does not search the chosen knowledge base, or its filter is invalid.
    """
    wanted = knowledge_base or filter.knowledge_base
    own = filter_of_text(agent.filter).where
    if not agent.knowledge_bases:
        return ChunkFilter(wanted, (*own, *filter.where))
    there = library.documents.all_knowledge_bases()
    for name in agent.knowledge_bases:
        if name not in there:
            raise NotFound(
                f"The agent “{agent.name}” searches “{name}”, and there is no such knowledge base.",
                "Choose other knowledge bases for it, or ask another agent.",
            )
    if wanted is not None and wanted not in agent.knowledge_bases:
        listed = ", ".join(f"“{name}”" for name in agent.knowledge_bases)
        raise RetrievalError(
            f"The agent “{agent.name}” does not search “{wanted}”.", f"It searches {listed}. Choose one, or all."
        )
    if wanted is not None or len(agent.knowledge_bases) == 1:
        return ChunkFilter(wanted or agent.knowledge_bases[0], (*own, *filter.where))
    among = Condition("knowledge_base", Operator.IN, agent.knowledge_bases)
    return ChunkFilter(None, (among, *own, *filter.where))


def for_retrievers(allowed: ChunkFilter) -> dict[str, Any] | list[Any] | None:
    """Return a filter in the form for custom retrievers: a dict if it has only values by key, else a list."""
    base = {"knowledge_base": allowed.knowledge_base} if allowed.knowledge_base else {}
    equal = {
        one.key: one.values[0] for one in allowed.where if isinstance(one, Condition) and one.operator is Operator.EQ
    }
    if len(equal) == len(allowed.where):
        return {**base, **equal} or None
    return [*({"op": "EQ", "key": key, "value": value} for key, value in base.items()), *form_of(allowed)]


_OFFLINE = mark(
    "Without a model, no plan is made: the answer quotes from your documents, and each part of the question is searched"
    " for separately. A model profile can plan."
)


def planning_of(agent: Agent, settings: Settings, asked: bool | None, *, offline: bool) -> tuple[Planning | None, str]:
    """Return how a run makes its plan, or None; and a notice for a user who requested a plan and gets none, or "".

    Args:
        agent: The agent that answers.
        settings: The current settings.
        asked: Whether a plan was requested with the question; None if nothing was specified.
        offline: Whether the offline answerer answers, without a model.
    """
    when = agent.plan or PlanWhen(settings.plan)
    if not (asked if asked is not None else when is PlanWhen.ALWAYS):
        return None, ""
    if offline:
        return None, _OFFLINE if asked else ""
    if when is PlanWhen.NEVER:
        return None, mark(f"“{agent.name}” makes no plans; the question was answered directly.")
    return Planning(settings.plan_steps, settings.plan_review == "yes"), ""


OFF, BY_MODEL = "off", "model"

# Timeout of a model's check of an answer: the answer is complete already, and the user does not wait longer.
_MODEL_SECONDS = 60.0


def claim_checker(
    library: Library, settings: Settings, profile: ModelProfile, provider: ModelProvider
) -> Checker | None:
    """Return the checker for the answers of a profile; None if they are not checked.

    The offline answerer quotes verbatim, which needs no check.
    """
    if settings.check_answers == OFF or profile.is_offline:
        return None
    return _LibraryChecker(library, provider if settings.check_answers == BY_MODEL else None, profile.name)


def text_checker(library: Library, settings: Settings, profile: ModelProfile) -> Checker | None:
    """Return a checker for the answers of a profile that never asks a model; None if they are not checked."""
    if settings.check_answers == OFF or profile.is_offline:
        return None
    return _LibraryChecker(library, None, profile.name)


class _LibraryChecker:
    def __init__(self, library: Library, provider: ModelProvider | None, name: str) -> None:
        self._library = library
        self._provider = provider
        self._name = name

    async def check(
        self, known: str, answer: str, references: Mapping[int, NumberedHit]
    ) -> Sequence[ClaimsChecked | Notice]:
        began = time.perf_counter()
        claims = await self._by_text(known, answer, references)
        if not claims:
            return ()
        by, notices = "", list[Notice]()
        if self._provider is not None and references:
            try:
                async with asyncio.timeout(_MODEL_SECONDS):
                    claims = await check_by_model(self._provider, known, claims, references)
                by = self._name
            except (ModelError, TimeoutError) as error:
                why = str(error) or mark(f"It took more than {in_seconds(_MODEL_SECONDS)}.")
                notices.append(
                    Notice(mark(f"The model could not check its answer, so only the wording was checked. {why}"))
                )
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        return (*notices, ClaimsChecked(claims, by, milliseconds))

    async def _by_text(self, known: str, answer: str, references: Mapping[int, NumberedHit]) -> tuple[Claim, ...]:
        # The embedder has been loaded already: the run has searched.
        from workbench.agent.claims.claim_checker import ClaimChecker

        library = self._library
        stopped = threading.Event()

        def work() -> tuple[Claim, ...]:
            checker = ClaimChecker(library.models.embedder_or_none(), library.keywords)
            return checker.check(known, answer, references, stop=stopped.is_set)

        try:
            return await library.on_search(work)
        finally:
            stopped.set()
