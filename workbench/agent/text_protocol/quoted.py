"""Calls that are only a quotation: a line of a document that a model repeats calls nothing.

Whoever writes a document can write “TOOL: …” into it, and a model that is asked to quote it says that line.
"""

import re

from workbench.agent.searched_ahead import parts_of
from workbench.language import mark
from workbench.model.message import ModelRequest, Role

QUOTED_CALL = mark("A line of a document that looks like a tool call was quoted; no tool was called by it.")

_AROUND = re.compile(r"[\s\\\u200b]+")
"""What may be otherwise in a quotation: white space, and what JSON puts in front of quotation marks."""


class Data:
    """What a model was handed that neither it nor the person said."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._texts: list[str] | None = None

    def holds(self, raw: str) -> bool:
        """Whether the text of a call stands in it."""
        call = _bare(raw[max(0, raw.upper().find("TOOL")) :])
        if self._texts is None:
            self._texts = [_bare(text) for text in self._handed()]
        return any(call in text for text in self._texts)

    def _handed(self) -> list[str]:
        messages = self._request.messages
        of_tools = [message.text for message in messages if message.role is Role.TOOL]
        return of_tools + [parts_of(message.text).references for message in messages if message.role is Role.USER]


def _bare(text: str) -> str:
    return _AROUND.sub("", text)
