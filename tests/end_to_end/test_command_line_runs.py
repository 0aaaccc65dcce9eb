"""workbench runs: stored answers, replayed, compared, and continued."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def asked(shell: Any, tmp_path: Path) -> Any:
    """Return a library with one answer."""
    file = tmp_path / "harbour.md"
    file.write_text("# Harbour\n\nThe harbour of Lindhamn froze in 1987.\n", "utf-8")
    shell("add", file)
    (answer,) = shell("ask", "When did the harbour of Lindhamn freeze?")
    return answer


def test_a_run_is_replayed_and_forked_from_a_changed_tool_result(shell: Any, asked: Any, tmp_path: Path) -> None:
    steps = shell("runs", "replay", asked["run"])
    assert [step["number"] for step in steps] == sorted(step["number"] for step in steps)
    assert {"PromptAssembled", "TurnCompleted", "ReferencesFound"} <= {step["event"] for step in steps}
    result = next(step for step in steps if step["event"] == "ToolCompleted" and "search" in step["tool"])
    changed = tmp_path / "result.json"
    changed.write_text(result["result"].replace("1987", "1988"), "utf-8")
    (fork,) = shell("runs", "fork", asked["run"], "--at", result["number"], "--result-from", changed)
    assert (fork["parent"], fork["parent_event"]) == (asked["run"], result["number"])
    assert "1988" in fork["answer"]
    parts = shell("runs", "diff", asked["run"], fork["run"])
    assert [part["part"] for part in parts] == ["Steps", "Answer"]
    assert [run["parent"] for run in shell("runs", "list")] == [asked["run"], None]


def test_a_run_is_shown_and_forked_with_another_question(shell: Any, asked: Any) -> None:
    (shown,) = shell("runs", "show", asked["run"])
    assert (shown["answer"], shown["parent"]) == (asked["answer"], None)
    (fork,) = shell("runs", "fork", asked["run"], "--question", "What froze in 1987?")
    assert (fork["question"], fork["session"]) == ("What froze in 1987?", asked["session"])


def test_a_run_that_is_not_there_is_an_error(shell: Any, asked: Any) -> None:
    (error,) = shell("runs", "show", 99)
    assert error["kind"] == "NotFound"
    assert shell.status == 1
