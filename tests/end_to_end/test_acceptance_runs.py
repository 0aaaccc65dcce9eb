"""Acceptance: runs against model servers on loopback: requests, tool calls, retries, stops and stored runs."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from acceptance import (
    SEARCH,
    ask,
    chat_calls,
    events_of,
    prompt_in,
    responses_calls,
    search_for,
    serving,
    tool_results,
)
from model_servers import chat_answer, chat_delta, responses_answer, silence, sse, status

import workbench
from workbench import Agent, RunStatus

GOLDEN = (
    "D\n\n<your_role>\nR\n</your_role>\n\n- i1\n- i2\n\n<additional_information>\n- Use markdown to format your"
    " answers.\n- Your name is: N.\n</additional_information>\n\nTI\n<expected_output>\nEO\n</expected_output>\n\nAC\n"
    "<knowledge_base>\n"
)
CHINESE = "保修期为三年，覆盖全国。"


@pytest.fixture
def library(api_library: workbench.Library) -> workbench.Library:
    api_library.add(text=f"# 保修\n\n{CHINESE}", name="保修")
    return api_library


def test_s2_s3_the_golden_prompt_is_sent_byte_for_byte_by_the_role_that_was_set(library: workbench.Library) -> None:
    agent = Agent(
        "N", description="D", role="R", instructions=["i1", "i2"], add_name=True, reasoning_text="TI",
        expected_output="EO", additional_context="AC", system_role="developer",
    )  # fmt: skip
    run, (request, *_) = ask(library, "保修期？", chat_answer("三年 [1]。"), agent=agent)
    told = prompt_in(request)
    assert told.startswith(GOLDEN)
    assert told.endswith("\n</knowledge_base>")
    assert request["messages"][0]["role"] == "developer"
    assert "".join(section.text for section in run.prompts[0].sections) == told


def test_s4_s5_s6_only_known_keys_are_replaced_and_only_in_what_the_user_wrote(library: workbench.Library) -> None:
    library.add(text="In {city} the price is $$9$$.", name="Price")
    searched: list[str] = []

    def found(query: str, num_documents: int | None = None) -> list[str]:
        searched.append(query)
        return ["In {city} the price is $$9$$."]

    agent = Agent(
        "a", description="For {city}, $city {unknown}", additional_context="{city}", add_knowledge_to_context=True,
        retrievers="found", state={"city": "Oslo"}, dependencies={"city": "Rome"},
    )  # fmt: skip
    library.use_retriever("found", found)
    _, (request, *_) = ask(library, "Solve $$x^2$$ in {city}", chat_answer("No."), agent=agent)
    told, question = prompt_in(request), request["messages"][-1]["content"]
    assert (searched, told.startswith("For Oslo, $city {unknown}\n")) == (["Solve $$x^2$$ in {city}"], True)
    assert "\n{city}\n" in told
    assert question.startswith("Solve $$x^2$$ in Oslo\n\nUse the following references")
    assert "In {city} the price is $$9$$." in question


@pytest.mark.parametrize(("format", "reads"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_s17_s18_s19_references_are_json_or_yaml_and_nothing_is_escaped(
    library: workbench.Library, format: str, reads: Any
) -> None:
    agent = Agent("a", references_format=format)
    _, requests = ask(library, "?", chat_calls(search_for("保修期")), chat_answer("三年 [1]。"), agent=agent)
    (text,) = tool_results(requests[1])
    (result,) = reads(text[text.index("[" if format == "json" else "- ") :])
    assert (set(result), CHINESE in text) == ({"name", "meta_data", "content"}, True)
    assert (result["meta_data"]["citation"], result["meta_data"]["chunk"]) == (1, 1)
    keys = ["content", "meta_data", "name"] if format == "yaml" else ["name", "meta_data", "content"]
    assert list(result) == keys
    assert ('\n  {\n    "name"' in text) is (format == "json")


def test_s9_s11_the_responses_api_gets_flat_tools_and_results_under_the_id_of_their_call(
    library: workbench.Library,
) -> None:
    turns = responses_calls(search_for("保修期")), responses_answer("三年 [1]。")
    run, requests = ask(library, "保修期？", *turns, api="responses")
    (search,) = [tool for tool in requests[0]["tools"] if tool["name"] == SEARCH]
    assert {"type", "name", "description", "parameters"} <= set(search)
    assert search["parameters"]["properties"]["query"]["description"] == "The query to search for."
    assert search["parameters"]["additionalProperties"] is False
    (given,) = [item for item in requests[1]["input"] if item.get("type") == "function_call_output"]
    assert given["call_id"] == "call_0"
    assert all(request["store"] is False for request in requests)
    assert run.citations[0].quote == CHINESE


@pytest.mark.logs_warnings
def test_s12_s13_s14_calls_of_one_turn_are_each_answered_and_those_over_the_limit_are_not_made(
    library: workbench.Library,
) -> None:
    def fails(to: str) -> str:
        """Fails."""
        raise OSError(f"no route, password=hunter2 {to}")

    library.use_tool(fails)
    wanted: tuple[tuple[str, Any], ...] = (
        search_for("保修期"),
        ("nobody", {}),
        (SEARCH, "{broken"),
        (SEARCH, {}),
        ("fails", {"to": "x"}),
        ("fails", {"to": "y"}),
    )
    run, requests = ask(
        library, "?", chat_calls(*wanted), chat_answer("三年 [1]。"), agent=Agent("a", tools="fails", tool_calls=5)
    )
    found, unknown, broken, missing, failed, over = tool_results(requests[1])
    assert run.status is RunStatus.COMPLETED
    assert (CHINESE in found, "nobody" in unknown, "JSON" in broken, "query" in missing) == (True, True, True, True)
    assert ("OSError" in failed, "hunter2" in failed, "limit" in over) == (True, False, True)
    assert [one["tool_call_id"] for one in requests[1]["messages"] if one["role"] == "tool"] == [
        f"call_{name}_{number}" for number, (name, _) in enumerate(wanted)
    ]


def test_s20_s21_an_empty_search_reports_no_documents_and_searches_with_hits_are_stored_in_order(
    library: workbench.Library,
) -> None:
    def given(query: str, num_documents: int | None = None) -> list[str] | None:
        return None if query == "empty" else [f"About {query}."]

    turns = chat_calls(search_for("b"), search_for("empty"), search_for("a")), chat_answer("So [1][2][3].")
    run, requests = ask(library, "?", *turns, retrievers=[given])
    assert tool_results(requests[1])[1] == "No documents found"
    assert [reference.query for reference in run.references] == ["b", "a"]
    assert all(reference.time == round(reference.time, 4) for reference in run.references)
    assert [(one.marker, one.valid) for one in run.citations] == [(1, True), (2, True), (3, False)]


@pytest.mark.parametrize(
    ("turns", "ends", "said"),
    [
        ([status(500, {}), status(429, {}, Retry_After="0"), chat_answer("Yes.")], "completed", ""),
        ([status(401, {"error": {"message": "bad key"}})], "failed", "requires a key"),
        ([status(404, {"error": {"message": "no such model"}})], "failed", "no model named “m”"),
        ([status(400, {"error": {"code": "context_length_exceeded"}})], "failed", "too long"),
        ([sse(chat_delta(content="Ye"), done=False)], "failed", "ended before the answer did"),
        ([status(200, "<html>not a model</html>", kind="text/html")], "failed", "a web page"),
        ([status(200, {"object": "chat.completion", "choices": []})], "failed", "plain JSON"),
    ],
)
def test_s16_a_server_error_is_retried_or_reported_and_the_partial_answer_is_kept(
    library: workbench.Library, turns: list[Any], ends: str, said: str
) -> None:
    run, _ = ask(library, "?", *turns, agent=Agent("a", search_knowledge=False, think=False, analyze=False))
    assert (run.status.value, said in run.error) == (ends, True), run.error
    assert run.answer == {"completed": "Yes."}.get(ends, "Ye" if "ended" in said else "")
    assert bool(run.error and run.hint) is (ends == "failed")


def test_s15_s16_stop_ends_a_run_within_a_few_events_and_keeps_the_partial_answer(folder: Path) -> None:
    pieces = [chat_delta(content=f"{number} ") for number in range(2000)]

    async def main() -> tuple[workbench.Run, bool]:
        seen: list[Any] = []
        async with workbench.open_library_async(folder) as library:
            with serving(sse(*pieces, done=False, then=silence)) as server:
                await library.put_profile(workbench.ModelProfile("m", server.base_url, "m", "chat"))
                heard = asyncio.Event()

                def tell(event: Any) -> None:
                    seen.append(event)
                    if isinstance(event, workbench.AnswerDelta):
                        heard.set()

                task = asyncio.create_task(library.ask("Tell me a story.", profile="m", on_event=tell))
                await asyncio.wait_for(heard.wait(), 60)
                before = len(seen)
                task.cancel()
                await asyncio.wait([task])
                (info,) = await library.sessions.list()
                (run,) = (await library.sessions.open(info.id)).runs
                return run, len(seen) - before <= 10

    run, is_soon = asyncio.run(main())
    assert (run.status, is_soon, run.answer.startswith("0 1")) == (RunStatus.CANCELLED, True, True)


def test_c5_c6_c11_c15_reasoning_is_kept_in_order_and_apart_from_the_answer(library: workbench.Library) -> None:
    think = "think", {"title": "Plan", "thought": "SECRET THOUGHT", "action": "search", "confidence": 7}
    analyze = "analyze", {"title": "Enough", "result": "three years", "analysis": "A", "next_action": "FINALIZE"}
    turns = chat_calls(think), chat_calls(search_for("保修期")), chat_calls(analyze), chat_answer("三年 [1]。")
    run, requests = ask(library, "保修期？", *turns)
    (done,) = events_of(run, workbench.ReasoningCompleted)
    assert [(one.title, one.next_action, one.confidence) for one in done.steps] == [
        ("Plan", "continue", 1.0),
        ("Enough", "final_answer", 0.8),
    ]
    told = tool_results(requests[3])[-1]
    assert "Step 1:" in told
    assert "Step 2:" in told
    names = [type(timed.event).__name__ for timed in run.events]
    assert names.index("ToolCompleted") < names.index("ReasoningStarted") < names.index("ReasoningStep")
    assert names.index("ReasoningStep") < names.index("ReferencesFound") < names.index("ReasoningCompleted")
    assert run.answer == "三年 [1]。"
