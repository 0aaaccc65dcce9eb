"""The Responses wire format: a request's body, and the events of its stream."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai

from workbench.agent.providers.base_url import host_of
from workbench.agent.providers.error_mapping import ServerTarget, reported_error
from workbench.agent.providers.wire_format import (
    TurnText,
    generated_call_id,
    join_surrogates,
    sendable,
    sendable_arguments,
    tool_call,
    usage_of,
)
from workbench.errors import ModelStreamCut
from workbench.model.message import Message, ModelEvent, ModelRequest, Role, ToolCall, ToolSpec, TurnEnd
from workbench.model.profile import WireApi

_REASONING_DELTAS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_TEXT_DELTAS = ("response.output_text.delta", "response.refusal.delta")
_TERMINAL = ("response.completed", "response.incomplete", "response.failed")


class ResponsesWire:
    """Wire format of Responses, stateless: every request contains all items and asks the server to store none."""

    api = WireApi.RESPONSES
    title = "Responses"
    optional_fields = frozenset({"store", "include", "strict"})

    def __init__(self, target: ServerTarget) -> None:
        self._target = target
        # Only OpenAI's service can take the model's reasoning back without having stored it.
        self._encrypted_reasoning = host_of(target.base_url) == "api.openai.com"

    def body(self, request: ModelRequest, *, omit: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return the request body: the whole conversation, without fields that are not needed."""
        system = [sendable(message.text) for message in request.messages if message.role is Role.SYSTEM]
        body: dict[str, Any] = {
            "model": self._target.model,
            "input": [item for message in request.messages for item in _items(message)],
            "stream": True,
        }
        if system:
            body["instructions"] = "\n\n".join(system)
        if "store" not in omit:
            body["store"] = False
        if self._encrypted_reasoning and "include" not in omit:
            body["include"] = ["reasoning.encrypted_content"]
        if request.tools:
            body["tools"] = [_tool(tool, strict="strict" not in omit) for tool in request.tools]
        return body

    async def open(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Send the request and return its stream of raw events."""
        return await client.responses.create(**body)

    async def events(self, stream: AsyncIterator[Any]) -> AsyncIterator[ModelEvent]:
        """Yield the events of the turn.

        Raises:
            ModelError: The stream ended without a terminal event, or carried an error.
        """
        turn = _ResponsesTurn(self._target)
        async for raw in stream:
            for event in turn.take(raw):
                yield event
                if isinstance(event, TurnEnd):
                    return
        for event in turn.cut():
            yield event
        raise ModelStreamCut(
            f"The connection to {self._target.host} ended before the answer did.",
            "What was written so far is kept. Ask again.",
        )


class _ResponsesTurn:
    """Accumulates the events of one turn.

    Relies only on finished items and the terminal event, since servers differ in all else; deltas are only shown.
    """

    def __init__(self, target: ServerTarget) -> None:
        self._target = target
        self._text = TurnText()
        self._items: list[dict[str, Any]] = []
        self._has_text = False
        self._has_reasoning = False

    def take(self, event: Any) -> Iterator[ModelEvent]:
        """Yield the model events of a raw event; unknown types are ignored."""
        kind = getattr(event, "type", None)
        if kind in _TEXT_DELTAS and isinstance(event.delta, str):
            self._has_text = self._has_text or bool(event.delta)
            yield from self._text.answer(event.delta)
        elif kind in _REASONING_DELTAS and isinstance(event.delta, str):
            self._has_reasoning = self._has_reasoning or bool(event.delta)
            yield from self._text.reasoning(event.delta)
        elif kind == "response.reasoning_summary_part.added" and self._has_reasoning:
            yield from self._text.reasoning("\n\n")
        elif kind == "response.output_item.done" and getattr(event, "item", None) is not None:
            self._items.append(_plain(event.item))
        elif kind == "error":
            raise reported_error(getattr(event, "code", None), getattr(event, "message", None), self._target)
        elif kind in _TERMINAL:
            yield from self._end(kind, getattr(event, "response", None))

    def cut(self) -> Iterator[ModelEvent]:
        """Yield the remaining text of a stream that ended early."""
        yield from self._text.finish()

    def _end(self, kind: str, response: Any) -> Iterator[ModelEvent]:
        finish = self._finish(kind, response)
        self._complete_items([_plain(item) for item in getattr(response, "output", None) or ()])
        if not self._has_text:
            for item in self._items:
                yield from self._text.answer(_text_of(item))
        yield from self._text.finish()
        calls = self._calls()
        usage = getattr(response, "usage", None)
        yield TurnEnd(
            tool_calls=calls,
            finish="tool_calls" if calls and finish == "stop" else finish,
            usage=usage_of(getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)),
            provider_items=tuple(_sendable_item(item) for item in self._items),
        )

    def _finish(self, kind: str, response: Any) -> str:
        """Return the finish reason of the turn; the response's status takes precedence over the event type."""
        status = getattr(response, "status", None) or kind.removeprefix("response.")
        reason = str(getattr(getattr(response, "incomplete_details", None), "reason", None) or "")
        if "content_filter" in reason:
            return "content_filter"
        if status == "incomplete":
            return "length"
        if status in ("failed", "cancelled"):
            error = getattr(response, "error", None)
            code = getattr(error, "code", None)
            raise reported_error(code, getattr(error, "message", None) or f"the answer {status}", self._target)
        return "stop"

    def _complete_items(self, output: list[dict[str, Any]]) -> None:
        """Add the items of the terminal event that were not received individually."""
        seen = {_identity(item) for item in self._items}
        if not self._items:
            self._items = output
        else:
            self._items += [
                item for item in output if item.get("type") == "function_call" and _identity(item) not in seen
            ]

    def _calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            tool_call(item["call_id"], item.get("name"), item.get("arguments"))
            for item in self._items
            if item.get("type") == "function_call"
        )


