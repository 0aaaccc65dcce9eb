"""Provider for OpenAI-compatible servers.

Wire format detection, retries, masked API keys and escaped special tokens.

Masking: a server receives the key with every request. If it repeats the key, as some do to show what they received,
the key would be stored in the session and in its exports, and sent to the tools that the model calls.

Special tokens: a server joins the messages of a conversation with them and parses the result. “<|im_end|>” in a
document would end the message that contains it, and the rest would be read as a message of another role.
"""

import asyncio
import dataclasses
import json
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

import openai

from workbench.agent.providers.base_url import is_loopback, normalise
from workbench.agent.providers.error_mapping import (
    NotAStream,
    ServerTarget,
    is_quota,
    lacks_model,
    lacks_tools,
    model_error,
    retry_after,
)
from workbench.agent.providers.model_server import READ_SECONDS, ServerCounts, checked_key, open_client
from workbench.agent.providers.openai_chat import ChatWire
from workbench.agent.providers.openai_responses import ResponsesWire
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.errors import ModelError, WorkbenchError
from workbench.language import mark
from workbench.logs.redaction import MaskedStream, without_secrets
from workbench.model.egress import Purpose
from workbench.model.message import (
    Message,
    ModelEvent,
    ModelRequest,
    ProviderNote,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    TurnEnd,
)
from workbench.model.profile import ModelProfile, WireApi

logger = logging.getLogger(__name__)

_STATUS_RETRIES = 2
_CONNECTION_RETRIES = 1
# If a server requests a longer wait, the error is raised at once, so that the user learns of it.
_LONGEST_WAIT = 30.0
_RETRIED = (408, 409, 429)
_NO_SUCH_ENDPOINT = (404, 405, 501)
_MAYBE_NO_SUCH_ENDPOINT = (*_NO_SUCH_ENDPOINT, 400, 422)
_LONGEST_WRONG_BODY = 65_536


