"""Agents on the command line: created, listed, asked, removed; and the prompt for the model."""

import json
from pathlib import Path
from typing import Any

import pytest


def put(shell: Any, name: str, *pairs: str, **options: str) -> dict[str, Any]:
    values = [part for pair in pairs for part in ("--set", pair)]
    (record,) = shell(
        "agents", "put", name, *values, *[part for key, value in options.items() for part in (f"--{key}", value)]
    )
    return record


def test_an_agent_is_made_as_a_copy_listed_and_removed(shell: Any) -> None:
    made = put(shell, "Clerk", "role=a clerk", 'tools=["calculator"]', "rounds=4", "markdown=false", copy="default")
    assert (made["role"], made["tools"], made["rounds"], made["markdown"]) == ("a clerk", ["calculator"], 4, False)
    assert made["instructions"]
    assert [(one["name"], one["asked"]) for one in shell("agents", "list")] == [("default", True), ("Clerk", False)]
    put(shell, "Clerk", "role=a judge")
    assert shell("agents", "show", "Clerk")[0]["tools"] == ["calculator"]
    assert "role: a judge" in shell.words("agents", "show", "Clerk")
    assert shell("agents", "remove", "Clerk")[0]["removed"] == "Clerk"
    assert [one["name"] for one in shell("agents", "list")] == ["default"]


def test_the_agent_list_reports_every_problem_of_a_broken_agent(shell: Any) -> None:
    put(shell, "Clerk", 'retrievers=["minutes"]', 'tools=["abacus"]')
    problems = {one["name"]: one["problems"] for one in shell("agents", "list")}
    there_is_no = ["There is no retriever “minutes” here yet.", "There is no tool “abacus” here yet."]
    assert problems == {"default": [], "Clerk": there_is_no}
    assert "BROKEN: There is no retriever “minutes” here yet." in shell.words("agents", "list")


def test_an_agent_travels_as_json(shell: Any, tmp_path: Path) -> None:
    made = put(shell, "Clerk", "role=a clerk", 'state={"city": "Kyōto"}')
    (tmp_path / "clerk.json").write_text(json.dumps(made), "utf-8")
    assert put(shell, "Twin", **{"from": str(tmp_path / "clerk.json")}) == {**made, "name": "Twin"}


@pytest.mark.parametrize("pair", ["colour=red", "rounds=many", "references_format=xml", "markdown", "tools={}"])
def test_invalid_agent_settings_are_rejected(shell: Any, pair: str) -> None:
    (error,) = shell("agents", "put", "Clerk", "--set", pair)
    assert (shell.status, error["kind"]) == (1, "SettingError")


def test_the_built_in_agent_cannot_be_changed_or_removed(shell: Any) -> None:
    for command in (("put", "default", "--set", "role=x"), ("remove", "default")):
        (error,) = shell("agents", *command)
        assert (shell.status, error["kind"]) == (1, "SettingError")


def test_an_agent_is_asked_and_its_prompt_can_be_looked_at(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text("# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    shell("add", tmp_path / "harbour.md")
    put(shell, "Clerk", "role=a clerk", "add_knowledge_to_context=true", "references_format=yaml")
    (answer,) = shell("ask", "--agent", "Clerk", "When did the harbour freeze?")
    assert (answer["agent"], "1987" in answer["answer"]) == ("Clerk", True)
    assert "PromptAssembled" not in [step["event"] for step in answer["steps"]]
    (told,) = shell("prompt", answer["run"])
    assert told["sections"][0]["label"] == "Role"
    assert told["conversation"][-1]["text"].startswith("When did the harbour freeze?\n\nUse the following references")
    assert [tool["name"] for tool in told["tools"]] == ["think", "analyze", "search_knowledge_base"]
    words = shell.words("ask", "--agent", "Clerk", "--show-prompt", "When did the harbour freeze?")
    assert words.startswith("== Role ==\n<your_role>\na clerk\n</your_role>\n")


@pytest.mark.usefixtures("empty_library")
def test_an_agent_that_there_is_not_is_named_with_those_that_are(shell: Any) -> None:
    (error,) = shell("ask", "--agent", "Nobody", "When?")
    assert (error["kind"], error["hint"]) == ("NotFound", "The agents are “default”.")


def test_d19_missing_tools_and_retrievers_of_an_agent_are_reported_when_the_agent_is_stored(shell: Any) -> None:
    shell("agents", "put", "clerk", "--set", 'retrievers=["minutes"]', "--set", 'tools=["oracle","calculator","x.*"]')
    assert "There is no retriever “minutes” here yet." in shell.errors
    assert "There is no tool “oracle” here yet." in shell.errors
    assert "calculator" not in shell.errors
    shell("agents", "put", "clerk", "--copy", "default", "--set", "profile=offline")
    assert (shell.status, shell.errors) == (0, "")
