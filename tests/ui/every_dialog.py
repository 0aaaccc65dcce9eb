"""Iteration over every dialog of the program, opened on a window one after another."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot
from ui_runs import chunk, run

import workbench.ui
from workbench.model.extensions import PluginText
from workbench.model.run import PromptAssembled, PromptSection, TimedEvent, ToolCompleted
from workbench.ui.app_controller import AppController
from workbench.ui.bug_report import BugDialog
from workbench.ui.chat.answer_replay import ResultDialog
from workbench.ui.chat.prompt_dialog import PromptDialog
from workbench.ui.chat.run_card import AskInsteadDialog
from workbench.ui.comparison.comparison_dialog import ComparisonDialog
from workbench.ui.external_programs import LinkDialog
from workbench.ui.inspector.chunk_edit_presenter import ChunkEditPresenter
from workbench.ui.inspector.edits_dialog import EditsDialog
from workbench.ui.inspector.passage_editing import ChunkTagsDialog
from workbench.ui.library.import_dialogs import PasswordPrompt, ReviewSheet
from workbench.ui.library.shared_libraries_dialog import MembersDialog
from workbench.ui.palette.palette_sources import PaletteSources
from workbench.ui.palette.presenter import PaletteEntryKind
from workbench.ui.retrievers.retrievers_dialog import ReviewDialog
from workbench.ui.settings.profile_form import ModelList

NOT_GIVEN = {
    *("command:quit", "command:library.open", "command:other_library"),
    *("command:library.remove", "command:sessions.remove", "command:offline_mode"),
    # Each styles all windows again: 5 s with those of this iteration.
    *("command:larger_text", "command:smaller_text", "command:usual_text"),
}
"""Commands that would end the iteration, show a message over one of its dialogs, or take long and open none."""


def every_dialog(shell: AppController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[QDialog]:
    """Yield each kind of dialog once, shown and active; close it afterwards.

    The commands are triggered one after another, and then the dialogs without a command are opened.
    """
    seen: set[type] = set()
    with monkeypatch.context() as patched:
        _choose_nothing(patched)
        for entry in PaletteSources(shell).entries():
            if entry.kind is PaletteEntryKind.COMMAND and entry.key not in NOT_GIVEN and "Export" not in entry.detail:
                entry.run()
                qtbot.wait(1)
                yield from _open(shell, seen)
        for make in others(shell):
            make().show()
            yield from _open(shell, seen)


def _open(shell: AppController, seen: set[type]) -> Iterator[QDialog]:
    for dialog in [one for one in shell.window.findChildren(QDialog) if one.isVisible()]:
        if type(dialog) not in seen:
            seen.add(type(dialog))
            dialog.activateWindow()
            yield dialog
        dialog.close()


def _always(value: object) -> Callable[..., object]:
    return lambda *_args, **_options: value


def _show(dialog: QDialog) -> int:
    """Show a modal dialog."""
    dialog.show()
    return 0


def _choose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer modal questions as if they were cancelled."""
    nothing = {"getOpenFileName": ("", ""), "getOpenFileNames": ([], ""), "getSaveFileName": ("", "")}
    for name, value in (*nothing.items(), ("getExistingDirectory", "")):
        monkeypatch.setattr(QFileDialog, name, _always(value))
    monkeypatch.setattr(QInputDialog, "getText", _always(("", False)))
    monkeypatch.setattr(QMessageBox, "exec", lambda *_a: 0)
    monkeypatch.setattr(QDialog, "exec", _show)


def others(shell: AppController) -> tuple[Callable[[], QDialog], ...]:
    """Return functions that open the dialogs without a command: they need a pending question, an error or a lock."""
    completed = TimedEvent(0, 0.5, ToolCompleted("1", "search", "found", 3.0))
    return (
        lambda: ResultDialog(completed, shell.window),
        lambda: LinkDialog("https://example.org/a", shell.window),
        lambda: BugDialog("details", shell.window),
        lambda: PasswordPrompt(shell.documents, shell.theme, shell.window),
        lambda: ReviewSheet(shell.window),
        lambda: MembersDialog(shell.shared, "team/papers", shell.theme, shell.window),
        lambda: ReviewDialog(PluginText("minutes.py", "0" * 64, "def retrieve(query): ..."), shell.window),
        lambda: ChunkTagsDialog(chunk(1), shell.theme, shell.window),
        lambda: EditsDialog(shell.window.findChild(ChunkEditPresenter), shell.theme, shell.window),
        lambda: AskInsteadDialog("How high?", shell.window),
        lambda: ModelList(("gemma3", "llama3.2"), "gemma3", shell.window),
        lambda: ComparisonDialog(shell.bridge, shell.theme, (run(), run(number=2)), run(), shell.window),
        lambda: PromptDialog("How high?", (PromptAssembled((PromptSection("Rules", "Cite."),), (), ""),), shell.window),
    )


def dialogs() -> set[type]:
    """Return every dialog class of the program."""
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
