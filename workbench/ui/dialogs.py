"""The windows beside the window: settings, the sheet of keys, the choice of a library; made when first asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from workbench.ui.settings.dialog import SettingsDialog
    from workbench.ui.shell import Shell
    from workbench.ui.shortcuts import ShortcutSheet


class Dialogs(QObject):
    """Opens them over a shell's window."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: SettingsDialog | None = None
        self._shortcuts: ShortcutSheet | None = None

    @Slot()
    def show_settings(self) -> None:
        """Open the settings."""
        if self._dialog is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.settings.dialog import SettingsDialog

            self._dialog = SettingsDialog(self._shell.settings, self._shell.theme, self._shell.window)
        self._dialog.show()
        self._dialog.raise_()

    @Slot()
    def show_models(self) -> None:
        """Open the settings at the model profiles."""
        self.show_settings()
        if self._dialog is not None:
            self._dialog.show_models()

    @Slot()
    def choose_library(self) -> None:
        """Ask for the folder of another library and open that."""
        name = QFileDialog.getExistingDirectory(
            self._shell.window, "Open another library", str(self._shell.folder.parent)
        )
        if name:
            self._shell.open_other(Path(name))

    @Slot()
    def show_shortcuts(self) -> None:
        """Open the sheet of keys."""
        if self._shortcuts is None:
            from workbench.ui.shortcuts import ShortcutSheet

            self._shortcuts = ShortcutSheet(self._shell.window)
        self._shortcuts.show()
