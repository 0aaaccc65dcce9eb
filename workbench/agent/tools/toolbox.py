"""The tools of one run, in the order in which they are declared to the model."""

from workbench.agent.base import Tool
from workbench.agent.references import RunReferences
from workbench.agent.tools.reasoning import AnalyzeTool, ReasoningSteps, ThinkTool
from workbench.agent.tools.search import SearchFunction, SearchTool


def run_tools(search: SearchFunction, references: RunReferences) -> tuple[Tool, ...]:
    """Return think, analyze and search_knowledge_base for one run; references numbers what is found."""
    steps = ReasoningSteps()
    return ThinkTool(steps), AnalyzeTool(steps), SearchTool(search, references)
