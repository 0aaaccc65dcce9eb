"""Workspaces in the layout of Agent Gateway: read as written, and never outside their folder."""

import os
from collections.abc import Collection
from pathlib import Path

import pytest

from workbench.agent.workspace import (
    ContextLimits,
    WorkspaceFiles,
    agents_of_workspace,
    gateway_settings,
    read_workspace,
)
from workbench.errors import NotFound
from workbench.model.agent import GatewaySettings, ProblemGravity, Workspace, WorkspaceAgent

HEAD = "---\nretrievers: [notes, letters]\ncontext:\n  - context/overview.md\n  - ../../shared/policies.md\n---\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def agent_file(folder: Path, text: str | bytes, name: str = "support") -> Path:
    return write(folder / "agents" / name / "AGENT.md", text)


def read(folder: Path, known: Collection[str] = ("notes", "letters"), **limits: int) -> Workspace:
    return read_workspace(folder, ContextLimits(**limits), retrievers=known)


def only(workspace: Workspace) -> WorkspaceAgent:
    (agent,) = workspace.agents
    return agent


def problems(workspace: Workspace) -> list[tuple[str, str, str]]:
    return [(one.agent, one.path, one.message) for one in workspace.problems]


def errors(workspace: Workspace) -> list[str]:
    return [one.path for one in workspace.problems if one.gravity is ProblemGravity.ERROR]


def test_d5_the_head_is_read_and_the_body_is_the_prompt(folder: Path) -> None:
    agent_file(folder, "---\ndisplay_name: Support desk\nretrievers:\n  - notes\n---\n\nYou help.\n")
    agent = only(read(folder))
    assert (agent.id, agent.label, agent.body, agent.retrievers) == ("support", "Support desk", "You help.", ("notes",))


def test_d5_name_replaces_a_missing_display_name_and_the_folder_name_replaces_both(folder: Path) -> None:
    agent_file(folder, "---\nname: Desk\n---\nYou help.")
    agent_file(folder, "You help.", "plain")
    assert [agent.label for agent in read(folder).agents] == ["plain", "Desk"]


def test_d5_folders_that_cannot_be_agents_are_left_out(folder: Path) -> None:
    for name in ("Upper", "with space", ".hidden", "x" * 65):
        agent_file(folder, "You help.", name)
    agent_file(folder, "You help.", "good_one-2")
    (folder / "agents" / "linked").symlink_to(folder / "agents" / "good_one-2")
    workspace = read(folder)
    assert only(workspace).id == "good_one-2"
    assert len(workspace.problems) == 4


@pytest.mark.parametrize("text", ["", "---\nname: Empty\n---\n\n"])
def test_d5_an_empty_body_leaves_the_agent_out(folder: Path, text: str) -> None:
    agent_file(folder, text)
    workspace = read(folder)
    assert workspace.agents == ()
    assert "holds no prompt" in workspace.problems[0].message


@pytest.mark.parametrize("head", ["retrievers: notes", "retrievers: [1, 2]", "context: overview.md", "context: {a: b}"])
def test_d5_a_value_that_is_not_a_list_is_reported_and_ignored(folder: Path, head: str) -> None:
    agent_file(folder, f"---\n{head}\n---\nYou help.")
    workspace = read(folder)
    assert (only(workspace).retrievers, only(workspace).context) == ((), ())
    assert "must be a list" in workspace.problems[0].message


def test_d6_a_byte_order_mark_is_no_part_of_it(folder: Path) -> None:
    agent_file(folder, b"\xef\xbb\xbf---\r\nname: Desk\r\n---\r\nYou help.\r\n")
    assert (only(read(folder)).label, only(read(folder)).body) == ("Desk", "You help.")


@pytest.mark.parametrize(
    "head",
    [
        "---\na: [1\n---\n",
        "---\n- a\n- b\n---\n",
        "---\na: 1\n",
        "---\nd: 2024-13-45\n---\n",
        "---\n!!python/x 1\n---\n",
    ],
)
def test_d6_of_an_agent_with_a_broken_head_nothing_is_sent(folder: Path, head: str) -> None:
    agent_file(folder, f"{head}You help.")
    agent_file(folder, "You help.", "good")
    workspace = read(folder)
    assert only(workspace).id == "good"
    assert errors(workspace) == ["agents/support/AGENT.md"]


