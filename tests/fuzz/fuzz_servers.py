"""Targets: server responses of models, tools and rerankers, and web pages with their addresses."""

import asyncio
import contextlib
import gzip
import json
import math
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import httpx2
import openai
from fuzz_target import Kind, Target, seeds_of, text_of
from fuzz_texts import as_json
from model_servers import chat_call, chat_delta, chat_usage, function_call, item_done, terminal, text_delta

from workbench.agent.mcp_servers import ServerConnection, safe_name, server_tools
from workbench.agent.mcp_servers import text_of as text_of_result
from workbench.agent.providers import openai_provider
from workbench.agent.providers.base_url import host_of, is_loopback, normalise
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.agent.providers.wire_format import sendable_arguments
from workbench.agent.references import RunReferences
from workbench.agent.text_protocol import found_calls, tool_call_instructions
from workbench.agent.tool_runner import checked_arguments, parsed_arguments
from workbench.errors import DocumentError, LibraryError, ModelError, ToolError, WorkbenchError
from workbench.fetching.address import resolve_redirect, web_address
from workbench.fetching.content_type import content_type, ending, ending_of_bytes, file_name, in_utf8
from workbench.fetching.web_fetcher import PIECE, decoding
from workbench.model.extensions import ToolServer
from workbench.model.message import Message, ModelEvent, ModelRequest, ProviderNote, Role, ToolCall, ToolSpec, TurnEnd
from workbench.model.profile import ModelProfile, WireApi
from workbench.operations.library.change_messages import change_of, message_of, object_of
from workbench.operations.library.document_changes import AddFiles, Edit, Remove
from workbench.parsing.parser_registry import supported_suffixes
from workbench.retrieval.reranking.rerank_server import WIRES


def _mcp(data: bytes) -> None:
    """Read the response of a tool server, as far as the SDK accepts it."""
    from mcp_types import CallToolResult
    from pydantic import ValidationError

    text = text_of(data)
    assert len(safe_name(text[:50], text[50:200])) <= 64
    with contextlib.suppress(ValidationError):
        assert isinstance(text_of_result(CallToolResult.model_validate_json(data)), str)


def _tool_schema(data: bytes) -> None:
    """Use a tool of a server with any schema, and arguments written by a model."""
    from mcp_types import Tool
    from pydantic import ValidationError

    schema, _, arguments = text_of(data).partition("\n")
    connection = ServerConnection(ToolServer("files", url="http://127.0.0.1:9/mcp"))
    with contextlib.suppress(ValidationError, ValueError, RecursionError):
        tool = Tool.model_validate({"name": "t", "inputSchema": json.loads(schema)})
        spec = server_tools(connection, [tool], "*", RunReferences())[0].spec
        for call in (ToolCall("1", "t", arguments), *_called(arguments, spec)):
            with contextlib.suppress(ToolError):
                assert isinstance(checked_arguments(call, spec), dict)
        assert tool_call_instructions([spec])
    with contextlib.suppress(ToolError):
        parsed_arguments(ToolCall("1", "t", arguments))


def _called(arguments: str, spec: ToolSpec) -> list[ToolCall]:
    return [ToolCall("2", one.name, one.arguments) for one in found_calls(f"TOOL: t({arguments})", (spec,))[1]]


def _reranker(data: bytes) -> None:
    """Read a reranking server's response: a score for each passage, or an error that the search handles."""
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(text_of(data))
        for wire in WIRES.values():
            try:
                scores = wire.scores(answer, 3)
            except ValueError:
                continue
            assert len(scores) == 3
            assert all(map(math.isfinite, scores))


