"""The tool loop of a run.

Model calls with retries, and the tool calls that the model makes, until there is an answer or a limit is reached.
"""

import itertools
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from workbench.agent.approval_gate import with_arguments
from workbench.agent.base import ModelProvider
from workbench.agent.request_builder import RequestBuilder
from workbench.agent.run_log import RunLog
from workbench.agent.text_protocol import QUOTED_CALL, CallFinder, QuotedData, TextCall, as_text, tool_call_instructions
from workbench.agent.token_budget import ContextWindow, TokenBudget
from workbench.agent.tool_runner import ToolRunner
from workbench.egress.gate import carrying
from workbench.errors import LimitReached, ModelError, ModelLacksTools, ModelStreamCut
from workbench.language import mark
from workbench.model.message import (
    Message,
    ModelEvent,
    ModelRequest,
    PromptSection,
    ProviderNote,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
    ToolSpec,
    TurnEnd,
)
from workbench.model.profile import ToolCalling
from workbench.model.run import Limit, ModelReasoning, Notice, TurnCompleted

Request = Callable[[bool], ModelRequest]
"""Creates the request of a turn; True if tools are called by text, which the prompt then has to explain."""


@dataclass(frozen=True, slots=True)
class ToolCallProtocol:
    """Protocol by which a model calls tools.

    Attributes:
        calling: AUTO switches to text if the server refuses tools.
        remember: Called with the protocol that AUTO has determined.
    """

    calling: ToolCalling = ToolCalling.AUTO
    remember: Callable[[ToolCalling], None] | None = None


