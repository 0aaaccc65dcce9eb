"""Accessibility by screen reader and by keyboard alone: every window and dialog on a small real library."""

from pathlib import Path

import pytest
from accessibility import StrayWindows, clipped, focusable, jumps, missed, nameless, twins
from every_dialog import dialogs, every_dialog
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QLabel,
    QLayout,
    QLayoutItem,
    QPushButton,
    QToolBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers
from ui_runs import run, session
from ui_window import fill, open_window

from workbench.ui.actions import COMMAND, COMMANDS, KEYS, PANE_COMMANDS
from workbench.ui.app_controller import AppController
from workbench.ui.chat.step_row import StepRow
from workbench.ui.chat.transcript import StepKind, StepLine
from workbench.ui.controls import IconButton
from workbench.ui.dialog import Dialog, stops
from workbench.ui.theme import Theme

pytestmark = pytest.mark.usefixtures("warm_readers")


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    made = open_window(qtbot, tmp_path / "library")
    made.window.resize(1400, 900)
    fill(qtbot, made, tmp_path / "papers", question="Where did the heron fly?")
    first = made.documents.model.documents()[0]
    made.library_pane.select(first.id)
    made.inspector.show_document(first)
    qtbot.waitUntil(lambda: bool(made.inspector.passages), timeout=20_000)
    return made


