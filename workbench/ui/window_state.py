"""Geometry, docks, appearance and last session: an ini file in the library's folder, read before the database is."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

FILE = "window.ini"
LAYOUT_VERSION = 1
"""Raise it when docks are renamed: an older state is ignored then."""


class WindowState:
    """What the window remembers of one library."""

    def __init__(self, folder: Path) -> None:
        self._settings = QSettings(str(folder / FILE), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """The appearance chosen last; kept here so that a dark window does not open white."""
        return str(self._settings.value("theme", "system"))

    @theme.setter
    def theme(self, choice: str) -> None:
        self._settings.setValue("theme", choice)

    @property
    def session(self) -> int | None:
        """The session that was open, None for none."""
        stored = str(self._settings.value("session", ""))
        return int(stored) if stored.isdecimal() else None

    @session.setter
    def session(self, number: int | None) -> None:
        self._settings.setValue("session", "" if number is None else number)

    @property
    def knowledge_base(self) -> str:
        """The knowledge base that was chosen, nothing for all."""
        return str(self._settings.value("knowledge_base", ""))

    @knowledge_base.setter
    def knowledge_base(self, name: str) -> None:
        self._settings.setValue("knowledge_base", name)

    @property
    def has_documents(self) -> bool:
        """Whether there were documents; so that the window need not change its invitation once the library is open."""
        return str(self._settings.value("has_documents", "")) == "true"

    @has_documents.setter
    def has_documents(self, any_documents: bool) -> None:
        self._settings.setValue("has_documents", any_documents)

    def save_layout(self, window: QMainWindow) -> None:
        """Keep where the window stands and how its docks lie."""
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("docks", window.saveState(LAYOUT_VERSION))
        self._settings.sync()

    def restore_layout(self, window: QMainWindow) -> bool:
        """Put the window back; False when nothing is remembered."""
        geometry, docks = self._settings.value("geometry"), self._settings.value("docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)
