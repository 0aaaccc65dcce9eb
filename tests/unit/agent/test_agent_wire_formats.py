"""The two wire formats: the request for a conversation, and the parsing of turns of all kinds of servers."""

import asyncio
import json
from typing import Any

import pytest
from model_servers import (
    RawServer,
    chat_answer,
    chat_call,
    chat_delta,
    chat_usage,
    function_call,
    item_done,
    responses_answer,
    silence,
    sse,
    terminal,
    text_delta,
)

from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.agent.providers.wire_format import sendable_arguments
from workbench.errors import ModelError, ModelFailed
from workbench.model.message import (
    Message,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
    ToolSpec,
    TurnEnd,
    Usage,
)
from workbench.model.profile import ModelProfile, WireApi

SEARCH = ToolSpec(
    "search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
)
CALL = ToolCall("call_1", "search", '{"query": "x"}')


def ask(
    api: WireApi, *events: object, messages: tuple[Message, ...] = (), **more: Any
) -> tuple[list[ModelEvent], dict[str, Any]]:
    """Return the events of one turn and the body of the request."""

    async def scenario() -> tuple[list[ModelEvent], dict[str, Any]]:
        async with RawServer(sse(*events, **more)) as server:
            provider = OpenAIProvider(ModelProfile("p", server.base_url, "m", api))
            request = ModelRequest(
                (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "How much?"), *messages), (SEARCH,)
            )
            try:
                return [event async for event in provider.stream(request)], server.requests[0].json
            finally:
                await provider.close()

    return asyncio.run(scenario())


def chat(*events: object, **more: Any) -> list[ModelEvent]:
    return ask(WireApi.CHAT, *events, **more)[0]


def responses(*events: object, **more: Any) -> list[ModelEvent]:
    return ask(WireApi.RESPONSES, *events, done=False, **more)[0]


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thought(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))


def made(events: list[ModelEvent]) -> list[tuple[str, str]]:
    assert isinstance(events[-1], TurnEnd)
    return [(call.name, call.arguments) for call in events[-1].tool_calls]


def end(events: list[ModelEvent]) -> TurnEnd:
    assert isinstance(events[-1], TurnEnd)
    return events[-1]


# What is sent


def test_s9_chat_sends_nested_tools_and_answers_calls_by_id() -> None:
    round_trip = (Message(Role.ASSISTANT, "", (CALL,)), Message(Role.TOOL, "[]", tool_call_id="call_1"))
    _, body = ask(WireApi.CHAT, chat_delta("stop"), messages=round_trip)
    assert body["tools"] == [
        {"type": "function", "function": {"name": "search", "description": "Search.", "parameters": SEARCH.parameters}}
    ]
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["tool_calls"][0] == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "x"}'},
    }
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "call_1", "content": "[]"}


def test_s9_responses_sends_flat_tools_and_answers_calls_by_call_id() -> None:
    round_trip = (Message(Role.ASSISTANT, "Wait.", (CALL,)), Message(Role.TOOL, "[]", tool_call_id="call_1"))
    _, body = ask(WireApi.RESPONSES, terminal(), done=False, messages=round_trip)
    assert body["tools"] == [
        {
            "type": "function",
            "name": "search",
            "description": "Search.",
            "parameters": SEARCH.parameters,
            "strict": False,
        }
    ]
    assert body["instructions"] == "Be brief."
    assert body["store"] is False
    assert body["input"] == [
        {"role": "user", "content": "How much?"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wait."}]},
        {"type": "function_call", "call_id": "call_1", "name": "search", "arguments": '{"query": "x"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "[]"},
    ]


def test_rule_6_items_of_the_responses_api_are_sent_back_and_no_id_of_a_response() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"}
    message = Message(Role.ASSISTANT, "", (CALL,), provider_items=(reasoning, function_call("call_1", "search", "{}")))
    _, body = ask(WireApi.RESPONSES, terminal(), done=False, messages=(message,))
    assert body["input"][1:] == [reasoning, function_call("call_1", "search", "{}")]
    assert "previous_response_id" not in body


def test_s3_the_system_role_is_system_and_can_be_set() -> None:
    async def scenario() -> list[str]:
        async with RawServer(chat_answer("A")) as server:
            for role in ("system", "developer"):
                profile = ModelProfile("p", server.base_url, "m", WireApi.CHAT)
                provider = OpenAIProvider(profile)
                request = ModelRequest((Message(Role.SYSTEM, "Be brief."),), system_role=role)
                async for _event in provider.stream(request):
                    pass
                await provider.close()
            return [request.json["messages"][0]["role"] for request in server.requests]

    assert asyncio.run(scenario()) == ["system", "developer"]


@pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])
def test_arguments_that_are_no_json_are_not_sent_back(api: WireApi) -> None:
    broken = ToolCall("call_1", "search", '{"query": ')
    event = chat_delta("stop") if api is WireApi.CHAT else terminal()
    _, body = ask(api, event, messages=(Message(Role.ASSISTANT, "", (broken,)),))
    assert '"arguments": "{}"' in json.dumps(body)


