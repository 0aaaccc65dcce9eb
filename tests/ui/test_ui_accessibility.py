"""A screen reader and a keyboard alone: every window and dialog walked on a small library, all of it real."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from accessibility import clipped, focusable, jumps, nameless, twins
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from ui_runs import chunk, run, session
from ui_window import fill, open_window

import workbench.ui
from workbench.model.plugin import PluginText
from workbench.model.run import PromptAssembled, PromptSection, TimedEvent, ToolCompleted
from workbench.ui.actions import COMMAND, COMMANDS, KEYS, PANE_COMMANDS
from workbench.ui.bug_report import BugDialog
from workbench.ui.chat.another_question import QuestionDialog
from workbench.ui.chat.prompt_dialog import PromptDialog
from workbench.ui.chat.result_dialog import ResultDialog
from workbench.ui.inspector.chunk_editing import ChunkEditing
from workbench.ui.inspector.chunk_tags import ChunkTagsDialog
from workbench.ui.inspector.edits_dialog import EditsDialog
from workbench.ui.library.passwords import PasswordPrompt
from workbench.ui.library.review_sheet import ReviewSheet
from workbench.ui.palette.entry import Kind
from workbench.ui.palette.sources import Sources
from workbench.ui.reading_order import stops
from workbench.ui.retrievers.review import ReviewDialog
from workbench.ui.shell import Shell

pytestmark = pytest.mark.usefixtures("warm_readers")

NOT_GIVEN = {
    *("command:quit", "command:library.open", "command:other_library"),
    *("command:library.remove", "command:sessions.remove"),
}
"""Commands that would end the walk."""


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> Shell:
    made = open_window(qtbot, tmp_path / "library")
    made.window.resize(1400, 900)
    fill(qtbot, made, tmp_path / "papers", question="Where did the heron fly?")
    first = made.documents.model.documents()[0]
    made.library_pane.select(first.id)
    made.inspector.show_document(first)
    qtbot.waitUntil(lambda: bool(made.inspector.passages), timeout=20_000)
    return made


def test_everything_in_the_window_has_a_name_of_its_own(shell: Shell, qtbot: QtBot) -> None:
    shell.chat.open_session(session(run(), run(number=2)))
    shell.inspector.show_run(run())
    shell.evaluation.reveal()
    qtbot.wait(1)
    assert nameless(shell.window) == []
    assert twins(shell.window) == []


def test_tab_goes_to_everything_once_and_from_pane_to_pane(shell: Shell, qtbot: QtBot) -> None:
    every = stops(shell.window)
    assert len(every) > 25
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
    """Return whether the part of the window that a control stands in is seen, not behind another one's tab."""
    part = widget
    while part.parentWidget() is not None and not part.parentWidget().isWindow():
        part = part.parentWidget()
    return not part.visibleRegion().isEmpty()


def _always(value: object) -> Callable[..., object]:
    return lambda *_args, **_options: value


def _show(dialog: QDialog) -> int:
    """Show a dialog that the program would wait for."""
    dialog.show()
    return 0


