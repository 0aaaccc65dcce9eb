"""A model's server that says our own keys back: they are taken out before anything is shown, kept or sent on.

A server sees the key in every request. One that says it back, as some do to show what they were sent, would have it
written into the session and into its exports, and sent to whatever else the model asks.
"""

import dataclasses
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from workbench.errors import ModelError
from workbench.logs.redaction import MaskedStream, without_secrets
from workbench.model.message import ModelEvent, ReasoningDelta, TextDelta, ToolCall, TurnEnd


async def keyless(events: AsyncGenerator[ModelEvent, None]) -> AsyncIterator[ModelEvent]:
    """Yield the events of one model turn without the keys that the program knows; closes them when it is closed."""
    said, thought = MaskedStream(), MaskedStream()
    async with aclosing(events):
        try:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for rest in _rest(thought, ReasoningDelta):
                            yield rest
                        if shown := said.take(text):
                            yield TextDelta(shown)
                    case ReasoningDelta(text):
                        if shown := thought.take(text):
                            yield ReasoningDelta(shown)
                    case TurnEnd():
                        for rest in (*_rest(thought, ReasoningDelta), *_rest(said, TextDelta)):
                            yield rest
                        yield _ended(event)
                    case _:
                        yield event
        except ModelError:
            # What was said before the connection broke is kept, to its last letter.
            for rest in (*_rest(thought, ReasoningDelta), *_rest(said, TextDelta)):
                yield rest
            raise


def _rest(stream: MaskedStream, kind: type[TextDelta] | type[ReasoningDelta]) -> list[ModelEvent]:
    text = stream.rest()
    return [kind(text)] if text else []


def _ended(end: TurnEnd) -> TurnEnd:
    calls = tuple(ToolCall(call.id, call.name, without_secrets(call.arguments)) for call in end.tool_calls)
    return dataclasses.replace(end, tool_calls=calls, provider_items=tuple(map(_keyless, end.provider_items)))


def _keyless(item: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(item, ensure_ascii=False)
    kept: dict[str, Any] = item if without_secrets(text) == text else json.loads(without_secrets(text))
    return kept
