"""Whether a question is answered by a plan: what was said beside it, the agent, the settings, and who answers."""

from workbench.agent.planning.plan_runner import Planning
from workbench.language import mark
from workbench.model.agent import Agent
from workbench.model.run import PlanWhen
from workbench.settings import Settings

_OFFLINE = mark(
    "“offline” makes no plans: it quotes from your documents, and searches for each part of a question by itself. A"
    " model profile can plan."
)


def planning_of(agent: Agent, settings: Settings, asked: bool | None, *, offline: bool) -> tuple[Planning | None, str]:
    """Return how a run makes its plan, None for none; and what the user is told who asked for one and gets none.

    Args:
        agent: Who answers.
        settings: Those in force.
        asked: What was said beside the question; None where nothing was.
        offline: Whether no model answers.
    """
    when = agent.plan or PlanWhen(settings.plan)
    if not (asked if asked is not None else when is PlanWhen.ALWAYS):
        return None, ""
    if offline:
        return None, _OFFLINE if asked else ""
    if when is PlanWhen.NEVER:
        return None, mark(f"“{agent.name}” makes no plans; the question was answered directly.")
    return Planning(settings.plan_steps, settings.plan_review == "yes"), ""