def test_a_lone_surrogate_does_not_keep_a_request_from_being_sent() -> None:
    _, body = ask(WireApi.CHAT, chat_delta("stop"), messages=(Message(Role.USER, "a\ud83db"),))
    assert body["messages"][2]["content"] == "a\ufffdb"


# Chat Completions


def test_chat_usage_in_a_chunk_without_choices() -> None:
    assert end(chat(chat_delta(content="A"), chat_delta("stop"), chat_usage(12, 3))).usage == Usage(12, 3)


def test_chat_usage_in_a_chunk_with_choices_and_none_at_all() -> None:
    with_choices = {**chat_delta("stop"), "usage": {"prompt_tokens": 12, "completion_tokens": 3}}
    assert end(chat(chat_delta(content="A"), with_choices)).usage == Usage(12, 3)
    assert end(chat(chat_delta(content="A"), chat_delta("stop"))).usage == Usage(None, None)


def test_a_chat_turn_is_complete_with_its_finish_reason_even_without_done() -> None:
    assert end(chat(chat_delta(content="A"), chat_delta("stop"), done=False)).finish == "stop"


def test_a_chat_server_that_stays_open_after_its_finish_reason_is_not_waited_for() -> None:
    assert said(chat(chat_delta(content="A"), chat_delta("stop"), done=False, then=silence)) == "A"


@pytest.mark.parametrize("broken", [b"data: {oops\n\n", b'data: {"error": {"message": "late"}}\n\n'])
def test_an_error_after_the_finish_reason_does_not_spoil_the_answer(broken: bytes) -> None:
    assert said(chat(chat_delta(content="A"), chat_delta("stop"), broken)) == "A"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("eos", "stop")],
)
def test_chat_finish_reasons(reason: str, finish: str) -> None:
    assert end(chat(chat_delta(content="A"), chat_delta(reason))).finish == finish


def test_rule_4_arguments_in_pieces() -> None:
    events = chat(
        chat_call(0, "call_1", "search", ""),
        chat_call(0, None, None, '{"que'),
        chat_call(0, None, None, 'ry": "x"}'),
        chat_delta("tool_calls"),
    )
    assert made(events) == [("search", '{"query": "x"}')]
    assert end(events).finish == "tool_calls"


def test_rule_4_a_new_id_under_the_same_index_is_a_new_call() -> None:
    events = chat(
        chat_call(0, "call_1", "search", '{"query": "a"}'),
        chat_call(0, "call_2", "search", '{"query": "b"}'),
        chat_delta("stop"),
    )
    assert made(events) == [("search", '{"query": "a"}'), ("search", '{"query": "b"}')]


def test_rule_4_calls_in_turns_by_index() -> None:
    events = chat(
        chat_call(0, "call_1", "search", '{"query":'),
        chat_call(1, "call_2", "search", '{"query":'),
        chat_call(0, None, None, '"a"}'),
        chat_call(1, None, None, '"b"}'),
        chat_delta("tool_calls"),
    )
    assert made(events) == [("search", '{"query":"a"}'), ("search", '{"query":"b"}')]


def test_rule_4_the_tool_name_is_set_once_and_a_repeated_id_continues_the_call() -> None:
    events = chat(
        chat_call(0, "call_1", "search", '{"query":'),
        chat_call(0, "call_1", "search", '"a"}'),
        chat_delta("tool_calls"),
    )
    assert made(events) == [("search", '{"query":"a"}')]


def test_tool_calls_without_ids_or_index_are_kept_separate_and_given_ids() -> None:
    events = chat(
        chat_call(None, None, "search", '{"query":"a"}'),
        chat_call(None, None, "search", {"query": "b"}),
        chat_delta("stop"),
    )
    assert made(events) == [("search", '{"query":"a"}'), ("search", '{"query": "b"}')]
    ids = [call.id for call in end(events).tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_rule_10_thinking_in_a_field_of_its_own(name: str) -> None:
    events = chat(chat_delta(**{name: "Hm."}), chat_delta(content="Five."), chat_delta("stop"))
    assert (thought(events), said(events)) == ("Hm.", "Five.")


def test_rule_10_thinking_sent_under_both_field_names_is_returned_once() -> None:
    assert thought(chat(chat_delta(reasoning="Hm.", reasoning_content="Hm."), chat_delta("stop"))) == "Hm."


def test_rule_10_inline_thinking_split_over_chunks() -> None:
    pieces = ["<th", "ink>Hm", ". </", "think>\n", "\nFive <think>."]
    events = chat(*(chat_delta(content=piece) for piece in pieces), chat_delta("stop"))
    assert (thought(events), said(events).strip()) == ("Hm. ", "Five <think>.")


@pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])
def test_rule_9_an_emoji_cut_in_two_is_joined(api: WireApi) -> None:
    halves = [b'"a\\ud83d"', b'"\\ude00b"']
    if api is WireApi.CHAT:
        events: list[object] = [
            b'data: {"choices":[{"index":0,"delta":{"content":' + half + b"}}]}\n\n" for half in halves
        ]
        events.append(chat_delta("stop"))
    else:
        events = [b'data: {"type":"response.output_text.delta","delta":' + half + b"}\n\n" for half in halves]
        events.append(terminal())
    answer, _ = ask(api, *events, done=False)
    assert said(answer) == "a😀b"


