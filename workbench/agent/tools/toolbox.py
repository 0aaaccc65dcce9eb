"""Toolbox: all tools, those of one run in declared order, and the stand-in for network tools in offline mode."""

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
    documents,
    find_in_document,
    find_table,
    find_words,
    list_documents,
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
"""What other packages add under the entry point group of that name: each entry is called and gives a ToolOffer."""


def _think(context: ToolContext) -> Tool:
    return ThinkTool(context.steps)


def _analyze(context: ToolContext) -> Tool:
    return AnalyzeTool(context.steps)


_OURS = (
    ToolOffer(
        THINK, mark("Think"), mark("Lets the model write down a plan, which is shown as a step."), "think", _think
    ),
    ToolOffer(ANALYZE, mark("Analyze"), mark("Lets the model judge what it has found so far."), "analyze", _analyze),
    calculator.OFFER,
    list_documents.OFFER,
    documents.OFFER,
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


def _itself(offer: ToolOffer) -> ToolOffer:
    return offer


for _offer in _OURS:
    TOOLS.register(_offer.name, partial(_itself, _offer))


def tool_offers() -> tuple[ToolOffer, ...]:
    """Return every tool that an agent may name, ours first."""
    return tuple(offer for name in TOOLS.names() if (offer := _offer_of(name)) is not None)


def unknown_tools(names: Iterable[str], others: Sequence[ToolOffer] = ()) -> tuple[str, ...]:
    """Return those of the names under which there is no tool, also not among others that a script has added."""
    known = {offer.name for offer in (*tool_offers(), *others)}
    return tuple(dict.fromkeys(name for name in names if name not in known))


def tools_named(names: Iterable[str], context: ToolContext, others: Sequence[ToolOffer] = ()) -> tuple[Tool, ...]:
    """Return the tools of these names for one run, in that order; names that there are not are left out.

    A tool that uses the network is declared also while such tools are off, and says so when it is called.

    Args:
        names: As an agent lists them.
        context: What they are made of.
        others: Tools that a script has added.
    """
    offers = {offer.name: offer for offer in (*tool_offers(), *others)}
    chosen = [offers[name] for name in dict.fromkeys(names) if name in offers]
    return tuple(_made(offer, context) for offer in chosen if context.documents or not offer.needs_documents)


def run_tools(
    search: SearchFunction, references: RunReferences, handing_over: ContextPacker | None = None
) -> tuple[Tool, ...]:
    """Return think, analyze and search_knowledge_base for one run.

    Args:
        search: Finds passages.
        references: Numbers what is found.
        handing_over: Fits it into what the model sees; None for an answerer that sees everything.
    """
    steps = ReasoningSteps()
    return ThinkTool(steps), AnalyzeTool(steps), SearchTool(search, references, handing_over)


def _made(offer: ToolOffer, context: ToolContext) -> Tool:
    tool = offer.make(context)
    if offer.needs_network and context.settings.network_tools != "yes":
        return NetworkOff(tool, offer.title)
    return tool


def _offer_of(name: str) -> ToolOffer | None:
    try:
        offer: object = TOOLS.get(name)
    # Foreign code may raise anything; one bad tool must not take the others away.
    except Exception:
        logger.warning("The tool %s could not be offered", name, exc_info=True)
        return None
    if not isinstance(offer, ToolOffer):
        logger.warning("The tool %s is not offered: its entry point gives no ToolOffer", name)
        return None
    return offer


class NetworkOff:
    """Declares the tool as it is, and answers each call with a sentence instead of going out."""

    def __init__(self, tool: Tool, title: str) -> None:
        self._tool = tool
        self._title = title
        self._told = False

    @property
    def spec(self) -> ToolSpec:
        # Nobody is asked whether something may be sent that is not.
        return dataclasses.replace(self._tool.spec, reach=ToolReach.LOCAL, sends="")

    async def call(self, _arguments: dict[str, Any]) -> ToolResult:
        """Say to the model that there is no network, and to the user, once, how to switch it on."""
        notice = Notice(
            mark(
                f"“{self._title}” was not used: tools that use the network are switched off. Switch on “Tools that use"
                " the network” in the settings to allow them."
            )
        )
        events = () if self._told else (notice,)
        self._told = True
        text = (
            f"{self.spec.name} is not available: this program is offline, the user has not allowed tools that use the"
            " network. Do not call it again. Answer from what you have, and say what you could not look up."
        )
        return ToolResult(text, events=events, failed=True)
