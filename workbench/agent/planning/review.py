"""A plan that waits for a person's word: as JSON it is the arguments of a call, and is approved, changed or left."""

import json

from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.run import PLAN, ApprovalAsked, Plan

REASON = mark("You asked to see the plan before it is carried out.")


def asked_about(plan: Plan) -> ApprovalAsked:
    """Return the question that a plan puts to a person."""
    return ApprovalAsked(PLAN, PLAN, plan_json(plan), REASON)


def plan_json(plan: Plan) -> str:
    """Return a plan as a JSON object."""
    return json.dumps({"task": plan.task, "steps": list(plan.steps), "finish": plan.finish}, ensure_ascii=False)


def plan_of_json(text: str) -> Plan:
    """Return the plan of a JSON object.

    Raises:
        ToolError: It is none, or one without steps.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolError("The plan is not JSON.", 'It looks like this: {"steps": ["…"]}') from error
    steps = value.get("steps") if isinstance(value, dict) else None
    told = tuple(step.strip() for step in steps if isinstance(step, str)) if isinstance(steps, list) else ()
    if not any(told):
        raise ToolError("The plan has no steps.", "Write at least one, or answer without a plan.")
    task, finish = (str(value.get(name) or "").strip() for name in ("task", "finish"))
    return Plan(task, tuple(filter(None, told)), finish)
