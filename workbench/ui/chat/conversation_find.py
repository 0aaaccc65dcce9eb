"""Finding words in the conversation that is shown: its questions and its answers, the newest place first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, QTimer, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.chat.answer_document import AnswerText
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
    """Where in an answer, the first being 0, or in its question the words stand, in Qt's units."""

    number: int
    in_answer: bool
    start: int


class ChatFind(QObject):
    """The find bar above a conversation.

    Answers whose cards are not there are read, too, a part of one each turn of the event loop.
    """

    def __init__(self, pane: ChatPane, theme: Theme) -> None:
        super().__init__(pane)
        self._pane = pane
        self._theme = theme
        cards, timeline = pane.findChild(RunCards), pane.findChild(Timeline)
        assert cards is not None
        assert timeline is not None
        self._cards = cards
        self._timeline = timeline
        # By number: an answer, and its text as it is shown.
        self._texts: dict[int, tuple[str, str]] = {}
        self._reading: tuple[int, AnswerText] | None = None
        self._places: list[_Place] = []
        self._at = 0
        self._marked: int | None = None
        self._awaited: _Place | None = None
        self.bar = FindBar(theme, tr("the conversation"))
        layout = pane.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(0, self.bar)
        self.bar.looked.connect(self._on_looked)
        self.bar.moved.connect(self._on_moved)
        self.bar.left.connect(pane.focus_composer)
        cards.finished.connect(self._on_finished)
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
        self._read_cards()
        self._places = self._found(needle)
        self._at = len(self._places) - 1
        # Before what it found is told: there may be more.
        self._more.start() if needle else self._more.stop()
        self._show()

    @Slot(int)
    def _on_moved(self, step: int) -> None:
        # The next answer may have come meanwhile.
        self._read_cards()
        self._places = self._found(self.bar.needle)
        if self._places:
            self._at = (self._at + step) % len(self._places)
        self._show()

    @Slot()
    def _on_more(self) -> None:
        """Read a part of an answer that was not read yet, and count the places in it, too."""
        if self._reading is None:
            self._reading = self._next()
        if self._reading is None:
            self._more.stop()
            self._tell()
            return
        number, reading = self._reading
        text = reading.go_on()
        if text is not None:
            self._reading = None
            self._texts[number] = reading.answer, text
            self._count(number)

    def _count(self, number: int) -> None:
        """Count the places in an answer that has just been read; the one that is shown keeps to its words."""
        shown = self._places[self._at] if self._places else None
        others = [place for place in self._places if place.number != number or not place.in_answer]
        self._places = sorted([*others, *self._in_answer(number, self.bar.needle)])
        if shown in self._places:
            self._at = self._places.index(shown)
            self._tell()
        elif self._places:
            self._at = len(self._places) - 1
            self._show()
        else:
            self._tell()

    def _next(self) -> tuple[int, AnswerText] | None:
        """Return the newest answer that was not read as it stands."""
        kept = self._cards.transcripts.kept
        for number in reversed(range(len(kept))):
            if not self._is_read(number):
                return number, AnswerText(self._theme, kept[number].answer, kept[number].citations)
        return None

    def _is_read(self, number: int) -> bool:
        answer, _ = self._texts.get(number, (None, ""))
        return answer == self._cards.transcripts.kept[number].answer

    def _read_cards(self) -> None:
        """Take the text of the answers whose cards are there."""
        kept = self._cards.transcripts.kept
        self._texts = {number: read for number, read in self._texts.items() if number < len(kept)}
        for number in range(len(kept)):
            card = self._cards.card(number)
            view = card.findChild(AnswerView) if card is not None and not self._is_read(number) else None
            if view is not None:
                self._texts[number] = kept[number].answer, "" if view.isHidden() else view.toPlainText()

    def _found(self, needle: str) -> list[_Place]:
        if not needle.strip():
            return []
        places: list[_Place] = []
        for number, run in enumerate(self._cards.transcripts.kept):
            places += [_Place(number, False, start) for start in _occurrences(run.question, needle)]
            places += self._in_answer(number, needle)
        return places

    def _in_answer(self, number: int, needle: str) -> list[_Place]:
        _, text = self._texts.get(number, ("", ""))
        return [_Place(number, True, start) for start in _occurrences(text, needle)]

    def _show(self) -> None:
        self._unmark()
        self._awaited = self._places[self._at] if self._places else None
        if self._awaited is not None and not self._mark(self._awaited):
            # It is marked when it is there.
            self._cards.show_row(self._awaited.number)
        self._tell()

    @Slot(int)
    def _on_finished(self, number: int) -> None:
        if self._awaited is not None and self._awaited.number == number:
            self._mark(self._awaited)

    def _mark(self, place: _Place) -> bool:
        """Select the words at a place and bring them into sight; False where its card is not there yet."""
        card = self._cards.card(place.number)
        if card is None:
            return False
        self._awaited = None
        self._marked = place.number
        length = len(self.bar.needle.encode("utf-16-le", "surrogatepass")) // 2
        bubble, view = card.findChild(QLabel, BUBBLE), card.findChild(AnswerView)
        if place.in_answer and view is not None:
            cursor = QTextCursor(view.document())
            cursor.setPosition(place.start)
            cursor.setPosition(place.start + length, QTextCursor.MoveMode.KeepAnchor)
            view.setTextCursor(cursor)
            self._reveal(view, view.cursorRect(cursor).center())
        elif isinstance(bubble, QLabel):
            bubble.setSelection(place.start, length)
            self._reveal(bubble, bubble.rect().center())
        return True

    def _tell(self) -> None:
        self.bar.show_place(self._at + 1, len(self._places), more=self._more.isActive())

    def _unmark(self) -> None:
        card = self._cards.card(self._marked) if self._marked is not None else None
        self._marked = self._awaited = None
        if card is None:
            return
        for bubble in card.findChildren(QLabel, BUBBLE):
            bubble.setSelection(0, 0)
        for view in card.findChildren(AnswerView):
            cursor = view.textCursor()
            cursor.clearSelection()
            view.setTextCursor(cursor)

    def _reveal(self, view: QWidget, point: QPoint) -> None:
        place = view.mapTo(self._timeline.column, point)
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
