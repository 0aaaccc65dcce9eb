"""The agent run: a loop over tool calls whose every step is an event, with limits, that can be stopped anywhere."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.agent.approval_gate import NEVER, ApprovalGate, with_arguments
from workbench.agent.base import Approver, ModelProvider, Tool
from workbench.agent.citations import find_citations
from workbench.agent.claims.base import Checker, check_claims
from workbench.agent.context_window import ContextWindow
from workbench.agent.opening import Opening
from workbench.agent.recorded import Recorded
from workbench.agent.references import RunReferences
from workbench.agent.refusal import is_refusal
from workbench.agent.run_log import RunLog
from workbench.agent.text_protocol import text_protocol_instructions
from workbench.agent.time_limit import TimeLimit
from workbench.agent.token_budget import TokenBudget
from workbench.agent.tool_calls import ToolCalls
from workbench.agent.tools.reasoning import AnalyzeTool, ThinkTool
from workbench.agent.turns import Manner, ModelTurns
from workbench.errors import ModelFailed, ModelRefusedRequest, WorkbenchError
from workbench.model.agent import Agent
from workbench.model.approval import ApprovalPolicy
from workbench.model.hit import Citation
from workbench.model.message import Message, ModelRequest, Role, ToolSpec, TurnEnd
from workbench.model.prompt import PromptSection
from workbench.model.run import Notice, Run, RunCancelled, RunCompleted, RunFailed, RunStarted, TimedEvent
from workbench.settings import Settings

RunOutcome = RunCompleted | RunFailed

TEXT_PROTOCOL = "Tool protocol"
"""The label of the section that explains how to call tools by text."""

CHANGED_BY_HAND = "A tool's result was changed by hand in this answer: it may say what no document says."


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a run may take; see the settings of the same names."""

    tool_calls: int = 20
    rounds: int = 10
    seconds: float = 300.0
    tokens: int = 500_000

    @classmethod
    def of(cls, settings: Settings, agent: Agent | None = None) -> "RunLimits":
        """Return the limits in force: an agent's own, and those of the settings where it has none."""
        usual = cls(settings.tool_calls, settings.rounds, settings.run_seconds, settings.run_tokens)
        own = {name: getattr(agent, name, None) for name in ("tool_calls", "rounds", "seconds", "tokens")}
        return replace(usual, **{name: value for name, value in own.items() if value is not None})


