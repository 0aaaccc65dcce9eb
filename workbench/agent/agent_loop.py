"""The agent loop: runs the steps of one question as events, within limits, until it ends or is stopped."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import cast

from workbench.agent.approval_gate import NEVER, ApprovalGate
from workbench.agent.base import Approver, ModelCounts, ModelProvider, Tool
from workbench.agent.built_in_agent import certainty_of, is_only_refusal, unknown_for
from workbench.agent.citations import find_citations
from workbench.agent.claims.checks import Checker, check_claims
from workbench.agent.map_reduce import ReadingLimits
from workbench.agent.planning.plan_runner import Planning, PlanRunner
from workbench.agent.references import RunReferences
from workbench.agent.request_builder import RequestBuilder
from workbench.agent.run_log import RecordedRun, RunLog
from workbench.agent.search_step import CurationGate
from workbench.agent.token_budget import ContextWindow, TokenBudget
from workbench.agent.tool_loop import ModelCaller, ToolCallProtocol, ToolLoop
from workbench.agent.tool_runner import ToolRunner
from workbench.agent.tools.reasoning import AnalyzeTool, ThinkTool
from workbench.errors import LimitReached, ModelFailed, ModelRefusedRequest, WorkbenchError
from workbench.language import in_seconds, mark
from workbench.model.agent import Agent
from workbench.model.approval import ApprovalPolicy
from workbench.model.exhaustive import Price
from workbench.model.hit import Citation
from workbench.model.message import Message, ModelEvent, ModelRequest, ReasoningDelta, TextDelta, TurnEnd, Usage
from workbench.model.run import (
    Certainty,
    Limit,
    Limits,
    Notice,
    Run,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    TimedEvent,
)
from workbench.model.search_configuration import SearchInForce
from workbench.settings import Settings

RunOutcome = RunCompleted | RunFailed

CHANGED_BY_HAND = mark("You changed a tool's result in this answer, so it may say things that no document says.")


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of a run; see the settings of the same names.

    Attributes:
        tokens: 0 for an answerer without a model, which uses none.
        spent: Seconds that were used before the run began.
        price: Price of tokens, if one is configured.
    """

    tool_calls: int = 20
    rounds: int = 10
    seconds: float = 300.0
    tokens: int = 500_000
    spent: float = 0.0
    price: Price | None = None

    @classmethod
    def of(cls, settings: Settings, agent: Agent | None = None) -> "RunLimits":
        """Return the effective limits: those of the agent, and those of the settings where the agent has none."""
        usual = cls(settings.tool_calls, settings.rounds, settings.run_seconds, settings.run_tokens)
        own = {name: getattr(agent, name, None) for name in ("tool_calls", "rounds", "seconds", "tokens")}
        return replace(usual, **{name: value for name, value in own.items() if value is not None})


