"""Accessible names: everything that can be pressed, typed into or chosen from has one."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from ui_runs import run, session

from workbench.app import build_window
from workbench.model.knowledge_base import LinkedFolder
from workbench.model.profile import ModelProfile
from workbench.ui.app_controller import AppController
from workbench.ui.dialog_manager import ShortcutSheet
from workbench.ui.library.bin_dialog import BinDialog
from workbench.ui.library.linked_folders_dialog import LinkedFoldersDialog
from workbench.ui.settings.embedder_card import EmbedderCard
from workbench.ui.settings.settings_dialog import SettingsDialog

CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
# Created by Qt itself, inside controls that have a name.
INNER = ("qt_", "ScrollLeftButton", "ScrollRightButton")


def is_inside(widget: QWidget) -> bool:
    """Return whether a control is part of another: the field of a spin box, the list of a combo box."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, (QComboBox, QAbstractSpinBox)) or (
            isinstance(parent, QLineEdit) and isinstance(widget, QAbstractButton)
        ):
            return True
        parent = parent.parentWidget()
    return False


def nameless(root: QWidget) -> list[str]:
    """Return the controls below a widget without a name."""
    found = []
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or isinstance(widget, (QHeaderView, QScrollArea)) or is_inside(widget):
            continue
        if widget.objectName().startswith(INNER):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if not (widget.accessibleName() or text).strip():
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
    return found


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    made = build_window(tmp_path / "library")
    qtbot.addWidget(made.window, before_close_func=lambda _window: made.shut_down())
    with qtbot.waitSignal(made.settled, timeout=10_000):
        made.window.show()
    return made


def test_every_control_of_the_window_has_a_name(shell: AppController) -> None:
    shell.chat.open_session(session(run(), run(number=2)))
    shell.inspector.show_run(run())
    assert len(shell.window.findChildren(QAbstractButton)) > 20
    assert nameless(shell.window) == []


def test_every_control_of_the_settings_has_a_name(shell: AppController) -> None:
    shell.settings.profiles = [*shell.settings.profiles, ModelProfile("local", "http://127.0.0.1:1/v1", "m")]
    dialog = SettingsDialog(shell.settings, shell.theme, shell.window)
    dialog.fill()
    assert nameless(dialog) == []


def test_every_control_of_the_sheet_of_keys_has_a_name(shell: AppController) -> None:
    assert nameless(ShortcutSheet(shell.window)) == []


def test_every_control_of_the_linked_folders_and_the_bin_has_a_name(shell: AppController) -> None:
    shell.linked.folders = [LinkedFolder(1, "default", "/docs/papers", "2026-01-01T00:00:00+00:00")]
    for dialog in (
        LinkedFoldersDialog(shell.linked, shell.theme, shell.window),
        BinDialog(shell.linked, shell.settings, shell.theme, shell.window),
        EmbedderCard(shell.embedder),
    ):
        assert len(dialog.findChildren(QAbstractButton)) > 2
        assert nameless(dialog) == []
