"""Search for words in the questions and answers of the conversation that is shown, the newest match first."""

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
"""Pixels kept around a match that is scrolled to."""


class _Place(NamedTuple):
    """Match in an answer, or in its question; start is in UTF-16 code units as in Qt, and number counts from 0."""

    number: int
    in_answer: bool
    start: int


class ChatFind(QObject):
    """The find bar above a conversation.

    Answers without a card are searched, too: they are rendered in parts, one part per turn of the event loop.
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
        # By number: the Markdown of an answer, and its text as shown.
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
        """Show the bar; text selected in an answer becomes the query."""
        selected = (view.textCursor().selectedText() for view in self._pane.findChildren(AnswerView))
        self.bar.open(next((text for text in selected if text.strip() and "\u2029" not in text), ""))

    @Slot(str)
    def _on_looked(self, needle: str) -> None:
        self._unmark()
        self._read_cards()
        self._places = self._find(needle)
        self._at = len(self._places) - 1
        # Started before the matches are reported, since more may follow.
        self._more.start() if needle else self._more.stop()
        self._show()

    @Slot(int)
    def _on_moved(self, step: int) -> None:
        # Another answer may have arrived meanwhile.
        self._read_cards()
        self._places = self._find(self.bar.needle)
        if self._places:
            self._at = (self._at + step) % len(self._places)
        self._show()

    @Slot()
    def _on_more(self) -> None:
        """Render the next part of an answer that was not searched yet, and add its matches when it is complete."""
        if self._reading is None:
            self._reading = self._next_unread()
        if self._reading is None:
            self._more.stop()
            self._report()
            return
        number, reading = self._reading
        text = reading.go_on()
        if text is not None:
            self._reading = None
            self._texts[number] = reading.answer, text
            self._count(number)

    def _count(self, number: int) -> None:
        """Add the matches of a newly rendered answer; the current match stays current."""
        shown = self._places[self._at] if self._places else None
        others = [place for place in self._places if place.number != number or not place.in_answer]
        self._places = sorted([*others, *self._in_answer(number, self.bar.needle)])
        if shown in self._places:
            self._at = self._places.index(shown)
            self._report()
        elif self._places:
            self._at = len(self._places) - 1
            self._show()
        else:
            self._report()

    def _next_unread(self) -> tuple[int, AnswerText] | None:
        """Return the newest answer whose current text was not rendered yet."""
        kept = self._cards.transcripts.kept
        for number in reversed(range(len(kept))):
            if not self._is_read(number):
                return number, AnswerText(self._theme, kept[number].answer, kept[number].citations)
        return None

    def _is_read(self, number: int) -> bool:
        answer, _ = self._texts.get(number, (None, ""))
        return answer == self._cards.transcripts.kept[number].answer

    def _read_cards(self) -> None:
        """Take over the texts of answers that have a card."""
        kept = self._cards.transcripts.kept
        self._texts = {number: read for number, read in self._texts.items() if number < len(kept)}
        for number in range(len(kept)):
            card = self._cards.card(number)
            view = card.findChild(AnswerView) if card is not None and not self._is_read(number) else None
            if view is not None:
                self._texts[number] = kept[number].answer, "" if view.isHidden() else view.toPlainText()

    def _find(self, needle: str) -> list[_Place]:
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
            # The card is created first; _on_finished then marks the match.
            self._cards.show_row(self._awaited.number)
        self._report()

    @Slot(int)
    def _on_finished(self, number: int) -> None:
        if self._awaited is not None and self._awaited.number == number:
            self._mark(self._awaited)

    def _mark(self, place: _Place) -> bool:
        """Select a match and scroll to it; return False if its card does not exist yet."""
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

    def _report(self) -> None:
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
    """Return the positions of a query in a text, ignoring case, in UTF-16 code units as in Qt."""
    # lower() instead of casefold(): a "ß" that became "ss" would shift all later positions.
    text_lower, needle_lower = text.lower(), needle.lower()
    places = []
    place = text_lower.find(needle_lower)
    while place >= 0:
        places.append(len(text[:place].encode("utf-16-le", "surrogatepass")) // 2)
        place = text_lower.find(needle_lower, place + len(needle_lower))
    return places
