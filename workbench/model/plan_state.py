"""The plan of a run as its events tell of it: which steps there are, how each stands, and what it came to."""

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
    """A step of a plan.

    Attributes:
        step: Its number, from 1.
        text: What it came to, or has said so far; for a failed or skipped one, why.
    """

    step: int
    state: StepState = StepState.WAITING
    text: str = ""
    milliseconds: float | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self.state not in (StepState.WAITING, StepState.RUNNING)


@dataclass(slots=True)
class PlanState:
    """A plan while it is made and carried out; feed() takes the run's events one by one.

    Attributes:
        plan: None until it is made.
        steps: One for each step of the plan.
        making: The model writes it now.
        text: As the model wrote it.
        left: A person chose to go on without it.
    """

    plan: Plan | None = None
    steps: list[StepResult] = field(default_factory=list)
    making: bool = False
    text: str = ""
    left: bool = False

    @classmethod
    def of(cls, events: Iterable[RunEvent]) -> "PlanState":
        """Return how a plan stands after these events."""
        standing = cls()
        for event in events:
            standing.feed(event)
        return standing

    @property
    def running(self) -> int:
        """The number of the step that is under way; 0 for none."""
        return next((one.step for one in self.steps if one.state is StepState.RUNNING), 0)

    @property
    def ended(self) -> Sequence[StepResult]:
        """The steps of which nothing more comes."""
        return [one for one in self.steps if one.has_ended]

    @property
    def is_followed(self) -> bool:
        """Whether there is a plan, and it is the one that the answer goes by."""
        return self.plan is not None and not self.left

    def feed(self, event: RunEvent) -> None:
        """Take one event in."""
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
        """End it: what has not ended is not carried out."""
        self.making = False
        self.steps = [one if one.has_ended else replace(one, state=StepState.SKIPPED) for one in self.steps]

    def _of(self, step: int) -> StepResult:
        return self.steps[step - 1] if 0 < step <= len(self.steps) else StepResult(step)

    def _change(self, step: int, **changes: object) -> None:
        if 0 < step <= len(self.steps):
            self.steps[step - 1] = replace(self.steps[step - 1], **changes)  # type: ignore[arg-type]
