"""Panes and commands that appear with their first content, and never against the user's choice."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QToolBar
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.ui.app_controller import AppController
from workbench.ui.controls import IconButton

pytestmark = pytest.mark.usefixtures("warm_readers")

QUESTION = "Where did the heron fly?"


def side_docks(shell: AppController) -> list[bool]:
    window = shell.window
    return [not window.sessions_dock.isHidden(), not window.inspector_dock.isHidden()]


def on_the_tool_bar(shell: AppController) -> list[str]:
    bar = shell.window.findChild(QToolBar, "tools")
    assert bar is not None
    return [action.iconText() for action in bar.actions() if action.isVisible() and action.iconText()]


def add_button(shell: AppController) -> IconButton:
    buttons = shell.window.library_dock.findChildren(IconButton)
    return next(one for one in buttons if one.accessibleName() == "Add to the library")


def test_sessions_and_inspector_appear_with_the_first_question(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    assert side_docks(shell) == [False, False]
    fill(qtbot, shell, tmp_path / "papers", question=QUESTION)
    assert side_docks(shell) == [True, True]


def test_a_dock_that_the_user_has_hidden_stays_hidden(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    shell.window.inspector_dock.toggleViewAction().trigger()
    shell.window.inspector_dock.toggleViewAction().trigger()
    fill(qtbot, shell, tmp_path / "papers", question=QUESTION)
    assert side_docks(shell) == [True, False]


def test_a_document_that_is_opened_shows_the_inspector(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    fill(qtbot, shell, tmp_path / "papers")
    shell.library_pane.document_chosen.emit(shell.documents.model.documents()[0])
    assert side_docks(shell) == [False, True]


def test_docks_still_wait_for_content_after_a_restart(qtbot: QtBot, tmp_path: Path) -> None:
    first = open_window(qtbot, tmp_path / "library")
    first.window.close()
    first.shut_down()
    second = open_window(qtbot, tmp_path / "library")
    second.window.resize(1280, 800)  # restored to the size of the small screen of tests
    assert side_docks(second) == [False, False]
    fill(qtbot, second, tmp_path / "papers", question=QUESTION)
    assert side_docks(second) == [True, True]


def test_commands_of_sessions_enter_the_tool_bar_with_the_first_session(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    assert on_the_tool_bar(shell) == ["Settings"]
    new = shell.window.actions_by_name["new_session"]
    assert new.isEnabled()
    assert new in shell.window.menus()[0].actions()
    fill(qtbot, shell, tmp_path / "papers", question=QUESTION)
    qtbot.waitUntil(lambda: on_the_tool_bar(shell) == ["New session", "Export", "Inspector", "Settings"])


def test_the_library_offers_every_source_in_one_menu_once_it_has_documents(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    assert not add_button(shell).isVisible()
    fill(qtbot, shell, tmp_path / "papers")
    assert add_button(shell).isVisible()
    texts = [action.iconText() for action in add_button(shell).menu().actions()]
    assert texts == ["Add files", "Add folder", "Add link", "Add from database", "New note", "Link a folder"]


def test_a_main_dock_is_hidden_by_the_view_menu_and_by_a_button_while_it_floats(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    dock = shell.window.library_dock
    hide = next(one for one in dock.findChildren(IconButton) if one.accessibleName() == "Hide Library")
    assert not hide.isVisible()
    assert dock.toggleViewAction() in shell.window.menus()[2].actions()
    dock.setFloating(True)
    assert hide.isVisible()
