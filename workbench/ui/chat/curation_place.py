"""Where a search that waits is shown among the parts of an answer: nothing, or the card to choose from."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.model.hit import Hit, NumberedHit
from workbench.ui.chat.curation_card import CurationCard
from workbench.ui.chat.streamed_citations import provisional
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme


class CurationPlace(QWidget):
    """Hidden where nothing waits.

    Signals:
        chosen: The CurationAsked of a search that waited, and the Choice that a person made.
        around_wanted: A Hit whose neighbours the transcript is to tell.
        citation_activated: A Citation of a passage that is to be shown in its document.
    """

    chosen = Signal(object, object)
    around_wanted = Signal(object)
    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._card: CurationCard | None = None
        self._inside = QVBoxLayout(self)
        self._inside.setContentsMargins(0, 0, 0, 0)
        self.hide()

    def show_transcript(self, transcript: Transcript) -> None:
        """Ask what a search that waits may hand over; put the card away when it does not wait any more."""
        asked = transcript.curation
        if self._card is not None and self._card.asked is not asked:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        self.setVisible(asked is not None)
        if asked is not None and self._card is None:
            self._card = CurationCard(self._theme, asked)
            self._card.chosen.connect(self.chosen)
            self._card.around_wanted.connect(self.around_wanted)
            self._card.opened.connect(self._on_opened)
            self._inside.addWidget(self._card)
            self._card.announce()
            self._card.focus()
        if self._card is not None:
            self._card.show_around(transcript.around)

    @Slot(object)
    def _on_opened(self, hit: Hit) -> None:
        self.citation_activated.emit(provisional(hit.rank, NumberedHit(hit.rank, hit), 0, 0))