def _items(message: Message) -> list[dict[str, Any]]:
    """Return the items of a message; none for the system prompt, which is sent as instructions."""
    text = sendable(message.text)
    if message.role is Role.SYSTEM:
        return []
    if message.role is Role.TOOL:
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": text}]
    if message.role is Role.USER:
        return [{"role": "user", "content": text}]
    if message.provider_items:
        return [dict(item) for item in message.provider_items]
    content = (
        [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}] if text else []
    )
    return [*content, *(_call(call) for call in message.tool_calls)]


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = sendable_arguments(call.arguments)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _tool(tool: ToolSpec, *, strict: bool) -> dict[str, Any]:
    wired = {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
    # The Responses API defaults to true, and then refuses schemas with optional arguments.
    return {**wired, "strict": False} if strict else wired


def _plain(item: Any) -> dict[str, Any]:
    """Return an item as a dict without fields that are None; a call without an id gets one."""
    raw = item if isinstance(item, dict) else item.to_dict(warnings=False)
    plain = {name: value for name, value in raw.items() if value is not None}
    if plain.get("type") == "function_call":
        given = [one for one in (plain.get("call_id"), plain.get("id")) if isinstance(one, str) and one]
        plain["call_id"] = given[0] if given else generated_call_id()
    return plain


def _sendable_item(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item in a form that can be sent back."""
    fit: dict[str, Any] = _map_text(item)
    if fit.get("type") == "function_call":
        arguments = fit.get("arguments")
        fit["arguments"] = sendable_arguments(arguments if isinstance(arguments, str) else "")
    return fit


def _map_text(value: Any) -> Any:
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, dict):
        return {name: _map_text(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_map_text(part) for part in value]
    return value


def _identity(item: dict[str, Any]) -> str:
    return str(item.get("call_id") or item.get("id") or "")


def _text_of(item: dict[str, Any]) -> str:
    if item.get("type") != "message":
        return ""
    parts = [part for part in item.get("content") or () if isinstance(part, dict)]
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in parts)
