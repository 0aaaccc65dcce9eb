"""What leads to an export or to an import, connected: commands, the list of sessions, a drop, a cited document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from workbench.language import trn
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.ui.export.taking_in import SessionIntake, bundles_among

if TYPE_CHECKING:
    from workbench.model.session import Session
    from workbench.ui.export.dialog import ExportDialog
    from workbench.ui.inspector.passages import Passage
    from workbench.ui.shell import Shell


class Exporting(QObject):
    """Opens the export over a shell's window, and takes in what is dropped on it."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: ExportDialog | None = None
        self._offered: tuple[int, ...] = ()
        self._shown: Passage | None = None
        self.intake = SessionIntake(shell.bridge, self)
        actions = shell.window.actions_by_name
        actions["export"].triggered.connect(self.export_current)
        actions["import_session"].triggered.connect(self._on_import)
        shell.sessions_pane.export_asked.connect(self.export)
        shell.window.drop.dropped.connect(self._on_dropped)
        self.intake.taken.connect(self._on_taken)
        self.intake.said.connect(shell.window.toast.say)
        self.intake.offered.connect(self._on_offered)
        self.intake.failed.connect(shell.window.banner.show_error)
        shell.inspector.passage_view.kept_original.add_asked.connect(self._on_add_asked)
        shell.sessions.opened.connect(self._on_session_opened)

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

    @Slot(str, object)
    def _on_offered(self, words: str, documents: tuple[int, ...]) -> None:
        self._offered = documents
        action = trn("Add the document", "Add the documents", len(documents))
        self._shell.window.toast.say(words, action=action, on_action=self._add_offered)

    def _add_offered(self) -> None:
        self._add(self._offered)

    @Slot(int)
    def _on_add_asked(self, document: int) -> None:
        self._add((document,))

    def _add(self, documents: tuple[int, ...]) -> None:
        """Add documents whose files came with imported sessions."""
        shell = self._shell
        target = shell.documents.target
        shell.documents.import_with("add_kept_originals", documents, heard=self._on_heard, knowledge_base=target)

    def _on_heard(self, event: object) -> None:
        """Once such a document is here, the session that is open leads to it, and so does the passage that is shown."""
        if not isinstance(event, FileFinished) or event.outcome not in (FileOutcome.READY, FileOutcome.UNCHANGED):
            return
        sessions, shown = self._shell.sessions, self._shell.inspector.shown
        if sessions.current is None or self._shell.chat.running:
            return  # it does when it is opened again
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
