"""Components of the chat pane that only answers need: filter, profile, continuation notice, comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench import operations
from workbench.language import tr
from workbench.model.document import Document, DocumentStatus
from workbench.model.egress import OfflineMode
from workbench.model.filter import EVERYTHING, ChunkFilter, FilterExtent
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.profile import ModelProfile
from workbench.model.run import Run
from workbench.settings import Settings
from workbench.ui.agents.presenter import AgentPicker, AgentsPresenter
from workbench.ui.bridge import Bridge
from workbench.ui.chat.answerer import Answerer
from workbench.ui.chat.citation_preview import CitationPreview, PagePictureLoader
from workbench.ui.chat.empty_state import EXAMPLES
from workbench.ui.chat.presenter import ConversationPresenter
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.timeline import Timeline
from workbench.ui.controls import IconButton, label
from workbench.ui.localisation import time_of_day
from workbench.ui.messages import announce
from workbench.ui.theme import Theme
from workbench.worker.job import JobHandle

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.chat.filter_bar import FilterBar
    from workbench.ui.comparison.comparison_dialog import ComparisonDialog


class AnswerComponents:
    """Components that are created after the first paint of the window: they take as long as the rest of the chat."""

    def __init__(self, bridge: Bridge, theme: Theme, pane: QWidget) -> None:
        self.conversation = ConversationPresenter(bridge, pane)
        self.question_filter = QuestionFilter(bridge, self.conversation, pane)
        self.agents = AgentsPresenter(bridge, pane)
        self.surroundings = AnswerContext(bridge, self.agents, pane)
        self.agent_picker = AgentPicker(self.agents, pane)
        self.timeline = Timeline(theme)
        self.pictures = PagePictureLoader(bridge, pane)
        self.cards = RunCards(theme, self.timeline, CitationPreview(theme, pane, self.pictures), pane)
        self.comparisons = ComparisonController(bridge, theme, self.cards, pane)
        self.going_on = ContinuationNotice(theme, self.conversation)


class ContinuationNotice(QWidget):
    """Notice that the next question continues from one certain answer, with a button to cancel; hidden otherwise."""

    def __init__(self, theme: Theme, conversation: ConversationPresenter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversation = conversation
        self._words = label("", "caption", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._words, 1)
        row.addWidget(IconButton(theme, "close", tr("Continue from the whole conversation"), self._on_closed))
        conversation.goes_on_from.connect(self._on_goes_on_from)
        self.hide()

    @property
    def visible_text(self) -> str:
        """Text of the notice; empty while it is hidden."""
        return "" if self.isHidden() else self._words.text()

    @Slot(object)
    def _on_goes_on_from(self, run: Run | None) -> None:
        if run is not None:
            self._words.setText(
                tr(
                    "Your next question continues from the answer of {time}. The other answers stay.",
                    time=time_of_day(run.started),
                )
            )
            self._words.setToolTip(run.question)
            announce(self, self._words.text())
        self.setVisible(run is not None)

    @Slot()
    def _on_closed(self) -> None:
        self._conversation.go_on_from(None)


class AnswerContext(QObject):
    """Tracks whether there are documents, and which profile and agent answer.

    Signals:
        documents_changed: Whether there are documents, after that changed.
        samples_changed: Whether exactly the sample documents are ready, after that changed.
        answerer_changed: The new Answerer.
    """

    documents_changed = Signal(bool)
    samples_changed = Signal(bool)
    answerer_changed = Signal(object)

    def __init__(self, bridge: Bridge, agents: AgentsPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._documents: set[int] = set()
        self._samples: dict[int, str] = {}
        self._has_samples_only = False
        self._agents = agents
        self._settings = Settings()
        self._profiles: list[ModelProfile] | None = None
        self._offline_mode: OfflineMode | None = None
        agents.changed.connect(self._emit_answerer)
        bridge.domain_event.connect(self._on_domain_event)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to none."""
        self._library = library
        self._profiles = self._offline_mode = None
        self._documents.clear()
        self._samples.clear()
        self._has_samples_only = False
        if library is None:
            self.documents_changed.emit(False)
        else:
            # Only once: listing 100,000 documents takes seconds, and later changes arrive as domain events.
            self._bridge.submit(operations.list_documents(library), done=self._on_documents)
        self.refresh()

    def refresh(self) -> None:
        """Load the settings, the profiles and the state of offline mode again."""
        if self._library is not None:
            self._bridge.submit(operations.offline_mode_state(self._library), done=self._on_offline_mode)
            self._bridge.submit(operations.load_settings(self._library), done=self._on_settings)

    def _on_offline_mode(self, state: OfflineMode) -> None:
        if self._library is not None and state != self._offline_mode:
            self._offline_mode = state
            self._emit_answerer()

    def _on_documents(self, documents: list[Document]) -> None:
        self._documents = {document.id for document in documents if document.status is not DocumentStatus.FAILED}
        self._samples = {document.id: document.name for document in documents if _is_sample(document)}
        self.documents_changed.emit(bool(self._documents))
        self._has_samples_only = False
        self._update_samples()

    def _on_settings(self, settings: Settings) -> None:
        if self._library is not None:
            self._settings = settings
            self._bridge.submit(operations.list_profiles(self._library), done=self._on_profiles)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        self._profiles = profiles
        self._emit_answerer()

    @Slot()
    def _emit_answerer(self) -> None:
        # Nothing is emitted before the settings are known: the answerer might be a remote model.
        if self._profiles is not None:
            agent = self._agents.named(self._agents.asked)
            self.answerer_changed.emit(Answerer.of(self._settings, self._profiles, agent, self._offline_mode))

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        before = bool(self._documents)
        if isinstance(event, DocumentChanged):
            if event.document.status is DocumentStatus.FAILED:
                self._documents.discard(event.document.id)
            else:
                self._documents.add(event.document.id)
            if _is_sample(event.document):
                self._samples[event.document.id] = event.document.name
        elif isinstance(event, DocumentsRemoved):
            self._documents.difference_update(event.documents)
            for number in event.documents:
                self._samples.pop(number, None)
        else:
            return
        if before != bool(self._documents):
            self.documents_changed.emit(not before)
        self._update_samples()

    def _update_samples(self) -> None:
        count = len(self._samples)
        only = count == len(self._documents) == len(EXAMPLES) and set(self._samples.values()) == set(EXAMPLES)
        if only != self._has_samples_only:
            self._has_samples_only = only
            self.samples_changed.emit(only)


