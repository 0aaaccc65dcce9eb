"""One question with all that came of it: bubble, steps, answer, sources, how it ended, what can be done with it."""

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from workbench.model.hit import Citation
from workbench.model.run import RunStatus, TimedEvent
from workbench.ui.chat import wording
from workbench.ui.chat.another_question import AnotherQuestion
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.claim_list import ClaimList
from workbench.ui.chat.curation_place import CurationPlace
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.outcome_banner import OutcomeBanner
from workbench.ui.chat.preview import CitationPreview
from workbench.ui.chat.result_dialog import ResultDialog
from workbench.ui.chat.scrubber import Scrubber
from workbench.ui.chat.source_list import SourceList
from workbench.ui.chat.source_marks import SourceMarks
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.transcript import Transcript
from workbench.ui.evaluation.marks import Marks
from workbench.ui.theme import Theme

_BUBBLE_SHARE = 0.82
_BUBBLE_PADDING = 28
COPY = "Copy"
COPY_PLAIN = "Copy without numbers"
FOOT = (COPY, COPY_PLAIN, "Ask again", "Replay", "Prompt")
"""The buttons at the foot of a card, by their names."""
BUBBLE = "question"
"""The name of the label that holds the question."""
# Milliseconds for which a button says "Copied".
_SEEN = 2000


