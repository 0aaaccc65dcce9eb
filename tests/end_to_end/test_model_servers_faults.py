"""Servers that end in silence or send garbage, asked by a whole library: the run is stored with its partial answer."""

import asyncio

import pytest
from model_servers import (
    RawServer,
    Reply,
    chat_answer,
    chat_delta,
    raw,
    responses_answer,
    sse,
    status,
    text_delta,
)

from workbench import operations
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import Run, RunStatus
from workbench.operations import Library
from workbench.worker.job import JobContext

BOTH = pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])

AFTER_THE_FIRST_WORDS = {
    "the stream ends in silence": b"",
    "half an event": b'data: {"id": "c", "choi',
    "no JSON": b"data: {broken}\n\n",
    "null": b"data: null\n\n",
    "no UTF-8": b'data: {"a": "\xff\xfe"}\n\n',
    "no text at all": b"\x00\x01\x02\n\n",
}
IN_PLACE_OF_AN_ANSWER: dict[str, tuple[Reply, str]] = {
    "a web page": (status(200, "<!doctype html><p>Welcome", kind="text/html"), "a web page"),
    "plain JSON": (status(200, {"choices": []}), "plain JSON"),
    "no content": (raw(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), "nothing"),
    "another protocol": (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "closed the connection"),
    "nothing": (raw(b""), "closed the connection"),
    "half a head": (raw(b"HTTP/1.1 200 OK\r\nContent-Ty"), "closed the connection"),
    "a page of an error": (status(418, "<html><body>I am a teapot", kind="text/html"), "error 418"),
}


def asked_twice(library: Library, api: WireApi, reply: Reply, then: Reply) -> tuple[Run, Run]:
    """Ask a server with a fault, then continue in the same session without the fault."""

    async def scenario() -> tuple[Run, Run]:
        async with RawServer(reply) as server:
            library.profiles.put(ModelProfile("m", server.base_url, "m", api))
            first = await operations.ask(library, "How much?", profile="m")(JobContext())
            server.answer_from_now_on(then)
            again = operations.ask(library, "How much?", profile="m", session=first.session)
            return first, await again(JobContext())

    return asyncio.run(scenario())


def well(api: WireApi) -> Reply:
    return chat_answer("Five.") if api is WireApi.CHAT else responses_answer("Five.")


@BOTH
@pytest.mark.parametrize("fault", AFTER_THE_FIRST_WORDS)
def test_the_partial_answer_before_a_server_fault_is_kept_and_the_session_continues(
    library: Library, api: WireApi, fault: str
) -> None:
    said = chat_delta(content="So far") if api is WireApi.CHAT else text_delta("So far")
    first, second = asked_twice(library, api, sse(said, AFTER_THE_FIRST_WORDS[fault], done=False), well(api))
    assert (first.status, first.answer) == (RunStatus.FAILED, "So far")
    assert "127.0.0.1" in first.error
    assert (second.status, second.answer) == (RunStatus.COMPLETED, "Five.")


@BOTH
@pytest.mark.parametrize("fault", IN_PLACE_OF_AN_ANSWER)
def test_an_invalid_server_reply_is_reported_in_a_sentence_and_the_session_continues(
    library: Library, api: WireApi, fault: str
) -> None:
    reply, told = IN_PLACE_OF_AN_ANSWER[fault]
    first, second = asked_twice(library, api, reply, well(api))
    assert (first.status, first.answer) == (RunStatus.FAILED, "")
    assert told in first.error
    assert "<" not in first.error
    assert (second.status, second.answer) == (RunStatus.COMPLETED, "Five.")


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ([chat_delta(content="\n\n"), chat_delta(content="\n"), chat_delta("length")], "only blank lines"),
        ([chat_delta(reasoning_content="Hm."), chat_delta("length")], "for reasoning"),
        ([chat_delta("length")], "for reasoning"),
    ],
)
def test_an_answer_without_text_is_reported_with_its_cause(library: Library, said: list[object], hint: str) -> None:
    first, _ = asked_twice(library, WireApi.CHAT, sse(*said), well(WireApi.CHAT))
    assert first.error == "The model ended without an answer."
    assert hint in first.hint