class AgentLoop:
    """Runs one question: asks the model and carries out its tool calls until the model answers.

    An instance serves one run; references must be the object with which the search tool numbers its hits.
    """

    def __init__(
        self,
        provider: ModelProvider,
        tools: Sequence[Tool],
        *,
        references: RunReferences,
        limits: RunLimits | None = None,
        profile: str = "offline",
        knowledge_base: str = "",
        filter: str = "",
        window: ContextWindow | None = None,
        opening: RequestBuilder | None = None,
        agent: str = "",
        policy: ApprovalPolicy = NEVER,
        manner: ToolCallProtocol | None = None,
        checker: Checker | None = None,
        curation: CurationGate | None = None,
        planning: Planning | None = None,
        search: SearchInForce | None = None,
    ) -> None:
        self._search = search
        self._provider = provider
        self._window = window
        self._knowledge_base = knowledge_base
        self._filter = filter
        self._tools = tuple(tools)
        self._references = references
        self._limits = limits or RunLimits()
        self._profile = profile
        self._opening = opening or RequestBuilder()
        self._agent = agent
        self._policy = policy
        self._manner = manner or ToolCallProtocol()
        self._checker = checker
        self._curation = curation
        self._planning = planning

    async def run(
        self,
        question: str,
        history: Sequence[Run] = (),
        *,
        emit: Callable[[TimedEvent], None],
        approver: Approver | None = None,
        recorded: RecordedRun | None = None,
    ) -> RunOutcome:
        """Run to the end and return the last event.

        Exactly one of RunCompleted, RunFailed and RunCancelled is emitted, and it is the last event. When the task is
        cancelled, RunCancelled with the text so far is emitted before asyncio.CancelledError is raised again.

        Args:
            question: What the user asks.
            history: Earlier runs of the session, oldest first.
            emit: Called with every event as it happens.
            approver: Decides about tool calls for the user; None if no user is available.
            recorded: Turns of another run, which are replayed instead of asking the model for them.
        """
        log = RunLog(emit)
        try:
            place = self._knowledge_base, self._filter
            mode, limits = self._provider.mode, self._told_limits()
            log.emit(RunStarted(question, self._profile, mode, *place, self._agent, limits, self._search))
            async with TimeLimit(self._limits.seconds, spent=self._limits.spent) as limit:
                gate = ApprovalGate(self._policy, approver, limit.waiting)
                if self._curation is not None:
                    self._curation.begin(log.emit, limit.waiting)
                end: RunOutcome = await self._converse(question, history, log, gate, recorded)
            if self._checker is not None and self._references.searched and isinstance(end, RunCompleted):
                known = "\n".join((question, *log.results))
                await check_claims(self._checker, known, end, self._references.numbered, log.emit)
        except asyncio.CancelledError:
            log.emit(RunCancelled(log.answer, self._citations(log.answer), log.seconds))
            raise
        except WorkbenchError as error:
            end = self._failure(error, log)
        except Exception:
            # A bug: the run still gets its final event, and the job boundary gets the error.
            bug = ModelFailed("The answer failed because of a fault in this program.", "The log says more.")
            log.emit(self._failure(bug, log))
            raise
        log.emit(end)
        return end

    async def _converse(
        self, question: str, history: Sequence[Run], log: RunLog, gate: ApprovalGate, recorded: RecordedRun | None
    ) -> RunCompleted:
        budget = TokenBudget(self._limits.tokens)
        made = recorded.calls if recorded is not None else 0
        calls = ToolRunner(self._tools, limit=self._limits.tool_calls, emit=log.emit, gate=gate, made=made)
        references = self._references
        turns = ModelCaller(self._provider, budget, self._manner, log, calls=made, handed=lambda: references.chunks)
        done = len(recorded.turns) if recorded is not None else 0
        rounds = ToolLoop(
            turns, calls, budget, self._opening, log, limit=self._limits.rounds, done=done, window=self._window
        )
        turn = await self._answered(question, history, log, gate, rounds, recorded)
        if turn is None:
            raise rounds.used_up()
        return self._completed(question, turn, log)

    async def _answered(
        self,
        question: str,
        history: Sequence[Run],
        log: RunLog,
        gate: ApprovalGate,
        rounds: ToolLoop,
        recorded: RecordedRun | None,
    ) -> TurnEnd | None:
        """Return the turn that ends the answer; None if the rounds were used up before one."""
        if recorded is None:
            means = self._reading_means(rounds, log)
            messages = await self._opening.begin(question, history, log.emit, means)
            if self._planning is None:
                return await rounds.answer(messages)
            return await PlanRunner(self._planning, rounds, self._opening, gate, log, messages).answer()
        messages = self._resumed(recorded, log)
        if recorded.standing.plan is None:
            return await rounds.answer([*messages, *recorded.messages])
        planned = PlanRunner(self._planning or Planning(), rounds, self._opening, gate, log, messages)
        return await planned.go_on(recorded.standing, recorded.messages)

    def _reading_means(self, rounds: ToolLoop, log: RunLog) -> ReadingLimits:
        """Return the limits for reading whole documents before the model answers: half of the time and the tokens."""
        provider = CountingProvider(self._provider, rounds.budget, log.count, kept=rounds.budget.left / 2)
        seconds = max(0.0, self._limits.seconds - self._limits.spent) / 2
        return ReadingLimits(provider, rounds.budget, calls=rounds.left - 1, seconds=seconds)

    def _resumed(self, recorded: RecordedRun, log: RunLog) -> list[Message]:
        """Replay the recorded events and return the first messages to the model."""
        for reference in recorded.references:
            self._references.restore(reference)
        for coverage in recorded.coverages:
            self._references.seen(coverage)
        self._references.searches_failed += recorded.searches_failed
        for tool in self._tools:
            if isinstance(tool, ThinkTool | AnalyzeTool):
                tool.steps.resume(recorded.steps)
        log.replay(recorded.events)
        log.emit(Notice(CHANGED_BY_HAND))
        return self._opening.resume(recorded.prompt, log.emit)

    def _completed(self, question: str, turn: TurnEnd, log: RunLog) -> RunCompleted:
        if turn.finish == "content_filter":
            raise ModelRefusedRequest(
                "The server's content filter stopped the answer.", "Ask in other words, or use another model."
            )
        if not log.answer.strip():
            raise ModelFailed("The model ended without an answer.", _empty_hint(turn, log))
        if turn.finish == "length":
            log.emit(Notice(mark("The answer was cut off: it reached the maximum length.")))
        citations = self._citations(log.answer)
        certainty = self._certainty(citations, log)
        refused = certainty is Certainty.NOT_FOUND
        # Models write the refusal also where the search told them that not everything could be searched.
        is_too_sure = certainty is Certainty.UNKNOWN and is_only_refusal(log.answer)
        answer = unknown_for(question) if is_too_sure else log.answer
        return RunCompleted(answer, citations, refused, log.usage, log.seconds, certainty)

    def _certainty(self, citations: Sequence[Citation], log: RunLog) -> Certainty:
        """Return the certainty of the answer; it is not a refusal if a search failed or the search was incomplete."""
        certainty = certainty_of(log.answer)
        if certainty is not Certainty.NOT_FOUND:
            return certainty
        if any(citation.valid for citation in citations):
            return Certainty.FOUND
        if self._references.searches_failed:
            log.emit(Notice(mark("A search failed, so it is not known whether your documents contain an answer.")))
            return Certainty.UNKNOWN
        if self._references.has_unsearched:
            log.emit(Notice(mark("Not everything could be searched, so your documents may still contain an answer.")))
            return Certainty.UNKNOWN
        return Certainty.NOT_FOUND

    def _citations(self, answer: str) -> tuple[Citation, ...]:
        return find_citations(answer, self._references.numbered)

    def _failure(self, error: WorkbenchError, log: RunLog) -> RunFailed:
        limit = Limit(error.limit) if isinstance(error, LimitReached) else None
        return RunFailed(error.message, error.hint, log.answer, self._citations(log.answer), log.seconds, limit)

    def _told_limits(self) -> Limits:
        limits = self._limits
        # An answerer without a model uses no tokens.
        tokens = limits.tokens if self._provider.counts is not None else 0
        return Limits(limits.tool_calls, limits.rounds, limits.seconds, tokens, limits.spent, limits.price)


