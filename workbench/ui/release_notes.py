"""Release notes of this version; notices of a newer one in the release feed, and of an update while this one runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

import workbench
from workbench import operations
from workbench.language import mark, tr, translate
from workbench.ui.controls import bring_up, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.external_programs import InertBrowser, offer_link

if TYPE_CHECKING:
    from workbench.model.release import ReleaseCheck
    from workbench.settings import Settings
    from workbench.ui.app_controller import AppController
    from workbench.ui.dialog_manager import DialogManager

_TITLE = mark("What is new")
_AGAIN_MS = 24 * 60 * 60 * 1000
"""Interval of the question in a window that stays open; the operation itself asks at most once a day."""


_LOOK_MS = 60_000


class ReleaseNotesDialog(Dialog):
    """Dialog with the newest section of the changelog, and with what the release feed named."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell.window)
        self._shell = shell
        self._address = ""
        self.setWindowTitle(tr(_TITLE))
        self.resize(720, 600)
        self._state = label("", "muted", wrap=True)
        self._newer = label("", "caption", wrap=True)
        self._newer.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._changes = InertBrowser()
        self._changes.setAccessibleName(tr(_TITLE))
        self._changes.anchorClicked.connect(self._on_link)
        self._page = button(tr("Open its page…"), "secondary", self._on_page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr("This is version {version}.", version=workbench.__version__), "heading"))
        layout.addWidget(self._state)
        layout.addWidget(self._newer)
        layout.addWidget(self._changes, 1)
        layout.addLayout(dialog_foot(self._page, button(tr("Close"), "primary", self.close)))

    @property
    def text(self) -> str:
        """Everything that the dialog says, for tests."""
        return "\n".join((self._state.text(), self._newer.text(), self._changes.toPlainText()))

    def begin(self) -> None:
        """Read the changelog and the outcome of the last question, and show both."""
        self._show_check(None)
        bring_up(self)
        self._shell.bridge.submit(operations.whats_new(self._shell.library), done=self._on_read)

    def _on_read(self, found: tuple[str, ReleaseCheck | None]) -> None:
        changes, check = found
        self._changes.setMarkdown(changes)
        self._show_check(check)

    def _show_check(self, check: ReleaseCheck | None) -> None:
        release = check.release if check is not None else None
        self._address = release.address if release is not None else ""
        self._state.setText(translate(check.sentence) if check is not None else "")
        self._state.setVisible(check is not None)
        lines = []
        if release is not None:
            hash_line = tr("SHA-256: {hash}", hash=release.sha256) if release.sha256 else ""
            lines = [line for line in (release.address, hash_line, release.notes) if line]
        self._newer.setText("\n".join(lines))
        self._newer.setVisible(bool(lines))
        self._page.setVisible(release is not None)

    @Slot(QUrl)
    def _on_link(self, address: QUrl) -> None:
        offer_link(address, self)

    @Slot()
    def _on_page(self) -> None:
        offer_link(self._address, self)


class ReplacementNotice(QObject):
    """Looks every minute whether the program was updated or removed while it runs, and says so once."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    @Slot()
    def look(self) -> None:
        """Look now."""
        self._shell.bridge.submit(operations.require_program(), failed=self._on_failed)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._timer.stop()
        self._shell.window.banner.show_error(error, details)


class ReleaseNotice(QObject):
    """Asks the release feed where one is set, and announces each newer version once."""

    def __init__(self, shell: AppController, dialogs: DialogManager, parent: QWidget | None = None) -> None:
        super().__init__(parent or shell)
        self._shell = shell
        self._dialogs = dialogs
        self._feed = ""
        self._timer = QTimer(self)
        self._timer.setInterval(_AGAIN_MS)
        self._timer.timeout.connect(self.ask)
        shell.settings.settings_changed.connect(self._on_settings)

    @Slot()
    def ask(self) -> None:
        """Ask, if a day has passed since the last time."""
        library = self._shell.library
        if library is not None and self._feed:
            self._shell.bridge.submit(operations.announce_release(library), done=self._on_asked, failed=self._on_failed)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        is_other = settings.update_feed != self._feed
        self._feed = settings.update_feed
        if not self._feed:
            self._timer.stop()
        elif is_other:
            self._timer.start()
            self.ask()

    def _on_asked(self, check: ReleaseCheck | None) -> None:
        if check is not None:
            self._shell.window.toast.show_message(
                translate(check.sentence), action=tr(_TITLE), on_action=self._dialogs.show_release_notes
            )

    def _on_failed(self, _error: BaseException, _details: str) -> None:
        """Say nothing: the outcome is in the dialog and in the list of requests."""
