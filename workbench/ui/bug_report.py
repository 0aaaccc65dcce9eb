"""Handler of uncaught exceptions with its dialog, the log handler for messages of Qt, and the problem report.

The details contain versions and code locations, but no text of a document, no name and no key (workbench.logs).
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, Slot, qInstallMessageHandler, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from workbench import operations
from workbench.files.modes import new_file
from workbench.language import mark, tr
from workbench.logs import masked, trace
from workbench.ui.controls import bring_up, button, label
from workbench.ui.dialog import Dialog
from workbench.ui.external_programs import open_file
from workbench.ui.messages import BUG, BUG_HINT, announce, error_words

if TYPE_CHECKING:
    from workbench.ui.app_controller import AppController
    from workbench.ui.bridge import Bridge

logger = logging.getLogger(__name__)

LAST_TIME = mark("The program ended unexpectedly the last time.")
LAST_TIME_HINT = mark(
    "Your documents and sessions are safe. These details show where it ended; they contain nothing that you wrote or "
    "read."
)


class BugReporter(QObject):
    """Installs sys.excepthook and threading.excepthook, and shows one dialog at a time on the main thread.

    Signals:
        caught: Details of an uncaught exception, emitted on its thread.
    """

    caught = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: BugDialog | None = None
        self.caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Install the hooks."""
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    @staticmethod
    def uninstall() -> None:
        """Restore Python's own hooks."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def _hook(self, kind: type[BaseException], error: BaseException, trace_back: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace_back)
            return
        logger.critical("A bug", exc_info=(kind, error, trace_back))
        self.caught.emit(trace(error))

    def _thread_hook(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._hook(args.exc_type, args.exc_value, args.exc_traceback)

    @Slot(str)
    def _on_caught(self, details: str) -> None:
        if self._dialog is None or not self._dialog.isVisible():
            self._dialog = BugDialog(details, self._window)
            self._dialog.show()


class CrashNotice(QObject):
    """Shows a notice if native code ended the previous run; checked once, after the library has been opened."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._details = ""
        self._dialog: BugDialog | None = None
        shell.settled.connect(self._on_settled, Qt.ConnectionType.SingleShotConnection)

    @Slot()
    def _on_settled(self) -> None:
        # Imported here, because the window starts without it.
        from workbench.logs.crash_marker import log_last_crash

        crash = log_last_crash()
        if crash is None:
            return
        at = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(crash.at))
        self._details = f"Ended by native code at {at} ({crash.program})\n\n{crash.trace}"
        self._shell.window.toast.show_message(tr(LAST_TIME), action=tr("Show details"), on_action=self.show_details)

    def show_details(self) -> None:
        """Show the details of the crash."""
        self._dialog = BugDialog(self._details, self._shell.window, message=(LAST_TIME, LAST_TIME_HINT))
        self._dialog.show()


class BugDialog(Dialog):
    """Dialog with one sentence, one hint, and details that can be copied."""

    def __init__(self, details: str, parent: QWidget | None = None, message: tuple[str, str] = (BUG, BUG_HINT)) -> None:
        """Create the dialog.

        Args:
            details: A trace without names.
            parent: Parent window.
            message: The sentence and the hint, marked for translation.
        """
        super().__init__(parent)
        self._details = _report(details)
        self.setWindowTitle("Knowledge Workbench")
        self.resize(620, 380)
        details_view = QPlainTextEdit(self._details)
        details_view.setReadOnly(True)
        details_view.setAccessibleName(tr("Details"))
        self._copy = button(tr("Copy details"), "secondary", self._on_copy)
        buttons = QHBoxLayout()
        buttons.addWidget(self._copy)
        buttons.addWidget(open_log_button())
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Go on"), "primary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr(message[0]), "title"))
        layout.addWidget(label(tr(message[1]), "muted", wrap=True))
        layout.addWidget(details_view, 1)
        layout.addLayout(buttons)

    @property
    def details(self) -> str:
        """Text that is copied."""
        return self._details

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
        self._copy.setText(tr("Copied"))
        announce(self, tr("Copied"))