@contextmanager
def nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let questions that stop everything be answered with nothing."""
    nothing = {"getOpenFileName": ("", ""), "getOpenFileNames": ([], ""), "getSaveFileName": ("", "")}
    for name, value in (*nothing.items(), ("getExistingDirectory", "")):
        monkeypatch.setattr(QFileDialog, name, _always(value))
    monkeypatch.setattr(QInputDialog, "getText", _always(("", False)))
    monkeypatch.setattr(QMessageBox, "exec", lambda *_a: 0)
    monkeypatch.setattr(QDialog, "exec", _show)
    yield


def test_everything_in_every_dialog_has_a_name_and_its_place(
    shell: Shell, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, list[str]] = {}
    seen: set[type] = set()

    def look() -> None:
        """Look at every dialog that is open, and close it."""
        for dialog in [one for one in shell.window.findChildren(QDialog) if one.isVisible()]:
            if type(dialog) not in seen:
                seen.add(type(dialog))
                dialog.activateWindow()
                problems = nameless(dialog) + twins(dialog) + jumps(dialog)
                if problems:
                    found[type(dialog).__name__] = problems
            dialog.close()

    with nothing_chosen(monkeypatch):
        for entry in Sources(shell).entries():
            if entry.kind is Kind.COMMAND and entry.key not in NOT_GIVEN and "Export" not in entry.detail:
                entry.run()
                qtbot.wait(1)
                look()
        for make in others(shell):
            make().show()
            look()
    assert found == {}
    assert {one.__name__ for one in dialogs() - seen} == set()


def others(shell: Shell) -> tuple[Callable[[], QDialog], ...]:
    """Return how to open the dialogs that no command opens here: they need a question that waits, an error, a lock."""
    completed = TimedEvent(0, 0.5, ToolCompleted("1", "search", "found", 3.0))
    return (
        lambda: ResultDialog(completed, shell.window),
        lambda: BugDialog("details", shell.window),
        lambda: PasswordPrompt(shell.documents, shell.theme, shell.window),
        lambda: ReviewSheet(shell.window),
        lambda: ReviewDialog(PluginText("minutes.py", "0" * 64, "def retrieve(query): ..."), shell.window),
        lambda: ChunkTagsDialog(chunk(1), shell.theme, shell.window),
        lambda: EditsDialog("heron report.md", shell.window.findChild(ChunkEditing), shell.theme, shell.window),
        lambda: QuestionDialog("How high?", shell.window),
        lambda: PromptDialog("How high?", (PromptAssembled((PromptSection("Rules", "Cite."),), (), ""),), shell.window),
    )


def dialogs() -> set[type]:
    """Return every class of dialogs of the program."""
    for module in pkgutil.walk_packages(workbench.ui.__path__, "workbench.ui."):
        importlib.import_module(module.name)
    made: set[type] = set()
    left = [QDialog]
    while left:
        for one in left.pop().__subclasses__():
            left.append(one)
            if one.__module__.startswith("workbench.") and not one.__subclasses__():
                made.add(one)
    return made


def test_no_key_means_two_things_in_one_place(shell: Shell) -> None:
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


def test_every_key_of_an_action_stands_on_the_sheet(shell: Shell) -> None:
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


def test_every_pane_command_is_made_by_its_pane(shell: Shell) -> None:
    shell.chat.open_session(session(run()))
    shell.inspector.show_run(run())
    shell.chat.cards[-1].findChild(QPushButton).click()
    made = {action.property(COMMAND) for widget in shell.window.findChildren(QWidget) for action in widget.actions()}
    never = {command.name for command in PANE_COMMANDS} - made
    assert never == set()


def test_texts_of_twice_the_size_fit_a_small_window(shell: Shell, qtbot: QtBot) -> None:
    shell.window.resize(1024, 640)
    shell.theme.size_text(200)
    qtbot.wait(50)
    assert clipped(shell.window) == []
    dialogs_of(shell)
    qtbot.wait(50)
    for dialog in shell.window.findChildren(QDialog):
        # Qt opens none higher than two thirds of the screen, which has 800 pixels here.
        dialog.resize(dialog.size().expandedTo(dialog.sizeHint()))
    qtbot.wait(50)
    found = {type(dialog).__name__: clipped(dialog) for dialog in shell.window.findChildren(QDialog)}
    shell.theme.size_text(100)
    assert {name: texts for name, texts in found.items() if texts} == {}


def dialogs_of(shell: Shell) -> None:
    """Open the dialogs that people use most."""
    shell.dialogs.show_settings()
    shell.dialogs.show_agents()
    shell.dialogs.show_shortcuts()
    shell.dialogs.show_bin()
    shell.dialogs.show_linked()
    shell.dialogs.show_memory()
    shell.library_pane.sources.ask_for_note()
    shell.library_pane.sources.ask_for(["https://example.org"])