def _empty_hint(turn: TurnEnd, log: RunLog) -> str:
    """Return a hint for the user about an empty answer."""
    if turn.finish != "length":
        return mark("Ask again.")
    if log.answer and not log.has_reasoned:
        # Small models do this, and models whose server applies another model's chat template.
        return mark("It wrote only blank lines until it reached its maximum length: ask again, or use another model.")
    return mark("It used its whole length for reasoning: raise the model's limit, or ask a narrower question.")


class CountingProvider:
    """ModelProvider that deducts the tokens of every call from a run's budget.

    Args:
        provider: Provider that answers the calls.
        budget: Budget of the run; a call that exceeds it raises LimitReached.
        count: Called with the token usage that the server reports for a call.
        kept: Tokens of the budget that the calls must leave, even if the model writes more.
    """

    def __init__(
        self, provider: ModelProvider, budget: TokenBudget, count: Callable[[Usage], None], *, kept: float = 0.0
    ) -> None:
        self._provider = provider
        self._kept = kept
        self._budget = budget
        self._count = count

    @property
    def mode(self) -> str:
        return self._provider.mode

    @property
    def counts(self) -> ModelCounts | None:
        return self._provider.counts

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the events of one call; see ModelProvider.

        Raises:
            LimitReached: The run has no tokens left for it.
        """
        self._budget.ask(request)
        stream = cast(AsyncGenerator[ModelEvent, None], self._provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text) | ReasoningDelta(text):
                        self._budget.count_output(text)
                        self._check()
                    case TurnEnd():
                        self._count(event.usage)
                        self._budget.end(request, event.usage)
                yield event

    def _check(self) -> None:
        if self._budget.left < self._kept:
            raise LimitReached(
                "The remaining tokens are kept for the answer.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
                Limit.TOKENS,
            )

    async def close(self) -> None:
        """Do nothing: the code that opened the provider closes it."""


class TimeLimit:
    """Async context manager that ends its body after some seconds; the clock stops while waiting() is entered."""

    def __init__(self, seconds: float, *, spent: float = 0.0) -> None:
        """Store the limit, and the seconds of it that were used before."""
        self._seconds = seconds
        self._timeout = asyncio.timeout(None)
        self._waiting = 0
        self._left = seconds - spent

    async def __aenter__(self) -> "TimeLimit":
        await self._timeout.__aenter__()
        self._timeout.reschedule(asyncio.get_running_loop().time() + self._left)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._timeout.__aexit__(kind, error, traceback)
        except TimeoutError as expired:
            raise LimitReached(
                f"The answer took longer than {in_seconds(self._seconds)} and was stopped.",
                "Ask a narrower question, or raise “Time limit per answer” in the settings.",
                Limit.SECONDS,
            ) from expired

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Stop the clock; several calls may wait concurrently."""
        now = asyncio.get_running_loop().time
        if not self._waiting:
            self._left = (self._timeout.when() or now()) - now()
            self._timeout.reschedule(None)
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            # A run that is being stopped needs no limit any more, and reschedule() would raise.
            if not self._waiting and not self._timeout.expired():
                self._timeout.reschedule(now() + self._left)
