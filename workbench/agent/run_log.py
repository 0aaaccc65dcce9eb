"""The event log of a run, numbered and timed, and the replay of the recorded beginning of an earlier run."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.agent.approval_gate import with_arguments
from workbench.errors import NotFound
from workbench.model.hit import Reference
from workbench.model.message import Message, Role, ToolCall, Usage
from workbench.model.plan_state import PlanState
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ModelReasoning,
    PlanDelta,
    PlanStepEnded,
    PlanStepStarted,
    PromptAssembled,
    ReasoningCompleted,
    ReasoningStarted,
    ReasoningStep,
    ReferencesFound,
    Run,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
    TurnCompleted,
)


class RunLog:
    """Numbers and times the events of a run, and passes them to a callback."""

    def __init__(self, emit: Callable[[TimedEvent], None]) -> None:
        self._emit = emit
        self._began = time.perf_counter()
        self._number = 0
        self._ended = False
        self._steps: list[ReasoningStep] = []
        self._results: list[str] = []
        self._part: int | None = None
        self._part_text = ""
        self.answer = ""
        self.has_reasoned = False
        self.usage = Usage()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return round(time.perf_counter() - self._began, 4)

    @property
    def results(self) -> tuple[str, ...]:
        """Results of tools other than reasoning steps and passages: for example a sum, a date, a list of documents."""
        return tuple(self._results)

    def emit(self, event: RunEvent) -> None:
        """Pass an event on; events after the end are dropped, since an abandoned tool may still send some.

        The first reasoning step is preceded by ReasoningStarted, and ReasoningCompleted repeats all of them at the end.
        """
        if self._ended:
            return
        self.has_reasoned = self.has_reasoned or isinstance(event, ModelReasoning)
        if isinstance(event, ReasoningStep):
            if not self._steps:
                self._pass_on(ReasoningStarted())
            self._steps.append(event)
        if isinstance(event, RunCompleted | RunCancelled | RunFailed):
            self._ended = True
            if self._steps:
                self._pass_on(ReasoningCompleted(tuple(self._steps)))
        self._pass_on(event)

    def replay(self, events: Sequence[TimedEvent]) -> None:
        """Pass on the recorded events of another run as if they occurred in this one; time continues from its end."""
        for timed in events:
            self._began = time.perf_counter() - timed.seconds
            if isinstance(timed.event, ReasoningStep):
                self._steps.append(timed.event)
            self._pass_on(timed.event)

    def begin_part(self, step: int) -> None:
        """Assign the text that follows to a step of the plan, or to the plan itself for 0, instead of the answer."""
        self._part, self._part_text = step, ""

    def end_part(self) -> str:
        """Return the text of the step; the text that follows belongs to the answer again."""
        text, self._part, self._part_text = self._part_text, None, ""
        return text

    def append_text(self, text: str) -> None:
        """Append text to the answer, or to the current step."""
        if not text:
            return
        if self._part is None:
            self.answer += text
            self.emit(AnswerDelta(text))
        else:
            self._part_text += text
            self.emit(PlanDelta(self._part, text))

    def discard(self) -> str:
        """Remove and return the text that accompanied tool calls: it is a step, not the answer."""
        if self._part is None:
            text, self.answer = self.answer, ""
        else:
            text, self._part_text = self._part_text, ""
        if text:
            self.emit(AnswerDiscarded(text))
        return text

    def count(self, usage: Usage) -> None:
        """Add the tokens of a turn to the total; a total stays None until a turn reports a number."""
        self.usage = Usage(
            _sum(self.usage.input_tokens, usage.input_tokens), _sum(self.usage.output_tokens, usage.output_tokens)
        )

    def _pass_on(self, event: RunEvent) -> None:
        timed = TimedEvent(self._number, self.seconds, event)
        self._number += 1
        if isinstance(event, ToolCompleted):
            self._results.append(event.result)
        elif isinstance(event, ReasoningStep | ReferencesFound):
            self._results[-1:] = []  # the event directly follows the result of its call
        self._emit(timed)


def _sum(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more


# These events begin the model's next turn, or end the run.
_OF_NEXT_TURN = (PromptAssembled, ModelReasoning, AnswerDelta, PlanDelta, TurnCompleted, ReasoningCompleted)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The turns of a run up to a tool's result.

    Attributes:
        prompt: The prompt; in a run with a plan, that of the current step.
        events: All events except the start of the run; they include the changed result.
        messages: The conversation after the question; in a run with a plan, that of the current step.
        turns: The turns of the model, from the first.
        standing: State of the run's plan; empty if it had none.
    """

    prompt: PromptAssembled
    events: tuple[TimedEvent, ...]
    messages: tuple[Message, ...]
    turns: tuple[TurnCompleted, ...]
    standing: PlanState = field(default_factory=PlanState)

    @property
    def calls(self) -> int:
        """Number of tool calls."""
        return sum(len(turn.tool_calls) for turn in self.turns)

    @property
    def steps(self) -> tuple[ReasoningStep, ...]:
        """Reasoning steps."""
        return tuple(timed.event for timed in self.events if isinstance(timed.event, ReasoningStep))

    @property
    def references(self) -> tuple[Reference, ...]:
        """References that were found."""
        return tuple(timed.event.reference for timed in self.events if isinstance(timed.event, ReferencesFound))


