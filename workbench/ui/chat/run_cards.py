"""Cards of the session that is shown: those near the visible area, created in small steps while the window is idle."""

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from workbench.model.approval import CurationAsked, PassageChoice
from workbench.model.hit import Hit
from workbench.model.run import Run
from workbench.model.session import branches
from workbench.ui.chat.answer_document import MOST
from workbench.ui.chat.answer_footer import FOOT
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.presenter import ApprovalWord
from workbench.ui.chat.run_card import RunCard
from workbench.ui.chat.timeline import Timeline, estimate_row_height
from workbench.ui.chat.transcript import Transcript, Transcripts
from workbench.ui.evaluation.passage_marks import Marks
from workbench.ui.theme import Theme

# Number of newest cards that are created at once.
_AT_ONCE = 2
# Milliseconds between two steps, in which the window can handle user input.
_PAUSE = 1
# Distance from the visible area, in heights of the view, up to which cards are created, and beyond which removed.
_AHEAD = 0.75
_KEPT = 1.5
# Maximum number of cards, unless more are near the visible area.
_MOST = 24
# Maximum number of far cards that are kept because the reader unfolded or selected something in them.
_MOST_USED = 20


class RunCards(QObject):
    """Fills a timeline with cards.

    Signals:
        citation_activated: The Citation that was pressed.
        selected: The Transcript that was pressed.
        ask_again: A question to be asked as a new run.
        decided: The Transcript, and the ApprovalWord with the user's decision on a waiting call of it.
        chosen: The Transcript, the CurationAsked of a search of it that waits, and the PassageChoice of the user.
        around_wanted: The Transcript, and a Hit whose neighbours it is to provide.
        forked: A Run, the number of an event of it, and the tool result from which it is to continue.
        asked_instead: A Run, and the question that is to be asked in place of its own.
        compare_asked: A Run that is to be compared with an alternative to it.
        reading_wanted: A RunCard that can offer to read every passage for its question.
        unread_asked: Name of the knowledge base whose unread documents are to be read first, and the text of a filter
            on them; empty for all.
        passwords_asked: The user wants to enter the passwords of locked documents.
        reading_asked: A Run for whose question every passage is to be read.
        finished: The number of an answer, counted from 0, whose card is complete.
    """

    citation_activated = Signal(object)
    selected = Signal(object)
    ask_again = Signal(str)
    decided = Signal(object, object)
    chosen = Signal(object, object, object)
    around_wanted = Signal(object, object)
    forked = Signal(object, int, str)
    asked_instead = Signal(object, str)
    compare_asked = Signal(object)
    reading_wanted = Signal(object)
    unread_asked = Signal(str, str)
    passwords_asked = Signal()
    reading_asked = Signal(object)
    finished = Signal(int)

    def __init__(self, theme: Theme, timeline: Timeline, preview: CitationPreview, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._timeline = timeline
        self._preview = preview
        self._marks: Marks | None = None
        self._runs = Transcripts(())
        self._branches: dict[int, tuple[Run, ...]] = {}
        self._cards: dict[int, RunCard] = {}
        self._width = 0
        self._work = QTimer(self)
        self._work.setInterval(_PAUSE)
        self._work.timeout.connect(self._on_turn)
        timeline.moved.connect(self._work.start)
        theme.changed.connect(self._work.start)

    @property
    def cards(self) -> tuple[RunCard, ...]:
        """The existing cards, oldest first; the newest answer always has one."""
        return tuple(card for _, card in sorted(self._cards.items()))

    @property
    def transcripts(self) -> Transcripts:
        """All answers of the session, oldest first."""
        return self._runs

    def card(self, number: int) -> RunCard | None:
        """Return the card of an answer; None if it does not exist or is not complete."""
        card = self._cards.get(number)
        return card if card is not None and card.is_finished else None

    def show(self, transcripts: Sequence[Transcript]) -> None:
        """Replace the cards with those of a session, and scroll to its end."""
        self._preview.dismiss()
        self._cards.clear()
        self._runs = Transcripts(transcripts)
        self._branches = branches(self._runs.ended)
        self._width = self._timeline.card_width
        self._timeline.show_rows(self._estimated_heights())
        for row in range(len(self._runs))[-_AT_ONCE:]:
            self._make_row(row)
        self._finish_newest()
        self._work.start()

    def show_marks(self, marks: Marks) -> None:
        """Show the ratings of the sources as right or wrong from now on."""
        self._marks = marks
        for card in self._cards.values():
            card.show_marks(marks)

    def add(self, transcript: Transcript) -> None:
        """Add a card below the others."""
        self._runs = self._runs.with_more([transcript])
        row = len(self._runs) - 1
        self._cards[row] = self._card(transcript)
        self._timeline.add(self._cards[row])
        self._work.start()

    def refresh_last(self) -> int:
        """Refresh the newest card only; return the milliseconds that this took."""
        began = time.perf_counter()
        card = self._cards.get(len(self._runs) - 1)
        if card is not None:
            card.refresh()
        return round((time.perf_counter() - began) * 1000)

    def refresh(self, transcript: Transcript) -> None:
        """Refresh the card of a transcript, and the cards of answers that can now be compared."""
        for card in self._cards.values():
            if card.transcript is transcript:
                card.refresh()
        before, self._branches = self._branches.keys(), branches(self._runs.ended)
        for card in self._cards.values():
            run = card.transcript.run
            if run is not None and run.id in self._branches.keys() - before:
                card.transcript.is_comparable = True
                card.refresh()

    def branches_of(self, run: Run) -> tuple[Run, ...]:
        """Return a run and the alternatives to it; empty if there are none."""
        return self._branches.get(run.id, ())

    def reveal(self, run: int) -> None:
        """Scroll to the answer of a run."""
        row = self._runs.place(run)
        if row is not None:
            self._timeline.reveal(row)

    def show_row(self, number: int) -> None:
        """Scroll to an answer, whose card is then created; finished is emitted when it is complete."""
        self._timeline.reveal(number)

    def _estimated_heights(self) -> list[int]:
        return [estimate_row_height(run.answer, run.citations, self._width) for run in self._runs.kept]

    def _finish_newest(self) -> None:
        """Create the whole newest card, unless its answer is long."""
        row = len(self._runs) - 1
        card = self._cards.get(row)
        if card is not None and len(card.transcript.answer) <= MOST:
            while not card.go_on():
                pass
            self._timeline.finish(row)

    def _make_row(self, row: int) -> None:
        """Create the card of a row, or the first part of it."""
        # The transcript of a run that was live in this session is reused, so that a new card shows the same state.
        transcript = self._runs[row]
        self._cards[row] = card = self._card(transcript)
        self._timeline.put(row, card, finished=card.is_finished)

    def _card(self, transcript: Transcript) -> RunCard:
        transcript.is_comparable = transcript.run is not None and transcript.run.id in self._branches
        card = RunCard(self._theme, self._preview, transcript, self._timeline.column, width=self._timeline.card_width)
        if self._marks is not None:
            card.show_marks(self._marks)
        card.citation_activated.connect(self.citation_activated)
        card.selected.connect(self.selected)
        card.ask_again.connect(self.ask_again)
        card.decided.connect(self._on_decided)
        card.chosen.connect(self._on_chosen)
        card.around_wanted.connect(self._on_around_wanted)
        card.forked.connect(self.forked)
        card.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        card.customContextMenuRequested.connect(self._on_menu)
        card.asked_instead.connect(self.asked_instead)
        card.compare_asked.connect(self.compare_asked)
        card.reading_wanted.connect(self.reading_wanted)
        card.unread_asked.connect(self.unread_asked)
        card.passwords_asked.connect(self.passwords_asked)
        card.reading_asked.connect(self.reading_asked)
        card.unfinished.connect(self._work.start)
        return card

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        """Show a context menu with the actions of the answer."""
        card = self.sender()
        if isinstance(card, RunCard):
            menu = QMenu(card)
            menu.setToolTipsVisible(True)
            for name in FOOT:
                action = card.findChild(QAction, name)
                if action is not None and action.isVisible():
                    menu.addAction(action)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            if not menu.isEmpty():
                menu.popup(card.mapToGlobal(place))

    @Slot()
    def _on_turn(self) -> None:
        """Do one small step: first the visible cards, then those near the visible area, then remove one that is far."""
        if self._timeline.card_width != self._width:
            self._width = self._timeline.card_width
            self._timeline.guess(self._estimated_heights())
        elif len(self._cards) > _MOST and self._remove_one():
            # Continuous scrolling leaves more cards behind than the idle time between steps could remove.
            pass
        elif not (self._make_near(0.0) or self._make_near(_AHEAD) or self._remove_one()):
            self._work.stop()

    def _make_near(self, share: float) -> bool:
        """Create or continue one card that is at most this far from the visible area; return False if all exist."""
        near = self._timeline.rows_near(share)
        # The newest first: reading continues from there, and a change of the rows above it moves nothing.
        for row in reversed(near):
            card = self._cards.get(row)
            if card is None:
                self._make_row(row)
                return True
            if not card.is_finished:
                if card.go_on():
                    self._timeline.finish(row)
                    self.finished.emit(row)
                return True
        return False

    def _remove_one(self) -> bool:
        """Remove the card that is farthest from the visible area; return False if none is far."""
        near = self._timeline.rows_near(_KEPT)
        newest = len(self._runs) - 1
        far = [row for row in self._cards if row not in near and row != newest]
        far.sort(key=lambda row: -max(near.start - row, row - near.stop))
        used = [row for row in far if self._cards[row].is_used]
        for row in far:
            if row not in used or (len(used) > _MOST_USED and not self._cards[row].has_keyboard):
                del self._cards[row]
                self._timeline.take_out(row)
                return True
        return False

    @Slot(object)
    def _on_decided(self, word: ApprovalWord) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.decided.emit(card.transcript, word)

    @Slot(object, object)
    def _on_chosen(self, asked: CurationAsked, choice: PassageChoice) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.chosen.emit(card.transcript, asked, choice)

    @Slot(object)
    def _on_around_wanted(self, hit: Hit) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.around_wanted.emit(card.transcript, hit)
