"""Signal connections between the panes, and what a change of the settings does in them (Wiring._on_settings)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

from workbench.language import language, tr
from workbench.ui.chat.answer_announcer import AnswerAnnouncer
from workbench.ui.chat.mention_completion import MentionCompletion
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.export.export_controller import ExportController
from workbench.ui.library.document_wording import index_words
from workbench.ui.library.drop_overlay import DropTargets
from workbench.ui.library.imports import ImportState
from workbench.ui.localisation import language_of
from workbench.ui.navigation import KeyboardNavigation
from workbench.ui.network.offline_mode import OfflineModeController
from workbench.ui.release_notes import ReleaseNotice, ReplacementNotice
from workbench.ui.soundness.integrity_controller import IntegrityController

if TYPE_CHECKING:
    from workbench.model.chunk import ChunkEdit
    from workbench.model.document import Document
    from workbench.model.hit import Citation
    from workbench.model.session import Session
    from workbench.settings import Settings
    from workbench.ui.app_controller import AppController
    from workbench.ui.dialog_manager import DialogManager

_TABLE_SHARE = 0.4
"""Share of the window's width for documents shown as a table: names, status, pages and chunks are visible."""


class Wiring(QObject):
    """Connects the panes, presenters and actions of a window."""

    def __init__(self, shell: AppController, dialogs: DialogManager) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialogs = dialogs
        self._embedder: tuple[str, str] | None = None
        self._connect_panes()
        self._connect_actions()
        self._navigation = KeyboardNavigation(shell)
        AnswerAnnouncer(shell.chat)
        self.exporting = ExportController(shell)
        self.border = OfflineModeController(shell)
        self.caring = IntegrityController(shell, dialogs)
        ReleaseNotice(shell, dialogs)
        ReplacementNotice(shell)
        DropTargets(shell)

    def forget(self) -> None:
        """Discard the known settings of the library, because another one was opened."""
        self._embedder = None

    def _connect_panes(self) -> None:
        shell = self._shell
        window, documents, sessions, settings = shell.window, shell.documents, shell.sessions, shell.settings
        shell.bridge.job_failed.connect(window.banner.show_error)
        for presenter in (documents, sessions, settings, shell.linked, shell.embedder):
            presenter.failed.connect(window.banner.show_error)
        shell.linked.notified.connect(self._on_linked_notified)
        shell.linked.given.connect(self._on_folder_given)
        shell.shared.notified.connect(self._on_linked_notified)
        shell.shared.failed.connect(self._on_shared_failed)
        shell.shared.members_failed.connect(self._on_members_failed)
        documents.import_ended.connect(shell.shared.on_import_ended)
        shell.embedder.ended.connect(self._on_embedder_ended)
        shell.embedder.recut_asked.connect(self._on_recut_asked)
        documents.notified.connect(self._on_documents_notified)
        documents.import_changed.connect(self._on_import_changed)
        sessions.notified.connect(self._on_sessions_notified)
        documents.documents_changed.connect(self._on_documents_changed)
        settings.settings_changed.connect(self._on_settings)
        settings.profiles_changed.connect(self._on_profiles)
        settings.outdated.reindex_asked.connect(documents.reindex)
        sessions.opened.connect(self._on_session_opened)
        sessions.begun.connect(shell.chat.focus_composer)
        cards = shell.chat.findChild(RunCards)
        assert cards is not None
        sessions.run_wanted.connect(cards.reveal)
        cards.unread_asked.connect(documents.queue.read_unread_first)
        cards.passwords_asked.connect(shell.library_pane.unlock_all)
        shell.exhaustive.follow(cards)
        sessions.listed.connect(self._on_sessions_listed)
        shell.chat.session_changed.connect(sessions.follow)
        # As soon as the question is asked: when its answer has come, a new column would move the text being read.
        shell.chat.session_changed.connect(self._on_content)
        shell.chat.run_selected.connect(self._on_content)
        shell.chat.session_updated.connect(self._on_session_updated)
        shell.chat.waits_elsewhere.connect(self._on_waits_elsewhere)
        shell.chat.citation_activated.connect(self._on_citation)
        shell.chat.agents_asked.connect(self._dialogs.show_agents)
        shell.chat.answerer_changed.connect(window.status.show_answerer)
        shell.chat.mentioning = MentionCompletion(shell.bridge, shell.chat.question_field, documents.model, shell.chat)
        shell.chat.run_selected.connect(shell.inspector.show_run)
        shell.inspector.question_asked.connect(shell.chat.ask)
        shell.inspector.session_asked.connect(sessions.open)
        shell.inspector.edited.connect(self._on_passage_edited)
        shell.inspector.retry_asked.connect(documents.retry)
        shell.library_pane.document_chosen.connect(self._on_document_chosen)
        shell.library_pane.check_asked.connect(self._dialogs.show_check)
        shell.library_pane.room_wanted.connect(self._on_room_wanted)
        documents.knowledge_base_changed.connect(shell.chat.set_knowledge_base)
        window.drop.links_dropped.connect(shell.library_pane.sources.ask_for)
        window.status.models_asked.connect(self._dialogs.show_models)
        window.status.network_asked.connect(shell.network.reveal)
        window.problem.retry_asked.connect(self._shell.open)
        window.problem.other_folder_asked.connect(self._dialogs.choose_library)

    def _connect_actions(self) -> None:
        shell = self._shell
        actions = shell.window.actions_by_name
        for name, slot in (
            ("add_files", shell.library_pane.ask_for_files),
            ("add_folder", shell.library_pane.ask_for_folder),
            ("add_link", shell.library_pane.sources.ask_for_links),
            ("add_query", shell.library_pane.sources.ask_for_query),
            ("new_note", shell.library_pane.sources.ask_for_note),
            ("link_folder", self._dialogs.link_folder),
            ("linked_folders", self._dialogs.show_linked),
            ("shared_libraries", self._dialogs.show_shared),
            ("bin", self._dialogs.show_bin),
            ("new_session", shell.sessions.new),
            ("agents", self._dialogs.show_agents),
            ("retrievers", self._dialogs.show_retrievers),
            ("memory", self._dialogs.show_memory),
            ("user", self._dialogs.show_user),
            ("settings", self._dialogs.show_settings),
            ("other_library", self._dialogs.choose_library),
            ("quit", shell.window.close),
            ("check", self._dialogs.show_whole_check),
            ("palette", self._dialogs.show_palette),
            ("stop", shell.chat.stop),
            ("focus_chat", shell.chat.focus_composer),
            ("focus_evaluation", shell.evaluation.reveal),
            ("focus_map", shell.map.reveal),
            ("focus_network", shell.network.reveal),
            ("read_all", shell.exhaustive.reveal),
            ("filter", shell.chat.focus_filter),
            ("curate", shell.chat.toggle_curation),
            ("plan_first", self._on_plan_first),
            ("shortcuts", self._dialogs.show_shortcuts),
            ("problem_report", self._dialogs.show_problem_report),
            ("system_check", self._dialogs.show_system_check),
            ("release_notes", self._dialogs.show_release_notes),
            ("soundness", self._dialogs.show_soundness),
        ):
            actions[name].triggered.connect(slot)

    @Slot()
    def _on_documents_changed(self) -> None:
        if self._shell.documents.loaded:
            self._shell.window.expect_documents(self._shell.documents.model.counts.documents > 0)
            self._shell.window.status.show_index(index_words(self._shell.documents.model.counts))

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        self._shell.theme.choose(settings.theme)
        self._shell.theme.size_text(settings.text_percent)
        if language_of(settings.language) != language():
            self._shell.language_chosen.emit()
        self._shell.theme.reduces_motion = settings.reduce_motion == "yes"
        embedder = (settings.embedder, settings.embedding_backend)
        if self._embedder not in (None, embedder):
            self._shell.embedder.start()
        self._embedder = embedder
        self._shell.chat.refresh()

    @Slot()
    def _on_embedder_ended(self) -> None:
        # The change may have reverted the settings; chunks without any vector are embedded with the current model.
        self._shell.settings.refresh()
        self._shell.documents.resume()

    @Slot(object)
    def _on_import_changed(self, state: ImportState) -> None:
        if not state.running:
            # Documents may have been left to keywords because the embedding server was down.
            self._shell.embedder.servers.wait()

    @Slot()
    def _on_recut_asked(self) -> None:
        self._shell.documents.import_with("recut_documents")

    @Slot()
    def _on_room_wanted(self) -> None:
        window = self._shell.window
        dock = window.library_dock
        width = max(dock.width(), round(_TABLE_SHARE * window.width()))
        window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    @Slot(object, str)
    def _on_shared_failed(self, error: BaseException, details: str) -> None:
        if not self._dialogs.is_showing_shared:  # the dialog shows it where it was caused
            self._shell.window.banner.show_error(error, details)

    @Slot(str, object, str)
    def _on_members_failed(self, _knowledge_base: str, error: BaseException, details: str) -> None:
        self._on_shared_failed(error, details)

    @Slot(str)
    def _on_linked_notified(self, text: str) -> None:
        self._shell.window.toast.show_message(text)

    @Slot(str)
    def _on_folder_given(self, text: str) -> None:
        self._shell.window.toast.show_message(text, action=tr("Undo"), on_action=self._shell.linked.undo)

    @Slot(list)
    def _on_profiles(self) -> None:
        self._shell.chat.refresh()

    @Slot(str, bool)
    def _on_documents_notified(self, text: str, undoable: bool) -> None:
        undo = self._shell.documents.undo_remove if undoable else None
        self._shell.window.toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo)

    @Slot(str, object)
    def _on_passage_edited(self, text: str, edit: ChunkEdit | None) -> None:
        undo = partial(self._shell.inspector.undo, edit) if edit is not None and edit.can_undo else None
        self._shell.window.toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo)

    @Slot(str, bool)
    def _on_sessions_notified(self, text: str, undoable: bool) -> None:
        undo = self._shell.sessions.undo if undoable else None
        self._shell.window.toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo)

    @Slot(object)
    def _on_session_opened(self, session: Session | None) -> None:
        self._shell.chat.open_session(session)
        if session is None:
            self._shell.inspector.clear()

    @Slot(object)
    def _on_session_updated(self, number: int) -> None:
        # The current session has already been listed again, because the chat continued in it.
        if number != self._shell.sessions.current:
            self._shell.sessions.refresh()

    @Slot(object)
    def _on_waits_elsewhere(self, _number: int) -> None:
        text = tr("An answer in another session is waiting for you to approve a tool call.")
        self._shell.window.toast.show_message(text, icon="shield")

    @Slot()
    def _on_sessions_listed(self) -> None:
        window, any_sessions = self._shell.window, bool(self._shell.sessions.model.sessions())
        window.offer_sessions(any_sessions)
        if any_sessions:
            window.show_content(window.sessions_dock)

    @Slot()
    def _on_content(self) -> None:
        window = self._shell.window
        window.show_content(window.sessions_dock, window.inspector_dock)

    @Slot()
    def _on_plan_first(self) -> None:
        if not self._shell.chat.toggle_plan():
            text = tr(
                "No plans now: answers use no model, or plans are switched off in the settings or for this agent."
            )
            self._shell.window.toast.show_message(text)

    @Slot(object)
    def _on_citation(self, citation: Citation) -> None:
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.show_citation(citation)

    @Slot(object)
    def _on_document_chosen(self, document: Document) -> None:
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.show_document(document)
