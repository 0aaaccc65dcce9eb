"""The Chat Completions wire format: a request's body, and the events of its stream."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import openai

from workbench.agent.providers.error_mapping import ServerTarget, reported_error
from workbench.agent.providers.wire_format import TurnText, sendable, sendable_arguments, tool_call, usage_of
from workbench.errors import ModelStreamCut
from workbench.language import mark
from workbench.model.message import (
    Message,
    ModelEvent,
    ModelRequest,
    ProviderNote,
    Role,
    ToolCall,
    ToolSpec,
    TurnEnd,
    Usage,
)
from workbench.model.profile import WireApi

# Timeout for the token count, which comes after the answer, and from some servers never.
_USAGE_SECONDS = 1.0
# Matches at the beginning of a line only: an answer is JSON and contains no line breaks.
_DONE = re.compile(rb"(?:^|[\r\n])data:[ ]?\[DONE\]")
_DONE_BYTES = 16


class ChatWire:
    """Wire format of Chat Completions."""

    api = WireApi.CHAT
    title = "Chat Completions"
    optional_fields = frozenset({"stream_options"})

    def __init__(self, target: ServerTarget) -> None:
        self._target = target

    def body(self, request: ModelRequest, *, omit: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return the request body: the whole conversation, without fields that are not needed."""
        body: dict[str, Any] = {
            "model": self._target.model,
            "messages": [_message(message, request.system_role) for message in request.messages],
            "stream": True,
        }
        if "stream_options" not in omit:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        return body

    async def open(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Send the request and return its stream of raw chunks."""
        return await client.chat.completions.create(**body)

    async def events(self, stream: AsyncIterator[Any]) -> AsyncIterator[ModelEvent]:
        """Yield the events of the turn.

        An answer without a finish_reason that is followed by "[DONE]" is treated as complete, with a note.

        Raises:
            ModelError: The stream ended without a finish_reason and without "[DONE]", or carried an error.
        """
        turn = _ChatTurn(self._target)
        done = _DoneMark(stream)
        iterator = aiter(stream)
        while True:
            try:
                async with asyncio.timeout(_USAGE_SECONDS if turn.finish else None):
                    chunk = await anext(iterator)
            except StopAsyncIteration:
                break
            except Exception:
                if turn.finish:
                    break  # The answer is complete; only the token count failed.
                raise
            for event in turn.take(chunk):
                yield event
        if not turn.finish and done.is_seen and turn.has_content:
            turn.finish = "stop"
            yield ProviderNote(mark("The server did not say whether the answer is complete; it is kept as received."))
        for event in turn.end():
            yield event


class _DoneMark:
    """Detects "[DONE]" in the bytes of a stream: the client stops there without reporting it."""

    def __init__(self, stream: Any) -> None:
        self.is_seen = False
        self._end = b""
        response = getattr(stream, "response", None)
        if response is not None:
            self._read = response.aiter_bytes
            response.aiter_bytes = self._watch

    async def _watch(self, *args: Any) -> AsyncIterator[bytes]:
        async for piece in self._read(*args):
            self.is_seen = self.is_seen or bool(_DONE.search(self._end + piece))
            self._end = (self._end + piece)[-_DONE_BYTES:]
            yield piece


class _PartialCall:
    """A tool call under construction from streamed pieces."""

    def __init__(self, index: int | None, call_id: str) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self.arguments = ""

    @property
    def is_whole(self) -> bool:
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return False
        return bool(self.name)


class _ChatTurn:
    """Accumulates the chunks of one turn."""

    def __init__(self, target: ServerTarget) -> None:
        self._target = target
        self._text = TurnText()
        self._calls: list[_PartialCall] = []
        self._usage = Usage()
        self._has_text = False
        self.finish = ""

    @property
    def has_content(self) -> bool:
        """True if any text or call was received."""
        return self._has_text or bool(self._calls)

    def take(self, chunk: Any) -> Iterator[ModelEvent]:
        """Yield the events of a chunk."""
        extra = getattr(chunk, "model_extra", None) or {}
        if extra.get("type") == "error":
            raise reported_error(extra.get("code"), extra.get("message"), self._target)
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self._usage = usage_of(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = getattr(choice, "delta", None)
            if delta is not None:
                yield from self._delta(delta)
            if choice.finish_reason:
                self.finish = choice.finish_reason

    def end(self) -> Iterator[ModelEvent]:
        """Yield the remaining text and the end of the turn."""
        yield from self._text.finish()
        if self.finish == "error":
            raise reported_error(None, "the server ended the answer with an error", self._target)
        if not self.finish:
            raise ModelStreamCut(
                f"The connection to {self._target.host} ended before the answer did.",
                "What was written so far is kept. Ask again.",
            )
        calls = _finish_calls(self._calls)
        finish = "tool_calls" if calls else self.finish
        if finish not in ("length", "content_filter", "tool_calls"):
            finish = "stop"
        yield TurnEnd(tool_calls=calls, finish=finish, usage=self._usage)

    def _delta(self, delta: Any) -> Iterator[ModelEvent]:
        extra = getattr(delta, "model_extra", None) or {}
        for name in ("reasoning_content", "reasoning"):
            if isinstance(extra.get(name), str) and extra[name]:
                yield from self._text.reasoning(extra[name])
                break  # Some servers send the same piece under both names.
        for text in (getattr(delta, "content", None), getattr(delta, "refusal", None)):
            if isinstance(text, str) and text:
                self._has_text = True
                yield from self._text.answer(text)
        for piece in getattr(delta, "tool_calls", None) or ():
            self._add_piece(piece)

    def _add_piece(self, piece: Any) -> None:
        """Add a piece to its call; a new index, or a new id with a known index, begins a new call."""
        call_id, function = piece.id or "", piece.function
        name = getattr(function, "name", None) or ""
        call = self._open_call(piece.index)
        if call is not None and (
            (call_id and call.id and call_id != call.id) or (not call_id and name and call.is_whole)
        ):
            call = None
        if call is None:
            call = _PartialCall(piece.index, call_id)
            self._calls.append(call)
        call.id = call.id or call_id
        call.name = call.name or name
        arguments = getattr(function, "arguments", None)
        if arguments is not None:
            call.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)

    def _open_call(self, index: int | None) -> _PartialCall | None:
        if index is None:
            return self._calls[-1] if self._calls else None
        return next((call for call in reversed(self._calls) if call.index == index), None)


def _finish_calls(calls: Sequence[_PartialCall]) -> tuple[ToolCall, ...]:
    """Return the calls that have a name, each with a unique id, by which results are matched to calls."""
    finished: list[ToolCall] = []
    for call in calls:
        taken = any(call.id == other.id for other in finished)
        if call.name:
            finished.append(tool_call("" if taken else call.id, call.name, call.arguments))
    return tuple(finished)


def _message(message: Message, system_role: str) -> dict[str, Any]:
    text = sendable(message.text)
    if message.role is Role.SYSTEM:
        return {"role": system_role, "content": text}
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
    wired: dict[str, Any] = {"role": str(message.role), "content": text}
    if message.tool_calls:
        wired["tool_calls"] = [_call(call) for call in message.tool_calls]
    return wired


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": sendable_arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}