def _is_sample(document: Document) -> bool:
    return document.name in EXAMPLES and document.status is DocumentStatus.READY


class QuestionFilter(QObject):
    """Passes the filter of a FilterBar to the conversation, and queries the library for its values and extent."""

    def __init__(self, bridge: Bridge, conversation: ConversationPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._conversation = conversation
        self._library: Library | None = None
        self._bar: FilterBar | None = None
        self._measuring: JobHandle[FilterExtent] | None = None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to none, and remove the filter."""
        self._library = library
        self._conversation.filter = EVERYTHING
        if self._bar is not None:
            self._bar.close_filter()

    @Slot(object)
    def show_in(self, bar: FilterBar) -> None:
        """Offer the values of the library in a filter bar, and follow its filter."""
        if self._bar is None:
            self._bar = bar
            bar.changed.connect(self._on_changed)
            bar.values_wanted.connect(self._list_values)
        self._list_values()

    @Slot()
    def _list_values(self) -> None:
        if self._library is not None and self._bar is not None:
            self._bridge.submit(operations.filter_values(self._library), done=self._bar.set_values)

    @Slot()
    def measure(self) -> None:
        """Count what passes the filter in the current knowledge base."""
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring = None
        chosen = self._conversation.filter
        if self._library is None or self._bar is None or not chosen.where:
            return
        whole = ChunkFilter(self._conversation.knowledge_base, chosen.where)
        self._measuring = self._bridge.submit(
            operations.filter_extent(self._library, whole), done=self._bar.show_extent, failed=self._on_failed
        )

    @Slot(object)
    def _on_changed(self, chosen: ChunkFilter) -> None:
        self._conversation.filter = chosen
        self.measure()

    def _on_failed(self, error: BaseException, _details: str) -> None:
        if self._bar is not None:
            self._bar.show_error(error)


class ComparisonController(QObject):
    """Opens the comparison window for an answer of the session that is shown.

    Signals:
        citation_activated: The Citation that was pressed in the window.
        go_on_asked: The Run from which the next question continues.
    """

    citation_activated = Signal(object)
    go_on_asked = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, cards: RunCards, pane: QWidget) -> None:
        super().__init__(pane)
        self._bridge = bridge
        self._theme = theme
        self._cards = cards
        self._pane = pane
        cards.compare_asked.connect(self.open)

    @Slot(object)
    def open(self, run: Run) -> ComparisonDialog | None:
        """Compare an answer with an alternative to it; return None if there is none."""
        # Imported here to keep it out of the time to an answer: few users compare answers.
        from workbench.ui.comparison.comparison_dialog import ComparisonDialog

        runs = self._cards.branches_of(run)
        if len(runs) < 2:
            return None
        dialog = ComparisonDialog(self._bridge, self._theme, runs, run, self._pane.window())
        dialog.citation_activated.connect(self.citation_activated)
        dialog.go_on_asked.connect(self.go_on_asked)
        dialog.show()
        return dialog
