"""The events of a run, numbered and timed, and what adds up over its turns."""

import time
from collections.abc import Callable, Sequence

from workbench.model.message import Usage
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ModelReasoning,
    PlanDelta,
    ReasoningCompleted,
    ReasoningStarted,
    ReasoningStep,
    ReferencesFound,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    TimedEvent,
    ToolCompleted,
)


class RunLog:
    """Numbers and times what happens, and passes it on."""

    def __init__(self, emit: Callable[[TimedEvent], None]) -> None:
        self._emit = emit
        self._began = time.perf_counter()
        self._number = 0
        self._ended = False
        self._steps: list[ReasoningStep] = []
        self._results: list[str] = []
        self._part: int | None = None
        self._said = ""
        self.answer = ""
        self.has_reasoned = False
        self.usage = Usage()

    @property
    def seconds(self) -> float:
        """How long the run has taken so far."""
        return round(time.perf_counter() - self._began, 4)

    @property
    def results(self) -> tuple[str, ...]:
        """What tools said that are neither thoughts nor passages: a sum, a date, a list of documents."""
        return tuple(self._results)

    def emit(self, event: RunEvent) -> None:
        """Pass an event on; nothing after the end, which a tool that was given up may still try to say.

        The first thought is announced once it is there, and all of them are told again before the end.
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
        """Pass on what was recorded of another run, as if it had happened in this one; time goes on from its end."""
        for timed in events:
            self._began = time.perf_counter() - timed.seconds
            if isinstance(timed.event, ReasoningStep):
                self._steps.append(timed.event)
            self._pass_on(timed.event)

    def begin_part(self, step: int) -> None:
        """From now on what is said belongs to a step of the plan, or for 0 to the plan itself: not to the answer."""
        self._part, self._said = step, ""

    def end_part(self) -> str:
        """Return what was said to a step; from now on it belongs to the answer again."""
        said, self._part, self._said = self._said, None, ""
        return said

    def say(self, text: str) -> None:
        """Add to the answer, or to the step that is under way."""
        if not text:
            return
        if self._part is None:
            self.answer += text
            self.emit(AnswerDelta(text))
        else:
            self._said += text
            self.emit(PlanDelta(self._part, text))

    def discard(self) -> str:
        """Take back what was said beside tool calls: it is a step, not the answer."""
        if self._part is None:
            said, self.answer = self.answer, ""
        else:
            said, self._said = self._said, ""
        if said:
            self.emit(AnswerDiscarded(said))
        return said

    def count(self, usage: Usage) -> None:
        """Add up the tokens of a turn; None only where no turn has said."""
        self.usage = Usage(
            _sum(self.usage.input_tokens, usage.input_tokens), _sum(self.usage.output_tokens, usage.output_tokens)
        )

    def _pass_on(self, event: RunEvent) -> None:
        timed = TimedEvent(self._number, self.seconds, event)
        self._number += 1
        if isinstance(event, ToolCompleted):
            self._results.append(event.result)
        elif isinstance(event, ReasoningStep | ReferencesFound):
            self._results[-1:] = []  # it comes right behind the call that it came from
        self._emit(timed)


def _sum(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
