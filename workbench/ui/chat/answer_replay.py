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
    """Controls the replay of the run of one card.

    Attributes:
        scrubber: Slider of the replay; None while there is no replay.
        past: Transcript at the moment that is shown; None for the end of the run.

    Signals:
        toggled: The Scrubber that is to be shown, or None when it was removed.
        moved: Another moment is to be shown.
        forked: The Run, the number of an event of it, and the tool result from which it is to continue.
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
        """Start the replay, or end it."""
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


# A model may think for minutes; the replay shortens such pauses.
_LONGEST_WAIT = 1000
_SHORTEST_WAIT = 40
# Names of the events, in the form that _words returns.
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
        moved: The number of events after which the answer is to be shown.
        closed: The user ended the replay.
        change_asked: The TimedEvent of a tool result that the user wants to replace.
    """

    moved = Signal(int)
    closed = Signal()
    change_asked = Signal(object)

    def __init__(self, theme: Theme, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events = run.events
        # Runs of earlier versions were stored without the data needed to continue from a step.
        self._can_change = any(isinstance(timed.event, TurnCompleted) for timed in run.events)
        self._play = button(tr("Play"), "secondary", self._on_play)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName(tr("Step of the answer"))
        self._slider.setRange(1, max(1, len(run.events)))
        self._slider.setPageStep(max(1, len(run.events) // 10))
        self._slider.setValue(len(run.events))
        self._place = label("", "caption")
        self._change = button(tr("Change…"), "ghost", self._on_change)
        self._change.setToolTip(tr("Continue from here with a different tool result"))
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
        self._update()

    @property
    def place(self) -> int:
        """Number of events up to the moment that is shown."""
        return self._slider.value()

    @property
    def playing(self) -> bool:
        """True if the replay advances by itself."""
        return self._timer.isActive()

    def go_to(self, count: int) -> None:
        """Show the answer after this number of events."""
        self._slider.setValue(count)

    def focus(self) -> None:
        """Give the keyboard focus to the slider."""
        self._slider.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_play(self) -> None:
        if self.playing:
            self._timer.stop()
        else:
            if self.place == self._slider.maximum():
                self.go_to(1)
            self._wait()
        self._update()

    @Slot()
    def _on_change(self) -> None:
        self._timer.stop()
        self._update()
        self.change_asked.emit(self._events[self.place - 1])

    @Slot()
    def _on_next(self) -> None:
        self.go_to(self.place + 1)
        self._wait()
        self._update()

    @Slot(int)
    def _on_moved(self, count: int) -> None:
        self._update()
        self.moved.emit(count)

    def _wait(self) -> None:
        """Start the timer for the next event, with the original delay limited to a watchable range."""
        if self.place < self._slider.maximum():
            then, now = self._events[self.place], self._events[self.place - 1]
            passed = round((then.seconds - now.seconds) * 1000)
            self._timer.start(min(_LONGEST_WAIT, max(_SHORTEST_WAIT, passed)))

    def _update(self) -> None:
        timed = self._events[self.place - 1] if self._events else None
        event_name = tr(_words(type(timed.event).__name__)) if timed is not None else ""
        if timed is not None and isinstance(timed.event, AnswerDelta):
            event_name = tr("answer")
        seconds = duration(timed.seconds) if timed is not None else ""
        total = self._slider.maximum()
        self._place.setText(
            tr("{n} of {total} · {time} · {event}", n=self.place, total=total, time=seconds, event=event_name)
        )
        self._slider.setAccessibleDescription(self._place.text())
        self._change.setVisible(self._can_change and timed is not None and result_of(timed) is not None)
        self._play.setText(tr("Pause") if self.playing else tr("Play"))


def _words(name: str) -> str:
    """Return the name of an event as words: "ToolStarted" is "tool started"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def result_of(timed: TimedEvent) -> tuple[str, str] | None:
    """Return the name and the result of a tool; None for an event that is not a tool result."""
    match timed.event:
        case ToolCompleted(_, tool, result, _):
            return tool, result
        case ToolFailed(_, tool, message, _):
            return tool, message
    return None


class ResultDialog(Dialog):
    """Editor for the result of a tool.

    Signals:
        chosen: The number of the event, and the text that replaces the result.
    """

    chosen = Signal(int, str)

    def __init__(self, timed: TimedEvent, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tool, result = result_of(timed) or ("", "")
        self._number = timed.number
        self._result = result
        self.setWindowTitle(tr("Continue with a different result"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 480)
        self._text = QPlainTextEdit(result)
        self._text.setAccessibleName(tr("Result of {tool}", tool=tool))
        self._text.setTabChangesFocus(True)
        self._go_on = button(tr("Continue from here"), "primary", self._on_go_on)
        self._go_on.setEnabled(False)
        self._text.textChanged.connect(self._on_edited)
        text = tr(
            "Enter the result that “{tool}” should have returned. The steps before it stay the same, and "
            "the model continues from here. The new answer appears below and says that you changed a "
            "result.",
            tool=tool,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(label(text, "muted", wrap=True))
        layout.addWidget(self._text, 1)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._go_on))

    @Slot()
    def _on_edited(self) -> None:
        self._go_on.setEnabled(self._text.toPlainText() != self._result)

    @Slot()
    def _on_go_on(self) -> None:
        self.chosen.emit(self._number, self._text.toPlainText())
        self.accept()
