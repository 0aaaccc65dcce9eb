"""Acceptance: searches ahead, search configurations, workspaces, tools by text, read everything, other programs."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from acceptance import ask, chat_calls, prompt_in, tool_results
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from model_servers import chat_answer

import workbench
from workbench import Agent, RunStatus

TOKEN = "a-token-of-twenty-letters"
SENTENCE = "The harbour of Lindhamn froze on 3 May 1893."


@pytest.fixture
def library(api_library: workbench.Library) -> workbench.Library:
    api_library.add(text=f"# Harbour\n\n{SENTENCE}", name="Harbour")
    api_library.add(text="# 保修\n\n保修期为三年，覆盖全国。", name="保修")
    return api_library


def test_b1_b2_b3_a_search_ahead_follows_the_question_in_the_prompt_and_an_empty_one_is_stored(
    library: workbench.Library,
) -> None:
    agent = Agent(
        "a", add_knowledge_to_context=True, search_knowledge=False, think=False, analyze=False,
        dependencies={"desk": "7"}, add_dependencies_to_context=True,
    )  # fmt: skip
    run, (request,) = ask(library, "When did the harbour freeze?", chat_answer("In 1893 [1]."), agent=agent)
    asked = request["messages"][-1]["content"]
    sentence = "Use the following references from the knowledge base if it helps:"
    assert asked.startswith(f"When did the harbour freeze?\n\n{sentence}\n")
    places = [
        asked.index(part) for part in ("<references>", SENTENCE, "</references>", "<additional context>", '"desk"')
    ]
    assert places == sorted(places)
    assert ("tools" in request, run.citations[0].quote) == (False, SENTENCE)
    run, (request,) = ask(library, "When?", chat_answer("Hm."), agent=agent, filter="format:pdf")
    assert ("<references>" in request["messages"][-1]["content"], [one.hits for one in run.references]) == (False, [()])


def test_b16_b18_b20_the_way_of_searching_is_of_one_call_and_words_are_found_in_chinese(
    library: workbench.Library,
) -> None:
    hit, *_ = library.search("保修期", mode="keyword").hits
    assert (hit.document_name, hit.scores.dense) == ("保修", None)
    assert library.search("When was the port icebound?", 1, mode="dense").hits[0].document_name == "Harbour"
    both = library.search("harbour froze", 1)
    assert (both.mode, both.by_meaning) == ("hybrid", True)
    with pytest.raises(ValueError, match="hybrid"):
        library.search("harbour", mode="fuzzy")
    with pytest.raises(workbench.NotFound):
        library.search("harbour", knowledge_base="nowhere")


@pytest.mark.logs_warnings
def test_d5_d7_d8_d10_d17_a_workspace_is_read_in_order_and_nothing_outside_of_it(
    library: workbench.Library, tmp_path: Path
) -> None:
    desk = tmp_path / "workspace" / "agents" / "desk"
    (desk / "context").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("SECRET", "utf-8")
    (desk / "context" / "b.md").write_text("Second.", "utf-8")
    (desk / "context" / "a.md").write_text("First {city}.", "utf-8")
    (desk / "context" / "c.txt").write_text("Never.", "utf-8")
    (desk / "context" / "link.md").symlink_to(tmp_path / "secret.md")
    head = "name: Desk\ncontext: [context/b.md, ../../../secret.md, missing.md]\nretrievers: [late]"
    (desk / "AGENT.md").write_text(f"\ufeff---\n{head}\n---\nYou help.", "utf-8")
    library.use_retriever("late", lambda query, agent_id="": [f"{agent_id} heard {query}"])
    imported = library.agents.import_workspace(tmp_path / "workspace")
    assert {"../../../secret.md", "missing.md"} <= {problem.path for problem in imported.problems}
    _, requests = ask(library, "Hello?", chat_answer("Yes."), agent="Desk")
    told = prompt_in(requests[0])
    places = [
        told.find(part) for part in ("You help.", "## Reference Material", "## Retrieved Context", "desk heard Hello?")
    ]
    assert places == sorted(places)
    assert min(places) >= 0
    assert (told.count("Second."), told.count("First {city}."), "SECRET" in told, "Never." in told) == (
        1,
        1,
        False,
        False,
    )


def test_e40_e41_a_calculation_is_parsed_and_an_invalid_or_too_large_one_is_an_error(
    library: workbench.Library,
) -> None:
    wanted = ["(1+2)*3", "２×３＋１", "2^3", "2e3", "9**9**9**9", "import os"]
    turns = chat_calls(*[("calculator", {"expression": one}) for one in wanted]), chat_answer("9.")
    _, requests = ask(library, "?", *turns, agent=Agent("a", tools="calculator"))
    *right, huge, foreign = tool_results(requests[1])
    assert [answer.rpartition("=")[2].strip().replace(",", "") for answer in right] == ["9", "7", "8", "2000"]
    assert all("=" not in one for one in (huge, foreign)), (huge, foreign)


def test_e42_calls_in_the_text_of_an_answer_are_all_made_and_their_results_go_back(library: workbench.Library) -> None:
    said = "TOOL: calculator((1+2)*3)\nTOOL：calculator（100×（2＋３））"
    turns = chat_answer(said), chat_answer("Nine and five hundred.")
    run, requests = ask(library, "?", *turns, agent=Agent("a", tools="calculator"), tool_calling="text")
    back = requests[1]["messages"][-1]["content"]
    assert ("tools" in requests[0], "9" in back, "500" in back) == (False, True, True), back
    assert run.answer == "Nine and five hundred."


def test_everything_is_read_and_each_document_has_a_verdict_whose_quotes_are_its_own(
    library: workbench.Library,
) -> None:
    seen: list[Any] = []
    reading = library.read_all("When did the harbour freeze?", on_event=seen.append)
    rows = {row.name: [one.quote for one in row.citations] for row in reading.documents}
    assert rows["Harbour"] == [SENTENCE]
    assert len(rows) == 2
    assert {workbench.ReadingBegan, workbench.DocumentRead} <= {type(event) for event in seen}


def test_e32_s20_an_offline_answer_is_quoted_word_for_word_or_reported_as_not_found(library: workbench.Library) -> None:
    run = library.ask("When did the harbour of Lindhamn freeze?")
    assert (run.certainty, run.citations[0].quote) == (workbench.Certainty.FOUND, SENTENCE)
    nothing = library.ask("When did the harbour freeze?", filter="format:pdf")
    assert (nothing.status, nothing.refused, nothing.citations) == (RunStatus.COMPLETED, True, ())


def test_other_programs_are_served_over_pipes_and_over_http_with_the_token_only(folder: Path) -> None:
    with workbench.open_library(folder) as library:
        library.add(text=SENTENCE, name="Harbour")
    command = ["-m", "workbench", "--library", str(folder), "mcp"]
    environment = {**os.environ, "MCP_TOKEN": TOKEN}

    async def found(server: Any) -> str:
        async with Client(server) as client:
            answer = await client.call_tool("search_knowledge_base", {"query": "harbour froze"})
            return str(answer.structured_content["passages"][0]["text"])

    async def over_http() -> tuple[str, int]:
        options = [*command, "--http", "0", "--token-env", "MCP_TOKEN"]
        pipe, same = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        process = await asyncio.create_subprocess_exec(
            sys.executable, *options, env=environment, stdout=pipe, stderr=same
        )
        assert process.stdout is not None
        try:
            url = ""
            while not url:
                line = (await process.stdout.readline()).decode()
                assert line, "the server ended"
                url = next((word.strip('",') for word in line.split() if "http://127.0.0.1:" in word), "")
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with httpx2.AsyncClient(trust_env=False, headers=headers) as knows, httpx2.AsyncClient() as other:
                served = await found(streamable_http_client(url, http_client=knows))
                return served, (await other.post(url, json={})).status_code
        finally:
            process.terminate()
            await process.wait()

    pipes = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    assert asyncio.run(found(pipes)) == SENTENCE
    assert asyncio.run(over_http()) == (SENTENCE, 401)
