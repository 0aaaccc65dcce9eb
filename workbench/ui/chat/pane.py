"""The chat pane: the conversation above, the question field below."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.bridge import Bridge
from workbench.ui.chat import empty_state
from workbench.ui.chat.composer import COLUMN, SCROLL_BAR, Composer
from workbench.ui.chat.empty_state import Welcome
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.session import Session
    from workbench.operations import Library
    from workbench.ui.agents.presenter import AgentsPresenter
    from workbench.ui.chat.answer_components import AnswerComponents
    from workbench.ui.chat.answerer import Answerer
    from workbench.ui.chat.mention_completion import MentionCompletion
    from workbench.ui.chat.run_card import RunCard
    from workbench.ui.chat.transcript import Transcript
    from workbench.ui.evaluation.passage_marks import Marks


class ChatPane(QFrame):
    """Conversation with the question field below it.

    Signals:
        citation_activated: The Citation that was pressed.
        run_selected: The Run that was pressed, or that has just ended.
        session_changed: The id of the session that is shown, when a question started or continued it.
        session_updated: The id of any session in which a run ended, shown or not.
        running_changed: Whether an answer is under way in the session that is shown.
        agents_asked: The agents are to be edited.
        answerer_changed: Another Answerer answers the next question.
        samples_asked: The sample documents are to be added.
        waits_elsewhere: The id of a session that is not shown, in which a tool call or a search waits for the user.
    """

    citation_activated = Signal(object)
    run_selected = Signal(object)
    session_changed = Signal(object)
    session_updated = Signal(object)
    running_changed = Signal(bool)
    agents_asked = Signal()
    answerer_changed = Signal(object)
    samples_asked = Signal()
    waits_elsewhere = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._theme = theme
        self._answerer: Answerer | None = None
        self._knowledge_base: str | None = None
        self.setProperty("role", "pane")
        self._empty = Welcome(theme)
        self._empty.samples_asked.connect(self.samples_asked)
        self._empty.question_chosen.connect(self.ask)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._composer = Composer(theme)
        self._composer.setMaximumWidth(COLUMN)
        self._composer.submitted.connect(self.ask)
        self.question_field = self._composer.field
        self.mentioning: MentionCompletion | None = None
        self._composer.stopped.connect(self.stop)
        bottom = QHBoxLayout()
        # Aligned with the cards, next to which space is reserved for the scroll bar.
        bottom.setContentsMargins(0, 0, SCROLL_BAR, 0)
        bottom.addStretch(1)
        bottom.addWidget(self._composer, 100)
        bottom.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._stack, 1)
        layout.addLayout(bottom)
        self._composer.set_hint("", local=True)
        self.expect_documents(False)

    @cached_property
    def _answers(self) -> AnswerComponents:
        # Created on first access, and imported here: the window's first paint comes 60 ms sooner without it.
        from workbench.ui.chat.answer_components import AnswerComponents

        answers = AnswerComponents(self._bridge, self._theme, self)
        self._stack.addWidget(answers.timeline)
        conversation = answers.conversation
        conversation.opened.connect(self._on_opened)
        conversation.started.connect(self._on_started)
        conversation.progressed.connect(self._on_progressed)
        conversation.ended.connect(self._on_ended)
        conversation.checked.connect(self._on_checked)
        conversation.session_changed.connect(self.session_changed)
        conversation.session_updated.connect(self.session_updated)
        conversation.running_changed.connect(self._on_running_changed)
        conversation.waits_elsewhere.connect(self.waits_elsewhere)
        answers.surroundings.documents_changed.connect(self.expect_documents)
        answers.surroundings.samples_changed.connect(self._empty.show_examples)
        answers.surroundings.answerer_changed.connect(self._on_answerer_changed)
        answers.surroundings.answerer_changed.connect(self.answerer_changed)
        answers.cards.citation_activated.connect(self.citation_activated)
        answers.cards.selected.connect(self._on_selected)
        answers.cards.ask_again.connect(self.ask)
        answers.cards.decided.connect(conversation.decide)
        answers.cards.chosen.connect(conversation.choose)
        answers.cards.around_wanted.connect(conversation.look_around)
        self._composer.curation_toggled.connect(conversation.curate)
        conversation.curate(self._composer.is_curated)
        self._composer.plan.chosen.connect(conversation.plan)
        answers.surroundings.answerer_changed.connect(self._composer.plan.show_answerer)
        answers.cards.forked.connect(conversation.fork)
        answers.cards.asked_instead.connect(conversation.ask_instead)
        self._composer.filter_opened.connect(answers.question_filter.show_in)
        self._composer.hold(answers.agent_picker)
        answers.agent_picker.edit_asked.connect(self.agents_asked)
        self._composer.hold(answers.going_on)
        answers.comparisons.citation_activated.connect(self.citation_activated)
        answers.comparisons.go_on_asked.connect(conversation.go_on_from)
        answers.comparisons.go_on_asked.connect(self.focus_composer)
        return answers

    def prepare(self) -> None:
        """Create the components for answers ahead of the first question."""
        _ = self._answers

    @property
    def session(self) -> int | None:
        """Id of the session that is shown; None before the first question of a new one."""
        return self._answers.conversation.session

    @property
    def running(self) -> bool:
        """True if an answer is under way in the session that is shown."""
        return self._answers.conversation.running

    @property
    def agents(self) -> AgentsPresenter:
        """Presenter of the agents."""
        return self._answers.agents

    @property
    def cards(self) -> tuple[RunCard, ...]:
        """Existing cards of the session that is shown, oldest first; scrolling up creates earlier ones."""
        return self._answers.cards.cards

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to none."""
        self._answers.conversation.set_library(library)
        self._answers.surroundings.set_library(library)
        self._answers.pictures.set_library(library)
        self._answers.question_filter.set_library(library)
        self._answers.agents.set_library(library)

    def set_knowledge_base(self, name: str | None) -> None:
        """Search only this knowledge base from now on; None or an empty name means all."""
        self._knowledge_base = name or None
        self._answers.conversation.knowledge_base = name or None
        self._answers.question_filter.measure()
        if self._answerer is not None:
            self._on_answerer_changed(self._answerer)

    def show_marks(self, marks: Marks) -> None:
        """Show the ratings of the sources as right or wrong, and let the user change them."""
        self._answers.cards.show_marks(marks)

    def refresh(self) -> None:
        """Load the settings and the answerer again, after a change of settings."""
        self._answers.surroundings.refresh()

    def open_session(self, session: Session | None) -> None:
        """Show a session, or an empty new one; the keyboard focus stays where it is."""
        self._answers.conversation.open_session(session)

    @Slot(str)
    def ask(self, question: str) -> None:
        """Ask a question in the session that is shown; put it back into the field while an answer is under way."""
        restriction = self.mentioning.restriction(question) if self.mentioning is not None else ()
        if not self._answers.conversation.ask(question, restriction):
            self._composer.set_text(question)

    @Slot()
    def stop(self) -> None:
        """Stop the answer that is under way; the text so far is kept."""
        self._answers.conversation.stop()

    @Slot()
    def focus_composer(self) -> None:
        """Give the keyboard focus to the question field."""
        self._composer.focus_field()

    @Slot()
    def focus_filter(self) -> None:
        """Give the keyboard focus to the filter bar."""
        self._composer.focus_filter()

    @Slot()
    def toggle_curation(self) -> None:
        """Let the user choose passages before the next answers, or no longer."""
        self._composer.options.curation.trigger()

    def toggle_plan(self) -> bool:
        """Answer the next question by a plan, or without one; False if the answerer makes no plans."""
        if not self._composer.plan.isVisible():
            return False
        self._composer.plan.trigger()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.running:
            self.stop()
            return
        super().keyPressEvent(event)

    @Slot(object)
    def _on_opened(self, transcripts: Sequence[Transcript]) -> None:
        # The timeline is shown first, so that the cards are laid out for its width.
        self._stack.setCurrentWidget(self._answers.timeline if transcripts else self._empty)
        self._answers.cards.show(transcripts)
        self._composer.set_recallable(self._answers.conversation.last_question)
        if transcripts:
            self._on_selected(transcripts[-1])

    @Slot(object)
    def _on_started(self, transcript: Transcript) -> None:
        self._stack.setCurrentWidget(self._answers.timeline)
        self._answers.cards.add(transcript)
        self._composer.set_recallable(transcript.question)
        self._answers.timeline.follow()
        self._composer.plan.reset()

    @Slot()
    def _on_progressed(self) -> None:
        self._answers.conversation.pace(self._answers.cards.refresh_last())

    @Slot(object)
    def _on_ended(self, transcript: Transcript) -> None:
        self._answers.cards.refresh(transcript)
        self._on_selected(transcript)

    @Slot(object)
    def _on_checked(self, transcript: Transcript) -> None:
        self._answers.cards.refresh(transcript)

    @Slot(object)
    def _on_selected(self, transcript: Transcript) -> None:
        if transcript.run is not None:
            self.run_selected.emit(transcript.run)

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        self._composer.set_running(running)
        self.running_changed.emit(running)

    @Slot(bool)
    def expect_documents(self, any_documents: bool) -> None:
        """Show the invitation to ask if there are documents, the one to add documents otherwise."""
        self._empty.expect_documents(any_documents)
        self._composer.expect_documents(any_documents)
        self._composer.set_placeholder(*map(tr, empty_state.ASK if any_documents else empty_state.ADD_FIRST))

    @Slot(object)
    def _on_answerer_changed(self, answerer: Answerer) -> None:
        self._answerer = answerer
        hint = answerer.where_it_goes(self._knowledge_base)
        self._composer.set_hint(hint, local=answerer.stays_here)
