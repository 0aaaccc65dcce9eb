"""Going back and forth through the events of an answer, or playing them at the pace at which they happened."""

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from workbench.language import mark, tr
from workbench.model.run import AnswerDelta, Run, TurnCompleted
from workbench.ui.chat.result_dialog import result_of
from workbench.ui.chat.wording import duration
from workbench.ui.controls import IconButton, button, frame, label
from workbench.ui.theme import Theme

# A model may think for minutes: nobody wants to wait as long again.
_LONGEST_WAIT = 1000
_SHORTEST_WAIT = 40
# The names of the events, as _words makes them.
_EVENTS = (
    mark("run started"),
    mark("prompt assembled"),
    mark("reasoning step"),
    mark("model reasoning"),
    mark("reasoning started"),
    mark("reasoning completed"),
    mark("approval asked"),
    mark("approval given"),
    mark("plan delta"),
    mark("plan made"),
    mark("plan step started"),
    mark("plan step ended"),
    mark("turn completed"),
    mark("tool started"),
    mark("tool completed"),
    mark("tool failed"),
    mark("references found"),
    mark("library seen"),
    mark("claims checked"),
    mark("answer discarded"),
    mark("notice"),
    mark("run completed"),
    mark("run cancelled"),
    mark("run failed"),
    mark("curation asked"),
    mark("curation given"),
)


class Scrubber(QWidget):
    """A slider over the events of a run.

    Signals:
        moved: After how many events the answer is to be shown.
        closed: The reader has seen enough.
        change_asked: The TimedEvent of a tool's result that the reader wants to be another one.
    """

    moved = Signal(int)
    closed = Signal()
    change_asked = Signal(object)

    def __init__(self, theme: Theme, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events = run.events
        # Earlier versions kept too little of a run to go on from a step of it.
        self._can_change = any(isinstance(timed.event, TurnCompleted) for timed in run.events)
        self._play = button(tr("Play"), "secondary", self._on_play)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName(tr("Step of the answer"))
        self._slider.setRange(1, max(1, len(run.events)))
        self._slider.setPageStep(max(1, len(run.events) // 10))
        self._slider.setValue(len(run.events))
        self._place = label("", "caption")
        self._change = button(tr("Change…"), "ghost", self._on_change)
        self._change.setToolTip(tr("Go on from here with another result of the tool"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_next)
        box = frame("well")
        row = QHBoxLayout(box)
        row.setContentsMargins(10, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(self._play)
        row.addWidget(self._slider, 1)
        row.addWidget(self._place)
        row.addWidget(self._change)
        row.addWidget(IconButton(theme, "close", tr("End the replay"), self.closed))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        self._slider.valueChanged.connect(self._on_moved)
        self._say()

    @property
    def place(self) -> int:
        """After how many events it stands."""
        return self._slider.value()

    @property
    def playing(self) -> bool:
        """Whether it moves by itself."""
        return self._timer.isActive()

    def go_to(self, count: int) -> None:
        """Show the answer after so many events."""
        self._slider.setValue(count)

    def focus(self) -> None:
        """Put the keyboard on the slider."""
        self._slider.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_play(self) -> None:
        if self.playing:
            self._timer.stop()
        else:
            if self.place == self._slider.maximum():
                self.go_to(1)
            self._wait()
        self._say()

    @Slot()
    def _on_change(self) -> None:
        self._timer.stop()
        self._say()
        self.change_asked.emit(self._events[self.place - 1])

    @Slot()
    def _on_next(self) -> None:
        self.go_to(self.place + 1)
        self._wait()
        self._say()

    @Slot(int)
    def _on_moved(self, count: int) -> None:
        self._say()
        self.moved.emit(count)

    def _wait(self) -> None:
        """Wait for the next event as long as it took then, but for what would be too long or too short to see."""
        if self.place < self._slider.maximum():
            then, now = self._events[self.place], self._events[self.place - 1]
            passed = round((then.seconds - now.seconds) * 1000)
            self._timer.start(min(_LONGEST_WAIT, max(_SHORTEST_WAIT, passed)))

    def _say(self) -> None:
        timed = self._events[self.place - 1] if self._events else None
        what = tr(_words(type(timed.event).__name__)) if timed is not None else ""
        if timed is not None and isinstance(timed.event, AnswerDelta):
            what = tr("answer")
        seconds = duration(timed.seconds) if timed is not None else ""
        total = self._slider.maximum()
        self._place.setText(
            tr("{n} of {total} · {time} · {event}", n=self.place, total=total, time=seconds, event=what)
        )
        self._slider.setAccessibleDescription(self._place.text())
        self._change.setVisible(self._can_change and timed is not None and result_of(timed) is not None)
        self._play.setText(tr("Pause") if self.playing else tr("Play"))


def _words(name: str) -> str:
    """Return the name of an event as words: "ToolStarted" is "tool started"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
