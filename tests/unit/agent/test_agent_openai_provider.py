"""Provider for the OpenAI protocols against a socket server: the requests, and every kind of failure."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from model_servers import (
    STREAM_HEAD,
    RawServer,
    Reply,
    chat_answer,
    chat_delta,
    raw,
    responses_answer,
    silence,
    sse,
    status,
    terminal,
    text_delta,
)

from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.errors import (
    DiskFull,
    ModelAccessDenied,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelKeyRefused,
    ModelNotFound,
    ModelRefusedRequest,
    ModelStreamCut,
    ModelUnreachable,
)
from workbench.model.message import Message, ModelEvent, ModelRequest, ProviderNote, Role, TextDelta, TurnEnd
from workbench.model.profile import ModelProfile, WireApi

T = TypeVar("T")
KEY = "sk-very-secret-0123456789"
ASK = ModelRequest((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "How much?")))
BOTH = pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])


def provider_at(base_url: str, api: WireApi, **more: Any) -> OpenAIProvider:
    profile = ModelProfile("p", base_url, "m", api, detected_api=more.pop("detected", None))
    return OpenAIProvider(profile, key=more.pop("key", KEY), retry_seconds=more.pop("retry_seconds", 0.01), **more)


async def collect(
    provider: OpenAIProvider, request: ModelRequest = ASK, into: list[ModelEvent] | None = None
) -> list[ModelEvent]:
    events = [] if into is None else into
    try:
        async for event in provider.stream(request):
            events.append(event)
    finally:
        await provider.close()
    return events


def exchange(api: WireApi, *replies: Reply, **more: Any) -> tuple[list[ModelEvent], RawServer]:
    """Ask a server that answers with the replies, and return the events and the server."""

    async def scenario() -> tuple[list[ModelEvent], RawServer]:
        async with RawServer(*replies) as server:
            return await collect(provider_at(server.base_url, api, **more)), server

    return asyncio.run(scenario())


def failure(api: WireApi, *replies: Reply, **more: Any) -> tuple[ModelError, list[ModelEvent]]:
    """Ask a server that fails, and return the error and the events before it."""
    before: list[ModelEvent] = []

    async def scenario() -> None:
        async with RawServer(*replies) as server:
            await collect(provider_at(server.base_url, api, **more), into=before)

    with pytest.raises(ModelError) as caught:
        asyncio.run(scenario())
    assert KEY not in f"{caught.value}"
    return caught.value, before


def answering(api: WireApi, *pieces: str) -> Reply:
    return chat_answer(*pieces) if api is WireApi.CHAT else responses_answer(*pieces)


def texts(events: list[ModelEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextDelta)]


def part(api: WireApi, text: str) -> dict[str, Any]:
    return chat_delta(content=text) if api is WireApi.CHAT else text_delta(text)


@BOTH
def test_the_answer_is_streamed_and_ends_with_the_turn(api: WireApi) -> None:
    events, server = exchange(api, answering(api, "Fi", "ve"))
    assert texts(events) == ["Fi", "ve"]
    assert isinstance(events[-1], TurnEnd)
    assert server.requests[0].path == {"chat": "/v1/chat/completions", "responses": "/v1/responses"}[api]


@BOTH
def test_rule_1_stream_is_sent_explicitly_and_nothing_that_is_not_needed(api: WireApi) -> None:
    _, server = exchange(api, answering(api, "Five"))
    body = server.requests[0].json
    expected = {
        WireApi.CHAT: {"model", "messages", "stream", "stream_options"},
        WireApi.RESPONSES: {"model", "input", "instructions", "stream", "store"},
    }[api]
    assert set(body) == expected
    assert body["stream"] is True


@BOTH
def test_values_of_environment_variables_are_not_sent(api: WireApi, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: from-the-environment\nAuthorization: from-the-environment")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    _, server = exchange(api, answering(api, "Five"), key="")
    headers = server.requests[0].headers
    assert "from-the-environment" not in str(headers)
    assert "authorization" not in headers
    assert not [name for name in headers if name.startswith(("x-", "openai-"))]


@BOTH
def test_the_key_is_sent_as_bearer_token(api: WireApi) -> None:
    _, server = exchange(api, answering(api, "Five"))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines", "with space"])
def test_a_key_that_cannot_be_one_is_refused_at_once(key: str) -> None:
    with pytest.raises(ModelKeyRefused) as caught:
        provider_at("http://127.0.0.1:9/v1", WireApi.CHAT, key=key)
    assert key not in str(caught.value)


@BOTH
@pytest.mark.parametrize(
    ("code", "body", "error", "said"),
    [
        (401, {"error": {"message": f"Incorrect API key: {KEY}"}}, ModelKeyRefused, "refused the key"),
        (403, "", ModelKeyRefused, "refused the key"),
        (403, {"error": {"message": "Missing scopes: model.request"}}, ModelKeyRefused, "refused the key"),
        (403, {"error": {"message": "Country not supported"}}, ModelAccessDenied, "Country not supported"),
        (403, {"error": {"code": "model_not_found", "message": "No."}}, ModelNotFound, "no model named “m”"),
        (404, {"error": {"message": "model 'm' not found"}}, ModelNotFound, "no model named “m”"),
        (404, "404 page not found", ModelNotFound, "No model answers at http://127.0.0.1"),
        (405, "", ModelNotFound, "No model answers at"),
        (400, {"error": {"message": "bad temperature"}}, ModelRefusedRequest, "bad temperature"),
        (400, {"error": {"message": "maximum context length is 4096"}}, ModelRefusedRequest, "too long"),
        (413, "", ModelRefusedRequest, "too long"),
        (422, {"detail": "wrong shape"}, ModelRefusedRequest, "wrong shape"),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, ModelRefusedRequest, "field required"),
        (500, {"error": f"crashed with {KEY}"}, ModelFailed, "crashed with [key]"),
        (503, "<html><body>Bad gateway</body></html>", ModelFailed, "error 503"),
        (307, "", ModelUnreachable, "another address"),
    ],
)
def test_rule_8_a_status_becomes_a_sentence_without_the_key(
    api: WireApi, code: int, body: object, error: type[ModelError], said: str
) -> None:
    raised, _ = failure(api, status(code, body, location="http://127.0.0.1:9/v1?token=x"))
    assert type(raised) is error
    assert said in raised.message
    assert raised.hint
    assert "<" not in raised.message


def test_a_redirect_is_not_followed() -> None:
    async def scenario() -> int:
        async with RawServer(chat_answer("stolen")) as other:
            place = f"{other.base_url}/chat/completions"
            async with RawServer(status(307, "", location=place)) as server:
                with pytest.raises(ModelUnreachable, match="another address"):
                    await collect(provider_at(server.base_url, WireApi.CHAT))
            return len(other.requests)

    assert asyncio.run(scenario()) == 0


@BOTH
def test_an_unreachable_server_is_reported_with_its_address(api: WireApi) -> None:
    before: list[ModelEvent] = []
    with pytest.raises(ModelUnreachable, match=r"http://127\.0\.0\.1:9/v1"):
        asyncio.run(collect(provider_at("http://127.0.0.1:9", api), into=before))
    assert [type(event) for event in before] == [ProviderNote]


@BOTH
def test_not_http_at_all_is_unreachable(api: WireApi) -> None:
    raised, _ = failure(api, raw(b"SSH-2.0-OpenSSH_9.2\r\n"))
    assert isinstance(raised, ModelUnreachable)
    assert "closed the connection" in raised.message


@BOTH
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (status(200, "<!doctype html><p>Welcome", kind="text/html"), "a web page"),
        (status(200, {"choices": []}), "plain JSON"),
        (status(200, {"error": "Unexpected endpoint or method."}), "Unexpected endpoint"),
        (raw(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), "nothing"),
    ],
)
def test_a_200_that_is_no_stream_is_an_error(api: WireApi, reply: Reply, said: str) -> None:
    raised, _ = failure(api, reply)
    assert isinstance(raised, ModelUnreachable)
    assert said in raised.message


@BOTH
@pytest.mark.parametrize(
    "end",
    [b"", b"data: ", b'data: {"id": "c", "choi', b": comment\n\n", b'data: {"a": "data: [DO'],
    ids=["silent", "empty line", "half an event", "comment", "half an end"],
)
def test_rule_2_a_stream_that_ends_early_is_reported_and_its_text_is_kept(api: WireApi, end: bytes) -> None:
    raised, before = failure(api, sse(part(api, "So far"), end, done=False))
    assert isinstance(raised, ModelStreamCut)
    assert texts(before) == ["So far"]


@pytest.mark.parametrize("done", [(b"data: [DONE]\n\n",), (b"data:[DONE]\r\n\r\n",)])
def test_an_answer_that_only_the_end_mark_ends_is_complete_with_a_note(done: tuple[bytes, ...]) -> None:
    events, _ = exchange(WireApi.CHAT, sse(chat_delta(content="It is five."), *done, done=False))
    assert texts(events) == ["It is five."]
    assert [event.text for event in events if isinstance(event, ProviderNote)] == [
        "The server did not say whether the answer is complete; it is kept as received."
    ]
    assert isinstance(events[-1], TurnEnd)
    assert events[-1].finish == "stop"


def test_an_end_mark_behind_nothing_is_no_answer() -> None:
    raised, _ = failure(WireApi.CHAT, sse())
    assert isinstance(raised, ModelStreamCut)


def test_an_answer_that_speaks_of_the_end_mark_can_still_be_cut_off() -> None:
    raised, before = failure(WireApi.CHAT, sse(chat_delta(content="\ndata: [DONE]\n"), done=False))
    assert isinstance(raised, ModelStreamCut)
    assert texts(before) == ["\ndata: [DONE]\n"]


def test_an_end_mark_does_not_complete_a_responses_stream() -> None:
    raised, _ = failure(WireApi.RESPONSES, sse(text_delta("So far")))
    assert isinstance(raised, ModelStreamCut)


@BOTH
@pytest.mark.parametrize(
    "garbage",
    [
        b"data: {broken}\n\n",
        b"data: null\n\n",
        b"data: [1]\n\n",
        b'data: {"a": "\xff\xfe"}\n\n',
        b"data:\n\n",
        b"\x00\x01\n\n",
    ],
)
def test_garbage_in_the_stream_never_escapes_as_another_error(api: WireApi, garbage: bytes) -> None:
    raised, before = failure(api, sse(part(api, "So far"), garbage, done=False))
    assert isinstance(raised, (ModelFailed, ModelStreamCut))
    assert texts(before) == ["So far"]


@BOTH
def test_an_error_inside_the_stream_is_reported(api: WireApi) -> None:
    raised, before = failure(api, sse(part(api, "So far"), {"error": {"message": f"out of memory {KEY}"}}, done=False))
    assert isinstance(raised, ModelFailed)
    assert "out of memory" in raised.message
    assert texts(before) == ["So far"]


@BOTH
def test_a_flat_error_event_is_reported(api: WireApi) -> None:
    event = {"type": "error", "code": "rate_limit_exceeded", "message": "Too fast"}
    raised, _ = failure(api, sse(event, done=False))
    assert isinstance(raised, ModelBusy)


@BOTH
def test_a_silent_server_is_given_up(api: WireApi) -> None:
    raised, before = failure(api, sse(part(api, "So far"), done=False, then=silence), read_seconds=0.1)
    assert isinstance(raised, ModelFailed)
    assert "did not respond" in raised.message
    assert texts(before) == ["So far"]


@BOTH
def test_429_then_500_then_ok_is_retried_with_a_note_each(api: WireApi) -> None:
    busy = status(429, {"error": {"message": "slow down"}}, retry_after="0.02")
    events, server = exchange(api, busy, status(500, "oops"), answering(api, "Five"))
    assert texts(events) == ["Five"]
    notes = [event.text for event in events if isinstance(event, ProviderNote)]
    assert ["limiting" in notes[0], "failed" in notes[1]] == [True, True]
    assert len(server.requests) == 3


@BOTH
@pytest.mark.parametrize(
    ("reply", "requests"),
    [
        (status(429, {"error": {"code": "insufficient_quota", "message": "Pay."}}), 1),
        (status(429, {"error": {"message": "slow"}}, retry_after="300"), 1),
        (status(503, "x", x_should_retry="false"), 1),
        (status(500, "x"), 3),
    ],
)
def test_retries_are_few_and_none_where_they_cannot_help(api: WireApi, reply: Reply, requests: int) -> None:
    async def scenario() -> int:
        async with RawServer(reply) as server:
            with pytest.raises((ModelBusy, ModelFailed)):
                await collect(provider_at(server.base_url, api))
            return len(server.requests)

    assert asyncio.run(scenario()) == requests


def test_a_long_retry_after_is_shown_in_the_hint() -> None:
    raised, _ = failure(WireApi.CHAT, status(429, {"error": {"message": "slow"}}, retry_after="300"))
    assert "300 seconds" in raised.hint


@pytest.mark.parametrize(
    ("seconds", "hint"), [("1", "Wait a little and ask again."), ("1.4", "Ask again in 2 seconds.")]
)
def test_a_short_retry_after_gives_a_hint_in_correct_english(seconds: str, hint: str) -> None:
    raised, _ = failure(WireApi.CHAT, status(429, {"error": {"message": "slow"}}, retry_after=seconds), retry_seconds=0)
    assert raised.hint == hint


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Unknown parameter: 'reasoning'.", "API format"),
        ("Extra inputs are not permitted", "API format"),
        ("Invalid value for 'model'", "Check the model's name"),
        ("temperature is above 2", "log"),
    ],
)
def test_the_hint_to_a_refused_request_is_about_what_the_server_refuses(message: str, hint: str) -> None:
    raised, _ = failure(WireApi.CHAT, status(400, {"error": {"message": message}}))
    assert isinstance(raised, ModelRefusedRequest)
    assert hint in raised.hint


@BOTH
def test_rule_11_an_optional_field_that_is_refused_is_left_out(api: WireApi) -> None:
    field = "stream_options" if api is WireApi.CHAT else "store"
    refusal = status(422, {"detail": f"Unexpected keys in the request: {{'{field}'}}"})
    events, server = exchange(api, refusal, answering(api, "Five"))
    assert texts(events) == ["Five"]
    assert [field in request.json for request in server.requests] == [True, False]


@pytest.mark.parametrize("code", [400, 404, 405, 422, 501])
def test_rule_7_auto_falls_back_to_chat_and_remembers(code: int) -> None:
    remembered: list[WireApi] = []
    events, server = exchange(
        WireApi.AUTO, status(code, "unknown"), chat_answer("Five"), remember_api=remembered.append
    )
    assert texts(events) == ["Five"]
    assert "Chat Completions is used instead" in events[0].text  # type: ignore[union-attr]
    assert [request.path for request in server.requests] == ["/v1/responses", "/v1/chat/completions"]
    assert remembered == [WireApi.CHAT]


def test_rule_7_a_200_with_an_error_falls_back_too() -> None:
    events, _ = exchange(WireApi.AUTO, status(200, {"error": "Unexpected endpoint or method."}), chat_answer("Five"))
    assert texts(events) == ["Five"]


def test_auto_prefers_responses_and_remembers_it_once() -> None:
    remembered: list[WireApi] = []

    async def scenario() -> list[str]:
        async with RawServer(responses_answer("A"), responses_answer("B")) as server:
            provider = provider_at(server.base_url, WireApi.AUTO, remember_api=remembered.append)
            for _ in range(2):
                async for _event in provider.stream(ASK):
                    pass
            await provider.close()
            return [request.path for request in server.requests]

    assert asyncio.run(scenario()) == ["/v1/responses"] * 2
    assert remembered == [WireApi.RESPONSES]


@pytest.mark.logs_warnings
def test_an_answer_is_not_lost_where_the_format_cannot_be_kept(caplog: pytest.LogCaptureFixture) -> None:
    def full(_api: WireApi) -> None:
        raise DiskFull("No room.")

    events, _ = exchange(WireApi.AUTO, responses_answer("Five"), remember_api=full)
    assert texts(events) == ["Five"]
    assert "could not be kept" in caplog.text


def test_the_wire_format_detected_before_is_tried_first() -> None:
    _, server = exchange(WireApi.AUTO, chat_answer("Five"), detected=WireApi.CHAT)
    assert server.requests[0].path == "/v1/chat/completions"


def test_auto_does_not_remember_a_format_that_did_not_work() -> None:
    remembered: list[WireApi] = []
    raised, _ = failure(WireApi.AUTO, status(404, {"error": "model m not found"}), remember_api=remembered.append)
    assert isinstance(raised, ModelNotFound)
    assert remembered == []


@pytest.mark.parametrize(
    "reply",
    [
        status(404, {"error": {"code": "model_not_found", "message": "No."}}),
        status(404, {"error": {"message": "The model `m` does not exist.", "code": 404}}),
        status(400, {"error": {"message": "Invalid model name passed in model=m. Call `/v1/models`"}}),
    ],
)
def test_a_wrong_model_name_is_not_mistaken_for_an_unsupported_wire_format(reply: Reply) -> None:
    raised, before = failure(WireApi.AUTO, reply)
    assert isinstance(raised, ModelNotFound)
    assert "no model named “m”" in raised.message
    assert before == []


def test_a_server_that_refuses_both_wire_formats_is_not_reported_as_lacking_one() -> None:
    raised, before = failure(WireApi.AUTO, status(400, "No such thing."))
    assert isinstance(raised, ModelRefusedRequest)
    assert before == []


def test_a_chosen_format_is_not_given_up() -> None:
    raised, before = failure(WireApi.RESPONSES, status(404, "404 page not found"))
    assert isinstance(raised, ModelNotFound)
    assert before == []


def test_unauthorised_does_not_fall_back() -> None:
    raised, before = failure(WireApi.AUTO, status(401, "no"))
    assert isinstance(raised, ModelKeyRefused)
    assert before == []


class Arrivals(list[ModelEvent]):
    """List of events that signals the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived = asyncio.Event()

    def append(self, event: ModelEvent) -> None:
        super().append(event)
        self.arrived.set()


