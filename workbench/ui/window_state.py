"""Geometry, docks, appearance and last session: an ini file in the library's folder, read before the database is."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter

from workbench.ui.library.arrangement import Arrangement, Sort

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
    def text_percent(self) -> int:
        """How large text is written, in percent; kept here so that a window does not grow as its library opens."""
        stored = str(self._settings.value("text_percent", ""))
        return min(200, max(80, int(stored))) if stored.isdecimal() else 100

    @text_percent.setter
    def text_percent(self, percent: int) -> None:
        self._settings.setValue("text_percent", percent)

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

    @property
    def draft(self) -> tuple[int | None, str]:
        """What stood in the question field and was not asked, and the session it was typed in: None for a new one."""
        session, _, text = str(self._settings.value("draft", "")).partition(" ")
        return (int(session) if session.isdecimal() else None), text

    @draft.setter
    def draft(self, typed: tuple[int | None, str]) -> None:
        session, text = typed
        self._settings.setValue("draft", f"{'new' if session is None else session} {text}")

    @property
    def new_draft(self) -> str:
        """What was typed for a new session and not asked."""
        return str(self._settings.value("new_draft", ""))

    @new_draft.setter
    def new_draft(self, text: str) -> None:
        self._settings.setValue("new_draft", text)

    @property
    def recent(self) -> list[str]:
        """The keys of what was used last in the palette, the last first."""
        return str(self._settings.value("recent", "")).splitlines()

    @recent.setter
    def recent(self, keys: Sequence[str]) -> None:
        # One text: a list of one would come back as a text, and one of none as nothing.
        self._settings.setValue("recent", "\n".join(keys))

    @property
    def document(self) -> int | None:
        """The document that was selected last, None for none."""
        stored = str(self._settings.value("document", ""))
        return int(stored) if stored.isdecimal() else None

    @document.setter
    def document(self, number: int | None) -> None:
        self._settings.setValue("document", "" if number is None else number)

    @property
    def arrangement(self) -> Arrangement:
        """How the documents are put in order."""
        sort, _, rest = str(self._settings.value("arrangement", "")).partition(" ")
        if sort not in list(Sort):
            return Arrangement()
        return Arrangement(Sort(sort), "descending" in rest, "tree" in rest)

    @arrangement.setter
    def arrangement(self, chosen: Arrangement) -> None:
        words = (chosen.sort.value, "descending" * chosen.descending, "tree" * chosen.tree)
        self._settings.setValue("arrangement", " ".join(words))

    def save_layout(self, window: QMainWindow) -> None:
        """Keep where the window stands and how its docks lie."""
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("docks", window.saveState(LAYOUT_VERSION))
        for splitter in _named_splitters(window):
            self._settings.setValue(f"splitters/{splitter.objectName()}", splitter.saveState())
        self._settings.sync()

    def restore_splitters(self, window: QMainWindow) -> None:
        """Put the edges within the panes back; those that have a name are remembered."""
        for splitter in _named_splitters(window):
            stored = self._settings.value(f"splitters/{splitter.objectName()}")
            if isinstance(stored, QByteArray):
                splitter.restoreState(stored)

    def restore_layout(self, window: QMainWindow) -> bool:
        """Put the window back; False when nothing is remembered."""
        geometry, docks = self._settings.value("geometry"), self._settings.value("docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)


def _named_splitters(window: QMainWindow) -> list[QSplitter]:
    return [splitter for splitter in window.findChildren(QSplitter) if splitter.objectName()]