def open_log_button() -> QPushButton:
    """Return a button that opens the log in the system's text editor."""
    return button(tr("Open log"), "ghost", _open_log)


def _open_log() -> None:
    from workbench.logs.log_file import log_folder, log_path

    path = log_path() if log_path().is_file() else log_folder()
    open_file(str(path))


def _report(details: str) -> str:
    from workbench.logs.redaction import without_names
    from workbench.operations.integrity.system_report import program_version

    return f"{program_version()}, Qt {qVersion()}\n\n{without_names(details)}"


_LEVELS = {
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_QUOTED = re.compile(r"\"[^\"]*\"?|'[^']*'|\S+://\S+")
_LONGEST = 300
_MOST = 200

_logged: set[tuple[str, str]] = set()
"""Messages that were already logged: a widget that is drawn wrongly emits its message sixty times a second."""


def listen() -> None:
    """Log warnings of Qt from now on, each once; they are also still written to stderr."""
    _logged.clear()
    qInstallMessageHandler(_on_message)


def stop_listening() -> None:
    """Restore Qt's own handler: at exit Qt may emit messages after the interpreter has ended."""
    qInstallMessageHandler(None)


def _on_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Log a message, on the thread that emits it. Quoted parts are replaced, since they may be text of the user's."""
    level = _LEVELS.get(kind)
    if level is None:
        return
    if sys.stderr is not None:  # there is none in a program without a console on Windows
        sys.stderr.write(f"{message}\n")
    category = str(context.category or "qt")
    entry = (category, _QUOTED.sub("…", masked(message))[:_LONGEST])
    if entry not in _logged and len(_logged) < _MOST:
        _logged.add(entry)
        logger.log(level, "%s: %s", *entry)


_REPORT_HINT = mark(
    "Technical details about a problem, to attach to an issue. They contain no text, names, addresses or keys, and"
    " are not sent automatically: read them first."
)
_REPORT_FILE = "knowledge-workbench-report.md"


class ProblemReportDialog(Dialog):
    """Dialog that shows the report, and copies or saves it."""

    def __init__(self, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setWindowTitle(tr("Problem report"))
        self.resize(720, 560)
        self._shown = QPlainTextEdit()
        self._shown.setReadOnly(True)
        self._shown.setAccessibleName(tr("Problem report"))
        self._shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._status = label("", "caption", wrap=True)
        self._copy = button(tr("Copy"), "secondary", self._on_copy)
        self._save = button(tr("Save…"), "primary", self._on_save)
        row = QHBoxLayout()
        row.addWidget(open_log_button())
        row.addWidget(self._status, 1)
        row.addWidget(self._copy)
        row.addWidget(self._save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr(_REPORT_HINT), "muted", wrap=True))
        layout.addWidget(self._shown, 1)
        layout.addLayout(row)

    @property
    def report(self) -> str:
        """Text of the report."""
        return self._shown.toPlainText()

    def begin(self, library: operations.Library | None) -> None:
        """Create the report and show it; library is None if none is open."""
        self._shown.setPlainText("")
        self._allow(False)
        self._status.setText(tr("Looking…"))
        bring_up(self)
        self._bridge.submit(operations.problem_report(library), done=self._on_made, failed=self._on_failed)

    def _allow(self, allowed: bool) -> None:
        self._copy.setEnabled(allowed)
        self._save.setEnabled(allowed)

    def _show_status(self, text: str) -> None:
        self._status.setText(text)
        announce(self, text)

    def _on_made(self, report: str) -> None:
        self._shown.setPlainText(report)
        self._allow(True)
        self._show_status("")

    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_status(error_words(error))

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self._show_status(tr("Copied"))

    @Slot()
    def _on_save(self) -> None:
        name, _kind = QFileDialog.getSaveFileName(
            self, tr("Save the problem report"), str(Path.home() / _REPORT_FILE), "Markdown (*.md)"
        )
        if not name:
            return
        try:
            new_file(Path(name))
            Path(name).write_text(self.report, "utf-8")
        except OSError as error:
            self._show_status(tr("The report cannot be written: {reason}.", reason=error.strerror))
        else:
            self._show_status(tr("Saved."))
