"""Opens the library through the worker, gives it to the panes, and connects the panes with each other."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from workbench.ui.bridge import Bridge
from workbench.ui.chat.pane import ChatPane
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.wording import index_state
from workbench.ui.main_window import TITLE, MainWindow, Panes
from workbench.ui.sessions.pane import SessionsPane
from workbench.ui.sessions.presenter import SessionsPresenter
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme
from workbench.ui.verbs import operations
from workbench.ui.window_state import WindowState
from workbench.worker.job import JobContext, Operation, offload

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.document import Document
    from workbench.model.hit import Citation
    from workbench.model.session import Session
    from workbench.operations import Library
    from workbench.settings import Settings
    from workbench.ui.settings.dialog import SettingsDialog
    from workbench.ui.shortcuts import ShortcutSheet

logger = logging.getLogger(__name__)


def opening(folder: Path) -> Operation[Library]:
    """Open the library in a folder, off the main thread."""

    async def operation(_context: JobContext) -> Library:
        return await offload(None, _open, folder)

    return operation


def _open(folder: Path) -> Library:
    # The first use of the operations imports them, here on a thread of the worker: the window is up already.
    return operations.Library.open(folder)


def closing(library: Library) -> Operation[None]:
    """Stop every job and close the library, off the main thread."""

    async def operation(_context: JobContext) -> None:
        from workbench.worker.worker import cancel_others  # asyncio, see Bridge

        library.closing = True
        await cancel_others()
        await offload(None, library.close)

    return operation


class Shell(QObject):
    """The window and everything in it, alive.

    Signals:
        settled: The library is open and the panes have it; or it could not be opened and library is None.
        warm: What the first question needs is loaded, or cannot be.
    """

    settled = Signal()
    warm = Signal()

    def __init__(self, bridge: Bridge, theme: Theme, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self.theme = theme
        self.folder = folder
        self.library: Library | None = None
        self.documents = LibraryPresenter(bridge, self)
        self.sessions = SessionsPresenter(bridge, self)
        self.settings = SettingsPresenter(bridge, self)
        self.chat = ChatPane(bridge, theme)
        self.inspector = InspectorPane(bridge, theme)
        self.library_pane = LibraryPane(self.documents, theme)
        self.sessions_pane = SessionsPane(self.sessions, theme)
        panes = Panes(self.library_pane, self.sessions_pane, self.chat, self.inspector)
        self.window = MainWindow(panes, theme)
        self.state = WindowState(folder)
        panes_with_more = (self.library_pane, self.sessions_pane, self.chat, self.inspector)
        self._after_paint: list[Callable[[], None]] = [*(pane.prepare for pane in panes_with_more), self.open]
        self._embedder: tuple[str, str] | None = None
        self._dialog: SettingsDialog | None = None
        self._shortcuts: ShortcutSheet | None = None
        self._connect_panes()
        self._connect_actions()
        self._restore_layout()
        self._say_folder()
        self.chat.expect_documents(self.state.has_documents)

    def open(self) -> None:
        """Open the library of the folder; the window need not wait for it."""
        self._say_folder()
        self.window.status.show_index("Opening the library…")
        self.bridge.submit(opening(self.folder), done=self._on_opened, failed=self._on_refused)

    def open_other(self, folder: Path) -> None:
        """Close the library and open the one in another folder."""
        self.save()
        self.folder = folder
        self.state = WindowState(folder)
        library, self.library = self.library, None
        self._hand_out(None)
        if library is None:
            self.open()
        else:
            self.bridge.submit(closing(library), done=self._on_closed)

    def save(self) -> None:
        """Keep the layout and the session for the next start."""
        if self.library is not None:
            self.state.session = self.sessions.current
            self.state.has_documents = bool(self.documents.model.documents())
            self.state.save_layout(self.window)

    def shut_down(self) -> None:
        """Stop every job, end the worker, close the library; the last thing that is called."""
        self._after_paint.clear()
        self._hand_out(None)
        library, self.library = self.library, None
        if library is not None:
            library.closing = True
        self.bridge.stop()
        if library is not None:
            library.close()

    def _connect_panes(self) -> None:
        window, documents, sessions, settings = self.window, self.documents, self.sessions, self.settings
        self.bridge.job_failed.connect(window.banner.show_error)
        for presenter in (documents, sessions, settings):
            presenter.failed.connect(window.banner.show_error)
        documents.said.connect(self._on_documents_said)
        sessions.said.connect(self._on_sessions_said)
        documents.documents_changed.connect(self._on_documents_changed)
        settings.settings_changed.connect(self._on_settings)
        settings.profiles_changed.connect(self._on_profiles)
        sessions.opened.connect(self._on_session_opened)
        sessions.listed.connect(self._on_sessions_listed)
        self.chat.session_changed.connect(sessions.follow)
        self.chat.session_updated.connect(self._on_session_updated)
        self.chat.citation_activated.connect(self._on_citation)
        self.chat.run_selected.connect(self.inspector.show_run)
        self.library_pane.document_chosen.connect(self._on_document_chosen)
        window.drop.dropped.connect(documents.add)
        window.status.models_asked.connect(self._on_models)
        window.problem.retry_asked.connect(self.open)
        window.problem.other_folder_asked.connect(self._on_other_library)
        window.painted.connect(self._go_on)
        window.closing.connect(self.save)

    def _connect_actions(self) -> None:
        actions = self.window.actions_by_name
        for name, slot in (
            ("add_files", self.library_pane.ask_for_files),
            ("add_folder", self.library_pane.ask_for_folder),
            ("new_session", self.sessions.new),
            ("settings", self._on_settings_asked),
            ("other_library", self._on_other_library),
            ("quit", self.window.close),
            ("find", self._on_focus_library),
            ("stop", self.chat.stop),
            ("focus_library", self._on_focus_library),
            ("focus_chat", self.chat.focus_composer),
            ("focus_inspector", self._on_focus_inspector),
            ("shortcuts", self._on_shortcuts),
        ):
            actions[name].triggered.connect(slot)

    @Slot()
    def _go_on(self) -> None:
        """Do what the first paint need not wait for; between the steps the event loop runs, so that one can type."""
        if self._after_paint:
            self._after_paint.pop(0)()
            QTimer.singleShot(0, self._go_on)

    def _restore_layout(self) -> None:
        self.theme.choose(self.state.theme)
        self.window.arrange()
        self.state.restore_layout(self.window)

    def _say_folder(self) -> None:
        self.window.setWindowTitle(f"{self.folder.name} — {TITLE}")

    def _hand_out(self, library: Library | None) -> None:
        for pane in (self.documents, self.sessions, self.settings, self.chat, self.inspector):
            pane.set_library(library)

    def _on_opened(self, library: Library) -> None:
        self.library = library
        self._embedder = None
        self.window.show_problem(False)
        self._hand_out(library)
        self.bridge.submit(operations.warm_up(library), done=self._on_warm, failed=self._on_not_warm)
        if self.state.session is not None:
            self.sessions.restore(self.state.session)
        self.settled.emit()

    def _on_warm(self, _value: None) -> None:
        self.warm.emit()

    def _on_not_warm(self, error: BaseException, details: str) -> None:
        # Whoever needs it meets the same error, and shows it where it matters.
        logger.warning("Warming up failed: %s\n%s", error, details)
        self.warm.emit()

    def _on_refused(self, error: BaseException, details: str) -> None:
        self.window.status.show_index("No library is open")
        self.window.problem.show_error(error, details, self.folder)
        self.window.show_problem(True)
        self.settled.emit()

    def _on_closed(self, _value: None) -> None:
        self.open()

    @Slot()
    def _on_documents_changed(self) -> None:
        if self.documents.loaded:
            self.window.status.show_index(index_state(self.documents.model.documents()))

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        self.theme.choose(settings.theme)
        self.state.theme = settings.theme
        embedder = (settings.embedder, settings.embedding_backend)
        if self._embedder not in (None, embedder):
            self.documents.resume()
        self._embedder = embedder
        self.window.status.show_profile(self.settings.profile)
        self.chat.refresh()

    @Slot(list)
    def _on_profiles(self) -> None:
        self.window.status.show_profile(self.settings.profile)
        self.chat.refresh()

    @Slot(str, bool)
    def _on_documents_said(self, text: str, undoable: bool) -> None:
        self.window.toast.say(
            text, action="Undo" if undoable else "", on_action=self.documents.undo_remove if undoable else None
        )

    @Slot(str, bool)
    def _on_sessions_said(self, text: str, undoable: bool) -> None:
        self.window.toast.say(
            text, action="Undo" if undoable else "", on_action=self.sessions.undo_remove if undoable else None
        )

    @Slot(object)
    def _on_session_opened(self, session: Session | None) -> None:
        self.chat.open_session(session)
        if session is None:
            self.inspector.clear()

    @Slot(object)
    def _on_session_updated(self, number: int) -> None:
        # The session that is shown is listed anew already, because the chat went on in it.
        if number != self.sessions.current:
            self.sessions.refresh()

    @Slot(int)
    def _on_sessions_listed(self) -> None:
        self.window.allow_export(self.sessions.current is not None)

    @Slot(object)
    def _on_citation(self, citation: Citation) -> None:
        self.window.inspector_dock.reveal()
        self.inspector.show_citation(citation)

    @Slot(object)
    def _on_document_chosen(self, document: Document) -> None:
        self.window.inspector_dock.reveal()
        self.inspector.show_document(document)

    @Slot()
    def _on_settings_asked(self) -> None:
        if self._dialog is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.settings.dialog import SettingsDialog

            self._dialog = SettingsDialog(self.settings, self.theme, self.window)
        self._dialog.show()
        self._dialog.raise_()

    @Slot()
    def _on_models(self) -> None:
        self._on_settings_asked()
        if self._dialog is not None:
            self._dialog.show_models()

    @Slot()
    def _on_other_library(self) -> None:
        name = QFileDialog.getExistingDirectory(self.window, "Open another library", str(self.folder.parent))
        if name:
            self.open_other(Path(name))

    @Slot()
    def _on_focus_library(self) -> None:
        self.window.library_dock.reveal()
        self.library_pane.focus()

    @Slot()
    def _on_focus_inspector(self) -> None:
        self.window.inspector_dock.reveal()
        self.inspector.setFocus()

    @Slot()
    def _on_shortcuts(self) -> None:
        if self._shortcuts is None:
            from workbench.ui.shortcuts import ShortcutSheet

            self._shortcuts = ShortcutSheet(self.window)
        self._shortcuts.show()