def stop_after(api: WireApi, reply: Reply, reached: Callable[[RawServer, "Arrivals"], Awaitable[None]]) -> float:
    """Cancel once reached, and return the duration of the cancellation; the server must notice it."""

    async def scenario() -> float:
        async with RawServer(reply) as server:
            events = Arrivals()
            task = asyncio.create_task(collect(provider_at(server.base_url, api), into=events))
            await asyncio.wait_for(reached(server, events), 5)
            began = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            seconds = time.perf_counter() - began
            await asyncio.wait_for(server.hung_up.wait(), 2)
            return seconds

    return asyncio.run(scenario())


async def first_event(server: RawServer, events: Arrivals) -> None:
    await events.arrived.wait()


async def request_sent(server: RawServer, events: Arrivals) -> None:
    await server.asked.wait()


@BOTH
def test_stop_takes_less_than_100_ms_when_the_server_is_silent_within_its_answer(api: WireApi) -> None:
    assert stop_after(api, sse(part(api, "So far"), done=False, then=silence), first_event) < 0.1


@BOTH
@pytest.mark.parametrize("reply", [silence, raw(STREAM_HEAD, then=silence)], ids=["no headers", "headers only"])
def test_stop_takes_less_than_100_ms_before_the_first_word(api: WireApi, reply: Reply) -> None:
    assert stop_after(api, reply, request_sent) < 0.1


@BOTH
def test_stop_during_a_wait_for_a_retry(api: WireApi) -> None:
    async def scenario() -> float:
        async with RawServer(status(500, "x")) as server:
            events = Arrivals()
            provider = provider_at(server.base_url, api, retry_seconds=20)
            task = asyncio.create_task(collect(provider, into=events))
            await first_event(server, events)
            began = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.perf_counter() - began

    assert asyncio.run(scenario()) < 0.1


def test_the_mode_shows_where_the_passages_are_sent() -> None:
    async def scenario() -> tuple[str, str]:
        near = provider_at("localhost:11434", WireApi.AUTO)
        far = provider_at("https://api.example.com/v1", WireApi.AUTO)
        modes = near.mode, far.mode
        await near.close()
        await far.close()
        return modes

    near, far = asyncio.run(scenario())
    assert "on this computer" in near
    assert "over the network" in far


def test_terminal_status_counts_for_more_than_the_events_name() -> None:
    events, _ = exchange(
        WireApi.RESPONSES,
        sse(
            text_delta("A"),
            terminal("completed", status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        ),
    )
    assert events[-1].finish == "length"  # type: ignore[union-attr]
