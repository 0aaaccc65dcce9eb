"""Desktop notifications about finished long tasks while the window is inactive.

They name the task and its amount, never the contents of a document or a question: others may see the screen.
"""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, Qt, Slot
from PySide6.QtGui import QGuiApplication

from workbench.language import tr, trn
from workbench.model.exhaustive import ReadingBegan
from workbench.ui.main_window import TITLE
from workbench.ui.single_instance import bring_to_front
from workbench.worker.environment import environment_for_programs

if TYPE_CHECKING:
    from PySide6.QtWidgets import QSystemTrayIcon

    from workbench.ui.app_controller import AppController
    from workbench.ui.library.imports import ImportState

LONG = 30.0
"""Seconds after which a person is assumed to have switched to another task."""
_SENDER = "notify-send"
_ICON = "knowledge-workbench"
_SHOWN_FOR = 10_000


class Notifications(QObject):
    """Watches the long tasks of a window."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._began: dict[str, float] = {}
        self._files = 0
        self._tray: QSystemTrayIcon | None = None
        shell.documents.import_changed.connect(self._on_import_changed)
        shell.chat.running_changed.connect(self._on_answer)
        shell.bridge.domain_event.connect(self._on_domain_event)

    def begin(self, what: str) -> None:
        """Record the start of a task; `what` identifies it for end()."""
        self._began.setdefault(what, time.monotonic())

    def end(self, what: str, text: str) -> None:
        """Notify about the end of a task that took long, if the window is inactive and notifications are enabled."""
        began = self._began.pop(what, None)
        if began is None or time.monotonic() - began < LONG or self._is_active():
            return
        if self._shell.settings.settings.notifications == "yes":
            self.show(text)

    def show(self, text: str) -> None:
        """Show a desktop notification: in the system tray, or, without a tray, through notify-send."""
        from PySide6.QtWidgets import QSystemTrayIcon

        if QSystemTrayIcon.isSystemTrayAvailable():
            self._show_in_tray(text)
        elif sender := shutil.which(_SENDER):
            # “--” ends the options, so that a text is never parsed as one.
            with environment_for_programs():
                QProcess.startDetached(sender, ["--app-name", TITLE, "--icon", _ICON, "--", TITLE, text])

    @Slot(object)
    def _on_import_changed(self, state: ImportState) -> None:
        if state.running:
            self._files = max(self._files, state.files)
            self.begin("import")
        else:
            files, self._files = self._files, 0
            read = trn("{n:,} file read.", "{n:,} files read.", files)
            self.end("import", read if files else tr("Your documents are up to date."))

    @Slot(bool)
    def _on_answer(self, running: bool) -> None:
        if running:
            self.begin("answer")
        else:
            self.end("answer", tr("Your answer is ready."))

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        presenter = self._shell.exhaustive.presenter if isinstance(event, ReadingBegan) else None
        if presenter is not None:
            self.begin("reading")
            # UniqueConnection: connecting again has no effect, so each reading is notified once.
            presenter.notified.connect(self._on_reading_notified, Qt.ConnectionType.UniqueConnection)

    @Slot(str, bool)
    def _on_reading_notified(self, _text: str, _undoable: bool) -> None:
        presenter = self._shell.exhaustive.presenter
        if presenter is not None and presenter.running is None:
            self.end("reading", tr("Your documents have been read for your question."))

    def _is_active(self) -> bool:
        return QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive

    def _show_in_tray(self, text: str) -> None:
        from PySide6.QtWidgets import QSystemTrayIcon

        if self._tray is None:
            self._tray = QSystemTrayIcon(self._shell.window.windowIcon(), self)
            self._tray.setToolTip(TITLE)
            self._tray.messageClicked.connect(self._on_clicked)
        self._tray.show()
        self._tray.showMessage(TITLE, text, self._shell.window.windowIcon(), _SHOWN_FOR)

    @Slot()
    def _on_clicked(self) -> None:
        bring_to_front(self._shell)
