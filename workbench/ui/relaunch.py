"""Another language: the window is made anew in it, on the same library, where the old one stood."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr
from workbench.ui.app_controller import AppController, closing


class Relaunch(QObject):
    """Holds the window that is open now.

    Texts are said when a widget is made, and widgets are many: to make the window again takes less than half a second
    and leaves nothing behind in the language of before. An answer that is under way is waited for; what else goes on
    (an import, a reading) goes on in the new window as it does after a start.

    Signals:
        renewed: The Shell that took the other one's place, before its window is shown.

    Attributes:
        shell: The window that is open now.
    """

    renewed = Signal(object)

    def __init__(self, shell: AppController, build: Callable[[Path], AppController]) -> None:
        """Watch a window; build makes another one on a library's folder, as that folder remembers it."""
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
            self.shell.window.toast.say(tr("The language changes when the answer is there."))
        else:
            self._renew()

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        if self._is_wanted and not running:
            self._renew()

    def _renew(self) -> None:
        self._is_wanted = False
        old = self.shell
        self._was_choosing = old.dialogs.is_choosing
        old.save()
        library = old.let_go()
        if library is None:
            self._show_anew(None)
        else:
            old.bridge.submit(closing(library), done=self._show_anew)

    def _show_anew(self, _closed: None) -> None:
        old = self.shell
        # Bridge and theme, too: who listens to them is not always a widget, which takes its connections with it.
        old.bridge.stop()
        new = self._build(old.folder)
        self.shell = new
        self._watch(new)
        self.renewed.emit(new)
        new.settled.connect(self._go_where_it_was_chosen)
        new.window.show()
        old.put_away()

    @Slot()
    def _go_where_it_was_chosen(self) -> None:
        self.shell.settled.disconnect(self._go_where_it_was_chosen)
        if self._was_choosing:
            self.shell.dialogs.show_setting("language")
