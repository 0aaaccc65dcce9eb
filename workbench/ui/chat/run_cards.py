"""The cards of the session that is shown: the newest at once, earlier ones when the reader gets to them."""

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QMenu, QPushButton

from workbench.model.curation import Choice, CurationAsked
from workbench.model.hit import Citation, Hit
from workbench.ui.chat.approval_words import Word
from workbench.ui.chat.preview import CitationPreview
from workbench.ui.chat.run_card import FOOT, RunCard
from workbench.ui.chat.timeline import Timeline
from workbench.ui.chat.transcript import Transcript
from workbench.ui.chat.transcripts import Transcripts
from workbench.ui.evaluation.marks import Marks
from workbench.ui.theme import Theme

# Cards made at once: one with code, a table and 20 citations takes 15 ms.
_BATCH = 2
# Cards above a new one; to lay each of them out takes up to a millisecond with every piece of the answer.
_KEPT = 6


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
    """

    citation_activated = Signal(object)
    selected = Signal(object)
    ask_again = Signal(str)
    decided = Signal(object, object)
    chosen = Signal(object, object, object)
    around_wanted = Signal(object, object)
    forked = Signal(object, int, str)
    asked_instead = Signal(object, str)

    def __init__(self, theme: Theme, timeline: Timeline, preview: CitationPreview, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._timeline = timeline
        self._preview = preview
        self._marks: Marks | None = None
        self._cards: list[RunCard] = []
        self._earlier = Transcripts(())
        self._wanted: int | None = None
        self._fill = QTimer(self)
        self._fill.setInterval(0)
        self._fill.timeout.connect(self._on_fill)
        timeline.top_reached.connect(self._on_top_reached)

    @property
    def cards(self) -> tuple[RunCard, ...]:
        """The cards that were made so far, oldest first."""
        return tuple(self._cards)

    def show(self, transcripts: Sequence[Transcript]) -> None:
        """Replace the cards by those of a session; the view is at its end."""
        self._preview.dismiss()
        self._wanted = None
        self._timeline.clear()
        self._cards.clear()
        self._earlier = Transcripts(transcripts[:-_BATCH])
        for transcript in transcripts[-_BATCH:]:
            self.add(transcript)
        self._fill.start()

    def show_marks(self, marks: Marks) -> None:
        """Show from now on which sources are marked as right or wrong."""
        self._marks = marks
        for card in self._cards:
            card.show_marks(marks)

    def add(self, transcript: Transcript) -> None:
        """Put a card below the others."""
        self._put_away(self._cards[:-_KEPT])
        card = self._card(transcript)
        self._cards.append(card)
        self._timeline.add(card)

    def _put_away(self, cards: list[RunCard]) -> None:
        """Take the oldest cards out, as if they had not been made yet."""
        if cards:
            self._earlier = self._earlier.with_more([card.transcript for card in cards])
            self._timeline.take_out(cards)
            del self._cards[: len(cards)]

    def refresh_last(self) -> int:
        """Draw the newest card anew, no other; returns how many milliseconds that took."""
        began = time.perf_counter()
        if self._cards:
            self._cards[-1].refresh()
        return round((time.perf_counter() - began) * 1000)

    def refresh(self, transcript: Transcript) -> None:
        """Draw the card of a transcript anew."""
        for card in self._cards:
            if card.transcript is transcript:
                card.refresh()

    def reveal(self, run: int) -> None:
        """Bring the card of a run into sight, once it is made: earlier ones are, a few each turn of the event loop."""
        self._wanted = run
        self._fill.start()

    def make_earlier(self) -> bool:
        """Make the cards of a few earlier runs; False where there are none left."""
        is_left = bool(self._earlier)
        self._on_top_reached()
        return is_left

    def _card(self, transcript: Transcript) -> RunCard:
        card = RunCard(self._theme, self._preview, transcript)
        if self._marks is not None:
            card.show_marks(self._marks)
        card.citation_activated.connect(self._on_citation_activated)
        card.selected.connect(self._on_selected)
        card.ask_again.connect(self._on_ask_again)
        card.decided.connect(self._on_decided)
        card.chosen.connect(self._on_chosen)
        card.around_wanted.connect(self._on_around_wanted)
        card.forked.connect(self.forked)
        card.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        card.customContextMenuRequested.connect(self._on_menu)
        card.asked_instead.connect(self.asked_instead)
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
    def _on_fill(self) -> None:
        """Go on making cards until the window is full and the one wanted is made; each turn of the event loop a few."""
        runs = ((card, card.transcript.run) for card in self._cards)
        wanted = next((card for card, run in runs if run is not None and run.id == self._wanted), None)
        if self._earlier and (self._timeline.has_room() or (self._wanted is not None and wanted is None)):
            self._on_top_reached()
            return
        self._fill.stop()
        self._wanted = None
        if wanted is not None:
            self._timeline.reveal(wanted)

    @Slot()
    def _on_top_reached(self) -> None:
        """Make the cards of a few earlier runs; a long session made at once would hold the window up."""
        batch, self._earlier = self._earlier[-_BATCH:], self._earlier[:-_BATCH]
        if batch:
            cards = [self._card(transcript) for transcript in batch]
            self._cards[:0] = cards
            self._timeline.put_above(cards)

    @Slot(object)
    def _on_citation_activated(self, citation: Citation) -> None:
        self.citation_activated.emit(citation)

    @Slot(object)
    def _on_selected(self, transcript: Transcript) -> None:
        self.selected.emit(transcript)

    @Slot(str)
    def _on_ask_again(self, question: str) -> None:
        self.ask_again.emit(question)

    @Slot(object)
    def _on_decided(self, word: Word) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.decided.emit(card.transcript, word)

    @Slot(object, object)
    def _on_chosen(self, asked: CurationAsked, choice: Choice) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.chosen.emit(card.transcript, asked, choice)

    @Slot(object)
    def _on_around_wanted(self, hit: Hit) -> None:
        card = self.sender()
        if isinstance(card, RunCard):
            self.around_wanted.emit(card.transcript, hit)