def test_everything_in_the_window_has_a_name_of_its_own(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.open_session(session(run(), run(number=2)))
    shell.inspector.show_run(run())
    shell.evaluation.reveal()
    qtbot.wait(1)
    assert nameless(shell.window) == []
    assert twins(shell.window) == []


def test_tab_goes_to_everything_once_and_from_pane_to_pane(shell: AppController, qtbot: QtBot) -> None:
    every = stops(shell.window)
    assert len(every) > 20
    every[0].setFocus()
    seen: list[QWidget] = []
    while QApplication.focusWidget() not in seen:
        seen.append(QApplication.focusWidget())
        shell.window.focusNextPrevChild(True)
    assert seen == every
    behind = {widget for widget in focusable(shell.window) if not _is_in_front(widget)}
    assert focusable(shell.window) - behind == set(seen)
    shell.window.focusNextPrevChild(False)
    assert QApplication.focusWidget() is every[-1]


def _is_in_front(widget: QWidget) -> bool:
    """Return whether the part of the window with a control is visible, not behind the tab of another part."""
    part = widget
    while part.parentWidget() is not None and not part.parentWidget().isWindow():
        part = part.parentWidget()
    return not part.visibleRegion().isEmpty()


def test_everything_in_every_dialog_has_a_name_and_its_place(
    shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, list[str]] = {}
    seen: set[type] = set()
    with StrayWindows() as strays:
        for dialog in every_dialog(shell, qtbot, monkeypatch):
            seen.add(type(dialog))
            problems = nameless(dialog) + twins(dialog) + jumps(dialog) + missed(dialog)
            if problems:
                found[type(dialog).__name__] = problems
    assert found == {}
    assert strays.shown == []
    assert {one.__name__ for one in dialogs() - seen} == set()
    assert all(issubclass(one, Dialog) for one in dialogs())


def test_following_the_tab_order_leaves_no_objects_of_layout_items(shell: AppController) -> None:
    def items() -> int:
        # Qt deletes items unseen by PySide; a left object would stand for whatever Qt creates at the same address.
        return sum(isinstance(one, QLayoutItem) for one in getAllValidWrappers() if not isinstance(one, QLayout))

    before = items()
    assert len(stops(shell.window)) > 10
    assert items() == before


def test_no_key_means_two_things_in_one_place(shell: AppController) -> None:
    everywhere = [key.toString() for action in shell.window.actions() for key in action.shortcuts()]
    assert len(everywhere) == len(set(everywhere))
    for widget in [shell.window, *shell.window.findChildren(QWidget)]:
        own = [action for action in widget.actions() if widget is shell.window or action not in shell.window.actions()]
        keys = [key.toString() for action in own for key in action.shortcuts()]
        shortcuts = widget.findChildren(QShortcut, options=Qt.FindChildOption.FindDirectChildrenOnly)
        keys += [shortcut.key().toString() for shortcut in shortcuts]
        assert len(keys) == len(set(keys)), (type(widget).__name__, keys)
        if widget is not shell.window:
            assert set(keys) & set(everywhere) == set(), type(widget).__name__


def test_every_shortcut_of_an_action_is_listed_on_the_shortcut_sheet(shell: AppController) -> None:
    declared = {
        (QKeySequence(key).toString())
        for command in (*COMMANDS, *PANE_COMMANDS, *KEYS)
        for key in (command.key, command.also)
        if key
    }
    used = {
        key.toString()
        for widget in [shell.window, *shell.window.findChildren(QWidget)]
        for action in widget.actions()
        for key in action.shortcuts()
    }
    assert used - declared == set()


def test_every_pane_command_is_made_by_its_pane(shell: AppController) -> None:
    shell.chat.open_session(session(run()))
    shell.inspector.show_run(run())
    shell.chat.cards[-1].findChild(QPushButton).click()
    shell.network.reveal()
    made = {action.property(COMMAND) for widget in shell.window.findChildren(QWidget) for action in widget.actions()}
    never = {command.name for command in PANE_COMMANDS} - made
    assert never == set()


def test_texts_of_twice_the_size_fit_a_small_window(shell: AppController, qtbot: QtBot) -> None:
    shell.window.resize(1024, 640)
    shell.theme.size_text(200)
    # The cards of the answers are laid out again in idle time.
    qtbot.waitUntil(lambda: clipped(shell.window) == [])
    dialogs_of(shell)
    qtbot.wait(50)
    for dialog in shell.window.findChildren(QDialog):
        # Qt limits dialogs to two thirds of the screen, which has 800 pixels here.
        dialog.resize(dialog.size().expandedTo(dialog.sizeHint()))
    qtbot.wait(50)
    found = {type(dialog).__name__: clipped(dialog) for dialog in shell.window.findChildren(QDialog)}
    shell.theme.size_text(100)
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_icons_grow_with_the_text_and_an_empty_pane_shows_its_whole_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    shell.window.resize(1024, 640)
    icons = [*shell.window.findChildren(IconButton), shell.window.findChild(QToolBar, "tools")]
    before = [one.iconSize().width() for one in icons]
    (words,) = [one for one in shell.sessions_pane.findChildren(QLabel) if one.text().startswith("Your questions")]
    shell.theme.size_text(200)
    qtbot.waitUntil(lambda: words.height() >= words.heightForWidth(words.width()))
    assert len(before) > 5
    assert [one.iconSize().width() for one in icons] == [2 * width for width in before]
    shell.theme.size_text(100)
    assert [one.iconSize().width() for one in icons] == before


def test_the_icons_and_arrows_of_steps_grow_with_the_text(qtbot: QtBot) -> None:
    theme = Theme()
    row = StepRow(theme, StepLine(StepKind.SEARCH, "Bridges", body="Two passages"))
    qtbot.addWidget(row)
    (toggle,), picture = row.findChildren(QToolButton), row.findChildren(QLabel)[0]
    before = toggle.width(), toggle.iconSize().width(), picture.pixmap().deviceIndependentSize().width()
    theme.size_text(200)
    after = toggle.width(), toggle.iconSize().width(), picture.pixmap().deviceIndependentSize().width()
    theme.size_text(100)
    assert before == (22, 16, 16)
    assert after == (44, 32, 32)


def dialogs_of(shell: AppController) -> None:
    """Open the most frequently used dialogs."""
    shell.dialogs.show_settings()
    shell.dialogs.show_agents()
    shell.dialogs.show_shortcuts()
    shell.dialogs.show_bin()
    shell.dialogs.show_linked()
    shell.dialogs.show_memory()
    shell.library_pane.sources.ask_for_note()
    shell.library_pane.sources.ask_for(["https://example.org"])


@pytest.mark.parametrize("is_ticked", [True, False])
def test_a_box_shows_that_it_has_the_keyboard_whether_ticked_or_not(
    shell: AppController, qtbot: QtBot, is_ticked: bool
) -> None:
    box = QCheckBox("Steps", shell.window)
    box.setChecked(is_ticked)
    box.show()
    shell.window.activateWindow()
    qtbot.waitUntil(shell.window.isActiveWindow)
    without = box.grab().toImage()
    box.setFocus()
    assert box.hasFocus()
    assert box.grab().toImage() != without
