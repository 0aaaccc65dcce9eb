"""Two columns in a narrow window: the docks on the left and the inspector take turns beside the chat."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.errors import LibraryLocked
from workbench.ui.app_controller import AppController

pytestmark = pytest.mark.usefixtures("warm_readers")

LEFT, RIGHT, ALL = [True, True, False], [False, False, True], [True, True, True]


def docks(shell: AppController) -> list[bool]:
    """Return which of library, sessions and inspector are shown."""
    window = shell.window
    return [not one.isHidden() for one in (window.library_dock, window.sessions_dock, window.inspector_dock)]


def resize(qtbot: QtBot, shell: AppController, width: int) -> None:
    shell.window.resize(width, 700)
    qtbot.waitUntil(lambda: shell.window.width() == width)


def open_source(shell: AppController) -> None:
    run = shell.chat.cards[-1].transcript.run
    assert run is not None
    shell.chat.citation_activated.emit(next(one for one in run.citations if one.valid))


@pytest.fixture
def narrow(qtbot: QtBot, tmp_path: Path) -> AppController:
    shell = open_window(qtbot, tmp_path / "library")
    resize(qtbot, shell, 1024)
    fill(qtbot, shell, tmp_path / "papers", question="Where did the heron fly?")
    qtbot.waitUntil(lambda: not shell.chat.running)
    return shell


def test_a_citation_shows_its_page_in_place_of_the_library_until_the_window_is_wide(
    qtbot: QtBot, narrow: AppController
) -> None:
    assert docks(narrow) == LEFT
    open_source(narrow)
    assert docks(narrow) == RIGHT
    resize(qtbot, narrow, 1280)
    assert docks(narrow) == ALL
    resize(qtbot, narrow, 1024)
    assert docks(narrow) == RIGHT
    qtbot.waitUntil(lambda: narrow.window.inspector_dock.width() > 0.42 * 1024)


def test_the_library_takes_its_place_again_by_its_key_and_when_the_inspector_is_hidden(narrow: AppController) -> None:
    open_source(narrow)
    narrow.window.actions_by_name["focus_library"].trigger()
    assert docks(narrow) == LEFT
    open_source(narrow)
    narrow.window.inspector_dock.toggleViewAction().trigger()
    assert docks(narrow) == LEFT


def test_a_dock_hidden_in_a_wide_window_stays_hidden_in_a_narrow_one(qtbot: QtBot, narrow: AppController) -> None:
    resize(qtbot, narrow, 1280)
    narrow.window.sessions_dock.toggleViewAction().trigger()
    for width in (1024, 1280):
        resize(qtbot, narrow, width)
    assert docks(narrow) == [True, False, True]


def test_a_window_closed_narrow_has_all_columns_when_it_opens_wide(
    qtbot: QtBot, narrow: AppController, tmp_path: Path
) -> None:
    open_source(narrow)
    narrow.window.close()
    narrow.shut_down()
    again = open_window(qtbot, tmp_path / "library")
    assert docks(again) == RIGHT
    resize(qtbot, again, 1280)
    assert docks(again) == ALL


def test_the_problem_page_hides_every_column_and_returns_the_same_ones(narrow: AppController, tmp_path: Path) -> None:
    open_source(narrow)
    narrow.window.problem.show_error(LibraryLocked("Open elsewhere.", "Close it."), "", tmp_path)
    narrow.window.show_problem(True)
    assert docks(narrow) == [False, False, False]
    narrow.window.show_problem(False)
    assert docks(narrow) == RIGHT


def test_a_dock_of_later_takes_the_place_of_the_library_too(narrow: AppController) -> None:
    narrow.evaluation.reveal()
    assert docks(narrow) == RIGHT
    narrow.window.actions_by_name["focus_library"].trigger()
    assert docks(narrow) == LEFT
    assert narrow.evaluation.dock.isHidden()


def test_text_of_twice_the_size_makes_a_wide_window_narrow(qtbot: QtBot, narrow: AppController) -> None:
    resize(qtbot, narrow, 1440)
    assert docks(narrow) == ALL
    narrow.theme.size_text(200)
    assert docks(narrow) == LEFT
    narrow.theme.size_text(100)
    assert docks(narrow) == ALL
