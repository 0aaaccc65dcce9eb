"""What is to be shown of a plan: how it stands, and which steps of the run belong to which of its own; knows no Qt."""

from dataclasses import dataclass, field

from workbench.language import mark, tr
from workbench.model.plan_state import PlanState
from workbench.model.run import (
    PLAN,
    ApprovalAsked,
    ApprovalGiven,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanStepStarted,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
)

WRITING = mark("Making a plan…")
LEFT = mark("Answered without this plan, as you chose")


@dataclass(slots=True)
class PlanProgress:
    """A plan as it is shown; feed() takes the run's events one by one.

    Attributes:
        standing: The plan and its steps.
        asked: It waits for a person's word.
        first: How many steps of the run there were before the plan.
        begins: By the number of a step of the plan, the first step of the run that belongs to it.
        end: How many steps of the run there were when the last step of the plan ended.
    """

    standing: PlanState = field(default_factory=PlanState)
    asked: ApprovalAsked | None = None
    first: int = 0
    begins: dict[int, int] = field(default_factory=dict)
    end: int = 0

    @property
    def is_shown(self) -> bool:
        """Whether there is anything to show."""
        return self.standing.plan is not None or self.standing.making

    @property
    def title(self) -> str:
        """What stands above the steps."""
        plan = self.standing.plan
        if plan is None:
            return tr(WRITING)
        return tr(LEFT) if self.standing.left else plan.task or tr("Plan of {n} steps", n=len(plan.steps))

    def feed(self, event: RunEvent, count: int) -> bool:
        """Take one event in; return whether it tells of the plan alone.

        Args:
            event: What happened.
            count: How many steps of the run there are so far.
        """
        self.standing.feed(event)
        match event:
            case PlanMade():
                self.first = self.end = count
                self.begins.clear()
            case PlanStepStarted(step) if step:
                self.begins[step] = count
            case PlanStepEnded():
                self.end = count
            case ApprovalAsked(call_id) if call_id == PLAN:
                self.asked = event
                return True
            case ApprovalGiven(call_id) if call_id == PLAN:
                self.asked = None
                return True
            case RunCompleted() | RunCancelled() | RunFailed():
                self.asked = None
        return isinstance(event, PlanDelta | PlanMade | PlanStepStarted | PlanStepEnded)

    def stop(self) -> None:
        """End it: nothing waits, and nothing more is carried out."""
        self.asked = None
        self.standing.stop()

    def step_of(self, index: int) -> int:
        """Return the number of the step of the plan that a step of the run belongs to; 0 for none."""
        if not self.standing.running and index >= self.end:
            return 0
        return max((step for step, begin in self.begins.items() if begin <= index), default=0)
