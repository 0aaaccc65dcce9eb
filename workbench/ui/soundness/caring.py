"""What the window makes of the state of its library: a quiet notice, an offer where it cannot be opened, a report."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.language import said, tr
from workbench.model.integrity_report import LibraryUnsound, Repair
from workbench.ui.soundness.out_of_use import OutOfUse

if TYPE_CHECKING:
    from workbench.ui.dialogs import Dialogs
    from workbench.ui.shell import Shell
    from workbench.ui.soundness.dialog import SoundnessDialog


class Caring(QObject):
    """Connects the check of the library with a shell's window."""

    def __init__(self, shell: Shell, dialogs: Dialogs) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialogs = dialogs
        self._repair: Repair | None = None
        self._said = ""
        self.out_of_use = OutOfUse(shell)
        self.out_of_use.repaired.connect(self._on_repaired)
        self.out_of_use.restored.connect(self._on_restored)
        shell.window.problem.repair_asked.connect(dialogs.show_soundness)
        shell.bridge.domain_event.connect(self._on_domain_event)
        shell.settled.connect(self._on_settled)

    def connect_dialog(self, dialog: SoundnessDialog) -> None:
        """Let the dialog's questions have answers."""
        dialog.repair_asked.connect(self.out_of_use.repair)
        dialog.restore_asked.connect(self.out_of_use.restore)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, LibraryUnsound):
            look = partial(self._look, event)
            self._shell.window.toast.say(said(event.message), icon="alert", action=tr("Look…"), on_action=look)

    def _look(self, event: LibraryUnsound) -> None:
        self._dialogs.soundness().begin(self._shell.library, self._shell.folder, event.faults)

    @Slot(object)
    def _on_repaired(self, repair: Repair) -> None:
        self._repair = repair

    @Slot(str)
    def _on_restored(self, text: str) -> None:
        self._said = text

    @Slot()
    def _on_settled(self) -> None:
        """Say what came of it when the library is open again; where it is not, the page says why."""
        repair, self._repair = self._repair, None
        text, self._said = self._said, ""
        if self._shell.library is None:
            return
        if repair is not None:
            dialog = self._dialogs.soundness()
            dialog.begin(self._shell.library, self._shell.folder)
            dialog.show_repair(repair)
        if text:
            self._shell.window.toast.say(text)