class ChatWireFormat(Protocol):
    """Protocol of the two wire formats."""

    @property
    def api(self) -> WireApi: ...

    @property
    def title(self) -> str: ...

    @property
    def optional_fields(self) -> frozenset[str]:
        """Fields that are omitted once a server has refused them by name."""
        ...

    def body(self, request: ModelRequest, *, omit: frozenset[str] = ...) -> dict[str, Any]:
        """Return the request's JSON without the optional fields that the server refused before."""
        ...

    async def open(self, client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
        """Send a request body and return the stream of raw events."""
        ...

    def events(self, stream: AsyncIterator[Any]) -> AsyncIterator[ModelEvent]:
        """Convert the raw events to model events, with a TurnEnd last."""
        ...


class OpenAIProvider:
    """Model provider for one model on one server; stateless: every request contains the whole conversation."""

    def __init__(
        self,
        profile: ModelProfile,
        *,
        key: str = "",
        remember_api: Callable[[WireApi], None] | None = None,
        retry_seconds: float = 0.5,
        read_seconds: float = READ_SECONDS,
        gate: EgressGate = LOOPBACK_ONLY,
        purpose: Purpose = Purpose.ANSWER,
    ) -> None:
        """Prepare the connection; nothing is sent yet.

        Args:
            profile: Profile with the server, the model and the wire format; AUTO detects the format.
            key: Bearer token; empty sends none.
            remember_api: Called with the wire format that AUTO detected.
            retry_seconds: Wait before the first retry; doubled for each further retry.
            read_seconds: Read timeout.
            gate: Egress gate for all requests.
            purpose: Purpose of the requests.

        Raises:
            SettingError: The profile's address is invalid.
            ModelKeyRefused: The key contains invalid characters.
        """
        key = checked_key(key)
        self._target = ServerTarget(normalise(profile.base_url), profile.model, key)
        self._client = open_client(self._target.base_url, key, read_seconds=read_seconds, gate=gate, purpose=purpose)
        self._counts = ServerCounts(self._client, self._target)
        self._chosen = profile.api
        self._detected = profile.detected_api
        self._remember_api = remember_api
        self._retry_seconds = retry_seconds
        self._wires: dict[WireApi, ChatWireFormat] = {
            WireApi.RESPONSES: ResponsesWire(self._target),
            WireApi.CHAT: ChatWire(self._target),
        }
        self._omitted: dict[WireApi, frozenset[str]] = {WireApi.RESPONSES: frozenset(), WireApi.CHAT: frozenset()}

    @property
    def mode(self) -> str:
        """Description of the model and its server, and of what is sent there, for the user."""
        place = mark("on this computer") if is_loopback(self._target.base_url) else mark("over the network")
        model, host = self._target.model, self._target.host
        return mark(f"Model: {model} at {host}, {place}. The passages found are sent to it.")

    @property
    def counts(self) -> ServerCounts:
        """Token counts and context length from the server, requested only when needed."""
        return self._counts

    @property
    def target(self) -> ServerTarget:
        """The server and the model."""
        return self._target

    @property
    def client(self) -> openai.AsyncOpenAI:
        """The HTTP client, for the connection test."""
        return self._client

    @property
    def detected_api(self) -> WireApi | None:
        """The wire format that has worked; None before the first answer."""
        return self._detected

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the events of one model turn. Stop cancels the task that consumes them.

        Raises:
            ModelError: The request failed; the message can be shown to the user.
        """
        return mask_keys(self._stream_turn(without_special_tokens(request)))

    async def _stream_turn(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        candidates = self._candidates()
        # Yielded only after the other wire format works: if neither does, the cause is something else.
        fallback: ProviderNote | None = None
        for position, wire in enumerate(candidates):
            following = candidates[position + 1] if position + 1 < len(candidates) else None
            stream: Any = None
            try:
                async for opened in self._open(wire, request):
                    if isinstance(opened, ProviderNote):
                        yield opened
                    else:
                        stream = opened
            # The client raises more than its own errors (JSONDecodeError, UnicodeDecodeError, AttributeError).
            except Exception as error:
                if isinstance(error, openai.APIStatusError) and lacks_tools(error, self._target):
                    # The server parsed the request, so it supports this wire format; tools are called by text next.
                    self._remember(wire.api)
                if following is None or not self._is_refused(wire, error):
                    raise model_error(error, self._target) from error
                fallback = ProviderNote(
                    mark(f"{self._target.host} does not support {wire.title}; {following.title} is used instead.")
                )
                continue
            if fallback is not None:
                yield fallback
            async for event in self._answer(wire, stream):
                yield event
            return

    async def close(self) -> None:
        """Release connections."""
        await self._client.close()

    def _candidates(self) -> list[ChatWireFormat]:
        if self._chosen is not WireApi.AUTO:
            return [self._wires[self._chosen]]
        first = self._detected or WireApi.RESPONSES
        return [self._wires[first], *(wire for api, wire in self._wires.items() if api is not first)]

    def _is_refused(self, wire: ChatWireFormat, error: Exception) -> bool:
        """Return whether the error may mean that the server does not support this wire format."""
        if isinstance(error, NotAStream):
            # Older LM Studio answers 200 with {"error": "Unexpected endpoint or method"}.
            return wire.api is not self._detected and "html" not in error.content_type
        if isinstance(error, openai.APIStatusError) and (
            lacks_tools(error, self._target) or lacks_model(error, self._target)
        ):
            return False
        statuses = _NO_SUCH_ENDPOINT if wire.api is self._detected else _MAYBE_NO_SUCH_ENDPOINT
        return isinstance(error, openai.APIStatusError) and error.status_code in statuses

    async def _answer(self, wire: ChatWireFormat, stream: Any) -> AsyncIterator[ModelEvent]:
        try:
            async for event in wire.events(stream):
                if self._detected is not wire.api:
                    self._remember(wire.api)
                yield event
        # As when the stream is opened: the client raises more than its own errors.
        except Exception as error:
            raise model_error(error, self._target, streaming=True) from error
        finally:
            await stream.close()

    def _remember(self, api: WireApi) -> None:
        self._detected = api
        if self._chosen is not WireApi.AUTO or self._remember_api is None:
            return
        try:
            self._remember_api(api)
        except WorkbenchError:
            # The format is detected again next time, so a failure to save it must not lose the answer.
            logger.warning("The wire format of %s could not be kept", self._target.host, exc_info=True)

    async def _open(self, wire: ChatWireFormat, request: ModelRequest) -> AsyncIterator[Any]:
        """Yield a note for each retry, and finally the open stream."""
        tried = 0
        while True:
            body = wire.body(request, omit=self._omitted[wire.api])
            try:
                stream = await wire.open(self._client, body)
                await _check_is_stream(stream)
            except openai.APIError as error:
                named = self._refused_fields(wire, error)
                if named:
                    logger.info("%s refuses %s; sent again without", self._target.host, ", ".join(sorted(named)))
                    self._omitted[wire.api] |= named
                    continue
                wait = self._wait(error, tried)
                if wait is None:
                    raise
                tried += 1
                yield ProviderNote(
                    mark(f"{_reason(error, self._target)} Trying again in {wait:.1f} seconds (try {tried + 1}).")
                )
                await asyncio.sleep(wait)
            else:
                yield stream
                return

    def _refused_fields(self, wire: ChatWireFormat, error: openai.APIError) -> frozenset[str]:
        """Return the optional fields that the error names and that are still being sent."""
        if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422):
            return frozenset()
        message = error.response.text
        return frozenset(name for name in wire.optional_fields - self._omitted[wire.api] if name in message)

    def _wait(self, error: openai.APIError, tried: int) -> float | None:
        """Return the seconds to wait before a retry, or None for no retry."""
        doubled: float = self._retry_seconds * 2**tried
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            if tried >= _STATUS_RETRIES or not (status in _RETRIED or (status >= 500 and status != 501)):
                return None
            requested = retry_after(error)
            if error.response.headers.get("x-should-retry") == "false" or is_quota(error, self._target):
                return None
            if lacks_tools(error, self._target):
                return None
            if requested is not None and requested > _LONGEST_WAIT:
                return None
            return max(requested or 0.0, doubled)
        # No retry after a timeout: the user has waited already, and the server may still be busy.
        is_connection = isinstance(error, openai.APIConnectionError) and not isinstance(error, openai.APITimeoutError)
        return doubled if is_connection and tried < _CONNECTION_RETRIES else None


def _reason(error: openai.APIError, target: ServerTarget) -> str:
    if not isinstance(error, openai.APIStatusError):
        return f"There is no connection to {target.host}."
    return f"{target.host} is limiting requests." if error.status_code == 429 else f"{target.host} failed."


async def _check_is_stream(stream: Any) -> None:
    """Reject a web page or plain JSON: the client would read them as a stream without events and raise nothing.

    Raises:
        NotAStream: Contains the content type and the body.
    """
    response = stream.response
    content_type = response.headers.get("content-type", "").lower()
    is_wrong = response.status_code == 204 or any(kind in content_type for kind in ("text/html", "application/json"))
    if not is_wrong:
        return
    try:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > _LONGEST_WRONG_BODY:
                break
    finally:
        await response.aclose()
    text = body.decode("utf-8", "replace")
    raise NotAStream(content_type, _error_in(text) if "json" in content_type else text)


def _error_in(text: str) -> Any:
    """Return a JSON body with an error, empty text for other JSON (an answer that is not streamed), else the text."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return body if isinstance(body, dict) and body.get("error") else ""


_SPECIAL_TOKENS = re.compile(
    r"<(?=\|[\w /-]{1,40}\|?>"  # ChatML, Llama 3, Phi, GPT: <|im_start|>, <|eot_id|>, <|endoftext|>
    r"|｜[^｜<>\n]{1,40}｜>"  # DeepSeek
    r"|(?:start|end)_of_(?:turn|image|sentence)>"  # Gemma
    r"|<?/?SYS>>|/?s>|/?think>|(?:bos|eos|unk|pad)>)"  # Llama 2 and others
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID)\])",  # Mistral
    re.IGNORECASE,
)
_ZERO_WIDTH_SPACE = "\u200b"
"""Zero-width space: a text with it looks unchanged, but no longer contains the special token."""