class AgentRunner:
    """Answers one question: asks the model, carries out its tool calls, until it answers.

    Good for one run; references must be the one that the search tool numbers its hits with.
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
        opening: Opening | None = None,
        agent: str = "",
        policy: ApprovalPolicy = NEVER,
        manner: Manner | None = None,
        checker: Checker | None = None,
    ) -> None:
        self._provider = provider
        self._window = window
        self._knowledge_base = knowledge_base
        self._filter = filter
        self._tools = tuple(tools)
        self._references = references
        self._limits = limits or RunLimits()
        self._profile = profile
        self._opening = opening or Opening()
        self._agent = agent
        self._policy = policy
        self._manner = manner or Manner()
        self._checker = checker

    async def run(
        self,
        question: str,
        history: Sequence[Run] = (),
        *,
        emit: Callable[[TimedEvent], None],
        approver: Approver | None = None,
        recorded: Recorded | None = None,
    ) -> RunOutcome:
        """Run to the end and return the last event.

        Exactly one of RunCompleted, RunFailed and RunCancelled is emitted, and it is the last event. When the task is
        cancelled, RunCancelled with the text so far is emitted before asyncio.CancelledError goes on.

        Args:
            question: What the user asks.
            history: Earlier runs of the session, oldest first.
            emit: Told every event as it happens.
            approver: Speaks for the person who is asked before a tool is called; None where nobody is there.
            recorded: Turns of another run, which are gone through instead of asking the model for them.
        """
        log = RunLog(emit)
        try:
            place = self._knowledge_base, self._filter
            log.emit(RunStarted(question, self._profile, self._provider.mode, *place, self._agent))
            async with TimeLimit(self._limits.seconds) as limit:
                gate = ApprovalGate(self._policy, approver, limit.waiting)
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
            # A bug: the run still gets its end, and the job boundary gets the error.
            bug = ModelFailed("The answer failed because of a fault in this program.", "The log says more.")
            log.emit(self._failure(bug, log))
            raise
        log.emit(end)
        return end

    async def _converse(
        self, question: str, history: Sequence[Run], log: RunLog, gate: ApprovalGate, recorded: Recorded | None
    ) -> RunCompleted:
        budget = TokenBudget(self._limits.tokens)
        made = recorded.calls if recorded is not None else 0
        calls = ToolCalls(self._tools, limit=self._limits.tool_calls, emit=log.emit, gate=gate, made=made)
        turns = ModelTurns(self._provider, budget, self._manner, log, calls=made)
        messages, done = await self._begin(question, history, log, recorded)
        for number in range(done + 1, self._limits.rounds + 1):
            is_last = number == self._limits.rounds or budget.is_short
            if is_last and number < self._limits.rounds:
                log.emit(
                    Notice(f"The limit of {self._limits.tokens:,} tokens is near; the model was told to answer now.")
                )

            def request(by_text: bool, last_round: bool = is_last and number > 1) -> ModelRequest:
                return self._request(messages, calls.specs, by_text=by_text, last_round=last_round)

            turn, sent = await turns.take(number, request)
            if self._window is not None:
                self._window.sent(sent, turn.usage)
            if not turn.tool_calls:
                return self._completed(turn, log)
            if is_last:
                break
            messages.extend(await self._answered(turn, calls, log))
        raise self._used_up(budget)

    async def _begin(
        self, question: str, history: Sequence[Run], log: RunLog, recorded: Recorded | None
    ) -> tuple[list[Message], int]:
        """Return what the model is handed first, and how many turns it has had already."""
        if recorded is None:
            return await self._opening.begin(question, history, log.emit), 0
        for reference in recorded.references:
            self._references.restore(reference)
        for tool in self._tools:
            if isinstance(tool, ThinkTool | AnalyzeTool):
                tool.steps.resume(recorded.steps)
        log.replay(recorded.events)
        log.emit(Notice(CHANGED_BY_HAND))
        return [*self._opening.resume(recorded.prompt, log.emit), *recorded.messages], len(recorded.turns)

    def _request(
        self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, by_text: bool, last_round: bool
    ) -> ModelRequest:
        protocol = text_protocol_instructions(specs) if by_text else ""
        also = (PromptSection(TEXT_PROTOCOL, f"\n{protocol}\n"),) if protocol else ()
        return self._opening.request(messages, specs, last_round=last_round, also=also)

    async def _answered(self, turn: TurnEnd, calls: ToolCalls, log: RunLog) -> list[Message]:
        """Carry out a turn's calls and return what follows from it: what the model said, and the results."""
        said = log.discard()
        answered = await calls.answer(turn.tool_calls)
        items = turn.provider_items
        for call in answered.calls:
            items = with_arguments(call, items)
        return [Message(Role.ASSISTANT, said, answered.calls, provider_items=items), *answered.messages]

    def _used_up(self, budget: TokenBudget) -> ModelFailed:
        if budget.is_short:
            return ModelFailed(
                f"The model used up its {self._limits.tokens:,} tokens without coming to an answer.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
            )
        return ModelFailed(
            f"The model used up its {self._limits.rounds} rounds without coming to an answer.",
            "Ask a narrower question, or raise “Rounds per answer” in the settings.",
        )

    def _completed(self, turn: TurnEnd, log: RunLog) -> RunCompleted:
        if turn.finish == "content_filter":
            raise ModelRefusedRequest(
                "The server's content filter stopped the answer.", "Ask in other words, or use another model."
            )
        if not log.answer.strip():
            raise ModelFailed("The model ended without an answer.", _EMPTY_HINTS.get(turn.finish, "Ask again."))
        if turn.finish == "length":
            log.emit(Notice("The answer was cut off: it reached the longest length that the model may write."))
        citations = self._citations(log.answer)
        refused = is_refusal(log.answer) and not any(citation.valid for citation in citations)
        if refused and self._references.searches_failed:
            log.emit(Notice("A search did not work, so it is not known whether your documents hold an answer."))
            refused = False
        return RunCompleted(log.answer, citations, refused, log.usage, log.seconds)

    def _citations(self, answer: str) -> tuple[Citation, ...]:
        return find_citations(answer, self._references.numbered)

    def _failure(self, error: WorkbenchError, log: RunLog) -> RunFailed:
        return RunFailed(error.message, error.hint, log.answer, self._citations(log.answer), log.seconds)


_EMPTY_HINTS = {"length": "It used up its length for thinking: raise the model's limit, or ask a narrower question."}
