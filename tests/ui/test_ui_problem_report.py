"""Error reports that are shown and copied: the location of the error, and nothing personal."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from ui_window import open_window

from workbench.logs import crash_marker, keep_secret
from workbench.logs.crash_marker import CrashReport
from workbench.ui.bug_report import BugDialog, BugReporter, CrashNotice, ProblemReportDialog

SECRET = "Frau Amsel wird entlassen"
KEY = "canary-key-0917-zkq4"


def pressed(dialog: QWidget, text: str) -> None:
    next(one for one in dialog.findChildren(QPushButton) if one.text() == text).click()


@pytest.mark.logs_warnings
def test_a_bug_is_shown_and_copied_without_what_its_exception_quotes(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_secret(KEY)
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    reporter = BugReporter(window)
    try:
        raise ValueError(f"{SECRET} {KEY} {Path.home()}")
    except ValueError as error:
        with qtbot.waitSignal(reporter.caught):
            reporter._hook(ValueError, error, error.__traceback__)
    qtbot.waitUntil(lambda: reporter._dialog is not None)
    dialog = reporter._dialog
    assert dialog is not None
    pressed(dialog, "Copy details")
    copied = QGuiApplication.clipboard().text()
    assert copied == dialog.findChild(QPlainTextEdit).toPlainText()
    assert "ValueError" in copied
    assert "test_ui_problem_report.py" in copied
    assert "Knowledge Workbench 0." in copied
    assert not [private for private in (SECRET, KEY, str(Path.home()) + "/") if private in copied]
    dialog.close()


class FakeShell(QObject):
    """Stand-in for the window, as far as CrashNotice uses it."""

    settled = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self.window = window
        self.said: list[tuple[str, str]] = []
        window.toast = SimpleNamespace(show_message=self._show_message)  # type: ignore[attr-defined]

    def _show_message(self, text: str, *, action: str = "", on_action: object = None) -> None:
        self.said.append((text, action))


@pytest.mark.logs_warnings
@pytest.mark.parametrize("crash", [None, CrashReport("window", 0.0, "Fatal Python error: Segmentation fault")])
def test_a_start_after_a_native_crash_shows_one_calm_notice(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, crash: CrashReport | None
) -> None:
    monkeypatch.setattr(crash_marker, "last_crash", lambda: crash)
    window = QWidget()
    qtbot.addWidget(window)
    shell = FakeShell(window)
    last = CrashNotice(shell)  # type: ignore[arg-type]
    shell.settled.emit()
    shell.settled.emit()
    if crash is None:
        assert shell.said == []
        return
    assert shell.said == [("The program ended unexpectedly the last time.", "Show details")]
    last.show_details()
    assert last._dialog is not None
    assert "Segmentation fault" in last._dialog.details
    last._dialog.close()


def test_the_problem_report_of_the_window_contains_no_names_and_is_saved_to_the_chosen_file(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_readers: None
) -> None:
    shell = open_window(qtbot, tmp_path / "Frau Amsel")
    shell.window.actions_by_name["problem_report"].trigger()
    dialog = shell.dialogs._report
    assert isinstance(dialog, ProblemReportDialog)
    qtbot.waitUntil(lambda: "## Library" in dialog.report, timeout=20_000)
    assert "Amsel" not in dialog.report
    assert str(tmp_path) not in dialog.report
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "report.md"), ""))
    pressed(dialog, "Save…")
    assert (tmp_path / "report.md").read_text("utf-8") == dialog.report
    dialog.close()


def test_without_a_library_there_is_a_report_too(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "library").write_text("a file where a folder should be")
    shell = open_window(qtbot, tmp_path / "library")
    assert shell.library is None
    action = shell.window.actions_by_name["problem_report"]
    assert action.isEnabled()
    action.trigger()
    dialog = shell.dialogs._report
    assert dialog is not None
    qtbot.waitUntil(lambda: "not looked at" in dialog.report, timeout=20_000)
    dialog.close()


def test_details_are_shown_without_names(qtbot: QtBot) -> None:
    dialog = BugDialog("FileNotFoundError: [2] No such file ‹/home/ada/Amsel.pdf›")
    qtbot.addWidget(dialog)
    assert "‹….pdf›" in dialog.details
    assert "Amsel" not in dialog.details
