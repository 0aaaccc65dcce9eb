"""Connection test: the reported abilities of a server and its model, and the listed models."""

import asyncio

import pytest
from model_servers import (
    RawServer,
    Reply,
    chat_answer,
    chat_call,
    chat_delta,
    chat_usage,
    responses_answer,
    sse,
    status,
)

from workbench.agent.providers.connection_check import examine_openai
from workbench.agent.providers.model_server import find_servers, list_models
from workbench.errors import ModelFailed, ModelKeyRefused
from workbench.model.profile import (
    Ability,
    AbilityMark,
    ConnectionReport,
    ModelAbility,
    ModelProfile,
    ToolCalling,
    WireApi,
)

MODELS = status(200, {"object": "list", "data": [{"id": "small", "owned_by": "library"}, {"id": "large"}]})
CALL = sse(chat_call(0, "c1", "report_ready", '{"word": "ready"}'), chat_delta("tool_calls"))
NOTHING = status(404, "no")
COUNTED = sse(*(chat_delta(content=f"word{n} ") for n in range(12)), chat_delta("stop"), chat_usage(10, 24))


def examined(
    *replies: Reply,
    model: str = "small",
    api: WireApi = WireApi.CHAT,
    tools: ToolCalling = ToolCalling.AUTO,
) -> ConnectionReport:
    told: list[ModelAbility] = []

    async def scenario() -> ConnectionReport:
        async with RawServer(*replies) as server:
            profile = ModelProfile("p", server.base_url, model, api, tool_calling=tools)
            return await examine_openai(profile, "key", told.append)

    report = asyncio.run(scenario())
    assert tuple(told) == report.abilities
    return report


def found(report: ConnectionReport, ability: Ability) -> ModelAbility:
    return next(one for one in report.abilities if one.ability is ability)


def test_each_ability_of_a_working_server_is_reported() -> None:
    report = examined(MODELS, COUNTED, CALL, NOTHING)
    assert [one.ability for one in report.abilities] == list(Ability)
    assert report.works
    assert report.models == ("large", "small")
    assert "runs on this computer" in found(report, Ability.REACHED).words
    assert "“small” answers (Chat Completions)" in found(report, Ability.ANSWERS).words
    assert found(report, Ability.STREAMS).mark is AbilityMark.YES
    assert found(report, Ability.TOOLS).mark is AbilityMark.YES


def test_the_context_length_is_reported_when_the_server_provides_it() -> None:
    long = status(200, {"data": [{"id": "small", "max_model_len": 32768}]})
    report = examined(MODELS, COUNTED, CALL, NOTHING, long)
    assert report.context == 32768
    assert "32,768 tokens" in found(report, Ability.CONTEXT).words
    silent = examined(MODELS, COUNTED, CALL, NOTHING)
    assert found(silent, Ability.CONTEXT).mark is AbilityMark.UNKNOWN


def test_a_server_without_a_list_of_models_or_the_responses_api_works_too() -> None:
    report = examined(NOTHING, NOTHING, chat_answer("one ", "two"), CALL, NOTHING, api=WireApi.AUTO)
    assert found(report, Ability.LISTED).mark is AbilityMark.UNKNOWN
    assert "(Chat Completions)" in found(report, Ability.ANSWERS).words
    assert (
        "(Responses)"
        in found(examined(MODELS, responses_answer("a"), NOTHING, api=WireApi.AUTO), Ability.ANSWERS).words
    )


def test_a_server_that_refuses_tools_is_asked_by_text() -> None:
    refusal = status(400, {"error": {"message": "small does not support tools"}})
    tools = found(examined(MODELS, COUNTED, refusal, NOTHING), Ability.TOOLS)
    assert (tools.mark, "by text instead" in tools.words) == (AbilityMark.PARTLY, True)


def test_a_model_that_does_not_call_a_tool_is_reported_with_a_remedy() -> None:
    tools = found(examined(MODELS, COUNTED, chat_answer("I am ready."), NOTHING), Ability.TOOLS)
    assert tools.mark is AbilityMark.PARTLY
    assert "As text" in tools.hint


def test_tools_by_text_are_not_tried() -> None:
    report = examined(MODELS, COUNTED, NOTHING, tools=ToolCalling.TEXT)
    assert found(report, Ability.TOOLS).mark is AbilityMark.UNKNOWN


def test_visible_reasoning_is_reported() -> None:
    thought = sse(chat_delta(reasoning_content="Hm. "), chat_delta(content="one"), chat_delta("stop"))
    assert found(examined(MODELS, thought, CALL, NOTHING), Ability.REASONS).mark is AbilityMark.YES


def test_an_answer_in_one_piece_is_reported_as_not_streamed() -> None:
    report = examined(MODELS, chat_answer("one two three"), CALL, NOTHING)
    assert found(report, Ability.STREAMS).mark is AbilityMark.PARTLY
    assert found(report, Ability.SPEED).mark is AbilityMark.UNKNOWN


def test_a_wrong_key_ends_the_test() -> None:
    report = examined(status(401, "no"))
    assert [(one.ability, one.mark) for one in report.abilities] == [(Ability.REACHED, AbilityMark.NO)]
    assert "refused the key" in report.abilities[0].words
    assert not report.works


def test_an_address_without_a_server_is_reported() -> None:
    profile = ModelProfile("p", "http://127.0.0.1:9/v1", "m")
    report = asyncio.run(examine_openai(profile, "", lambda _found: None))
    assert not report.works


def test_a_wrong_model_is_reported_with_the_models_that_the_server_offers() -> None:
    report = examined(MODELS, status(404, {"error": {"message": "model not found"}}), model="huge")
    assert found(report, Ability.LISTED).mark is AbilityMark.PARTLY
    answers = found(report, Ability.ANSWERS)
    assert (answers.mark, "huge" in answers.words, "large, small" in answers.hint) == (AbilityMark.NO, True, True)


def test_without_a_model_only_the_server_is_tried() -> None:
    report = examined(MODELS, model="")
    assert [one.ability for one in report.abilities] == [Ability.REACHED, Ability.LISTED]
    assert "large, small" in found(report, Ability.LISTED).words


def test_a_web_page_at_the_address_is_reported() -> None:
    report = examined(status(200, "<!doctype html><p>Hello", kind="text/html"))
    assert "a web page" in found(report, Ability.ANSWERS).words


def listed(*replies: Reply) -> tuple[str, ...]:
    async def scenario() -> tuple[str, ...]:
        async with RawServer(*replies) as server:
            return await list_models(server.base_url, "")

    return asyncio.run(scenario())


def test_models_are_listed_by_name() -> None:
    assert listed(MODELS) == ("large", "small")


def test_a_rejected_or_invalid_model_list_is_reported() -> None:
    with pytest.raises(ModelKeyRefused):
        listed(status(401, "no"))
    for reply in (NOTHING, status(200, {"data": []}), status(200, {"hello": "world"})):
        with pytest.raises(ModelFailed):
            listed(reply)


def test_servers_of_this_machine_are_found_by_their_lists_and_sent_no_key() -> None:
    async def scenario() -> None:
        async with RawServer(MODELS) as ollama, RawServer(status(200, "<p>Hi", kind="text/html")) as other:
            (server,) = await find_servers([ollama.base_url, other.base_url, "http://127.0.0.1:9/v1"])
            assert (server.base_url, server.models, server.made_by) == (ollama.base_url, ("large", "small"), "library")
            assert all("authorization" not in request.headers for request in (*ollama.requests, *other.requests))

    asyncio.run(scenario())
