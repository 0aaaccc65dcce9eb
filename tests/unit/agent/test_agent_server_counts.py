"""Token counts reported by model servers; other responses are no counts."""

import asyncio
from typing import Any

import pytest
from model_servers import RawServer, Reply, status

from workbench.agent.providers.error_mapping import ServerTarget
from workbench.agent.providers.model_server import ServerCounts, context_length, open_client

NO = status(404, {"error": {"message": "no"}})


def asked(*replies: Reply, method: str, times: int = 1) -> tuple[Any, list[str]]:
    async def scenario() -> tuple[Any, list[str]]:
        async with RawServer(*replies) as server:
            client = open_client(server.base_url, "")
            counts = ServerCounts(client, ServerTarget(server.base_url, "small"))
            try:
                for _ in range(times):
                    said = await (counts.count("Four words of text") if method == "count" else counts.context())
            finally:
                await client.close()
            return said, [f"{request.method} {request.path}" for request in server.requests]

    return asyncio.run(scenario())


def test_a_llama_cpp_server_returns_token_counts_and_its_context_size() -> None:
    tokens = status(200, {"tokens": [1, 2, 3, 4, 5]})
    assert asked(tokens, method="count") == (5, ["POST /tokenize", "POST /tokenize"])
    props = status(200, {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1})
    assert asked(tokens, status(200, {"data": [{"id": "small"}]}), props, method="context")[0] == 4096


def test_a_vllm_server_returns_token_counts_and_its_context_size_in_one_response() -> None:
    said = status(200, {"count": 7, "max_model_len": 32768, "tokens": list(range(7))})
    assert asked(said, method="count")[0] == 7
    assert asked(said, method="context") == (32768, ["POST /tokenize"])


def test_a_server_that_cannot_count_is_asked_once_and_never_sent_a_passage() -> None:
    said, requests = asked(NO, method="count", times=3)
    assert said is None
    assert requests == ["POST /tokenize"]


def test_a_server_without_a_context_length_is_asked_for_it_once() -> None:
    said, once = asked(NO, method="context")
    assert (said, once[0]) == (None, "POST /tokenize")
    assert len(once) > 1
    assert asked(NO, method="context", times=3) == (None, once)


@pytest.mark.parametrize("answer", ["<!doctype html><p>Hello", "[1, 2]", "null", '"ok"', "", '{"tokens": 3}'])
def test_any_other_answer_is_no_count(answer: str) -> None:
    assert asked(status(200, answer), method="count")[0] is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"data": [{"id": "other", "max_model_len": 1}, {"id": "small", "max_model_len": 8192}]}, 8192),
        ({"models": [{"name": "small:latest", "context_length": 4096}]}, 4096),
        ({"data": [{"id": "small", "max_context_length": 131072, "loaded_context_length": 4096}]}, 4096),
        ({"data": [{"id": "other", "max_model_len": 1}]}, None),
        ({"data": [{"id": "small", "max_model_len": "many"}]}, None),
        ({"data": ["small"]}, None),
        (["small"], None),
    ],
)
def test_the_length_is_that_of_the_model_that_answers(said: Any, expected: int | None) -> None:
    assert context_length(said, "small") == expected
