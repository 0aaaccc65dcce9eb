"""The cards of the session that is shown: the newest at once, earlier ones when the reader gets to them."""

import time

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench.model.hit import Citation
from workbench.ui.chat.approval_words import Word
from workbench.ui.chat.preview import CitationPreview
from workbench.ui.chat.run_card import RunCard
from workbench.ui.chat.timeline import Timeline
from workbench.ui.chat.transcript import Transcript
from workbench.ui.evaluation.marks import Marks
from workbench.ui.theme import Theme

# Cards made at once: one with code, a table and 20 citations takes 15 ms.
_BATCH = 2


class RunCards(QObject):
    """Fills a timeline.

    Signals:
        citation_activated: The Citation that was pressed.
        selected: The Transcript that was pressed.
        ask_again: A question to be asked as a new run.
        decided: The Transcript, and the Word that a person said to a call of it that waits.
        forked: A Run, the number of an event of it, and the result from which it is to go on.
    """

    citation_activated = Signal(object)
    selected = Signal(object)
    ask_again = Signal(str)
    decided = Signal(object, object)
    forked = Signal(object, int, str)

    def __init__(self, theme: Theme, timeline: Timeline, preview: CitationPreview, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._timeline = timeline
        self._preview = preview
        self._marks: Marks | None = None
        self._cards: list[RunCard] = []
        self._earlier: list[Transcript] = []
        self._fill = QTimer(self)
        self._fill.setInterval(0)
        self._fill.timeout.connect(self._on_fill)
        timeline.top_reached.connect(self._on_top_reached)

    @property
    def cards(self) -> tuple[RunCard, ...]:
        """The cards that were made so far, oldest first."""
        return tuple(self._cards)

    def show(self, transcripts: list[Transcript]) -> None:
        """Replace the cards by those of a session; the view is at its end."""
        self._preview.dismiss()
        self._timeline.clear()
        self._cards.clear()
        self._earlier = transcripts[:-_BATCH]
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
        card = self._card(transcript)
        self._cards.append(card)
        self._timeline.add(card)

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

    def _card(self, transcript: Transcript) -> RunCard:
        card = RunCard(self._theme, self._preview, transcript)
        if self._marks is not None:
            card.show_marks(self._marks)
        card.citation_activated.connect(self._on_citation_activated)
        card.selected.connect(self._on_selected)
        card.ask_again.connect(self._on_ask_again)
        card.decided.connect(self._on_decided)
        card.forked.connect(self.forked)
        return card

    @Slot()
    def _on_fill(self) -> None:
        """Go on making cards until the window is full; each turn of the event loop a few."""
        if self._earlier and self._timeline.has_room():
            self._on_top_reached()
        else:
            self._fill.stop()

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
