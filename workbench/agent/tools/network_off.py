"""What stands in for a tool that uses the network while such tools are switched off."""

import dataclasses
from typing import Any

from workbench.agent.base import Tool, ToolResult
from workbench.language import mark
from workbench.model.message import ToolReach, ToolSpec
from workbench.model.run import Notice


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
