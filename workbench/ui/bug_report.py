"""What nothing else caught: logged, and shown as one calm sentence with the details to copy."""

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import button, label
from workbench.ui.toast import BUG, BUG_HINT

logger = logging.getLogger(__name__)


class BugReporter(QObject):
    """Takes over sys.excepthook and threading.excepthook; one dialog at a time, on the main thread.

    Signals:
        caught: A traceback, emitted on whichever thread the bug was on.
    """

    caught = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: BugDialog | None = None
        self.caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take over the hooks."""
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    @staticmethod
    def uninstall() -> None:
        """Give Python its hooks back."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        logger.error("A bug", exc_info=(kind, error, trace))
        self.caught.emit("".join(traceback.format_exception(kind, error, trace)))

    def _thread_hook(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._hook(args.exc_type, args.exc_value, args.exc_traceback)

    @Slot(str)
    def _on_caught(self, details: str) -> None:
        if self._dialog is None or not self._dialog.isVisible():
            self._dialog = BugDialog(details, self._window)
            self._dialog.show()


class BugDialog(QDialog):
    """One sentence, one hint, and the details for who wants them."""

    def __init__(self, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = details
        self.setWindowTitle("Knowledge Workbench")
        self.resize(560, 340)
        shown = QPlainTextEdit(details)
        shown.setReadOnly(True)
        shown.setAccessibleName(tr("Details"))
        buttons = QHBoxLayout()
        buttons.addWidget(button(tr("Copy details"), "secondary", self._on_copy))
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Go on"), "primary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr(BUG), "title"))
        layout.addWidget(label(tr(BUG_HINT), "muted", wrap=True))
        layout.addWidget(shown, 1)
        layout.addLayout(buttons)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