def test_d7_markdown_files_of_the_context_folder_are_read_in_order(folder: Path) -> None:
    agent_file(folder, "You help.")
    context = folder / "agents" / "support" / "context"
    for name in ("b.md", "a.md", "c.txt", "deeper/d.md"):
        write(context / name, f"text of {name}")
    (context / "link.md").symlink_to(context / "c.txt")
    workspace = read(folder)
    assert [file.text for file in only(workspace).context] == ["text of a.md", "text of b.md"]
    assert problems(workspace) == [("support", "agents/support/context/link.md", "It is a link and was not read.")]


def test_d7_a_file_in_another_encoding_breaks_nothing(folder: Path) -> None:
    agent_file(folder, "You help.")
    agent_file(folder, "You help, too.", "other")
    context = folder / "agents" / "support" / "context"
    write(context / "old.md", "Die Häfen frieren im Winter öfter über.".encode("latin-1"))
    write(context / "picture.md", b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 20)
    workspace = read(folder)
    assert [agent.id for agent in workspace.agents] == ["other", "support"]
    assert [file.text for file in workspace.agents[1].context] == ["Die Häfen frieren im Winter öfter über."]
    assert "does not hold text" in workspace.problems[0].message


def test_d8_paths_are_seen_from_the_agents_folder_first_and_then_from_the_workspace(folder: Path) -> None:
    agent_file(folder, "---\ncontext: [notes/a.md, ../../shared/b.md, shared/b.md, notes/c.md]\n---\nYou help.")
    write(folder / "agents" / "support" / "notes" / "a.md", "the agent's")
    write(folder / "notes" / "a.md", "the workspace's")
    write(folder / "shared" / "b.md", "shared")
    write(folder / "notes" / "c.md", "only the workspace's")
    workspace = read(folder)
    assert [file.text for file in only(workspace).context] == ["the agent's", "shared", "only the workspace's"]
    assert workspace.problems == ()


def test_d9_a_file_that_is_both_found_and_named_appears_once_at_its_first_position(folder: Path) -> None:
    agent_file(folder, "---\ncontext: [agents/support/context/b.md, ./context/a.md, extra.md]\n---\nYou help.")
    for name in ("context/a.md", "context/b.md", "extra.md"):
        write(folder / "agents" / "support" / name, name)
    assert [file.text for file in only(read(folder)).context] == ["context/a.md", "context/b.md", "extra.md"]


@pytest.mark.parametrize(
    "named", ["../../../secret.md", "../../../../../../../../etc/passwd", "/etc/passwd", "{outside}/secret.md"]
)
def test_d10_nothing_outside_the_workspace_is_read(folder: Path, tmp_path: Path, named: str) -> None:
    write(tmp_path / "secret.md", "secret")
    named = named.format(outside=tmp_path)
    agent_file(folder, f"---\ncontext: ['{named}']\n---\nYou help.")
    workspace = read(folder)
    assert only(workspace).context == ()
    assert problems(workspace) == [("support", named, "It is outside the workspace and was not read.")]
    assert errors(workspace) == [named]


