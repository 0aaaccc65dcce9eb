"""Dialog of retrievers, plug-in files and workspaces: nothing runs before the user has seen it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QPushButton, QTabWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import PluginError
from workbench.model.agent import ContextFile, ProblemGravity, Workspace, WorkspaceAgent, WorkspaceProblem
from workbench.model.extensions import PluginInfo, PluginState, PluginText, RetrieverInfo, RetrieverKind, RetrieverState
from workbench.ui.messages import Banner
from workbench.ui.retrievers.presenter import RetrieversPresenter
from workbench.ui.retrievers.retrievers_dialog import (
    RetrieversDialog,
    ReviewDialog,
    plugin_row,
    retriever_row,
    workspace_rows,
)
from workbench.ui.theme import Theme

NEW = PluginInfo("minutes.py", "/lib/plugins/minutes.py", "ab", PluginState.NEW)
ALLOWED = PluginInfo("notes.py", "/lib/plugins/notes.py", "cd", PluginState.ALLOWED, ("notes",))
SEEN = PluginText("minutes.py", "ab", "def retrieve(query):\n    return query\n")
WORKSPACE = Workspace(
    "/agents/space",
    (WorkspaceAgent("support", "Desk", "You help.", retrievers=("notes",), context=(ContextFile("c/a.md", "x", 9),)),),
    problems=(WorkspaceProblem("It lies outside.", "support", "../x.md", ProblemGravity.ERROR),),
)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def dialog(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> Iterator[RetrieversDialog]:
    fake_operations(monkeypatch)
    made = RetrieversDialog(RetrieversPresenter(bridge), Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.begin(SimpleNamespace(folder=Path("/lib")))  # type: ignore[arg-type]
    bridge.last("list_plugins").succeed([NEW, ALLOWED])
    bridge.last("list_retrievers").succeed([RetrieverInfo("notes", RetrieverKind.CODE, RetrieverState.READY)])
    bridge.last("list_workspaces").succeed([WORKSPACE])
    yield made
    made.close()


def rows(dialog: RetrieversDialog, tab: int) -> QListWidget:
    tabs = dialog.findChild(QTabWidget)
    tabs.setCurrentIndex(tab)
    return tabs.widget(tab).findChild(QListWidget)


def press(widget: object, text: str) -> None:
    (found,) = [one for one in widget.findChildren(QPushButton) if one.text() == text]  # type: ignore[attr-defined]
    assert found.isEnabled(), text
    found.click()


def test_a_file_is_read_before_it_may_run_and_allowed_as_it_was_read(
    dialog: RetrieversDialog, bridge: FakeBridge
) -> None:
    assert rows(dialog, 1).item(0).text() == "minutes.py\nnot allowed"
    press(dialog, "Review and allow…")
    assert bridge.last("read_plugin").args == ("minutes.py",)
    bridge.last("read_plugin").succeed(SEEN)
    review = dialog.findChild(ReviewDialog)
    assert review.findChild(QPlainTextEdit).toPlainText() == SEEN.text
    assert not bridge.has("allow_plugin")
    press(review, "Allow")
    allowing = bridge.last("allow_plugin")
    assert (allowing.args, allowing.kwargs) == (("minutes.py",), {"sha256": "ab"})


def test_choosing_not_now_in_the_review_allows_no_plugin(dialog: RetrieversDialog, bridge: FakeBridge) -> None:
    press(dialog, "Review and allow…")
    bridge.last("read_plugin").succeed(SEEN)
    press(dialog.findChild(ReviewDialog), "Not now")
    assert not bridge.has("allow_plugin")


def test_a_file_that_runs_can_be_forbidden(dialog: RetrieversDialog, bridge: FakeBridge) -> None:
    rows(dialog, 1).setCurrentRow(1)
    press(dialog, "Forbid")
    assert bridge.last("forbid_plugin").args == ("notes.py",)


def test_a_plugin_file_that_cannot_be_loaded_is_reported_with_its_line(
    dialog: RetrieversDialog, bridge: FakeBridge
) -> None:
    press(dialog, "Review and allow…")
    bridge.last("read_plugin").fail(PluginError("minutes.py cannot be loaded: KeyError in minutes.py, line 2."))
    assert "line 2" in dialog.findChild(Banner).text


def test_a_workspace_is_read_again(dialog: RetrieversDialog, bridge: FakeBridge) -> None:
    assert rows(dialog, 2).count() == 2
    press(dialog, "Import again")
    assert bridge.last("import_agents").args == (Path("/agents/space"),)


def test_d4_the_state_of_a_retriever_is_shown_with_the_duration_of_its_last_answer() -> None:
    row = retriever_row(RetrieverInfo("notes", RetrieverKind.PLUG_IN, RetrieverState.READY, "", "", 12.3, "notes.py"))
    assert (row.about, row.is_bad) == ("from notes.py · ready · last answer 12 ms", False)
    failed = retriever_row(RetrieverInfo("x", RetrieverKind.CODE, RetrieverState.FAILED, "It needs “top_k”."))
    assert (failed.about, failed.is_bad) == ("from a program · unavailable · It needs “top_k”", True)


def test_a_changed_file_waits_for_a_person() -> None:
    row = plugin_row(PluginInfo("a.py", "/a.py", "x", PluginState.CHANGED))
    assert (row.about, row.is_bad) == ("changed since it was allowed", True)


def test_d10_d16_problems_name_agent_and_path_and_files_their_size() -> None:
    agent, problem = workspace_rows([WORKSPACE])
    assert agent.title == "Desk  (space/support)"
    assert agent.about == "uses notes · a.md (9 characters, first 1 used)"
    assert (problem.title, problem.about, problem.is_bad) == ("support: ../x.md", "It lies outside.", True)
