"""A plan: the steps by which a question is answered, and how each of them stands."""

from dataclasses import dataclass
from enum import StrEnum

PLAN = "plan"
"""By which name and call id a plan waits for a person's word."""


class PlanWhen(StrEnum):
    """Which questions are answered by a plan; ASKED means those of which a person says so."""

    NEVER = "never"
    ASKED = "asked"
    ALWAYS = "always"


class StepState(StrEnum):
    """How a step of a plan stands; a SKIPPED one was not begun, or not ended."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done for a question.

    Attributes:
        task: What is to be found out; may be empty.
        steps: What is to be done, one after another; never empty.
        finish: How the answer is made of what the steps came to; may be empty.
    """

    task: str
    steps: tuple[str, ...]
    finish: str = ""