@pytest.mark.parametrize("named", ["link.md", "linked/secret.md", "../../linked_above/secret.md"])
def test_d10_links_are_refused_also_above_the_file(folder: Path, tmp_path: Path, named: str) -> None:
    write(tmp_path / "outside" / "secret.md", "secret")
    agent_file(folder, f"---\ncontext: ['{named}']\n---\nYou help.")
    support = folder / "agents" / "support"
    (support / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (support / "linked").symlink_to(tmp_path / "outside")
    (folder / "linked_above").symlink_to(tmp_path / "outside")
    workspace = read(folder)
    assert only(workspace).context == ()
    assert errors(workspace) == [named]


def test_d10_the_agents_own_files_and_folders_may_be_no_links_either(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "secret.md", "secret")
    agent_file(folder, "You help.", "other")
    (folder / "agents" / "linked").mkdir()
    (folder / "agents" / "linked" / "AGENT.md").symlink_to(tmp_path / "secret.md")
    (folder / "agents" / "other" / "context").symlink_to(tmp_path)
    (folder / "agents" / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    workspace = read(folder)
    assert (only(workspace).id, only(workspace).context, workspace.shared_prompt) == ("other", (), "")
    assert len(errors(workspace)) == 3


def test_d10_a_pipe_in_place_of_a_file_is_not_waited_for(folder: Path) -> None:
    agent_file(folder, "---\ncontext: [pipe.md]\n---\nYou help.")
    os.mkfifo(folder / "agents" / "support" / "pipe.md")
    assert only(read(folder)).context == ()


def test_d11_a_missing_file_is_a_warning(folder: Path) -> None:
    agent_file(folder, "---\ncontext: [missing.md, ../missing.md]\n---\nYou help.")
    workspace = read(folder)
    assert [one.gravity for one in workspace.problems] == [ProblemGravity.WARNING] * 2
    assert workspace.problems[0].message == "There is no such file."


def test_d12_a_retriever_named_twice_is_listed_once(folder: Path) -> None:
    agent_file(folder, "---\nretrievers: [notes, letters, notes]\n---\nYou help.")
    assert only(read(folder)).retrievers == ("notes", "letters")


def test_d16_a_file_is_cut_and_so_are_all_together(folder: Path) -> None:
    agent_file(folder, "You help.")
    for name in "abc":
        write(folder / "agents" / "support" / "context" / f"{name}.md", name * 90)
    workspace = read(folder, file=50, total=120)
    assert [file.text for file in only(workspace).context] == ["a" * 50, "b" * 50, "c" * 20]
    assert "Only the first 20 of its 90 characters" in workspace.problems[-1].message


def test_d17_the_instructions_and_context_of_an_agent_are_in_the_specified_order(folder: Path) -> None:
    agent_file(folder, f"{HEAD}The agent.")
    write(folder / "agents" / "AGENTS.md", "---\nx: 1\n---\nFor all.")
    write(folder / "agents" / "BEHAVIOR.md", "How all behave.")
    write(folder / "agents" / "support" / "BEHAVIOR.md", "How it behaves.")
    write(folder / "agents" / "support" / "context" / "overview.md", "Overview.")
    write(folder / "shared" / "policies.md", "Policies.")
    (agent,) = agents_of_workspace(read(folder))
    assert agent.system_message == ("For all.\n\n---\n\nHow all behave.\n\n---\n\nThe agent.\n\n---\n\nHow it behaves.")
    assert [section.text for section in agent.sections] == ["## Reference Material\n\nOverview.\n\n---\n\nPolicies."]
    assert (agent.key, agent.retrievers, agent.add_datetime) == ("support", ("notes", "letters"), True)


def test_d17_an_empty_section_is_omitted(folder: Path) -> None:
    agent_file(folder, "The agent.")
    (agent,) = agents_of_workspace(read(folder))
    assert (agent.system_message, agent.sections) == ("The agent.", ())


def test_d12_retrievers_are_queried_in_every_turn_and_their_results_are_added_to_the_prompt(folder: Path) -> None:
    agent_file(folder, "---\nretrievers: [notes]\n---\nThe agent.")
    agent_file(folder, "The agent.", "plain")
    plain, with_retrievers = agents_of_workspace(read(folder))
    assert (with_retrievers.add_knowledge_to_context, with_retrievers.search_knowledge) == (True, False)
    assert (plain.add_knowledge_to_context, plain.search_knowledge) == (False, True)


def test_two_agents_with_the_same_label_get_distinct_names(folder: Path) -> None:
    for name in ("one", "two"):
        agent_file(folder, "---\nname: Desk\n---\nThe agent.", name)
    assert [agent.name for agent in agents_of_workspace(read(folder))] == ["Desk (one)", "Desk (two)"]


def settings(folder: Path, text: str, **environment: str) -> tuple[GatewaySettings, list[str]]:
    write(folder / "gateway.yaml", text)
    fence = WorkspaceFiles(folder)
    return gateway_settings(fence, environment), [problem.message for problem in fence.problems]


BLOCK = (
    "context_retrieval:\n  retriever_timeout_seconds: 2.5\n  max_retrieved_chars: 800\n  max_context_file_chars: 40\n"
)


def test_d18_the_three_limits_are_read(folder: Path) -> None:
    assert settings(folder, f"server: {{port: 1}}\n{BLOCK}") == (GatewaySettings(2.5, 800, 40), [])


@pytest.mark.parametrize("text", ["", "server: {port: 1}", "context_retrieval:\n"])
def test_d18_without_the_block_the_usual_ones_hold(folder: Path, text: str) -> None:
    assert settings(folder, text) == (GatewaySettings(), [])


def test_d18_variables_of_the_environment_are_put_in(folder: Path) -> None:
    text = "context_retrieval: {max_retrieved_chars: '${CHARS}', retriever_timeout_seconds: '${WHOLE}.5'}"
    assert settings(folder, text, CHARS="900", WHOLE="3")[0] == GatewaySettings(3.5, 900)
    limits, told = settings(folder, text, CHARS="900")
    assert limits == GatewaySettings(None, 900)
    assert told == ["retriever_timeout_seconds names the variable WHOLE, which is not set."]


def test_d18_the_environment_counts_before_the_file(folder: Path) -> None:
    name = "AGENT_GATEWAY_CONTEXT_RETRIEVAL__MAX_RETRIEVED_CHARS"
    assert settings(folder, BLOCK, **{name: "70"})[0] == GatewaySettings(2.5, 70, 40)


@pytest.mark.parametrize("value", ["soon", "-1", "0", "true", ".nan", ".inf", "[1]"])
def test_d18_an_invalid_limit_is_reported_and_ignored(folder: Path, value: str) -> None:
    limits, told = settings(folder, f"context_retrieval: {{retriever_timeout_seconds: {value}}}")
    assert limits == GatewaySettings()
    assert "must be a number above 0" in told[0]


def test_d18_a_file_that_cannot_be_read_stops_nothing(folder: Path) -> None:
    agent_file(folder, "You help.")
    write(folder / "gateway.yaml", "a: [")
    workspace = read(folder)
    assert only(workspace).id == "support"
    assert errors(workspace) == ["gateway.yaml"]


def test_d18_the_limits_go_with_the_agent(folder: Path) -> None:
    agent_file(folder, f"{HEAD}You help.")
    write(folder / "agents" / "support" / "context" / "overview.md", "x" * 90)
    write(folder / "gateway.yaml", BLOCK)
    workspace = read(folder)
    assert only(workspace).context[0].text == "x" * 40
    (agent,) = agents_of_workspace(workspace)
    assert (agent.metadata["retriever_timeout_seconds"], agent.metadata["max_retrieved_chars"]) == ("2.5", "800")


def test_d19_unknown_retrievers_are_reported_even_when_no_retriever_is_registered(folder: Path) -> None:
    agent_file(folder, "---\nretrievers: [notes]\n---\nYou help.")
    assert problems(read(folder, known=())) == [("support", "", "There is no retriever “notes”.")]


def test_unsupported_keys_of_an_agent_file_are_reported(folder: Path) -> None:
    agent_file(folder, "---\nskills: [search]\nschedules: [{name: x}]\n---\nYou help.")
    assert "Not used here: “skills”, “schedules”." in read(folder).problems[0].message


def test_an_agent_that_is_switched_off_is_left_out(folder: Path) -> None:
    agent_file(folder, "---\nenabled: false\n---\nYou help.")
    assert read(folder).agents == ()


def test_a_folder_without_agents_and_no_folder_at_all(folder: Path) -> None:
    with pytest.raises(NotFound):
        read(folder)
    folder.mkdir()
    assert errors(read(folder)) == [""]
