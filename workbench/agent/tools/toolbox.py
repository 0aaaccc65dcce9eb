"""Toolbox: all tools, those of one run in declared order, and the placeholder for network tools in offline mode."""

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from workbench.agent.base import Tool, ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker
from workbench.agent.tools import (
    add_to_knowledge,
    calculator,
    date_and_time,
    document_overview,
    find_in_document,
    find_table,
    find_words,
    list_documents,
    read_document,
    weather,
    web,
    web_search,
)
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.reasoning import ANALYZE, THINK, AnalyzeTool, ReasoningSteps, ThinkTool
from workbench.agent.tools.search import SearchFunction, SearchTool
from workbench.language import mark
from workbench.model.message import ToolReach, ToolSpec
from workbench.model.run import Notice
from workbench.plugins.registry import Registry

logger = logging.getLogger(__name__)

TOOLS: Registry[ToolOffer] = Registry("workbench.tools")
"""All tools. Other packages add theirs by this entry point group; each entry is a function that returns a ToolOffer."""


def _think(context: ToolContext) -> Tool:
    return ThinkTool(context.steps)


def _analyze(context: ToolContext) -> Tool:
    return AnalyzeTool(context.steps)


_BUILT_IN = (
    ToolOffer(
        THINK, mark("Think"), mark("Lets the model write down a plan, which is shown as a step."), "think", _think
    ),
    ToolOffer(ANALYZE, mark("Analyze"), mark("Lets the model judge what it has found so far."), "analyze", _analyze),
    calculator.OFFER,
    list_documents.OFFER,
    read_document.OFFER,
    find_in_document.OFFER,
    document_overview.OFFER,
    find_words.OFFER,
    find_table.OFFER,
    add_to_knowledge.OFFER,
    date_and_time.OFFER,
    weather.OFFER,
    web.OFFER,
    web_search.OFFER,
)


def _return_offer(offer: ToolOffer) -> ToolOffer:
    return offer


for _offer in _BUILT_IN:
    TOOLS.register(_offer.name, partial(_return_offer, _offer))


def tool_offers() -> tuple[ToolOffer, ...]:
    """Return every tool that an agent may list, the built-in ones first."""
    return tuple(offer for name in TOOLS.names() if (offer := _load_offer(name)) is not None)


def unknown_tools(names: Iterable[str], others: Sequence[ToolOffer] = ()) -> tuple[str, ...]:
    """Return the names that belong neither to a known tool nor to one of others, which a script has added."""
    known = {offer.name for offer in (*tool_offers(), *others)}
    return tuple(dict.fromkeys(name for name in names if name not in known))


def tools_named(names: Iterable[str], context: ToolContext, others: Sequence[ToolOffer] = ()) -> tuple[Tool, ...]:
    """Create the tools with these names for one run, in that order; unknown names are ignored.

    A tool that uses the network is declared even while such tools are off; a call then returns a notice.

    Args:
        names: Names in the agent's list.
        context: Services for the tools.
        others: Tools that a script has added.
    """
    offers = {offer.name: offer for offer in (*tool_offers(), *others)}
    chosen = [offers[name] for name in dict.fromkeys(names) if name in offers]
    return tuple(_make_tool(offer, context) for offer in chosen if context.documents or not offer.needs_documents)


def run_tools(
    search: SearchFunction, references: RunReferences, handing_over: ContextPacker | None = None
) -> tuple[Tool, ...]:
    """Return think, analyze and search_knowledge_base for one run.

    Args:
        search: Search function for passages.
        references: Numbered references of the run.
        handing_over: Fits the passages into the context window; None for an answerer without a limit.
    """
    steps = ReasoningSteps()
    return ThinkTool(steps), AnalyzeTool(steps), SearchTool(search, references, handing_over)


def _make_tool(offer: ToolOffer, context: ToolContext) -> Tool:
    tool = offer.make(context)
    if offer.needs_network and context.settings.network_tools != "yes":
        return NetworkOff(tool, offer.title)
    return tool


def _load_offer(name: str) -> ToolOffer | None:
    try:
        offer: object = TOOLS.get(name)
    # Code of other packages may raise any exception; a broken tool must not affect the others.
    except Exception:
        logger.warning("The tool %s could not be offered", name, exc_info=True)
        return None
    if not isinstance(offer, ToolOffer):
        logger.warning("The tool %s is not offered: its entry point gives no ToolOffer", name)
        return None
    return offer


class NetworkOff:
    """Placeholder with the declaration of a network tool; each call returns a notice instead of sending anything."""

    def __init__(self, tool: Tool, title: str) -> None:
        self._tool = tool
        self._title = title
        self._notified = False

    @property
    def spec(self) -> ToolSpec:
        # Nothing is sent, so the user must not be asked for approval.
        return dataclasses.replace(self._tool.spec, reach=ToolReach.LOCAL, sends="")

    async def call(self, _arguments: dict[str, Any]) -> ToolResult:
        """Return a notice that there is no network; the first call also shows the user how to switch it on."""
        notice = Notice(
            mark(
                f"“{self._title}” was not used: tools that use the network are switched off. Set “Let the model use"
                " the internet” in the settings to “Yes” to allow them."
            )
        )
        events = () if self._notified else (notice,)
        self._notified = True
        text = (
            f"{self.spec.name} is not available: this program is offline, the user has not allowed tools that use the"
            " network. Do not call it again. Answer from what you have, and say what you could not look up."
        )
        return ToolResult(text, events=events, failed=True)
