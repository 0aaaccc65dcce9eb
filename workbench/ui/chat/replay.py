"""The replay of one answer: its scrubber, the moment that is shown, and another result from which it goes on."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from workbench.model.run import TimedEvent
from workbench.ui.chat.result_dialog import ResultDialog
from workbench.ui.chat.scrubber import Scrubber
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme


class Replay(QObject):
    """Lets the run of a card be gone through again.

    Attributes:
        scrubber: What it is gone through with; None while it is not.
        past: The run as it stood at the moment that is shown; None for its end.

    Signals:
        toggled: The Scrubber that is to be shown, or None when it has gone.
        moved: Another moment is to be shown.
        forked: The Run, the number of an event of it, and the result from which it is to go on.
    """

    toggled = Signal(object)
    moved = Signal()
    forked = Signal(object, int, str)

    def __init__(self, theme: Theme, transcript: Transcript, card: QWidget) -> None:
        super().__init__(card)
        self._theme = theme
        self._transcript = transcript
        self._card = card
        self.scrubber: Scrubber | None = None
        self.past: Transcript | None = None

    @Slot()
    def toggle(self) -> None:
        """Show where the reader can go back to in this answer, or put that away again."""
        run = self._transcript.run
        if self.scrubber is None and run is not None:
            self.scrubber = Scrubber(self._theme, run, self._card)
            self.scrubber.moved.connect(self._on_moved)
            self.scrubber.closed.connect(self.toggle)
            self.scrubber.change_asked.connect(self._on_change_asked)
            self.toggled.emit(self.scrubber)
            self.scrubber.focus()
        elif self.scrubber is not None:
            self.scrubber.hide()
            self.scrubber.deleteLater()
            self.scrubber = self.past = None
            self.toggled.emit(None)
            self.moved.emit()

    @Slot(int)
    def _on_moved(self, count: int) -> None:
        run = self._transcript.run
        if run is not None:
            self.past = Transcript.until(run, count) if count < len(run.events) else None
            self.moved.emit()

    @Slot(object)
    def _on_change_asked(self, timed: TimedEvent) -> None:
        dialog = ResultDialog(timed, self._card.window())
        dialog.chosen.connect(self._on_result_chosen)
        dialog.open()

    @Slot(int, str)
    def _on_result_chosen(self, number: int, result: str) -> None:
        self.toggle()
        self.forked.emit(self._transcript.run, number, result)
