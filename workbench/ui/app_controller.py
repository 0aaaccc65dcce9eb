"""Controller of the window: opens the library through the worker, passes it to the panes, and closes it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog

from workbench import operations
from workbench.errors import LibraryOutdated, LibraryUnwritable
from workbench.language import tr, translate
from workbench.ui.bridge import Bridge
from workbench.ui.chat.pane import ChatPane
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.library.pane import LibraryPane
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.main_window import TITLE, WAITING_AT_FIRST, MainWindow, Panes
from workbench.ui.preloading import Preloader
from workbench.ui.sessions.pane import SessionsPane
from workbench.ui.sessions.presenter import SessionsPresenter
from workbench.ui.theme import Theme
from workbench.ui.window_state import WindowState
from workbench.worker.job import JobContext, Operation, offload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from workbench.model.import_progress import IndexRepaired
    from workbench.operations import Library
    from workbench.ui.desktop_notifications import Notifications
    from workbench.ui.dialog_manager import DialogManager
    from workbench.ui.library.linked_folders_dialog import LinkedPresenter
    from workbench.ui.library.shared_presenter import SharedPresenter
    from workbench.ui.pane_docks import EvaluationDock, ExhaustiveDock, MapDock, NetworkDock
    from workbench.ui.settings.embedder_card import EmbedderPresenter
    from workbench.ui.settings.presenter import SettingsPresenter
    from workbench.ui.single_instance import SingleInstance
    from workbench.ui.window_state import PaneState
    from workbench.ui.wiring import Wiring

logger = logging.getLogger(__name__)

_PRELOADING_MS = 5
"""Interval between two checks whether all modules are imported."""
_STEP_MS = 1
"""Interval between two steps after the first paint. Not 0: consecutive 0 ms timers run before any keyboard input."""


def opening(folder: Path, user: str) -> Operation[Library]:
    """Return an operation that opens the library in a folder for a user, off the main thread."""

    async def operation(_context: JobContext) -> Library:
        return await offload(None, _open, folder, user)

    return operation


def _open(folder: Path, user: str) -> Library:
    # Imported here, on a worker thread while the window is already shown: no click waits for an import.
    operations.load_all()
    from workbench.operations.library.warm_up import load_runtime

    try:
        library = operations.Library.open(folder, user=user)
    except LibraryUnwritable as error:
        library = _open_to_read(folder, user, error)
    load_runtime()
    return library


def _open_to_read(folder: Path, user: str, unwritable: LibraryUnwritable) -> Library:
    """Open a library on a read-only medium: it can be searched and asked, and each change is refused."""
    from workbench.store.database import Access

    try:
        library = operations.Library.open(folder, access=Access.READ, user=user)
    except LibraryOutdated:
        raise unwritable from None
    reader = library.database.reader
    if reader is None or not reader.is_unwritable:
        library.close()
        raise unwritable
    return library


def closing(library: Library) -> Operation[None]:
    """Return an operation that stops every job and closes the library, off the main thread."""

    async def operation(_context: JobContext) -> None:
        from workbench.worker.worker import cancel_others  # asyncio, see Bridge

        library.closing = True
        await cancel_others()
        await offload(None, library.close)

    return operation


class AppController(QObject):
    """Controller of the window: creates the visible parts before the first paint, and the rest afterwards.

    Signals:
        settled: The library is open and the panes have it; or it could not be opened and library is None.
        warm: Everything that the first question needs is loaded, or failed to load.
        language_chosen: The window is to be rebuilt in the language stored in `state`.
    """

    settled = Signal()
    warm = Signal()
    language_chosen = Signal()
    settings: SettingsPresenter
    linked: LinkedPresenter
    shared: SharedPresenter
    embedder: EmbedderPresenter
    evaluation: EvaluationDock
    map: MapDock
    exhaustive: ExhaustiveDock
    network: NetworkDock
    connections: Wiring
    remembering: PaneState
    instance: SingleInstance
    notifications: Notifications
    dialogs: DialogManager

    def __init__(
        self, bridge: Bridge, theme: Theme, folder: Path, parent: QObject | None = None, *, user: str | None = None
    ) -> None:
        super().__init__(parent)
        self.bridge = bridge
        self.theme = theme
        self.folder = folder
        self.library: Library | None = None
        self._given: list[str] = []
        self._after_closing: Callable[[], None] = self.open
        self.documents = LibraryPresenter(bridge, self)
        self.sessions = SessionsPresenter(bridge, self)
        self.chat = ChatPane(bridge, theme)
        self.inspector = InspectorPane(bridge, theme)
        self.library_pane = LibraryPane(self.documents, theme)
        self.sessions_pane = SessionsPane(self.sessions, theme)
        panes = Panes(self.library_pane, self.sessions_pane, self.chat, self.inspector)
        self.window = MainWindow(panes, theme)
        self.state = WindowState(folder, user)
        # Objects whose set_library is called when the library changes.
        self._holders: tuple[Any, ...] = (self.documents, self.sessions, self.chat, self.inspector)
        self._after_paint: list[Callable[[], None]] = [
            self.library_pane.prepare,
            self.sessions_pane.prepare,
            self.chat.prepare,
            self.inspector.prepare_passage,
            self.inspector.prepare,
            self._create_hidden_parts,
            self.open,
        ]
        self._preloader = Preloader()
        self.window.painted.connect(self._preloader.start)
        self.window.painted.connect(self._run_next_step)
        self.window.closing.connect(self.save)
        self.chat.samples_asked.connect(self.documents.add_samples)
        for action in self.window.actions_by_name:
            action.triggered.connect(self._on_early_action)
        self.window.drop.dropped.connect(self._on_early_drop)
        self.window.drop.links_dropped.connect(self._on_early_links)
        self._restore_layout()
        self._show_folder()
        self.chat.expect_documents(self.state.has_documents)

    def open(self) -> None:
        """Open the library of the folder in the background."""
        self._show_folder()
        self.window.status.show_index(tr("Opening the library…"))
        self.bridge.submit(opening(self.folder, self.state.user), done=self._on_opened, failed=self._on_refused)

    def open_other(self, folder: Path) -> None:
        """Close the library and open the one in another folder, for the same user."""
        self._switch_to(folder, self.state.user)

    @Slot(str)
    def ask_as(self, user: str) -> None:
        """Reopen the library for another user; a running answer is stopped, and its text so far is stored."""
        if user != self.state.user:
            # Dialogs may show data of the previous user: memories, sessions to be exported.
            for dialog in self.window.findChildren(QDialog):
                dialog.close()
            self._switch_to(self.folder, user)

    def _switch_to(self, folder: Path, user: str) -> None:
        self.save()
        self.folder = folder
        self.state = WindowState(folder, user)
        self.remembering.restore()
        self.close_library(self.open)

    def close_library(self, after: Callable[[], None]) -> None:
        """Close the library, if one is open, then call after; the panes are empty meanwhile."""
        library, self.library = self.library, None
        self._set_library(None)
        self._after_closing = after
        if library is None:
            after()
        else:
            self.bridge.submit(closing(library), done=self._on_closed)

    def take(self, sources: Sequence[str]) -> None:
        """Accept files and links given at start: files are added, links after confirmation."""
        if self.library is None:
            self._given += sources
            return
        from workbench.ui.library.other_sources import is_link  # few starts are given any

        links = [source for source in sources if is_link(source) and "://" in source]
        paths = [Path(source) for source in sources if source not in links]
        if paths:
            self.documents.offer(paths)
        if links:
            self.library_pane.sources.ask_for(links)

    def refresh_setup(self) -> None:
        """Reload the settings, folders, sessions and agents after a change by another program."""
        self.settings.refresh_all()
        self.linked.refresh()
        self.embedder.refresh()
        self.sessions.refresh()
        self.chat.agents.refresh()

    def save(self) -> None:
        """Store the layout and the session for the next start."""
        # A folder that was moved or removed meanwhile must not be created again.
        if self.library is not None and self.folder.is_dir():
            self.state.session = self.sessions.current
            self.state.knowledge_base = self.documents.knowledge_base or self.documents.remembered_base
            self.state.has_documents = bool(self.documents.model.documents())
            self.remembering.save()
            self.state.waiting_docks = " ".join(self.window.waiting_docks)
            self.state.narrow_docks = " ".join(self.window.columns.hidden_docks)
            self.state.save_layout(self.window)

    def let_go(self) -> Library | None:
        """Return the open library for the caller to close; the panes are empty afterwards."""
        self._after_paint.clear()
        self._preloader.stop()
        self._set_library(None)
        library, self.library = self.library, None
        return library

    def put_away(self) -> None:
        """Close this window after another one has replaced it."""
        self.instance.close()
        self.window.closing.disconnect(self.save)
        self.window.hide()
        for one in (self.window, self, self.theme):
            one.deleteLater()

    def shut_down(self) -> None:
        """Stop every job, end the worker, close the library; must be the last call."""
        library = self.let_go()
        if library is not None:
            library.closing = True
        self.bridge.stop()
        if library is not None:
            library.close()

    @Slot()
    def _run_next_step(self) -> None:
        """Run one of the steps after the first paint; the event loop runs between them, so that the user can type."""
        if self._preloader.is_under_way:
            # While the imports run, a step would wait 5 ms for the interpreter each time that it releases it.
            QTimer.singleShot(_PRELOADING_MS, self._run_next_step)
        elif self._preloader.import_next():
            QTimer.singleShot(0, self._run_next_step)
        elif self._after_paint:
            self._after_paint.pop(0)()
            QTimer.singleShot(_STEP_MS, self._run_next_step)

    @Slot()
    def _on_early_action(self) -> None:
        """Create what an action needs that was triggered within the first second, and trigger it again."""
        action = self.sender()
        assert isinstance(action, QAction)
        self._complete()
        action.trigger()

    @Slot(list)
    def _on_early_drop(self, paths: list[Path]) -> None:
        """Do the same for files that are dropped in the first second."""
        self._complete()
        self.window.drop.dropped.emit(paths)

    @Slot(list)
    def _on_early_links(self, links: list[str]) -> None:
        self._complete()
        self.window.drop.links_dropped.emit(links)

    def _complete(self) -> None:
        while self._create_hidden_parts in self._after_paint:
            self._after_paint.pop(0)()

    def _create_hidden_parts(self) -> None:
        """Create what is not visible at first: more presenters, the dialogs, the connections of the panes; 13 ms."""
        for action in self.window.actions_by_name:
            action.triggered.disconnect(self._on_early_action)
        self.window.drop.dropped.disconnect(self._on_early_drop)
        self.window.drop.links_dropped.disconnect(self._on_early_links)
        from workbench.ui.desktop_notifications import Notifications
        from workbench.ui.dialog_manager import DialogManager
        from workbench.ui.library.linked_folders_dialog import LinkedPresenter
        from workbench.ui.library.shared_presenter import SharedPresenter
        from workbench.ui.pane_docks import EvaluationDock, ExhaustiveDock, MapDock, NetworkDock
        from workbench.ui.settings.embedder_card import EmbedderPresenter
        from workbench.ui.settings.presenter import SettingsPresenter
        from workbench.ui.single_instance import SingleInstance
        from workbench.ui.window_state import PaneState
        from workbench.ui.wiring import Wiring

        self.settings = SettingsPresenter(self.bridge, self)
        self.linked = LinkedPresenter(self.bridge, self.documents, self)
        self.shared = SharedPresenter(self.bridge, self.documents, self)
        self.embedder = EmbedderPresenter(self.bridge, self)
        self.evaluation = EvaluationDock(self)
        self.map = MapDock(self)
        self.exhaustive = ExhaustiveDock(self)
        self.network = NetworkDock(self)
        self.dialogs = DialogManager(self)
        self.connections = Wiring(self, self.dialogs)
        self.remembering = PaneState(self)
        self.instance = SingleInstance(self)
        self.notifications = Notifications(self)
        self._holders += (self.settings, self.linked, self.shared, self.embedder)
        self._holders += (self.evaluation, self.map, self.exhaustive, self.network)

    def _restore_layout(self) -> None:
        self.window.arrange()
        is_restored = self.state.restore_layout(self.window)
        self.window.wait_for_content(self.state.waiting_docks.split() if is_restored else WAITING_AT_FIRST)
        self.window.columns.restore(self.state.narrow_docks.split() if is_restored else ())
        self.window.offer_sessions(self.state.session is not None)
        self.window.expect_documents(self.state.has_documents)

    def _show_folder(self) -> None:
        user = f" · {self.state.user}" if self.state.user else ""
        self.window.setWindowTitle(f"{self.folder.name}{user} — {TITLE}")

    def _set_library(self, library: Library | None) -> None:
        for holder in self._holders:
            holder.set_library(library)

    def _on_opened(self, library: Library) -> None:
        self.library = library
        self.connections.forget()
        self.window.show_problem(False)
        self._set_library(library)
        if library.database.reader is not None:
            self.window.banner.show_error(library.database.reader.refusal())
        self.bridge.submit(
            operations.warm_up(library), done=self._on_warm, event=self._on_repaired, failed=self._on_not_warm
        )
        self.bridge.submit(operations.evaluate_when_idle(library, self.bridge.publish))
        self.bridge.submit(operations.check_when_idle(library, self.bridge.publish))
        self.documents.remembered_base = self.state.knowledge_base
        if self.state.session is not None:
            self.sessions.restore(self.state.session)
        self.settled.emit()
        given, self._given = self._given, []
        self.take(given)

    def _on_warm(self, _value: None) -> None:
        self.warm.emit()

    def _on_repaired(self, event: IndexRepaired) -> None:
        self.window.toast.show_message(translate(event.message))

    def _on_not_warm(self, error: BaseException, _details: str) -> None:
        # The code that needs the model raises the same error, and shows it in its own place.
        logger.warning("Warming up failed", exc_info=error)
        self.warm.emit()

    def _on_refused(self, error: BaseException, details: str) -> None:
        self.window.status.show_index(tr("No library is open"))
        self.window.problem.show_error(error, details, self.folder)
        self.window.show_problem(True)
        self.settled.emit()

    def _on_closed(self, _value: None) -> None:
        self._after_closing()
