"""Card of one question and its answer: question bubble, steps, answer, sources, outcome, asking again in its place.

Most parts are created when they have something to show. The card of a long answer is created in steps, since creating
all of it at once would block the window: its beginning at once, the rest by go_on.
"""

from collections.abc import Callable
from enum import IntEnum

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr
from workbench.model.hit import Citation
from workbench.ui.chat import run_wording
from workbench.ui.chat.answer_footer import AnswerFooter, ClaimList, OutcomeBanner, caption_label, outcome_of, set_shown
from workbench.ui.chat.answer_replay import Replay, Scrubber
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.curation_card import CurationContainer
from workbench.ui.chat.source_list import SourceList, SourceRatings
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.evaluation.passage_marks import Marks
from workbench.ui.theme import Theme


class _CardPart(IntEnum):
    """The parts of a card, from top to bottom."""

    SCRUBBER = 1
    STEPS = 2
    CURATION = 3
    ANSWER = 4
    CLAIMS = 5
    BANNER = 6
    SOURCES = 7
    NOTICES = 8
    FOOT = 9


class RunCard(QFrame):
    """Card of a run in the timeline.

    Args:
        theme: Theme of the window.
        preview: Shows the citation under the pointer.
        transcript: The transcript to show.
        parent: Parent widget.
        width: Expected width, so that the text is laid out once and the card is created in steps; without it the whole
            card is created at once.

    Signals:
        citation_activated: The Citation that was pressed.
        selected: The Transcript of this card, when it is pressed anywhere.
        ask_again: The question, to be asked as a new run.
        decided: The ApprovalWord with the user's decision on a waiting call.
        chosen: The CurationAsked of a search that waits, and the PassageChoice of the user.
        around_wanted: A Hit whose neighbours the transcript is to provide.
        forked: The Run, the number of an event of it, and the tool result from which it is to continue.
        asked_instead: The Run, and the question that is to be asked in place of its own.
        compare_asked: The Run that is to be compared with an alternative to it.
        reading_wanted: The card, when its answer is complete; offer_reading can then offer to read every passage.
        unread_asked: Name of the knowledge base whose unread documents are to be read first, and the text of a filter
            on them; empty for all.
        passwords_asked: The user wants to enter the passwords of locked documents.
        reading_asked: The Run for whose question every passage is to be read.
        unfinished: A part of the card is not shown yet; go_on shows it.
    """

    citation_activated = Signal(object)
    selected = Signal(object)
    ask_again = Signal(str)
    decided = Signal(object)
    chosen = Signal(object, object)
    around_wanted = Signal(object)
    forked = Signal(object, int, str)
    asked_instead = Signal(object, str)
    compare_asked = Signal(object)
    reading_wanted = Signal(object)
    unread_asked = Signal(str, str)
    passwords_asked = Signal()
    reading_asked = Signal(object)
    unfinished = Signal()

    def __init__(
        self,
        theme: Theme,
        preview: CitationPreview,
        transcript: Transcript,
        parent: QWidget | None = None,
        *,
        width: int | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preview = preview
        self._transcript = transcript
        self._marks: Marks | None = None
        self._steps: StepsPanel | None = None
        self._curation: CurationContainer | None = None
        self._claims: ClaimList | None = None
        self._banner: OutcomeBanner | None = None
        self._sources: SourceList | None = None
        self._notices: QLabel | None = None
        self._foot: AnswerFooter | None = None
        self._is_beginning = False
        self._parts: list[_CardPart] = []
        self._queue: list[Callable[[Transcript], None]] = []
        self._bubble = QuestionBubble(theme, transcript.question, self)
        question = QHBoxLayout()
        question.addStretch(1)
        question.addWidget(self._bubble)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self._column.addLayout(question)
        self._answer = AnswerView(theme, self, width=width)
        self._add(_CardPart.ANSWER, self._answer)
        self._follow_citations(self._answer)
        self._replay = Replay(theme, transcript, self)
        self._replay.toggled.connect(self._on_replay_toggled)
        self._replay.moved.connect(self.refresh)
        self._replay.forked.connect(self.forked)
        self._ask_instead = AskInsteadAction(transcript, self)
        self._ask_instead.asked.connect(self.asked_instead)
        self.setAccessibleName(tr("Question: {question}", question=transcript.question))
        if width is None:
            self.refresh()
            while not self.is_finished:
                self.go_on()
        else:
            self.resize(width, self.height())
            self._show_beginning()

    @property
    def transcript(self) -> Transcript:
        """The transcript that the card shows."""
        return self._transcript

    @property
    def is_finished(self) -> bool:
        """True if all parts of the card are shown."""
        return self._answer.is_whole and not self._queue and (self._sources is None or self._sources.is_whole)

    @property
    def has_keyboard(self) -> bool:
        """True if the keyboard focus is inside the card."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    @property
    def is_used(self) -> bool:
        """True if the card has state that a new card would not have, such as an unfolded part or a selection."""
        return (
            self.has_keyboard
            or self._replay.scrubber is not None
            or self._transcript.waiting
            or self._answer.textCursor().hasSelection()
            or self._bubble.hasSelectedText()
            or (self._steps is not None and not self._steps.folded)
            or (self._claims is not None and self._claims.is_unfolded)
        )

    def _show_beginning(self) -> None:
        """Show a question under way, or prepare a stored answer to be shown step by step."""
        if self._transcript.running:
            self.refresh()
        else:
            self._is_beginning = True
            set_shown(self._answer, bool(self._transcript.answer.strip()))
            self._queue = [self._show_answer, self._show_above, self._show_outcome, self._show_sources, self._show_foot]

    @Slot()
    def refresh(self) -> None:
        """Show the current transcript; of a long answer that has just arrived, only the beginning."""
        self._is_beginning = False
        transcript = self._replay.past or self._transcript
        self._show_above(transcript)
        self._show_answer(transcript)
        self._queue = [self._show_outcome, self._show_sources, self._show_foot]
        while self._queue and self._answer.is_whole:
            self._queue.pop(0)(transcript)
        if not self.is_finished:
            self.unfinished.emit()

    def go_on(self) -> bool:
        """Show more, for a few milliseconds; return whether everything is shown now."""
        if not self._answer.is_whole:
            self._answer.go_on()
        elif self._sources is not None and not self._sources.is_whole:
            self._sources.go_on()
        elif self._queue:
            self._queue.pop(0)(self._replay.past or self._transcript)
        return self.is_finished

    def show_marks(self, marks: Marks) -> None:
        """Show the ratings of the sources, and let the user change them in the list and in the text of the answer."""
        self._marks = marks
        if self._sources is not None:
            self._source_marks = SourceRatings(marks, self._transcript, self._sources, self._answer, self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bubble.fit(self.width())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.selected.emit(self._transcript)

    def _add(self, part: _CardPart, widget: QWidget) -> None:
        """Insert a part at its position among the existing parts."""
        self._parts.append(part)
        self._column.insertWidget(sorted(self._parts).index(part) + 1, widget)
        if not self.isHidden():
            # Qt would show it only in the next turn of the event loop, and the card would have its old height until
            # then.
            widget.show()

    def _follow_citations(self, shown: AnswerView | SourceList) -> None:
        shown.citation_activated.connect(self._on_citation_activated)
        shown.citation_hovered.connect(self._on_citation_hovered)
        shown.citation_peeked.connect(self._on_citation_hovered)

    def _show_answer(self, transcript: Transcript) -> None:
        self._answer.show_answer(transcript.answer, transcript.shown_citations())
        # Laid out before its first word arrives, which is then on screen 2 ms sooner.
        set_shown(self._answer, transcript.running or bool(transcript.answer.strip()))

    def _show_above(self, transcript: Transcript) -> None:
        """Show the parts above the answer."""
        has_content = transcript.steps or transcript.plan.is_shown or transcript.spending.ended is not None
        if self._steps is None and (transcript.running or has_content):
            self._steps = StepsPanel(self._theme, self)
            self._steps.decided.connect(self.decided)
            self._add(_CardPart.STEPS, self._steps)
        if self._steps is not None:
            self._steps.show_transcript(transcript, live=self._replay.past is None)
        if self._curation is None and transcript.curation is not None:
            self._curation = CurationContainer(self._theme, self)
            self._curation.chosen.connect(self.chosen)
            self._curation.around_wanted.connect(self.around_wanted)
            self._curation.citation_activated.connect(self._on_citation_activated)
            self._add(_CardPart.CURATION, self._curation)
        if self._curation is not None:
            self._curation.show_transcript(transcript)

    def _show_outcome(self, transcript: Transcript) -> None:
        """Show the outcome of the run and the notes on the answer: claims, banner and notices."""
        self._answer.show_claims(transcript.claims)
        if self._claims is None and transcript.claims:
            self._claims = ClaimList(self._theme, self)
            self._add(_CardPart.CLAIMS, self._claims)
        if self._claims is not None:
            self._claims.show_claims(transcript.claims)
        if self._banner is None and outcome_of(transcript) is not None:
            self._banner = OutcomeBanner(self._theme, self)
            self._banner.retry_requested.connect(self._on_again)
            self._banner.unread_requested.connect(self._on_unread)
            self._banner.passwords_requested.connect(self.passwords_asked)
            self._add(_CardPart.BANNER, self._banner)
        if self._banner is not None:
            self._banner.show_transcript(transcript)
        notices = run_wording.notices(transcript)
        if self._notices is None and notices:
            self._notices = caption_label()
            self._add(_CardPart.NOTICES, self._notices)
        if self._notices is not None:
            self._notices.setText("\n".join(notices))
            set_shown(self._notices, bool(notices))

    def _show_sources(self, transcript: Transcript) -> None:
        # Created while the answer streams, but hidden: its citations can already be rated in the text.
        if self._sources is None and transcript.shown_citations():
            self._sources = SourceList(self._theme, self)
            self._follow_citations(self._sources)
            self._add(_CardPart.SOURCES, self._sources)
            if self._marks is not None:
                self.show_marks(self._marks)
        if self._sources is not None:
            shown = () if transcript.running else transcript.citations
            self._sources.show_citations(shown, gradually=self._is_beginning)

    def _show_foot(self, transcript: Transcript) -> None:
        if self._foot is None and not self._transcript.running:
            self._foot = AnswerFooter(self._theme, self._transcript, self)
            self._foot.again_asked.connect(self._on_again)
            self._foot.instead_asked.connect(self._ask_instead.open)
            self._foot.replay_asked.connect(self._replay.toggle)
            self._foot.prompt_asked.connect(self._on_prompt)
            self._foot.compare_asked.connect(self.compare_asked)
            self._foot.reading_asked.connect(self.reading_asked)
            # Deferred, since no slot is connected yet to a card that is being created.
            QTimer.singleShot(0, self, self._want_reading)
            self._add(_CardPart.FOOT, self._foot)
        if self._foot is not None:
            offers_retry = self._banner is not None and self._banner.offers_retry
            self._foot.show_transcript(transcript, offers_retry=offers_retry)

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
            hit, others = self._transcript.hit_of(citation), self._transcript.citations_beside(citation)
            self._preview.offer(citation, hit, place, others=others, at_once=at_once)

    @Slot(object)
    def _on_replay_toggled(self, scrubber: Scrubber | None) -> None:
        if scrubber is not None:
            self._add(_CardPart.SCRUBBER, scrubber)
        else:
            self._parts.remove(_CardPart.SCRUBBER)

    def offer_reading(self, words: str, details: str) -> None:
        """Offer to read every passage for the question, with a short and a detailed text about the effort."""
        if self._foot is not None:
            self._foot.offer_reading(words, details)

    @Slot()
    def _want_reading(self) -> None:
        self.reading_wanted.emit(self)

    @Slot()
    def _on_again(self) -> None:
        self.ask_again.emit(self._transcript.question)

    @Slot()
    def _on_unread(self) -> None:
        self.unread_asked.emit(self._transcript.knowledge_base, self._transcript.filter)

    @Slot()
    def _on_prompt(self) -> None:
        # Imported here to keep it out of the time to an answer: few users open it.
        from workbench.ui.chat.prompt_dialog import PromptDialog

        run = self._transcript.run
        if run is not None:
            PromptDialog(run.question, run.prompts, self.window()).show()


BUBBLE = "question"
"""Object name of the question label, used by the style sheet."""
_SHARE = 0.82
_PADDING = 28


class QuestionBubble(QLabel):
    """A question in a tinted box."""

    def __init__(self, theme: Theme, question: str, parent: QWidget | None = None) -> None:
        super().__init__(question, parent)
        self._theme = theme
        self._question = question
        self.setObjectName(BUBBLE)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(tr("Your question: {question}", question=question))
        theme.changed.connect(self._dress)
        self._dress()

    def fit(self, room: int) -> None:
        """Set the width to that of the text: by default a label with word wrap is about as wide as it is high."""
        widest = round(room * _SHARE) - _PADDING
        space = QRect(0, 0, widest, 1_000_000)
        text = self.fontMetrics().boundingRect(space, Qt.TextFlag.TextWordWrap, self._question)
        self.setFixedWidth(min(widest, text.width() + 12) + _PADDING)

    @Slot()
    def _dress(self) -> None:
        self.setFont(self._theme.font(text=self._question))


_EXPLANATION = mark("Your new question gets its own answer below. The old question and its answer stay.")


class AskInsteadDialog(Dialog):
    """Editor for a question.

    Signals:
        chosen: The new question.
    """

    chosen = Signal(str)

    def __init__(self, question: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self.setWindowTitle(tr("Edit question"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 260)
        self._text = QPlainTextEdit(question)
        self._text.setAccessibleName(tr("New question"))
        self._text.setTabChangesFocus(True)
        self._text.selectAll()
        self._ask = button(tr("Ask"), "primary", self._on_ask)
        self._ask.setEnabled(False)
        self._text.textChanged.connect(self._on_edited)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(tr(_EXPLANATION), "muted", wrap=True))
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._ask))

    @Slot()
    def _on_edited(self) -> None:
        text = self._text.toPlainText().strip()
        self._ask.setEnabled(text not in ("", self._question.strip()))

    @Slot()
    def _on_ask(self) -> None:
        self.chosen.emit(self._text.toPlainText().strip())
        self.accept()


class AskInsteadAction(QObject):
    """Asks for another question in place of that of a card, and emits it.

    Signals:
        asked: The Run in whose place a question is to be asked, and the question.
    """

    asked = Signal(object, str)

    def __init__(self, transcript: Transcript, card: QWidget) -> None:
        super().__init__(card)
        self._transcript = transcript
        self._card = card

    @Slot()
    def open(self) -> None:
        """Open the editor for the question."""
        run = self._transcript.run
        if run is not None:
            dialog = AskInsteadDialog(run.question, self._card.window())
            dialog.chosen.connect(self._on_chosen)
            dialog.open()

    @Slot(str)
    def _on_chosen(self, question: str) -> None:
        self.asked.emit(self._transcript.run, question)