def test_chunks_without_choices_or_delta_are_passed_over() -> None:
    odd = [{"id": "c"}, {"choices": None}, {"choices": [{"index": 0, "delta": None}]}, {"choices": [{"index": 0}]}]
    assert said(chat(*odd[:3], chat_delta(content="A"), chat_delta("stop"))) == "A"


# Responses


def test_rule_3_calls_come_from_finished_items_without_deltas_or_indexes() -> None:
    events = responses(
        {"type": "response.output_item.done", "item": function_call("call_1", "search", '{"query": "a"}')},
        {"type": "response.output_item.done", "item": function_call("call_2", "search", '{"query": "b"}')},
        terminal(),
    )
    assert made(events) == [("search", '{"query": "a"}'), ("search", '{"query": "b"}')]
    assert [call.id for call in end(events).tool_calls] == ["call_1", "call_2"]
    assert end(events).finish == "tool_calls"


def test_rule_3_calls_come_from_the_terminal_event_otherwise() -> None:
    events = responses(terminal(output=[function_call("call_1", "search", "{}")]))
    assert made(events) == [("search", "{}")]


def test_a_call_that_comes_both_ways_is_made_once() -> None:
    call = function_call("call_1", "search", "{}")
    assert len(made(responses(item_done(call), terminal(output=[call])))) == 1


def test_rule_6_reasoning_items_are_kept_to_be_sent_back() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
    call = function_call("call_1", "search", "{}")
    assert end(responses(item_done(reasoning), item_done(call), terminal())).provider_items == (reasoning, call)


def test_the_text_comes_from_the_items_where_no_delta_came() -> None:
    message = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Five."}]}
    assert said(responses(item_done(message), terminal())) == "Five."
    assert said(responses(text_delta("Five."), item_done(message), terminal(output=[message]))) == "Five."


@pytest.mark.parametrize("kind", ["response.reasoning_summary_text.delta", "response.reasoning_text.delta"])
def test_rule_10_both_families_of_reasoning(kind: str) -> None:
    events = responses({"type": kind, "delta": "Hm."}, text_delta("Five."), terminal())
    assert (thought(events), said(events)) == ("Hm.", "Five.")


@pytest.mark.parametrize(
    ("event", "finish"),
    [
        (terminal(), "stop"),
        (terminal("incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (terminal("incomplete", incomplete_details={"reason": "content_filter"}), "content_filter"),
        (terminal("completed", status="incomplete"), "length"),
        (terminal("completed", usage={"input_tokens": 1, "output_tokens": 2}), "stop"),
    ],
)
def test_rule_2_the_status_of_the_responses_api_determines_the_finish_reason(event: object, finish: str) -> None:
    assert end(responses(text_delta("A"), event)).finish == finish


@pytest.mark.parametrize(
    "event",
    [
        terminal("failed", error={"code": "server_error", "message": "GPU on fire"}),
        terminal("completed", status="failed", error={"code": "server_error", "message": "GPU on fire"}),
    ],
)
def test_a_failed_response_is_an_error(event: object) -> None:
    with pytest.raises(ModelFailed, match="GPU on fire"):
        responses(text_delta("A"), event)


def test_responses_usage_is_taken_from_the_terminal_event() -> None:
    assert end(responses(terminal(usage={"input_tokens": 12, "output_tokens": 3}))).usage == Usage(12, 3)
    assert end(responses(terminal())).usage == Usage(None, None)


def test_unknown_events_are_passed_over() -> None:
    odd = [{"type": "response.new_thing.delta", "delta": "x"}, {"type": None}, {"no": "type"}]
    assert said(responses(*odd, text_delta("A"), terminal())) == "A"


@pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])
def test_one_provider_answers_again_after_a_failure(api: WireApi) -> None:
    good = chat_answer("Five") if api is WireApi.CHAT else responses_answer("Five")

    async def scenario() -> str:
        async with RawServer(sse(done=False), good) as server:
            provider = OpenAIProvider(ModelProfile("p", server.base_url, "m", api))
            request = ModelRequest((Message(Role.USER, "How much?"),))
            with pytest.raises(ModelError):
                [event async for event in provider.stream(request)]
            try:
                return said([event async for event in provider.stream(request)])
            finally:
                await provider.close()

    assert asyncio.run(scenario()) == "Five"


def test_arguments_with_a_number_of_thousands_of_digits_are_sent_back_as_none() -> None:
    assert sendable_arguments('{"n": ' + "1" * 5000 + "}") == "{}"