class _Server:
    """A model server that answers with the input."""

    def __init__(self) -> None:
        self.status, self.body, self.kind = 200, b"", "text/event-stream"
        self.loop = asyncio.new_event_loop()
        # The client looks up the platform once; the result outlives the test.
        self.loop.set_default_executor(ThreadPoolExecutor(1, thread_name_prefix="shared-fuzz"))
        transport = httpx2.MockTransport(self._answer)
        client = httpx2.AsyncClient(transport=transport, trust_env=False)
        made, openai_provider.open_client = openai_provider.open_client, lambda *_, **__: _client(client)
        try:
            self.providers = {
                api: OpenAIProvider(ModelProfile("p", "http://127.0.0.1:9/v1", "m", api), retry_seconds=0.0)
                for api in (WireApi.CHAT, WireApi.RESPONSES)
            }
        finally:
            openai_provider.open_client = made

    def _answer(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(self.status, headers={"content-type": self.kind}, content=self.body)

    def ask(self, api: WireApi) -> None:
        """Ask the model one question; every event has one of our types."""
        self.loop.run_until_complete(self._ask(self.providers[api]))

    async def _ask(self, provider: OpenAIProvider) -> None:
        asked = provider.stream(ModelRequest((Message(Role.USER, "How much?"),)))
        async with contextlib.aclosing(asked) as events:
            await self._check(provider, events)

    async def _check(self, provider: OpenAIProvider, events: AsyncIterator[ModelEvent]) -> None:
        async for event in events:
            if isinstance(event, ProviderNote):
                continue
            if not isinstance(event, TurnEnd):
                assert isinstance(event.text, str)
                event.text.encode("utf-8")
                continue
            for call in event.tool_calls:
                assert all(isinstance(one, str) for one in (call.id, call.name, call.arguments))
                (call.id + call.name + call.arguments).encode("utf-8")
                assert isinstance(json.loads(sendable_arguments(call.arguments)), dict)
            assert isinstance(event.finish, str)
            told = Message(Role.ASSISTANT, "", event.tool_calls, provider_items=event.provider_items)
            for one in provider._wires.values():
                json.dumps(one.body(ModelRequest((told,))), allow_nan=True).encode("utf-8")


def _client(transport: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key="x", base_url="http://127.0.0.1:9/v1", max_retries=0, http_client=transport, organization="", project=""
    )


_server = cache(_Server)


def _stream(api: WireApi) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        server = _server()
        server.status, server.body, server.kind = 200, data, "text/event-stream"
        server.ask(api)

    return run


def _refusal(data: bytes) -> None:
    """Read an error response with any status, content type and text."""
    server = _server()
    server.status = (200, 400, 401, 404, 413, 422, 429, 500, 501, 302)[sum(data[:16]) % 10]
    server.kind = ("application/json", "text/html", "text/plain", "x")[sum(data[:24]) % 4]
    server.body = data
    for api in (WireApi.CHAT, WireApi.RESPONSES):
        with contextlib.suppress(ModelError):
            server.ask(api)


def _address(data: bytes) -> None:
    """Read addresses as users type them, and headers as servers send them."""
    text = text_of(data)[:3000]
    first, _, rest = text.partition("\n")
    # As received: each byte is a character.
    header = first.encode("utf-8", "replace").decode("latin-1")
    with contextlib.suppress(DocumentError):
        found = web_address(first)
        assert found.lower().startswith(("http://", "https://"))
        assert resolve_redirect(found, rest).lower().startswith(("http://", "https://"))
    with contextlib.suppress(WorkbenchError):
        base = normalise(first)
        is_loopback(base)
        assert host_of(base)
    kind, charset = content_type(header)
    name = file_name(f"https://example.org/{rest}", header)
    assert name
    assert "/" not in name
    assert len(name.encode()) <= 120
    with contextlib.suppress(DocumentError):
        ending(kind, name, supported_suffixes())
        ending_of_bytes(data, name, supported_suffixes())
    in_utf8(data, charset)


def _body(data: bytes) -> None:
    """Decompress a response in pieces of limited size."""
    reader, size = decoding("deflate" if data[:1] < b"\x10" else "gzip"), 0
    for at in range(0, len(data), 100):
        for piece in reader.feed(data[at : at + 100]):
            assert len(piece) <= max(PIECE, 100)
            size += len(piece)
            if size > 2**24:
                return


def _events(*events: object) -> bytes:
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events) + b"data: [DONE]\n\n"


_RESULT = {
    "content": [
        {"type": "text", "text": "It froze."},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///x", "text": "t"}},
        {"type": "resource_link", "name": "n", "uri": "https://example.org"},
    ],
    "structuredContent": {"a": 1},
    "isError": False,
}


_SCHEMA = {
    "type": "object",
    "properties": {"place": {"type": "string", "description": "d"}, "days": {"type": ["integer", "null"], "enum": [1]}},
    "required": ["place"],
    "additionalProperties": False,
}


_SCORES = {"results": [{"index": n, "relevance_score": 0.5, "score": 0.5} for n in range(3)]}


_ERROR = {"error": {"message": "This model does not support tools", "code": "x", "type": "t"}, "detail": [{"msg": "m"}]}


_CHAT = (
    chat_delta(role="assistant", reasoning_content="Hm."),
    chat_delta(content="Twelve \ud83d"),
    chat_delta(content="\ude00."),
    chat_call(0, "call_1", "weather", '{"place":'),
    chat_call(0, None, None, ' "Paris"}'),
    chat_delta("tool_calls"),
    chat_usage(5, 7),
)


_RESPONSES = (
    {"type": "response.reasoning_summary_text.delta", "delta": "Hm."},
    text_delta("Twelve."),
    item_done(function_call("1", "weather", '{"place": "Paris"}')),
    terminal(usage={"input_tokens": 5, "output_tokens": 7}),
)


_ADDRESSES = "https://example.org:8000/a?b=c#d\n/next\n"


_HEADER = "attachment; filename*=utf-8''a%E6%B8%AF.pdf; charset=utf-8\n../x\n"


_GZIP = gzip.compress(b"It froze. " * 99, mtime=0)


_URL_WORDS = (
    "http://",
    "//",
    "@",
    ":",
    "[::1]",
    "%00",
    "%2e%2e/",
    "\\",
    "#",
    "?",
    "xn--",
    "。",
    "file:",
    "javascript:",
    " ",
)


def _change(data: bytes) -> None:
    try:
        change = change_of(object_of(data))
    except LibraryError:
        return
    assert change_of(object_of(message_of(change))) == change


_CHANGES = (AddFiles((Path("/a.pdf"),), "law", "pw"), Edit(1, {"title": "Heron"}, ("late",)), Remove((1, 2)))


SERVERS: tuple[Target, ...] = (
    Target("mcp-results", _mcp, seeds_of(as_json(_RESULT)), Kind.JSON),
    Target("tool-schema", _tool_schema, lambda: (as_json(_SCHEMA) + b'\n{"place": "Paris", "days": 3}',), Kind.JSON),
    Target("reranker-answer", _reranker, seeds_of(as_json(_SCORES), as_json(_SCORES["results"])), Kind.JSON),
    Target("chat-stream", _stream(WireApi.CHAT), lambda: (_events(*_CHAT),), Kind.JSON, slow=True),
    Target("responses-stream", _stream(WireApi.RESPONSES), lambda: (_events(*_RESPONSES),), Kind.JSON, slow=True),
    Target("server-refusal", _refusal, seeds_of(as_json(_ERROR), "<html><body>404"), Kind.JSON, slow=True),
    Target("web-address", _address, seeds_of(_ADDRESSES, _HEADER), words=_URL_WORDS),
    Target("passed-change", _change, seeds_of(*map(message_of, _CHANGES)), Kind.JSON),
    Target("web-body", _body, lambda: (_GZIP,), Kind.BYTES),
)
