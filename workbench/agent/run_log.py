"""The event log of a run, the replay of the recorded beginning of an earlier run, and the comparison of two runs."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff

from workbench.agent.approval_gate import with_arguments
from workbench.agent.tools.search import ERROR_PREFIX
from workbench.errors import NotFound
from workbench.language import counted
from workbench.model.approval import CurationGiven
from workbench.model.hit import Coverage, Reference
from workbench.model.message import Message, Role, ToolCall, Usage
from workbench.model.plan_state import PlanState
from workbench.model.run import (
    CERTAINTY_WORDS,
    AnswerDelta,
    AnswerDiscarded,
    ApprovalGiven,
    LibrarySeen,
    ModelReasoning,
    PlanDelta,
    PlanMade,
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
from workbench.model.session import RunDifference


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
        _add_result(self._results, event)
        self._emit(timed)


def results_of(events: Iterable[TimedEvent]) -> list[str]:
    """Return the results of tools in recorded events, like RunLog.results."""
    results: list[str] = []
    for timed in events:
        _add_result(results, timed.event)
    return results


def _add_result(results: list[str], event: RunEvent) -> None:
    if isinstance(event, ToolCompleted):
        results.append(event.result)
    elif isinstance(event, ReasoningStep | ReferencesFound):
        results[-1:] = []  # the event directly follows the result of its call


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

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        """Coverages that searches reported."""
        return tuple(timed.event.coverage for timed in self.events if isinstance(timed.event, LibrarySeen))

    @property
    def searches_failed(self) -> int:
        """Number of searches that failed."""
        failures = [timed.event.message for timed in self.events if isinstance(timed.event, ToolFailed)]
        return sum(message.startswith(ERROR_PREFIX) for message in failures)


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
            f"Step {number} came before the model was asked for its answer: no answer can continue from it.",
            "Ask the question again, or choose a later step.",
        )
    prompt = _prompt(events[part:])
    if prompt is None or not ends:
        raise NotFound(
            "This answer was recorded by an earlier version, which kept too little to continue from a step.",
            "Ask the question again, and continue from a step of that answer.",
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


def differences(first: Run, second: Run) -> list[RunDifference]:
    """Return the parts in which two runs differ, in the order of a run; times and numbers are not compared."""
    before, after = dict(_parts(first)), dict(_parts(second))
    names = [*before, *(name for name in after if name not in before)]
    found = []
    for name in names:
        lines = unified_diff(
            before.get(name, "").splitlines(),
            after.get(name, "").splitlines(),
            f"run {first.id}",
            f"run {second.id}",
            lineterm="",
        )
        if text := "\n".join(lines):
            found.append(RunDifference(name, text))
    return found


def _parts(run: Run) -> Iterator[tuple[str, str]]:
    yield "Question", run.question
    place = (run.knowledge_base or "all", run.filter or "everything")
    yield "Asked", f"model: {run.profile}, {run.mode}\nagent: {run.agent}\nsearched: {', '.join(place)}"
    prompts = [timed.event for timed in run.events if isinstance(timed.event, PromptAssembled)]
    if prompts:
        yield from ((f"Prompt: {section.label}", section.text) for section in prompts[0].sections)
        yield "Said before", "\n\n".join(f"{spoken.label}:\n{spoken.text}" for spoken in prompts[0].conversation)
        yield "Tools", prompts[0].tools
    yield "Steps", "\n".join(_steps(run))
    yield "References", "\n".join(_references(run))
    yield "Answer", run.answer
    certainty = f" ({CERTAINTY_WORDS[run.certainty]})" if run.certainty in CERTAINTY_WORDS else ""
    yield "Outcome", f"{run.status.value}{certainty}\n{run.error}".rstrip()


def _steps(run: Run) -> Iterator[str]:
    for timed in run.events:
        match timed.event:
            case ToolStarted(_, tool, arguments):
                yield f"{tool}({_normalise_arguments(arguments)})"
            case ToolCompleted(_, tool, result, _):
                yield f"{tool} answered:"
                yield from (f"    {line}" for line in result.splitlines())
            case ToolFailed(_, tool, message, _):
                yield f"{tool} failed: {message}"
            case ApprovalGiven(_, decision, _):
                yield f"the person said: {decision.value}"
            case CurationGiven(_, chunks, left_out, added):
                yield f"the person chose {counted(len(chunks), 'passage')}; {left_out} left out, {added} added"
            case PlanMade(plan):
                yield f"plan: {plan.task}"
                yield from (f"    {number}. {step}" for number, step in enumerate(plan.steps, start=1))
                yield f"    finish: {plan.finish}"
            case PlanStepEnded(step, state, result, _):
                yield f"step {step} of the plan, {state.value}:"
                yield from (f"    {line}" for line in result.splitlines())
            case ReasoningStep(_, title, reasoning):
                yield f"thought: {title}: {' '.join(reasoning.split())}"


def _references(run: Run) -> Iterator[str]:
    for reference in run.references:
        yield f"“{reference.query}”{' (withheld)' if reference.withheld else ''}"
        for numbered in reference.hits:
            hit = numbered.hit
            place = f", {hit.place}" if hit.place else ""
            yield f"    [{numbered.number}] {hit.document_name}{place}, chunk {hit.chunk.ordinal + 1}"


def _normalise_arguments(arguments: str) -> str:
    """Return arguments as JSON in one form, so that a model's order of keys and spacing make no difference."""
    try:
        return json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
