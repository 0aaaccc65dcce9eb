"""The cards of the session that is shown: those near the reader, made in small steps when nothing else is to do."""

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QMenu, QPushButton

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

# The newest cards are there at once.
_AT_ONCE = 2
# Milliseconds between two steps: what a person does meanwhile comes first.
_PAUSE = 1
# Heights of the view around it in which cards are made ahead, and beyond which they are put away.
_AHEAD = 0.75
_KEPT = 1.5
# So many cards are there at most, unless more are near.
_MOST = 24
# Cards that are kept wherever they are, because the reader unfolded or selected something there.
_MOST_USED = 20


class RunCards(QObject):
    """Fills a timeline.

    Signals:
        citation_activated: The Citation that was pressed.
        selected: The Transcript that was pressed.
        ask_again: A question to be asked as a new run.
        decided: The Transcript, and the Word that a person said to a call of it that waits.
        chosen: The Transcript, the CurationAsked of a search of it that waits, and the Choice that a person made.
        around_wanted: The Transcript, and a Hit whose neighbours it is to tell.
        forked: A Run, the number of an event of it, and the result from which it is to go on.
        asked_instead: A Run, and the question that is to be asked in the place of its own.
        compare_asked: A Run that is to be compared with another one in its place.
        reading_wanted: A RunCard that is to be told whether every passage should be read for its question.
        reading_asked: A Run for whose question every passage is to be read.
        finished: The number of an answer, the first being 0, whose card is all there.
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
        """The cards that are there, oldest first; that of the newest answer always is."""
        return tuple(card for _, card in sorted(self._cards.items()))

    @property
    def transcripts(self) -> Transcripts:
        """All answers of the session, oldest first."""
        return self._runs

    def card(self, number: int) -> RunCard | None:
        """Return the card of an answer; None where it is not there, or not all of it."""
        card = self._cards.get(number)
        return card if card is not None and card.is_finished else None

    def show(self, transcripts: Sequence[Transcript]) -> None:
        """Replace the cards by those of a session; the view is at its end."""
        self._preview.dismiss()
        self._cards.clear()
        self._runs = Transcripts(transcripts)
        self._branches = branches(self._runs.ended)
        self._width = self._timeline.card_width
        self._timeline.show_rows(self._guessed())
        for row in range(len(self._runs))[-_AT_ONCE:]:
            self._make(row)
        self._finish_newest()
        self._work.start()

    def show_marks(self, marks: Marks) -> None:
        """Show from now on which sources are marked as right or wrong."""
        self._marks = marks
        for card in self._cards.values():
            card.show_marks(marks)

    def add(self, transcript: Transcript) -> None:
        """Put a card below the others."""
        self._runs = self._runs.with_more([transcript])
        row = len(self._runs) - 1
        self._cards[row] = self._card(transcript)
        self._timeline.add(self._cards[row])
        self._work.start()

    def refresh_last(self) -> int:
        """Draw the newest card anew, no other; returns how many milliseconds that took."""
        began = time.perf_counter()
        card = self._cards.get(len(self._runs) - 1)
        if card is not None:
            card.refresh()
        return round((time.perf_counter() - began) * 1000)

    def refresh(self, transcript: Transcript) -> None:
        """Draw the card of a transcript anew."""
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
        """Return the answers that stand in one another's place with one, itself among them; nothing for none."""
        return self._branches.get(run.id, ())

    def reveal(self, run: int) -> None:
        """Bring the answer of a run into sight."""
        row = self._runs.place(run)
        if row is not None:
            self._timeline.reveal(row)

    def show_row(self, number: int) -> None:
        """Have the card of an answer made: it is brought into sight, and finished says when it is there."""
        self._timeline.reveal(number)

    def _guessed(self) -> list[int]:
        return [estimate_row_height(run.answer, run.citations, self._width) for run in self._runs.kept]

    def _finish_newest(self) -> None:
        """Make all of the newest card, unless it is long."""
        row = len(self._runs) - 1
        card = self._cards.get(row)
        if card is not None and len(card.transcript.answer) <= MOST:
            while not card.go_on():
                pass
            self._timeline.finish(row)

    def _make(self, row: int) -> None:
        """Make the card of a row, or as much of it as takes a moment."""
        # A transcript that was made once stays: what it took in is what its card shows again.
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
        card.reading_asked.connect(self.reading_asked)
        card.unfinished.connect(self._work.start)
        return card

    @Slot(QPoint)
    def _on_menu(self, place: QPoint) -> None:
        """Offer what the buttons at the foot of a card do, wherever on it the menu is asked for."""
        card = self.sender()
        if isinstance(card, RunCard):
            menu = QMenu(card)
            for name in FOOT:
                button = card.findChild(QPushButton, name)
                if button is not None and not button.isHidden():
                    menu.addAction(button.icon(), button.text(), button.click)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            if not menu.isEmpty():
                menu.popup(card.mapToGlobal(place))

    @Slot()
    def _on_turn(self) -> None:
        """Do one small step: what is in sight first, then what is near it, then put away what is far."""
        if self._timeline.card_width != self._width:
            self._width = self._timeline.card_width
            self._timeline.guess(self._guessed())
        elif len(self._cards) > _MOST and self._put_one_away():
            # Who scrolls without a pause leaves cards behind faster than there is time for them.
            pass
        elif not (self._go_on(0.0) or self._go_on(_AHEAD) or self._put_one_away()):
            self._work.stop()

    def _go_on(self, share: float) -> bool:
        """Make a card, or go on with one, in sight or so near it; False where all of them are there."""
        near = self._timeline.rows_near(share)
        # The newest first: one reads on from there, and what comes above it moves nothing.
        for row in reversed(near):
            card = self._cards.get(row)
            if card is None:
                self._make(row)
                return True
            if not card.is_finished:
                if card.go_on():
                    self._timeline.finish(row)
                    self.finished.emit(row)
                return True
        return False

    def _put_one_away(self) -> bool:
        """Take out the card that is farthest from the reader; False where none is far."""
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
