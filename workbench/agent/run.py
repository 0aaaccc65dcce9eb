"""The agent run: a loop over tool calls whose every step is an event, with limits, that can be stopped anywhere."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from workbench.agent.base import ModelProvider, Tool
from workbench.agent.citations import find_citations
from workbench.agent.context_window import ContextWindow
from workbench.agent.history import history_messages
from workbench.agent.prompt import system_prompt
from workbench.agent.references import RunReferences
from workbench.agent.refusal import is_refusal
from workbench.agent.tool_calls import ToolCalls
from workbench.errors import ModelFailed, ModelRefusedRequest, ModelStreamCut, WorkbenchError
from workbench.model.hit import Citation
from workbench.model.message import (
    Message,
    ModelEvent,
    ModelRequest,
    ProviderNote,
    ReasoningDelta,
    Role,
    TextDelta,
    TurnEnd,
    Usage,
)
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ModelReasoning,
    Notice,
    Run,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    TimedEvent,
)
from workbench.settings import Settings

RunOutcome = RunCompleted | RunFailed


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a run may take; see the settings of the same names."""

    tool_calls: int = 20
    rounds: int = 10
    seconds: float = 300.0

    @classmethod
    def of(cls, settings: Settings) -> "RunLimits":
        """Return the limits in force."""
        return cls(settings.tool_calls, settings.rounds, settings.run_seconds)


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
    ) -> None:
        self._provider = provider
        self._window = window
        self._knowledge_base = knowledge_base
        self._filter = filter
        self._tools = tuple(tools)
        self._references = references
        self._limits = limits or RunLimits()
        self._profile = profile

    async def run(
        self, question: str, history: Sequence[Run] = (), *, emit: Callable[[TimedEvent], None]
    ) -> RunOutcome:
        """Run to the end and return the last event.

        Exactly one of RunCompleted, RunFailed and RunCancelled is emitted, and it is the last event. When the task is
        cancelled, RunCancelled with the text so far is emitted before asyncio.CancelledError goes on.

        Args:
            question: What the user asks.
            history: Earlier runs of the session, oldest first.
            emit: Told every event as it happens.
        """
        log = _RunLog(emit)
        try:
            log.emit(RunStarted(question, self._profile, self._provider.mode, self._knowledge_base, self._filter))
            end: RunOutcome = await self._within_time(question, history, log)
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

    async def _within_time(self, question: str, history: Sequence[Run], log: "_RunLog") -> RunCompleted:
        try:
            async with asyncio.timeout(self._limits.seconds) as limit:
                return await self._converse(question, history, log)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ModelFailed(
                f"The answer took longer than {self._limits.seconds:g} seconds and was stopped.",
                "Ask a narrower question, or raise “Time limit per answer” in the settings.",
            ) from error

    async def _converse(self, question: str, history: Sequence[Run], log: "_RunLog") -> RunCompleted:
        calls = ToolCalls(self._tools, limit=self._limits.tool_calls, emit=log.emit)
        messages = [*history_messages(history), Message(Role.USER, question)]
        for number in range(1, self._limits.rounds + 1):
            is_last = number == self._limits.rounds
            prompt = system_prompt(calls.specs, last_round=is_last and number > 1)
            request = ModelRequest((Message(Role.SYSTEM, prompt), *messages), calls.specs)
            turn = await self._turn(request, log)
            log.count(turn.usage)
            if self._window is not None:
                self._window.sent(request, turn.usage)
            if not turn.tool_calls:
                return self._completed(turn, log)
            if is_last:
                break
            said = log.discard()
            messages.append(Message(Role.ASSISTANT, said, turn.tool_calls, provider_items=turn.provider_items))
            messages.extend(await calls.answer(turn.tool_calls))
        raise ModelFailed(
            f"The model used up its {self._limits.rounds} rounds without coming to an answer.",
            "Ask a narrower question, or raise “Rounds per answer” in the settings.",
        )

    async def _turn(self, request: ModelRequest, log: "_RunLog") -> TurnEnd:
        """Stream one turn of the model, passing on what it says."""
        stream = cast(AsyncGenerator[ModelEvent, None], self._provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        log.say(text)
                    case ReasoningDelta(text):
                        log.emit(ModelReasoning(text))
                    case ProviderNote(text):
                        log.emit(Notice(text))
                    case TurnEnd():
                        return event
        raise ModelStreamCut("The model stopped before its answer was complete.", "Ask again.")

    def _completed(self, turn: TurnEnd, log: "_RunLog") -> RunCompleted:
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

    def _failure(self, error: WorkbenchError, log: "_RunLog") -> RunFailed:
        return RunFailed(error.message, error.hint, log.answer, self._citations(log.answer), log.seconds)


_EMPTY_HINTS = {"length": "It used up its length for thinking: raise the model's limit, or ask a narrower question."}


class _RunLog:
    """The events of a run, numbered and timed, and what adds up over its turns."""

    def __init__(self, emit: Callable[[TimedEvent], None]) -> None:
        self._emit = emit
        self._began = time.perf_counter()
        self._number = 0
        self._ended = False
        self.answer = ""
        self.usage = Usage()

    @property
    def seconds(self) -> float:
        return round(time.perf_counter() - self._began, 4)

    def emit(self, event: RunEvent) -> None:
        """Pass an event on; nothing after the end, which a tool that was given up may still try to say."""
        if self._ended:
            return
        self._ended = isinstance(event, RunCompleted | RunCancelled | RunFailed)
        timed = TimedEvent(self._number, self.seconds, event)
        self._number += 1
        self._emit(timed)

    def say(self, text: str) -> None:
        """Add to the answer."""
        if text:
            self.answer += text
            self.emit(AnswerDelta(text))

    def discard(self) -> str:
        """Take back what was said beside tool calls: it is a step, not the answer."""
        said, self.answer = self.answer, ""
        if said:
            self.emit(AnswerDiscarded(said))
        return said

    def count(self, usage: Usage) -> None:
        """Add up the tokens of a turn; None only where no turn has said."""
        self.usage = Usage(
            _sum(self.usage.input_tokens, usage.input_tokens), _sum(self.usage.output_tokens, usage.output_tokens)
        )


def _sum(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
