"""Geometry, docks, panes and drafts: saved in an ini file of the library's folder, restored at the next start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import quote

from PySide6.QtCore import QByteArray, QObject, QSettings, Slot
from PySide6.QtWidgets import QMainWindow, QSplitter

from workbench import operations
from workbench.model.document import ORIGINALS
from workbench.model.memory import DEFAULT_USER
from workbench.ui.library.document_columns import KINDS, OWN_KEY, Arrangement, ColumnView

if TYPE_CHECKING:
    from workbench.model.session import Session
    from workbench.ui.app_controller import AppController

T = TypeVar("T")
FILE = "window.ini"
LAYOUT_VERSION = 1
"""Must be raised when docks are renamed: older states are then ignored."""


class _StateValue(Generic[T]):
    """Descriptor of a value that is stored as text; of converts the text."""

    def __init__(self, name: str, of: Callable[[str], T], default: str = "", *, own: bool = False) -> None:
        """Take the key, the converter, the default text, and whether each user has a separate value."""
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
    """Saved state of a library's window.

    Attributes:
        user: Current user: the open session, the drafts and the recent palette entries are stored per user, everything
            else is shared.
        knowledge_base: The knowledge base chosen last, empty for all.
        new_draft: Text typed for a new session but not sent.
        waiting_docks: Names of the docks that are hidden because they never had any content, with spaces between.
        narrow_docks: Names of the docks that are hidden because the window is narrow, with spaces between.
        documents_view: Whether the documents are shown as a table, and with which columns.
    """

    knowledge_base = _StateValue("knowledge_base", str)
    new_draft = _StateValue("new_draft", str, own=True)
    documents_view = _StateValue("documents_view", ColumnView.of)
    waiting_docks = _StateValue("waiting_docks", str)
    narrow_docks = _StateValue("narrow_docks", str)

    def __init__(self, folder: Path, user: str | None = None) -> None:
        """Take the library's folder, and the user; None uses the previous one."""
        self._folder = folder
        self._settings = QSettings(str(folder / FILE), QSettings.Format.IniFormat)
        self.user = str(self._settings.value("user", DEFAULT_USER)) if user is None else user

    def own_key(self, name: str) -> str:
        """Return the key of a value that is stored per user."""
        return f"users/{quote(self.user, safe='')}/{name}" if self.user else name

    @property
    def session(self) -> int | None:
        """Number of the open session, None for none."""
        stored = str(self._settings.value(self.own_key("session"), ""))
        return int(stored) if stored.isdecimal() else None

    @session.setter
    def session(self, number: int | None) -> None:
        self._settings.setValue(self.own_key("session"), "" if number is None else number)

    @property
    def has_documents(self) -> bool:
        """True if there were documents, so that the window shows the right invitation before the library is open."""
        stored = str(self._settings.value("has_documents", ""))
        if stored:
            return stored == "true"
        # No window was closed on this library, but the command line may have filled it. store.backups.has_copies looks
        # more closely, but would import SQLite before the first paint.
        return any((self._folder / ORIGINALS).glob("*"))

    @has_documents.setter
    def has_documents(self, any_documents: bool) -> None:
        self._settings.setValue("has_documents", any_documents)

    @property
    def draft(self) -> tuple[int | None, str]:
        """Text of the question field that was not sent, and the session it was typed in: None for a new one."""
        session, _, text = str(self._settings.value(self.own_key("draft"), "")).partition(" ")
        return (int(session) if session.isdecimal() else None), text

    @draft.setter
    def draft(self, typed: tuple[int | None, str]) -> None:
        session, text = typed
        self._settings.setValue(self.own_key("draft"), f"{'new' if session is None else session} {text}")

    @property
    def recent(self) -> list[str]:
        """Keys of the recently used palette entries, the latest first."""
        return str(self._settings.value(self.own_key("recent"), "")).splitlines()

    @recent.setter
    def recent(self, keys: Sequence[str]) -> None:
        # Stored as one text: QSettings returns a list of one item as a text, and an empty list as None.
        self._settings.setValue(self.own_key("recent"), "\n".join(keys))

    @property
    def document(self) -> int | None:
        """Number of the document selected last, None for none."""
        stored = str(self._settings.value("document", ""))
        return int(stored) if stored.isdecimal() else None

    @document.setter
    def document(self, number: int | None) -> None:
        self._settings.setValue("document", "" if number is None else number)

    @property
    def arrangement(self) -> Arrangement:
        """Sort order of the documents."""
        sort, _, rest = str(self._settings.value("arrangement", "")).partition(" ")
        if sort not in KINDS and not sort.startswith(OWN_KEY):
            return Arrangement()
        return Arrangement(sort, "descending" in rest, "tree" in rest)

    @arrangement.setter
    def arrangement(self, chosen: Arrangement) -> None:
        words = (str(chosen.sort), "descending" * chosen.descending, "tree" * chosen.tree)
        self._settings.setValue("arrangement", " ".join(words))

    def save_layout(self, window: QMainWindow) -> None:
        """Save the user, the geometry of the window and the layout of its docks."""
        self._settings.setValue("user", self.user)
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.setValue("docks", window.saveState(LAYOUT_VERSION))
        for splitter in _named_splitters(window):
            self._settings.setValue(f"splitters/{splitter.objectName()}", splitter.saveState())
        self._settings.sync()

    def restore_splitters(self, window: QMainWindow) -> None:
        """Restore the splitters within the panes that have an object name."""
        for splitter in _named_splitters(window):
            stored = self._settings.value(f"splitters/{splitter.objectName()}")
            if isinstance(stored, QByteArray):
                splitter.restoreState(stored)

    def restore_layout(self, window: QMainWindow) -> bool:
        """Restore the window; False if nothing is stored."""
        geometry, docks = self._settings.value("geometry"), self._settings.value("docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)


def _named_splitters(window: QMainWindow) -> list[QSplitter]:
    return [splitter for splitter in window.findChildren(QSplitter) if splitter.objectName()]


class Drafts(QObject):
    """Drafts of the sessions, stored in the library and in the window state.

    The library stores the drafts of saved sessions. The window state stores the draft of a new session and the current
    draft at exit, when the worker is being stopped and can write nothing. Drafts are also cached here, because the
    library may be asked for a draft before it has written it.
    """

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._field = shell.chat.question_field
        self._session: int | None = None
        self._new_draft = ""
        self._cached_drafts: dict[int, str] = {}
        self._is_restored = False
        shell.sessions.opened.connect(self._on_opened)
        shell.chat.session_changed.connect(self._on_session_changed)

    def restore(self) -> None:
        """Restore the draft saved when the window was closed; the first time, text typed meanwhile is kept."""
        state = self._shell.state
        self._session, text = state.draft
        self._new_draft = state.new_draft
        self._cached_drafts.clear()
        if self._is_restored or not self._text:
            self._field.put(text if self._session is not None else self._new_draft)
        self._is_restored = True

    def save(self) -> None:
        """Save the current text of the question field in the window state."""
        state, text = self._shell.state, self._text
        state.draft = (self._session, text)
        state.new_draft = text if self._session is None else self._new_draft

    @property
    def _text(self) -> str:
        return self._field.toPlainText()

    @Slot(object)
    def _on_opened(self, session: Session | None) -> None:
        number = session.info.id if session is not None else None
        if number != self._session:
            self._leave()
            self._enter(number)
        else:
            # The session of the last run is open again: its draft in the window state is newer than that in the
            # library.
            self._save_draft()

    @Slot(object)
    def _on_session_changed(self, number: int) -> None:
        if self._session is None:
            # Text typed while the first answer arrives belongs to the session that the answer started.
            self._session, self._new_draft = number, ""
            self._cached_drafts[number] = ""

    def _leave(self) -> None:
        if self._session is None:
            self._new_draft = self._text
        elif self._text or self._session in self._cached_drafts:
            self._save_draft()

    def _enter(self, number: int | None) -> None:
        self._session = number
        self._field.put(self._new_draft if number is None else self._cached_drafts.get(number, ""))
        if number is not None and number not in self._cached_drafts and self._shell.library is not None:
            self._shell.bridge.submit(
                operations.session_draft(self._shell.library, number), done=partial(self._on_draft, number)
            )

    def _save_draft(self) -> None:
        number, text, library = self._session, self._text, self._shell.library
        if number is not None and library is not None and self._cached_drafts.get(number) != text:
            self._cached_drafts[number] = text
            self._shell.bridge.submit(operations.keep_draft(library, number, text))

    def _on_draft(self, number: int, text: str) -> None:
        if number not in self._cached_drafts:
            self._cached_drafts[number] = text
            if number == self._session and not self._text:
                self._field.put(text)


class PaneState(QObject):
    """State of the panes: document order and columns, splitters, selected document, recent palette entries, drafts."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._document: int | None = None
        self._drafts = Drafts(shell)
        shell.documents.documents_changed.connect(self._on_documents_changed)
        self.restore()

    def restore(self) -> None:
        """Restore the state that was saved for the library."""
        shell = self._shell
        shell.state.restore_splitters(shell.window)
        shell.library_pane.show_view(shell.state.documents_view)
        shell.library_pane.arrange(shell.state.arrangement)
        self._document = shell.state.document
        if shell.dialogs.finder is not None:
            shell.dialogs.finder.recent = shell.state.recent
        self._drafts.restore()

    def save(self) -> None:
        """Save the current state."""
        shell = self._shell
        selected = shell.library_pane.selected()
        shell.state.document = selected[0].id if len(selected) == 1 else None
        shell.state.arrangement = shell.documents.model.arrangement
        shell.state.documents_view = shell.library_pane.view
        self._drafts.save()
        if shell.dialogs.finder is not None:
            shell.state.recent = shell.dialogs.finder.recent

    @Slot()
    def _on_documents_changed(self) -> None:
        if self._shell.documents.loaded and self._document is not None:
            number, self._document = self._document, None
            # A document that was deleted or filtered out has no row: then none is selected.
            self._shell.library_pane.select(number)
