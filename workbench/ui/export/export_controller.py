"""Connects the commands that export sessions, import bundles, and add the original file of an imported session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench import operations
from workbench.language import mark, tr, trn
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.session import BUNDLE_SUFFIX
from workbench.ui.bridge import Bridge
from workbench.ui.controls import button

if TYPE_CHECKING:
    from workbench.model.session import ImportedSession, KeptOriginal, Session
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController
    from workbench.ui.export.export_dialog import ExportDialog
    from workbench.ui.inspector.passage_rows import InspectedPassage


class ExportController(QObject):
    """Opens the export dialog over a window, and imports bundles that are dropped on it."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: ExportDialog | None = None
        self._offered: tuple[int, ...] = ()
        self._shown: InspectedPassage | None = None
        self._early_bundles: list[Path] = []
        self.intake = SessionIntake(shell.bridge, self)
        actions = shell.window.actions_by_name
        actions["export"].triggered.connect(self.export_current)
        actions["import_session"].triggered.connect(self._on_import)
        shell.sessions_pane.export_asked.connect(self.export)
        shell.window.drop.dropped.connect(self._on_dropped)
        self.intake.taken.connect(self._on_taken)
        self.intake.notified.connect(shell.window.toast.show_message)
        self.intake.offered.connect(self._on_offered)
        self.intake.failed.connect(shell.window.banner.show_error)
        shell.inspector.passage_view.kept_original.add_asked.connect(self._on_add_asked)
        shell.sessions.opened.connect(self._on_session_opened)
        shell.settled.connect(self._on_settled)

    @property
    def dialog(self) -> ExportDialog:
        """The export dialog, created on first use."""
        if self._dialog is None:
            # Imported here, because the window starts without it.
            from workbench.ui.export.export_dialog import ExportDialog
            from workbench.ui.export.presenter import ExportPresenter

            presenter = ExportPresenter(self._shell.bridge, self)
            self._dialog = ExportDialog(presenter, self._shell.theme, self._shell.window)
            self._dialog.notified.connect(self._shell.window.toast.show_message)
        return self._dialog

    @Slot()
    def export_current(self) -> None:
        """Open the export dialog with the current session, or the newest."""
        sessions = self._shell.sessions
        known = [info.id for info in sessions.model.sessions()]
        self.export([sessions.current] if sessions.current is not None else known[:1])

    @Slot(list)
    def export(self, chosen: list[int]) -> None:
        """Open the export dialog with these sessions."""
        self.dialog.begin(self._shell.library, self._shell.sessions.model.sessions(), chosen)

    @Slot()
    def _on_import(self) -> None:
        self.intake.ask(self._shell.library, self._shell.window)

    @Slot(list)
    def _on_dropped(self, paths: list[Path]) -> None:
        bundles, others = find_bundles(paths)
        if self._shell.library is None:
            self._early_bundles += bundles
        else:
            self.intake.take(self._shell.library, bundles)
        if others:
            self._shell.documents.offer(others)

    @Slot()
    def _on_settled(self) -> None:
        """Import the bundles that were dropped before the library was open."""
        if self._shell.library is not None:
            early, self._early_bundles = self._early_bundles, []
            self.intake.take(self._shell.library, early)

    @Slot(object)
    def _on_taken(self, session: int) -> None:
        self._shell.sessions.restore(session)

    @Slot(str, object)
    def _on_offered(self, words: str, documents: tuple[int, ...]) -> None:
        self._offered = documents
        action = trn("Add the document", "Add the documents", len(documents))
        self._shell.window.toast.show_message(words, action=action, on_action=self._add_offered)

    def _add_offered(self) -> None:
        self._add(self._offered)

    @Slot(int)
    def _on_add_asked(self, document: int) -> None:
        self._add((document,))

    def _add(self, documents: tuple[int, ...]) -> None:
        """Add documents whose files came with imported sessions."""
        shell = self._shell
        target = shell.documents.target
        shell.documents.import_with("add_kept_originals", documents, on_event=self._on_original, knowledge_base=target)

    def _on_original(self, event: object) -> None:
        """Reopen the current session once the document is ready, so that citations and the shown passage link to it."""
        if not isinstance(event, FileFinished) or event.outcome not in (FileOutcome.READY, FileOutcome.UNCHANGED):
            return
        sessions, shown = self._shell.sessions, self._shell.inspector.shown
        if sessions.current is None or self._shell.chat.running:
            return  # the links are resolved when it is opened again
        self._shown = shown if shown is not None and shown.document < 0 else None
        number, sessions.current = sessions.current, None
        sessions.open(number)

    @Slot(object)
    def _on_session_opened(self, session: Session | None) -> None:
        shown, self._shown = self._shown, None
        if session is None or shown is None:
            return
        place = (shown.document_name, shown.start, shown.end)
        cited = (one for run in session.runs for one in run.citations if one.document is not None and one.document > 0)
        found = next((one for one in cited if (one.document_name, one.start, one.end) == place), None)
        if found is not None:
            self._shell.inspector.show_citation(found)


