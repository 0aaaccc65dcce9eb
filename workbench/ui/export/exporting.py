"""What leads to an export or to an import, connected: commands, the list of sessions, a drop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.ui.export.taking_in import SessionIntake, bundles_among

if TYPE_CHECKING:
    from workbench.ui.export.dialog import ExportDialog
    from workbench.ui.shell import Shell


class Exporting(QObject):
    """Opens the export over a shell's window, and takes in what is dropped on it."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: ExportDialog | None = None
        self.intake = SessionIntake(shell.bridge, self)
        actions = shell.window.actions_by_name
        actions["export"].triggered.connect(self.export_current)
        actions["import_session"].triggered.connect(self._on_import)
        shell.sessions_pane.export_asked.connect(self.export)
        shell.window.drop.dropped.connect(self._on_dropped)
        self.intake.taken.connect(self._on_taken)
        self.intake.said.connect(shell.window.toast.say)
        self.intake.failed.connect(shell.window.banner.show_error)

    @property
    def dialog(self) -> ExportDialog:
        """The window of an export, made when it is first asked for."""
        if self._dialog is None:
            # Not on the way to the window.
            from workbench.ui.export.dialog import ExportDialog
            from workbench.ui.export.presenter import ExportPresenter

            presenter = ExportPresenter(self._shell.bridge, self)
            self._dialog = ExportDialog(presenter, self._shell.theme, self._shell.window)
            self._dialog.said.connect(self._shell.window.toast.say)
        return self._dialog

    @Slot()
    def export_current(self) -> None:
        """Open the export with the session that is open, or the newest."""
        sessions = self._shell.sessions
        known = [info.id for info in sessions.model.sessions()]
        self.export([sessions.current] if sessions.current is not None else known[:1])

    @Slot(list)
    def export(self, chosen: list[int]) -> None:
        """Open the export with these sessions."""
        self.dialog.begin(self._shell.library, self._shell.sessions.model.sessions(), chosen)

    @Slot()
    def _on_import(self) -> None:
        self.intake.ask(self._shell.library, self._shell.window)

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        bundles, others = bundles_among(paths)
        self.intake.take(self._shell.library, bundles)
        if others:
            self._shell.documents.offer(others)

    @Slot(object)
    def _on_taken(self, session: int) -> None:
        self._shell.sessions.restore(session)