def replay_until(run: Run, number: int, result: str) -> RecordedRun:
    """Return a run up to the turn in which the event with that number is a tool's result, with this result replaced.

    Raises:
        NotFound: There is no such result, or an earlier version recorded too little of the run.
    """
    event = next((timed.event for timed in run.events if timed.number == number), None)
    if not isinstance(event, ToolCompleted | ToolFailed):
        raise NotFound(
            f"Step {number} is not the result of a tool.", "“runs replay” lists the steps with their numbers."
        )
    events = tuple(_changed(timed, number, result) for timed in run.events if not isinstance(timed.event, RunStarted))
    ends = [
        place for place, timed in enumerate(events) if isinstance(timed.event, TurnCompleted) and timed.number < number
    ]
    part = _beginning_of_part(events, ends[-1]) if ends else 0
    if not ends and any(isinstance(timed.event, TurnCompleted) for timed in run.events):
        raise NotFound(
            f"Step {number} came before the model was asked for its answer: no answer goes on from there.",
            "Ask the question again, or choose a later step.",
        )
    prompt = _prompt(events[part:])
    if prompt is None or not ends:
        raise NotFound(
            "This answer was recorded by an earlier version, which kept too little to go on from a step.",
            "Ask the question again, and go on from a step of that answer.",
        )
    end = ends[-1] + 1
    while end < len(events) and not isinstance(events[end].event, _OF_NEXT_TURN):
        end += 1
    kept = events[:end]
    turns = tuple(timed.event for timed in kept if isinstance(timed.event, TurnCompleted))
    messages = tuple(_messages(kept[part:]))
    return RecordedRun(prompt, kept, messages, turns, PlanState.of(timed.event for timed in kept))


def _beginning_of_part(events: Sequence[TimedEvent], end: int) -> int:
    """Return the index at which the conversation of the turn at end begins: each step of a plan has its own."""
    borders = [place for place in range(end) if isinstance(events[place].event, PlanStepStarted | PlanStepEnded)]
    return borders[-1] if borders else 0


def _prompt(events: Sequence[TimedEvent]) -> PromptAssembled | None:
    """Return the prompt of the first turn that called tools; a later one may request a plan."""
    told = None
    for timed in events:
        if isinstance(timed.event, PromptAssembled):
            told = timed.event
        elif isinstance(timed.event, TurnCompleted) and timed.event.tool_calls:
            break
    return told


def _changed(timed: TimedEvent, number: int, result: str) -> TimedEvent:
    match timed.event:
        case ToolCompleted() | ToolFailed() as event if timed.number == number:
            return replace(timed, event=ToolCompleted(event.call_id, event.tool, result, event.milliseconds))
    return timed


def _messages(events: Sequence[TimedEvent]) -> Iterator[Message]:
    """Yield the messages of each turn: the model's text with its calls, and the results of the tools."""
    turns = [timed.event for timed in events if isinstance(timed.event, TurnCompleted) and timed.event.tool_calls]
    began = {timed.event.call_id: timed.event for timed in events if isinstance(timed.event, ToolStarted)}
    results = {
        ended.call_id: ended.result if isinstance(ended, ToolCompleted) else ended.message
        for timed in events
        if isinstance(ended := timed.event, ToolCompleted | ToolFailed)
    }
    beside = _said_beside(events)
    for turn in turns:
        calls = tuple(_as_called(call, began.get(call.id)) for call in turn.tool_calls)
        items = turn.provider_items
        for call in calls:
            items = with_arguments(call, items)
        yield Message(Role.ASSISTANT, beside.get(turn.round, ""), calls, provider_items=items)
        for call in calls:
            yield Message(Role.TOOL, results.get(call.id, ""), tool_call_id=call.id)


def _as_called(call: ToolCall, began: ToolStarted | None) -> ToolCall:
    """Return a call as it was carried out: the user may have changed its arguments."""
    return call if began is None else replace(call, arguments=began.arguments)


def _said_beside(events: Sequence[TimedEvent]) -> dict[int, str]:
    said: dict[int, str] = {}
    turn = 0
    for timed in events:
        if isinstance(timed.event, TurnCompleted):
            turn = timed.event.round
        elif isinstance(timed.event, AnswerDiscarded):
            said[turn] = timed.event.text
    return said