def harmless(text: str) -> str:
    """Return a text with its special tokens broken up by zero-width spaces, and otherwise unchanged."""
    return _SPECIAL_TOKENS.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, text)


def without_special_tokens(request: ModelRequest) -> ModelRequest:
    """Return a request without special tokens in any message; the prompt may contain search results, too."""
    return replace(request, messages=tuple(map(_escape_message, request.messages)))


def _escape_message(message: Message) -> Message:
    text = harmless(message.text)
    return message if text == message.text else replace(message, text=text)


async def mask_keys(events: AsyncGenerator[ModelEvent, None]) -> AsyncIterator[ModelEvent]:
    """Yield the events of one model turn with all known keys masked; closing this generator closes events."""
    answer, thought = MaskedStream(), MaskedStream()
    async with aclosing(events):
        try:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for rest in _flush(thought, ReasoningDelta):
                            yield rest
                        if shown := answer.take(text):
                            yield TextDelta(shown)
                    case ReasoningDelta(text):
                        if shown := thought.take(text):
                            yield ReasoningDelta(shown)
                    case TurnEnd():
                        for rest in (*_flush(thought, ReasoningDelta), *_flush(answer, TextDelta)):
                            yield rest
                        yield _mask_turn_end(event)
                    case _:
                        yield event
        except ModelError:
            # Text received before the connection broke is kept completely.
            for rest in (*_flush(thought, ReasoningDelta), *_flush(answer, TextDelta)):
                yield rest
            raise


def _flush(stream: MaskedStream, kind: type[TextDelta] | type[ReasoningDelta]) -> list[ModelEvent]:
    text = stream.rest()
    return [kind(text)] if text else []


def _mask_turn_end(end: TurnEnd) -> TurnEnd:
    calls = tuple(ToolCall(call.id, call.name, without_secrets(call.arguments)) for call in end.tool_calls)
    return dataclasses.replace(end, tool_calls=calls, provider_items=tuple(map(_mask_item, end.provider_items)))


def _mask_item(item: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(item, ensure_ascii=False)
    kept: dict[str, Any] = item if without_secrets(text) == text else json.loads(without_secrets(text))
    return kept
