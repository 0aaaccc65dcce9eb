"""State of a run's plan, derived from its events: the steps, their states and results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.model.approval import Decision
from workbench.model.run import (
    PLAN,
    AnswerDiscarded,
    ApprovalGiven,
    Plan,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanStepStarted,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    StepState,
    TurnCompleted,
)


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step of a plan.

    Attributes:
        step: Its number, from 1.
        text: Its result, or the text so far; for a failed or skipped step, the reason.
    """

    step: int
    state: StepState = StepState.WAITING
    text: str = ""
    milliseconds: float | None = None

    @property
    def has_ended(self) -> bool:
        """True if the step is finished."""
        return self.state not in (StepState.WAITING, StepState.RUNNING)


@dataclass(slots=True)
class PlanState:
    """Plan during its creation and execution; feed() processes the run's events one by one.

    Attributes:
        plan: None until it is made.
        steps: One for each step of the plan.
        making: The model is writing it now.
        text: As the model wrote it.
        left: A person chose to continue without it.
    """

    plan: Plan | None = None
    steps: list[StepResult] = field(default_factory=list)
    making: bool = False
    text: str = ""
    left: bool = False

    @classmethod
    def of(cls, events: Iterable[RunEvent]) -> "PlanState":
        """Return the state of a plan after these events."""
        plan_state = cls()
        for event in events:
            plan_state.feed(event)
        return plan_state

    @property
    def running(self) -> int:
        """The number of the running step; 0 for none."""
        return next((one.step for one in self.steps if one.state is StepState.RUNNING), 0)

    @property
    def ended(self) -> Sequence[StepResult]:
        """The finished steps."""
        return [one for one in self.steps if one.has_ended]

    def feed(self, event: RunEvent) -> None:
        """Process one event."""
        match event:
            case PlanMade(plan):
                self.plan, self.making = plan, False
                self.steps = [StepResult(number) for number in range(1, len(plan.steps) + 1)]
            case TurnCompleted():
                self.making = False
            case PlanStepStarted(0):
                self.making = True
            case PlanDelta(0, text):
                self.text += text
            case PlanDelta(step, text):
                self._change(step, text=self._of(step).text + text)
            case PlanStepStarted(step):
                self._change(step, state=StepState.RUNNING, text="")
            case PlanStepEnded(step, state, result, milliseconds):
                self._change(step, state=state, text=result, milliseconds=milliseconds)
            case AnswerDiscarded() if self.running:
                self._change(self.running, text="")
            case ApprovalGiven(call_id, decision) if call_id == PLAN:
                self.left = decision is Decision.DENY
                if self.left:
                    self.stop()
            case RunCompleted() | RunCancelled() | RunFailed():
                self.stop()

    def stop(self) -> None:
        """End the plan: unfinished steps are skipped."""
        self.making = False
        self.steps = [one if one.has_ended else replace(one, state=StepState.SKIPPED) for one in self.steps]

    def _of(self, step: int) -> StepResult:
        return self.steps[step - 1] if 0 < step <= len(self.steps) else StepResult(step)

    def _change(self, step: int, **changes: object) -> None:
        if 0 < step <= len(self.steps):
            self.steps[step - 1] = replace(self.steps[step - 1], **changes)  # type: ignore[arg-type]
