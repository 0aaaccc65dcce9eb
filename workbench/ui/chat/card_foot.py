"""The foot of an answer's card: who answered and how it went, and what can be done with the answer."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.ui.chat import wording
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.transcript import Transcript
from workbench.ui.controls import Clicked, label, restyle
from workbench.ui.theme import Theme

COPY = mark("Copy")
COPY_PLAIN = mark("Copy without numbers")
COMPARE = mark("Compare…")
READ_ALL = mark("Read everything")
FOOT = (COPY, COPY_PLAIN, mark("Ask again"), COMPARE, mark("Replay"), mark("Prompt"), READ_ALL)
"""The buttons at the foot of a card, by their names."""
# Milliseconds for which a button says "Copied".
_SEEN = 2000
_ICON = 14


class CardFoot(QWidget):
    """A line and a row of buttons; hidden while the answer is under way.

    Signals:
        again_asked: The question is to be asked as a new run.
        instead_asked: Another question is to be asked in its place.
        compare_asked: The Run, to be compared with another answer in its place.
        replay_asked: The answer is to be gone through again, or no longer.
        prompt_asked: What the model was told is to be shown.
        reading_asked: The Run for whose question every passage is to be read, as offered.
    """

    again_asked = Signal()
    instead_asked = Signal()
    compare_asked = Signal(object)
    replay_asked = Signal()
    prompt_asked = Signal()
    reading_asked = Signal(object)

    def __init__(self, theme: Theme, transcript: Transcript, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._transcript = transcript
        self._status = quiet_label()
        self._actions = QWidget()
        self._flow = FlowLayout(self._actions, spacing=2)
        self._buttons: list[QPushButton] = []
        self._copy = self._action(COPY, "copy", self._on_copy)
        self._copy.setToolTip(tr("Copy the answer with its sources as footnotes"))
        self._copy_plain = self._action(COPY_PLAIN, "copy", self._on_copy_plain)
        self._again = self._action("Ask again", "refresh", self.again_asked)
        self._instead = self._action(mark("Ask differently"), "edit", self.instead_asked)
        self._instead.setToolTip(tr("Ask another question in the place of this one"))
        self._compare = self._action(COMPARE, "columns", self._on_compare)
        self._compare.setToolTip(tr("Compare it with another answer in its place, side by side"))
        self._replay = self._action("Replay", "clock", self.replay_asked)
        self._replay.setToolTip(tr("Go through the steps of this answer again, as they happened"))
        self._prompt = self._action("Prompt", "eye", self.prompt_asked)
        self._prompt.setToolTip(tr("Show exactly what the model was told"))
        self._read_all = self._action(READ_ALL, "eye", self._on_read_all)
        self._read_all.hide()
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_SEEN)
        self._copied.timeout.connect(self._on_copied_seen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._status)
        layout.addWidget(self._actions)
        theme.changed.connect(self._dress)
        self._dress()

    def show_transcript(self, shown: Transcript, *, offers_retry: bool) -> None:
        """Show how a run went, and what can be done with the answer, also while it is replayed.

        Args:
            shown: The run as it is shown: as it once stood, while it is replayed.
            offers_retry: The question can be asked again elsewhere on the card.
        """
        transcript = self._transcript
        self._status.setText(wording.status_line(shown))
        show_if(self._status, not shown.running)
        answered = bool(transcript.answer.strip())
        show_if(self._copy, answered)
        show_if(self._copy_plain, answered and any(citation.valid for citation in transcript.citations))
        show_if(self._again, not offers_retry)
        show_if(self._instead, transcript.run is not None)
        show_if(self._compare, transcript.is_comparable)
        show_if(self._replay, transcript.run is not None)
        show_if(self._prompt, transcript.run is not None and bool(transcript.run.prompts))
        # What stands first begins where the text above it does.
        first = next((button for button in self._buttons if not _is_hidden(button)), None)
        for button in self._buttons:
            if bool(button.property("flush")) != (button is first):
                restyle(button, flush=button is first)

    def offer_reading(self, words: str, details: str) -> None:
        """Offer to read every passage, with what that takes in a few words and in full."""
        self._read_all.setText(f"{tr(READ_ALL)}: {words}")
        self._read_all.setToolTip(details)
        self._read_all.setAccessibleDescription(details)
        show_if(self._read_all, True)

    def _action(self, text: str, icon: str, clicked: Clicked) -> QPushButton:
        button = QPushButton(tr(text))
        button.setProperty("variant", "ghost")
        button.setProperty("icon_name", icon)
        button.setProperty("flush", False)
        button.setObjectName(text)
        button.setIconSize(QSize(_ICON, _ICON))
        button.setAutoDefault(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(clicked)
        self._flow.addWidget(button)
        self._buttons.append(button)
        return button

    @Slot()
    def _dress(self) -> None:
        for button in self._buttons:
            button.setIcon(self._theme.icon(button.property("icon_name"), size=_ICON))

    @Slot()
    def _on_read_all(self) -> None:
        self.reading_asked.emit(self._transcript.run)

    @Slot()
    def _on_compare(self) -> None:
        self.compare_asked.emit(self._transcript.run)

    @Slot()
    def _on_copy(self) -> None:
        transcript = self._transcript
        QGuiApplication.clipboard().setText(wording.with_footnotes(transcript.answer, transcript.citations))
        self._confirm(self._copy)

    @Slot()
    def _on_copy_plain(self) -> None:
        QGuiApplication.clipboard().setText(wording.without_citations(self._transcript.answer))
        self._confirm(self._copy_plain)

    def _confirm(self, button: QPushButton) -> None:
        button.setText(tr("Copied"))
        self._copied.start()

    @Slot()
    def _on_copied_seen(self) -> None:
        self._copy.setText(tr(COPY))
        self._copy_plain.setText(tr(COPY_PLAIN))


def quiet_label() -> QLabel:
    """Return a line below an answer."""
    made = label("", "caption", wrap=True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def show_if(widget: QWidget, shown: bool) -> None:
    """Show a part of a card, or hide it; one that is shown with its card anyway is not dressed ahead of it."""
    if _is_hidden(widget) == shown:
        widget.setVisible(shown)


def _is_hidden(widget: QWidget) -> bool:
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
