"""Geometry, docks, appearance and last session: an ini file in the library's folder, read before the database is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter

from workbench.model.memory import DEFAULT_USER
from workbench.ui.library.document_columns import OWN_KEY, Arrangement, ColumnView, Sort

T = TypeVar("T")
FILE = "window.ini"
LAYOUT_VERSION = 1
"""Raise it when docks are renamed: an older state is ignored then."""


class _StateValue(Generic[T]):
    """A value that is kept under a name, as text; of makes it of that."""

    def __init__(self, name: str, of: Callable[[str], T], default: str = "", *, own: bool = False) -> None:
        """Take the name, and whether each user has a value of their own."""
        self._name = name
        self._own = own
        self._of = of
        self._default = default

    def __get__(self, state: WindowState, _owner: type[WindowState]) -> T:
        return self._of(str(state._settings.value(self._key(state), self._default)))

    def __set__(self, state: WindowState, value: T) -> None:
        state._settings.setValue(self._key(state), str(value))

    def _key(self, state: WindowState) -> str:
        return state.own_key(self._name) if self._own else self._name


class WindowState:
    """What the window remembers of one library.

    Attributes:
        user: Who is asking: the session that was open, what was typed and not asked and what the palette found last are
            this user's, the rest is shared.
        theme: The appearance chosen last; kept here so that a dark window does not open white.
        language: The language chosen last; kept here so that the window opens in it.
        knowledge_base: The knowledge base that was chosen, nothing for all.
        new_draft: What was typed for a new session and not asked.
        documents_view: Whether the documents are shown as a table, and with which columns.
    """

    theme = _StateValue("theme", str, "system")
    language = _StateValue("language", str, "system")
    knowledge_base = _StateValue("knowledge_base", str)
    new_draft = _StateValue("new_draft", str, own=True)
    documents_view = _StateValue("documents_view", ColumnView.of)

    def __init__(self, folder: Path, user: str | None = None) -> None:
        """Take the library's folder, and who is asking; None means who asked last."""
        self._settings = QSettings(str(folder / FILE), QSettings.Format.IniFormat)
        self.user = str(self._settings.value("user", DEFAULT_USER)) if user is None else user

    def own_key(self, name: str) -> str:
        """Return under which key a value of the user's is kept."""
        return f"users/{quote(self.user, safe='')}/{name}" if self.user else name

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
        stored = str(self._settings.value(self.own_key("session"), ""))
        return int(stored) if stored.isdecimal() else None

    @session.setter
    def session(self, number: int | None) -> None:
        self._settings.setValue(self.own_key("session"), "" if number is None else number)

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
        session, _, text = str(self._settings.value(self.own_key("draft"), "")).partition(" ")
        return (int(session) if session.isdecimal() else None), text

    @draft.setter
    def draft(self, typed: tuple[int | None, str]) -> None:
        session, text = typed
        self._settings.setValue(self.own_key("draft"), f"{'new' if session is None else session} {text}")

    @property
    def recent(self) -> list[str]:
        """The keys of what was used last in the palette, the last first."""
        return str(self._settings.value(self.own_key("recent"), "")).splitlines()

    @recent.setter
    def recent(self, keys: Sequence[str]) -> None:
        # One text: a list of one would come back as a text, and one of none as nothing.
        self._settings.setValue(self.own_key("recent"), "\n".join(keys))

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
        if sort not in list(Sort) and not sort.startswith(OWN_KEY):
            return Arrangement()
        return Arrangement(Sort(sort) if sort in list(Sort) else sort, "descending" in rest, "tree" in rest)

    @arrangement.setter
    def arrangement(self, chosen: Arrangement) -> None:
        words = (str(chosen.sort), "descending" * chosen.descending, "tree" * chosen.tree)
        self._settings.setValue("arrangement", " ".join(words))

    def save_layout(self, window: QMainWindow) -> None:
        """Keep who is asking, where the window stands and how its docks lie."""
        self._settings.setValue("user", self.user)
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
