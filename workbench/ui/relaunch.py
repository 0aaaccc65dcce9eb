"""Rebuilds the window in another language, on the same library and at the same position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr
from workbench.ui.app_controller import AppController, closing


class Relaunch(QObject):
    """Owner of the current window, which it replaces when the language changes.

    Texts are translated when a widget is created, and there are many widgets: recreating the window takes less than
    half a second and leaves nothing in the previous language. A running answer is finished first; other work (an
    import, a reading) continues in the new window as it does after a start.

    Signals:
        renewed: The AppController of the new window, before that is shown.

    Attributes:
        shell: Controller of the current window.
    """

    renewed = Signal(object)

    def __init__(self, shell: AppController, build: Callable[[Path], AppController]) -> None:
        """Watch a window; build creates another one on a library's folder, with the state saved there."""
        super().__init__()
        self.shell = shell
        self._build = build
        self._is_wanted = False
        self._was_choosing = False
        self._watch(shell)

    def _watch(self, shell: AppController) -> None:
        shell.language_chosen.connect(self._on_language_chosen)
        shell.chat.running_changed.connect(self._on_running_changed)

    @Slot()
    def _on_language_chosen(self) -> None:
        self._is_wanted = True
        if self.shell.chat.running:
            self.shell.window.toast.show_message(tr("The language changes when the answer is finished."))
        else:
            self._renew()

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        if self._is_wanted and not running:
            self._renew()

    def _renew(self) -> None:
        self._is_wanted = False
        old = self.shell
        # Settings that the old window loaded before it was closed would request another window.
        old.language_chosen.disconnect(self._on_language_chosen)
        old.chat.running_changed.disconnect(self._on_running_changed)
        self._was_choosing = old.dialogs.is_choosing
        old.save()
        library = old.let_go()
        if library is None:
            self._show_new_window(None)
        else:
            old.bridge.submit(closing(library), done=self._show_new_window)

    def _show_new_window(self, _closed: None) -> None:
        old = self.shell
        # Bridge and theme are replaced, too: not all their receivers are widgets, whose connections end with them.
        old.bridge.stop()
        new = self._build(old.folder)
        self.shell = new
        self._watch(new)
        self.renewed.emit(new)
        new.settled.connect(self._reopen_settings)
        new.window.show()
        old.put_away()

    @Slot()
    def _reopen_settings(self) -> None:
        self.shell.settled.disconnect(self._reopen_settings)
        if self._was_choosing:
            self.shell.dialogs.show_setting("language")