FILES = mark("Sessions (*{bundle} *.json);;All files (*)")


def find_bundles(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Split dropped files into bundles and other files."""
    bundles = [path for path in paths if path.suffix.lower() == BUNDLE_SUFFIX]
    return bundles, [path for path in paths if path not in bundles]


class SessionIntake(QObject):
    """Imports session files one after the other.

    Signals:
        taken: The number of the new session.
        notified: A message for a toast.
        offered: A message for a toast, and the numbers of the documents that can be added.
        failed: An error and its details.
    """

    taken = Signal(object)
    notified = Signal(str)
    offered = Signal(str, object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge

    def ask(self, library: Library | None, parent: QWidget) -> None:
        """Show a file dialog and import the chosen files."""
        files = tr(FILES, bundle=BUNDLE_SUFFIX)
        names, _kind = QFileDialog.getOpenFileNames(parent, tr("Import session"), str(Path.home()), files)
        self.take(library, [Path(name) for name in names])

    def take(self, library: Library | None, paths: Sequence[Path]) -> None:
        """Import these files."""
        if library is None:
            return
        for path in paths:
            self.notified.emit(tr("Checking “{name}”…", name=path.name))
            taking = operations.import_session(library, path, keep_originals=True)
            self._bridge.submit(taking, done=self._on_taken, failed=self.failed.emit)

    def _on_taken(self, session: ImportedSession) -> None:
        self.taken.emit(session.info.id)
        missing = len(session.missing)
        if not missing:
            self.notified.emit(tr("Imported “{title}”.", title=session.info.title))
            return
        self._report(
            session.originals,
            trn(
                "Imported “{title}”. {n:,} cited document is not in this library; the passages and pages "
                "stored in the session are shown.",
                "Imported “{title}”. {n:,} cited documents are not in this library; the passages and "
                "pages stored in the session are shown.",
                missing,
                title=session.info.title,
            ),
        )

    def _report(self, originals: tuple[int, ...], words: str) -> None:
        if originals:
            self.offered.emit(words, originals)
        else:
            self.notified.emit(words)


class AddOriginalButton(QObject):
    """Offers to add the original file of the shown document, if an imported session contains it.

    Attributes:
        button: The button, to be placed next to the notice that the document is missing.

    Signals:
        add_asked: The document's number, below zero.
    """

    add_asked = Signal(int)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document = 0
        # While a document is added, the button ignores clicks: if it was disabled, Qt would move the focus away.
        self._is_busy = False
        self.button = button(tr("Add the document"), "secondary", self._on_pressed)
        self.button.hide()

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None."""
        self._library = library
        self.mean(0)

    def mean(self, document: int) -> None:
        """Set the shown document and offer to add it if its file is stored; documents of the library need no offer."""
        self._document = document
        self.button.hide()
        if self._library is not None and document < 0:
            self._bridge.submit(operations.kept_original(self._library, document), done=self._on_known, failed=_ignore)

    def _on_known(self, kept: KeptOriginal | None) -> None:
        if kept is not None and kept.document == self._document:
            self.button.setToolTip(tr("“{name}” was included in the imported session", name=kept.name))
            self._is_busy = False
            self.button.show()

    @Slot()
    def _on_pressed(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            self.add_asked.emit(self._document)


def _ignore(_error: BaseException, _details: str) -> None:
    """Ignore the error: without the file there is no offer, and the stored passage is shown as before."""