class RunCard(QFrame):
    """A run in the timeline.

    Signals:
        citation_activated: The Citation that was pressed.
        selected: The Transcript of this card, when it is pressed anywhere.
        ask_again: The question, to be asked as a new run.
        decided: The Word that a person said to a call that waits.
        chosen: The CurationAsked of a search that waits, and the Choice that a person made.
        around_wanted: A Hit whose neighbours the transcript is to tell.
        forked: The Run, the number of an event of it, and the result from which it is to go on.
        asked_instead: The Run, and the question that is to be asked in the place of its own.
    """

    citation_activated = Signal(object)
    selected = Signal(object)
    ask_again = Signal(str)
    decided = Signal(object)
    chosen = Signal(object, object)
    around_wanted = Signal(object)
    forked = Signal(object, int, str)
    asked_instead = Signal(object, str)

    def __init__(
        self, theme: Theme, preview: CitationPreview, transcript: Transcript, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preview = preview
        self._transcript = transcript
        self._bubble = _bubble(transcript.question)
        self._past: Transcript | None = None
        self._scrubber: Scrubber | None = None
        self._steps = StepsPanel(theme)
        self._steps.decided.connect(self.decided)
        self._curation = CurationPlace(theme)
        self._curation.chosen.connect(self.chosen)
        self._curation.around_wanted.connect(self.around_wanted)
        self._curation.citation_activated.connect(self._on_citation_activated)
        self._answer = AnswerView(theme)
        self._claims = ClaimList(theme)
        self._banner = OutcomeBanner(theme)
        self._sources = SourceList(theme)
        self._notices = _quiet_label()
        self._status = _quiet_label()
        self._actions = QWidget()
        self._flow = FlowLayout(self._actions, spacing=2)
        self._copy = self._action(COPY, "copy", self._on_copy)
        self._copy.setToolTip("Copy the answer with its sources as footnotes")
        self._copy_plain = self._action(COPY_PLAIN, "copy", self._on_copy_plain)
        self._again = self._action("Ask again", "refresh", self._on_again)
        self._other = AnotherQuestion(transcript, self)
        self._other.asked.connect(self.asked_instead)
        self._instead = self._action("Ask differently", "edit", self._other.open)
        self._instead.setToolTip("Ask another question in the place of this one")
        self._replay = self._action("Replay", "clock", self._on_replay)
        self._replay.setToolTip("Go through the steps of this answer again, as they happened")
        self._prompt = self._action("Prompt", "eye", self._on_prompt)
        self._prompt.setToolTip("Show exactly what the model was told")
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_SEEN)
        self._copied.timeout.connect(self._on_copied_seen)
        self._arrange()
        for part in (self._answer, self._sources):
            part.citation_activated.connect(self._on_citation_activated)
            part.citation_hovered.connect(self._on_citation_hovered)
            part.citation_peeked.connect(self._on_citation_hovered)
        self._banner.retry_requested.connect(self._on_again)
        theme.changed.connect(self._on_theme_changed)
        self._dress()
        self.refresh()

    @property
    def transcript(self) -> Transcript:
        """What this card shows."""
        return self._transcript

    def refresh(self) -> None:
        """Show the transcript as it stands now."""
        transcript = self._past or self._transcript
        self._steps.show_transcript(transcript, live=self._past is None)
        self._curation.show_transcript(transcript)
        self._answer.show_answer(transcript.answer, transcript.shown_citations())
        self._answer.show_claims(transcript.claims)
        # Laid out before its first word is there, which is then on screen 2 ms sooner.
        self._answer.setVisible(transcript.running or bool(transcript.answer.strip()))
        self._claims.show_claims(transcript.claims)
        self._banner.show_transcript(transcript)
        self._sources.show_citations(() if transcript.running else transcript.citations)
        notices = wording.notices(transcript)
        self._notices.setText("\n".join(notices))
        self._notices.setVisible(bool(notices))
        self._status.setText(wording.status_line(transcript))
        self._status.setVisible(not transcript.running)
        self._show_actions()
        self.setAccessibleName(f"Question: {transcript.question}")

    def _show_actions(self) -> None:
        """Show what can be done with the answer, also while it is replayed."""
        transcript = self._transcript
        self._actions.setVisible(not transcript.running)
        self._replay.setVisible(transcript.run is not None)
        self._instead.setVisible(transcript.run is not None)
        answered = bool(transcript.answer.strip())
        self._copy.setVisible(answered)
        self._again.setVisible(not self._banner.offers_retry)
        self._prompt.setVisible(transcript.run is not None and bool(transcript.run.prompts))
        self._copy_plain.setVisible(answered and any(citation.valid for citation in transcript.citations))

    def show_marks(self, marks: Marks) -> None:
        """Show beside the sources which of them are marked, and let them be marked, in the answer's text too."""
        self._source_marks = SourceMarks(marks, self._transcript, self._sources, self._answer, self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_bubble()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.selected.emit(self._transcript)

    def _fit_bubble(self) -> None:
        """Make the bubble as wide as its text: left to itself a wrapping label is about as wide as it is high."""
        widest = round(self.width() * _BUBBLE_SHARE) - _BUBBLE_PADDING
        space = QRect(0, 0, widest, 1_000_000)
        text = self._bubble.fontMetrics().boundingRect(space, Qt.TextFlag.TextWordWrap, self._transcript.question)
        self._bubble.setFixedWidth(min(widest, text.width() + 12) + _BUBBLE_PADDING)

    def _arrange(self) -> None:
        question = QHBoxLayout()
        question.addStretch(1)
        question.addWidget(self._bubble)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(question)
        self._parts = layout
        for part in (
            self._steps,
            self._curation,
            self._answer,
            self._claims,
            self._banner,
            self._sources,
            self._notices,
        ):
            layout.addWidget(part)
        foot = QVBoxLayout()
        foot.setSpacing(2)
        foot.addWidget(self._status)
        foot.addWidget(self._actions)
        layout.addLayout(foot)

    def _action(self, text: str, icon: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("variant", "ghost")
        button.setProperty("icon_name", icon)
        button.setObjectName(text)
        button.setIconSize(QSize(14, 14))
        button.setAutoDefault(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setProperty("flush", self._flow.count() == 0)
        button.clicked.connect(slot)
        self._flow.addWidget(button)
        return button

    def _dress(self) -> None:
        tokens = self._theme.tokens()
        self._bubble.setStyleSheet(
            f"background: {tokens.accent_soft}; border-radius: 14px; padding: 9px 14px; color: {tokens.text};"
        )
        self._bubble.setFont(self._theme.font(text=self._transcript.question))
        for button in (self._copy, self._copy_plain, self._again, self._instead, self._replay, self._prompt):
            button.setIcon(self._theme.icon(button.property("icon_name"), size=14))

    @Slot()
    def _on_theme_changed(self) -> None:
        self._dress()

    @Slot(object)
    def _on_citation_activated(self, citation: Citation) -> None:
        self._preview.dismiss()
        self.selected.emit(self._transcript)
        self.citation_activated.emit(citation)

    @Slot(object, object)
    @Slot(object, object, bool)
    def _on_citation_hovered(self, citation: Citation | None, place: QRect | None, at_once: bool = False) -> None:
        if citation is None or place is None:
            self._preview.dismiss()
        else:
            self._preview.offer(citation, self._transcript.hit_of(citation), place, at_once=at_once)

    @Slot()
    def _on_copy(self) -> None:
        transcript = self._transcript
        QGuiApplication.clipboard().setText(wording.with_footnotes(transcript.answer, transcript.citations))
        self._confirm(self._copy)

    @Slot()
    def _on_copy_plain(self) -> None:
        QGuiApplication.clipboard().setText(wording.without_citations(self._transcript.answer))
        self._confirm(self._copy_plain)

    def _confirm(self, button: QPushButton) -> None:
        button.setText("Copied")
        self._copied.start()

    @Slot()
    def _on_copied_seen(self) -> None:
        self._copy.setText(COPY)
        self._copy_plain.setText(COPY_PLAIN)

    @Slot()
    def _on_replay(self) -> None:
        """Show where the reader can go back to in this answer, or put that away again."""
        run = self._transcript.run
        if self._scrubber is None and run is not None:
            self._scrubber = Scrubber(self._theme, run)
            self._scrubber.moved.connect(self._on_moved)
            self._scrubber.closed.connect(self._on_replay)
            self._scrubber.change_asked.connect(self._on_change_asked)
            self._parts.insertWidget(1, self._scrubber)
            self._scrubber.focus()
        elif self._scrubber is not None:
            self._scrubber.hide()
            self._scrubber.deleteLater()
            self._scrubber = self._past = None
            self.refresh()

    @Slot(object)
    def _on_change_asked(self, timed: TimedEvent) -> None:
        dialog = ResultDialog(timed, self.window())
        dialog.chosen.connect(self._on_result_chosen)
        dialog.open()

    @Slot(int, str)
    def _on_result_chosen(self, number: int, result: str) -> None:
        self._on_replay()
        self.forked.emit(self._transcript.run, number, result)

    @Slot(int)
    def _on_moved(self, count: int) -> None:
        run = self._transcript.run
        if run is not None:
            self._past = Transcript.until(run, count) if count < len(run.events) else None
            self.refresh()

    @Slot()
    def _on_again(self) -> None:
        self.ask_again.emit(self._transcript.question)

    @Slot()
    def _on_prompt(self) -> None:
        # Not on the way to an answer: few look at it.
        from workbench.ui.chat.prompt_dialog import PromptDialog

        run = self._transcript.run
        if run is not None:
            PromptDialog(run.question, run.prompts, self.window()).show()

    @property
    def status(self) -> RunStatus:
        """How the run stands."""
        return self._transcript.status


def _bubble(question: str) -> QLabel:
    bubble = QLabel(question)
    bubble.setObjectName(BUBBLE)
    bubble.setTextFormat(Qt.TextFormat.PlainText)
    bubble.setWordWrap(True)
    bubble.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    bubble.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    bubble.setAccessibleName(f"Your question: {question}")
    return bubble


def _quiet_label() -> QLabel:
    label = QLabel()
    label.setProperty("role", "caption")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
