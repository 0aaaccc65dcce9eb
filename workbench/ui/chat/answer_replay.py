"""Replay of one answer: slider over its events, and the dialog that continues the run from another tool result."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSlider, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.run import AnswerDelta, Run, TimedEvent, ToolCompleted, ToolFailed, TurnCompleted
from workbench.ui.chat.run_wording import duration
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import IconButton, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
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


def result_of(timed: TimedEvent) -> tuple[str, str] | None:
    """Return the tool and what it answered; None for an event that is no result of a tool."""
    match timed.event:
        case ToolCompleted(_, tool, result, _):
            return tool, result
        case ToolFailed(_, tool, message, _):
            return tool, message
    return None


class ResultDialog(Dialog):
    """Edits what a tool answered.

    Signals:
        chosen: The number of the event, and the text that takes its place.
    """

    chosen = Signal(int, str)

    def __init__(self, timed: TimedEvent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tool, result = result_of(timed) or ("", "")
        self._number = timed.number
        self._result = result
        self.setWindowTitle(tr("Go on with another result"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 480)
        self._text = QPlainTextEdit(result)
        self._text.setAccessibleName(tr("What {tool} answered", tool=tool))
        self._text.setTabChangesFocus(True)
        self._go_on = button(tr("Go on from here"), "primary", self._on_go_on)
        self._go_on.setEnabled(False)
        self._text.textChanged.connect(self._on_edited)
        told = tr(
            "What should “{tool}” have answered? What came before stays as it was, and the model is asked from here"
            " on. The new answer stands below, and says that a result was changed by hand.",
            tool=tool,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(told, "muted", wrap=True))
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._go_on))

    @Slot()
    def _on_edited(self) -> None:
        self._go_on.setEnabled(self._text.toPlainText() != self._result)

    @Slot()
    def _on_go_on(self) -> None:
        self.chosen.emit(self._number, self._text.toPlainText())
        self.accept()
