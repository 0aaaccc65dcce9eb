"""The sentence of the connection test."""

import asyncio

import pytest
from model_servers import RawServer, Reply, chat_answer, responses_answer, status

from workbench.agent.providers.connection_check import check_openai
from workbench.errors import ModelKeyRefused, ModelNotFound, ModelUnreachable
from workbench.model.profile import ModelProfile, WireApi

MODELS = status(200, {"object": "list", "data": [{"id": "small"}, {"id": "large"}]})


def checked(*replies: Reply, model: str = "small", api: WireApi = WireApi.AUTO) -> str:
    async def scenario() -> str:
        async with RawServer(*replies) as server:
            return await check_openai(ModelProfile("p", server.base_url, model, api), "key")

    return asyncio.run(scenario())


def test_a_server_that_works_is_told_with_its_wire_format() -> None:
    sentence = checked(MODELS, responses_answer("ready"))
    assert sentence.startswith("“small” answers at 127.0.0.1:")
    assert sentence.endswith("(Responses).")


def test_a_server_without_a_list_of_models_or_the_responses_api_works_too() -> None:
    assert checked(status(404, "no"), status(404, "no"), chat_answer("ready")).endswith("(Chat Completions).")


def test_a_wrong_key_is_told() -> None:
    with pytest.raises(ModelKeyRefused):
        checked(status(401, "no"))


def test_a_wrong_model_is_told_with_what_the_server_offers() -> None:
    with pytest.raises(ModelNotFound) as caught:
        checked(MODELS, status(404, {"error": {"message": "model not found"}}), model="huge")
    assert "huge" in caught.value.message
    assert "large, small" in caught.value.hint


def test_no_model_is_told_with_what_the_server_offers() -> None:
    with pytest.raises(ModelNotFound, match="No model is chosen"):
        checked(MODELS, model="")


def test_a_web_page_is_told() -> None:
    with pytest.raises(ModelUnreachable, match="a web page"):
        checked(status(200, "<!doctype html><p>Hello", kind="text/html"))