class ModelCaller:
    """Asks a model for one turn after another.

    Args:
        provider: Provider of the model.
        budget: Token budget of all turns together.
        manner: Protocol of the tool calls.
        log: Event log of the run.
        calls: Number of calls made before.
        handed: Returns the ids of the chunks whose text the model has received so far: each turn sends all of it again.
    """

    def __init__(
        self,
        provider: ModelProvider,
        budget: TokenBudget,
        manner: ToolCallProtocol,
        log: RunLog,
        *,
        calls: int = 0,
        handed: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        self._handed = handed
        self._provider = provider
        self._budget = budget
        self._manner = manner
        self._log = log
        self._by_text = manner.calling is ToolCalling.TEXT
        self._numbers = itertools.count(calls + 1)

    async def take(self, number: int, make: Request) -> tuple[TurnEnd, ModelRequest]:
        """Stream a turn and pass on the model's output; return its end, and the request that was sent for it.

        A turn is retried only while nothing of it has been used: tools run after its end, so none ever runs twice.

        Raises:
            ModelError: The model cannot be reached, failed, or wrote too much.
        """
        again = False
        while True:
            request = make(self._by_text)
            tools = request.tools
            sent = as_text(request) if self._by_text else request
            began = time.perf_counter()
            said = _TurnOutput()
            self._budget.ask(sent)
            try:
                turn = await self._stream(sent, tools, said, QuotedData(request))
            except ModelLacksTools as error:
                if self._by_text or self._manner.calling is ToolCalling.NATIVE or not tools or said.anything:
                    raise
                self._go_on_by_text(error)
            except ModelStreamCut:
                if again or said.anything:
                    raise
                again = True
                self._log.emit(Notice(mark("The connection ended before the first word; the model was asked again.")))
            else:
                self._record(number, turn, sent, began)
                return turn, sent

    async def _stream(
        self, request: ModelRequest, tools: Sequence[ToolSpec], said: "_TurnOutput", data: QuotedData
    ) -> TurnEnd:
        stream = cast(AsyncGenerator[ModelEvent, None], self._provider.stream(request))
        with carrying(chunks=self._handed()):
            return await self._streamed(stream, tools, said, data)

    async def _streamed(
        self, stream: AsyncGenerator[ModelEvent, None], tools: Sequence[ToolSpec], said: "_TurnOutput", data: QuotedData
    ) -> TurnEnd:
        async with aclosing(stream) as events:
            async for event in self._read(events, tools, data) if self._by_text else events:
                match event:
                    case TextDelta(text):
                        said.anything = said.anything or bool(text)
                        self._budget.count_output(text)
                        self._log.append_text(text)
                    case ReasoningDelta(text):
                        said.anything = said.anything or bool(text)
                        self._budget.count_output(text)
                        self._log.emit(ModelReasoning(text))
                    case ProviderNote(text):
                        self._log.emit(Notice(text))
                    case TurnEnd():
                        return event
        raise ModelStreamCut("The model stopped before its answer was complete.", "Ask again.")

    async def _read(
        self, events: AsyncIterator[ModelEvent], tools: Sequence[ToolSpec], data: QuotedData
    ) -> AsyncIterator[ModelEvent]:
        """Yield a turn's events, with the calls removed from its text and added to its end."""
        finder, calls = CallFinder(tools), list[ToolCall]()

        def told(found: Iterator[str | TextCall]) -> Iterator[TextDelta]:
            for part in found:
                if isinstance(part, str):
                    yield TextDelta(part)
                elif data.holds(part.raw):
                    # Text quoted from a document that looks like a call.
                    yield TextDelta(part.raw)
                    self._log.emit(Notice(QUOTED_CALL))
                else:
                    calls.append(ToolCall(f"text-{next(self._numbers)}", part.name, part.arguments))

        try:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for delta in told(finder.feed(text)):
                            yield delta
                    case TurnEnd():
                        for delta in told(finder.finish()):
                            yield delta
                        finish = "tool_calls" if calls and event.finish == "stop" else event.finish
                        yield replace(event, tool_calls=(*event.tool_calls, *calls), finish=finish, provider_items=())
                    case _:
                        yield event
        except ModelError:
            # Buffered text that might have become a call is plain text, since nothing follows it.
            for delta in told(finder.finish()):
                yield delta
            raise

    def _go_on_by_text(self, error: ModelLacksTools) -> None:
        self._by_text = True
        if self._manner.remember is not None:
            self._manner.remember(ToolCalling.TEXT)
        self._log.emit(
            Notice(
                mark(f"{error.message} The model calls them by text instead, which works less well with small models.")
            )
        )

    def _record(self, number: int, turn: TurnEnd, request: ModelRequest, began: float) -> None:
        self._log.count(turn.usage)
        usage, is_estimate = self._budget.end(request, turn.usage)
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        self._log.emit(
            TurnCompleted(
                number,
                usage,
                turn.finish,
                milliseconds,
                turn.tool_calls,
                turn.provider_items,
                by_text=self._by_text,
                is_estimate=is_estimate,
            )
        )


@dataclass(slots=True)
class _TurnOutput:
    """True in anything if a turn has produced output."""

    anything: bool = False


TEXT_PROTOCOL = mark("Tool protocol")
"""The label of the section that explains how to call tools by text."""


class ToolLoop:
    """Conducts one or several conversations with the model, which share the limits of the run.

    Args:
        turns: Asks the model.
        calls: Carries out the tool calls.
        budget: Token budget of the run.
        opening: Builds the requests.
        log: Event log of the run.
        limit: Maximum number of rounds of the run.
        done: Number of rounds already used.
        window: Context window, which records the requests that were sent.
    """

    def __init__(
        self,
        turns: ModelCaller,
        calls: ToolRunner,
        budget: TokenBudget,
        opening: RequestBuilder,
        log: RunLog,
        *,
        limit: int,
        done: int = 0,
        window: ContextWindow | None = None,
    ) -> None:
        self._turns = turns
        self._calls = calls
        self._budget = budget
        self._opening = opening
        self._log = log
        self._limit = limit
        self._done = done
        self._window = window

    @property
    def left(self) -> int:
        """Number of rounds that are left."""
        return self._limit - self._done

    @property
    def budget(self) -> TokenBudget:
        """Token budget of the run."""
        return self._budget

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Specs of the tools that the model may call."""
        return self._calls.specs

    async def answer(self, messages: list[Message], *, most: int | None = None, tools: bool = True) -> TurnEnd | None:
        """Run rounds until the model answers; None if it still called tools in the last round.

        Args:
            messages: The conversation so far; the messages of the rounds are appended to it.
            most: Maximum number of rounds; None means all that are left.
            tools: True if tools are declared.
        """
        last = self._limit if most is None else min(self._limit, self._done + most)
        while self._done < last:
            self._done += 1
            is_last = self._done == last or self._budget.is_short
            if is_last and self._done < last:
                self._log.emit(
                    Notice(
                        mark(f"The limit of {self._budget.limit:,} tokens is near; the model was told to answer now.")
                    )
                )
            turn = await self._turn(messages, self._calls.specs if tools else (), last_round=is_last and tools)
            if not turn.tool_calls:
                return turn
            if is_last:
                return None
            messages.extend(await self._answered(turn))
        return None

    def used_up(self) -> LimitReached:
        """Return the error of a run that reached its limits without an answer."""
        if self._budget.is_short:
            return LimitReached(
                f"The model used up its {self._budget.limit:,} tokens without coming to an answer.",
                "Ask a narrower question, or raise “Tokens per answer” in the settings.",
                Limit.TOKENS,
            )
        return LimitReached(
            f"The model used up its {self._limit} rounds without coming to an answer.",
            "Ask a narrower question, or raise “Rounds per answer” in the settings.",
            Limit.ROUNDS,
        )

    async def _turn(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, last_round: bool) -> TurnEnd:
        told = last_round and self._done > 1

        def request(by_text: bool) -> ModelRequest:
            protocol = tool_call_instructions(specs) if by_text else ""
            also = (PromptSection(TEXT_PROTOCOL, f"\n{protocol}\n"),) if protocol else ()
            return self._opening.request(messages, specs, last_round=told, also=also)

        turn, sent = await self._turns.take(self._done, request)
        if self._window is not None:
            self._window.sent(sent, turn.usage)
        return turn

    async def _answered(self, turn: TurnEnd) -> list[Message]:
        """Carry out a turn's calls and return the messages that follow: the model's text and calls, the results."""
        said = self._log.discard()
        answered = await self._calls.answer(turn.tool_calls)
        items = turn.provider_items
        for call in answered.calls:
            items = with_arguments(call, items)
        return [Message(Role.ASSISTANT, said, answered.calls, provider_items=items), *answered.messages]
