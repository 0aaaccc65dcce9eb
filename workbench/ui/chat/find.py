"""Finding words in the conversation that is shown: its questions and its answers, the newest place first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, QTimer, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.run_card import BUBBLE
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.timeline import Timeline
from workbench.ui.find_bar import FindBar
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.chat.pane import ChatPane

_MARGIN = 120
"""Pixels kept around a place that is brought into sight."""


class _Place(NamedTuple):
    view: AnswerView | QLabel
    start: int


class ChatFind(QObject):
    """The find bar above a conversation.

    Earlier cards of a long session are made while it is looked through, a few each turn of the event loop.
    """

    def __init__(self, pane: ChatPane, theme: Theme) -> None:
        super().__init__(pane)
        self._pane = pane
        cards, timeline = pane.findChild(RunCards), pane.findChild(Timeline)
        assert cards is not None
        assert timeline is not None
        self._cards = cards
        self._timeline = timeline
        self._places: list[_Place] = []
        self._at = 0
        self._marked: AnswerView | QLabel | None = None
        self.bar = FindBar(theme, "the conversation")
        layout = pane.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self.bar)
        self.bar.looked.connect(self._on_looked)
        self.bar.moved.connect(self._on_moved)
        self.bar.left.connect(pane.focus_composer)
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._on_more)

    def open(self) -> None:
        """Show the bar; what is selected in an answer is looked for."""
        selected = (view.textCursor().selectedText() for view in self._pane.findChildren(AnswerView))
        self.bar.open(next((text for text in selected if text.strip() and "\u2029" not in text), ""))

    @Slot(str)
    def _on_looked(self, needle: str) -> None:
        self._unmark()
        self._places = self._found(needle)
        self._at = len(self._places) - 1
        self._show()
        self._more.start() if needle else self._more.stop()

    @Slot(int)
    def _on_moved(self, step: int) -> None:
        # The next answer may have come meanwhile.
        self._places = self._found(self.bar.needle)
        if self._places:
            self._at = (self._at + step) % len(self._places)
        self._show()

    @Slot()
    def _on_more(self) -> None:
        """Make more of the cards above, and count the places in them, too."""
        if self._cards.make_earlier():
            before = len(self._places)
            self._places = self._found(self.bar.needle)
            # They came above: the place that is shown keeps to its words.
            self._at += len(self._places) - before
            if not before:
                self._show()
        else:
            self._more.stop()
        self._tell()

    def _found(self, needle: str) -> list[_Place]:
        if not needle.strip():
            return []
        places: list[_Place] = []
        for card in self._cards.cards:
            for question in card.findChildren(QLabel, BUBBLE):
                places += [_Place(question, start) for start in _occurrences(question.text(), needle)]
            for answer in card.findChildren(AnswerView):
                if not answer.isHidden():
                    places += [_Place(answer, start) for start in _occurrences(answer.toPlainText(), needle)]
        return places

    def _show(self) -> None:
        self._unmark()
        if self._places:
            view, start = self._places[self._at]
            length = len(self.bar.needle)
            self._marked = view
            if isinstance(view, QLabel):
                view.setSelection(start, length)
                self._reveal(view, view.rect().center())
            else:
                cursor = QTextCursor(view.document())
                cursor.setPosition(start)
                cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
                view.setTextCursor(cursor)
                self._reveal(view, view.cursorRect(cursor).center())
        self._tell()

    def _tell(self) -> None:
        self.bar.show_place(self._at + 1, len(self._places), more=self._more.isActive())

    def _unmark(self) -> None:
        view, self._marked = self._marked, None
        if isinstance(view, QLabel):
            view.setSelection(0, 0)
        elif view is not None:
            cursor = view.textCursor()
            cursor.clearSelection()
            view.setTextCursor(cursor)

    def _reveal(self, view: QWidget, point: QPoint) -> None:
        column = self._timeline.widget()
        assert column is not None
        place = view.mapTo(column, point)
        self._timeline.ensureVisible(place.x(), place.y(), 0, min(_MARGIN, self._timeline.height() // 3))


def _occurrences(text: str, needle: str) -> list[int]:
    """Return where a text says the words, without regard to capitals, in Qt's units."""
    # Lower and not folded: a "ß" that became "ss" would move everything behind it.
    low, sought = text.lower(), needle.lower()
    places = []
    place = low.find(sought)
    while place >= 0:
        places.append(len(text[:place].encode("utf-16-le", "surrogatepass")) // 2)
        place = low.find(sought, place + len(sought))
    return places
