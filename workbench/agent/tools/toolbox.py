"""The tools of one run, in the order in which they are declared to the model."""

from workbench.agent.base import Tool
from workbench.agent.handing_over import HandingOver
from workbench.agent.references import RunReferences
from workbench.agent.tools.reasoning import AnalyzeTool, ReasoningSteps, ThinkTool
from workbench.agent.tools.search import SearchFunction, SearchTool


def run_tools(
    search: SearchFunction, references: RunReferences, handing_over: HandingOver | None = None
) -> tuple[Tool, ...]:
    """Return think, analyze and search_knowledge_base for one run.

    Args:
        search: Finds passages.
        references: Numbers what is found.
        handing_over: Fits it into what the model sees; None for an answerer that sees everything.
    """
    steps = ReasoningSteps()
    return ThinkTool(steps), AnalyzeTool(steps), SearchTool(search, references, handing_over)
