"""Agents of a workspace on the command line: imported, updated, and its problems."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    support = tmp_path / "workspace" / "agents" / "support"
    support.mkdir(parents=True)
    (support / "AGENT.md").write_text("---\nname: Desk\nretrievers: [notes]\n---\nYou help.", "utf-8")
    return support.parents[1]


def test_d5_agents_are_imported_listed_and_asked(shell: Any, workspace: Path) -> None:
    agent, problem = shell("agents", "import", workspace)
    assert (agent["agent"], agent["id"], agent["retrievers"]) == ("Desk", "support", ["notes"])
    assert (shell.status, problem["agent"], problem["problem"]) == (0, "support", "There is no retriever “notes”.")
    assert "Desk" in [line["name"] for line in shell("agents", "list")]


def test_d10_problems_name_agent_and_path(shell: Any, workspace: Path) -> None:
    shell("agents", "import", workspace)
    path = workspace / "agents" / "support" / "AGENT.md"
    path.write_text("---\ncontext: [../../../secret.md]\n---\nYou help.", "utf-8")
    (problem,) = shell("agents", "problems")
    assert (shell.status, problem["agent"], problem["path"]) == (1, "support", "../../../secret.md")
    assert shell.words("agents", "problems", workspace).startswith("✗ support: ../../../secret.md: It is outside")


def test_reading_it_again_brings_it_up_to_date(shell: Any, workspace: Path) -> None:
    shell("agents", "import", workspace)
    (workspace / "agents" / "support" / "AGENT.md").write_text("---\nname: Help desk\n---\nYou help.", "utf-8")
    shell("agents", "import", workspace)
    names = [line["name"] for line in shell("agents", "list")]
    assert "Help desk" in names
    assert "Desk" not in names
    assert shell("agents", "problems") == []
    assert "Nothing is wrong." in shell.errors


def test_a_folder_that_is_not_there(shell: Any, tmp_path: Path) -> None:
    (error,) = shell("agents", "import", tmp_path / "nowhere")
    assert (shell.status, error["kind"]) == (1, "NotFound")
