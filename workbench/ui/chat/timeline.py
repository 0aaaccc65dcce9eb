"""Scrolling column of answer cards that follows the newest text, and the button to the newest answer.

Only the cards near the visible area exist: of every other row only the height is known, measured or estimated. The
visible content keeps its position when rows above it turn out to be higher or lower.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from workbench.language import tr
from workbench.model.hit import Citation
from workbench.ui.chat.composer import COLUMN, SCROLL_BAR
from workbench.ui.controls import set_icon
from workbench.ui.theme import Theme

_NEAR_END = 32
_ABOVE = 20
_SIDE = 24
_BETWEEN = 32
# Maximum number of layout passes until the height of a card matches its width.
_MAX_PASSES = 3


class _Column(QWidget):
    """Parent widget of the cards.

    Signals:
        changed: A card requested another height.
    """

    changed = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.changed.emit()
        return super().event(event)


class Timeline(QScrollArea):
    """A scrolling column of rows, some of which have a card.

    Signals:
        following_changed: Whether the view follows the newest text.
        moved: Other rows may be visible now, or become visible soon.
    """

    following_changed = Signal(bool)
    moved = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._following = True
        self._is_placing = False
        self._is_upward = True
        self._rows = TimelineRows(above=_ABOVE, between=_BETWEEN, below=_ABOVE)
        self._cards: dict[int, QWidget] = {}
        self._unfinished: set[int] = set()
        # The row that keeps its position, and its distance below the top of the visible area.
        self._anchor: tuple[int, int] = (0, _ABOVE)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Conversation"))
        self._column = _Column()
        self._column.changed.connect(self._on_changed)
        self.setWidget(self._column)
        # Shows the surface of the pane; by default a scroll area paints the background of the window.
        for surface in (self.viewport(), self._column):
            surface.setAutoFillBackground(False)
        self._jump = JumpButton(theme, self)
        self._jump.clicked.connect(self.follow)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range_changed)
        bar.valueChanged.connect(self._on_value_changed)
        self._on_range_changed(0, 0)

    @property
    def following(self) -> bool:
        """True while the view follows the newest text."""
        return self._following

    @property
    def column(self) -> QWidget:
        """Widget that contains the cards. Creating a card as its child avoids applying the style sheet twice."""
        return self._column

    @property
    def card_width(self) -> int:
        """Width of a card."""
        room = self._column.width() - 2 * _SIDE
        return max(0, min(COLUMN - 2 * _SIDE, room))

    def show_rows(self, heights: Iterable[int]) -> None:
        """Replace the rows with rows of these estimated heights, without cards, and scroll to the end."""
        for row in list(self._cards):
            self.take_out(row)
        self._rows.replace(heights)
        self._set_following(True)
        self._place()

    def guess(self, heights: Iterable[int]) -> None:
        """Set new estimates for the rows without a card, after a change of the width."""
        for row, height in enumerate(heights):
            if row not in self._cards:
                self._rows.set_height(row, height)
        self._place()

    def add(self, card: QWidget) -> None:
        """Add a card below all others."""
        self._rows.append(0)
        self.put(len(self._rows) - 1, card)

    def put(self, row: int, card: QWidget, *, finished: bool = True) -> None:
        """Set the card of a row; until an unfinished card is complete, its row has at least the estimated height."""
        self._cards[row] = card
        if not finished:
            self._unfinished.add(row)
        card.setParent(self._column)
        below = min((other for other in self._cards if other > row), default=None)
        if below is not None:
            # A screen reader visits the cards in stacking order.
            card.stackUnder(self._cards[below])
        card.resize(self.card_width, max(1, self._rows.height(row)))
        card.show()
        self._measure(row)
        self._place()

    def finish(self, row: int) -> None:
        """Set a row to the height of its card, which is complete."""
        self._unfinished.discard(row)
        self._measure(row)
        self._place()

    def take_out(self, row: int) -> None:
        """Remove the card of a row, and keep its height."""
        card = self._cards.pop(row)
        self._unfinished.discard(row)
        card.hide()
        card.deleteLater()

    def rows_near(self, share: float) -> range:
        """Return the rows that are visible or at most this share of the view's height away."""
        height = self.viewport().height()
        top = self.verticalScrollBar().value() - round(share * height)
        return self._rows.within(top, top + round((1 + 2 * share) * height))

    def reveal(self, row: int) -> None:
        """Scroll to the start of a row, and keep it there until the reader scrolls."""
        self._set_following(False)
        self._anchor = (row, _ABOVE)
        self._place()
        self.moved.emit()

    @Slot()
    def follow(self) -> None:
        """Scroll to the newest text and follow it."""
        self._set_following(True)
        self._place()
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_column()

    def _fit_column(self) -> None:
        width = self.viewport().width()
        if self._column.width() != width:
            self._column.resize(width, self._column.height())
            for row, card in self._cards.items():
                card.resize(self.card_width, card.height())
                self._measure(row)
        self._place()
        self.moved.emit()

    def _measure(self, row: int) -> None:
        """Measure the height of a card; its text is laid out for its width first, which may change the height again."""
        card, width = self._cards[row], self.card_width
        height = card.height()
        for _ in range(_MAX_PASSES):
            layout = card.layout()
            if layout is not None:
                layout.activate()
            needed = card.heightForWidth(width) if card.hasHeightForWidth() else card.sizeHint().height()
            needed = max(needed, card.minimumHeight())
            if needed == height and card.width() == width:
                break
            height = needed
            card.resize(width, height)
        guessed = self._rows.height(row) if row in self._unfinished else 0
        self._rows.set_height(row, max(height, guessed))

    def _place(self) -> None:
        """Move every card to its row, and scroll so that the visible content keeps its position."""
        bar = self.verticalScrollBar()
        was_placing, self._is_placing = self._is_placing, True
        self._column.resize(self._column.width(), max(self._rows.total, self.viewport().height()))
        left = (self._column.width() - self.card_width) // 2
        for row, card in self._cards.items():
            card.move(left, self._rows.top(row))
        row, offset = self._anchor
        if self._following:
            bar.setValue(bar.maximum())
        elif row <= len(self._rows):
            bar.setValue(self._rows.top(row) - offset)
        self._is_placing = was_placing
        self._show_button()

    def _update_anchor(self) -> None:
        """Update the anchor: the first visible complete card, or else the edge from which the reader scrolls."""
        value = self.verticalScrollBar().value()
        seen = self.rows_near(0)
        whole = [row for row in seen if row in self._cards and row not in self._unfinished]
        if whole:
            row = whole[0]
        elif seen:
            row = seen[-1] + 1 if self._is_upward else seen[0]
        else:
            row = min(seen.start, len(self._rows))
        self._anchor = (row, self._rows.top(row) - value)

    @Slot()
    def _on_changed(self) -> None:
        for row in self._cards:
            self._measure(row)
        self._place()
        self.moved.emit()

    @Slot(int, int)
    def _on_range_changed(self, _low: int, high: int) -> None:
        # Cards have the same width with and without the scroll bar, so that they do not move when it appears.
        self.setViewportMargins(0, 0, 0 if high > 0 else SCROLL_BAR, 0)
        if self._following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._show_button()

    @Slot(int)
    def _on_value_changed(self, value: int) -> None:
        if self._is_placing:
            return
        top = self._rows.top(min(self._anchor[0], len(self._rows))) - self._anchor[1]
        self._is_upward = value < top
        self._set_following(value >= self.verticalScrollBar().maximum() - _NEAR_END)
        self._update_anchor()
        self.moved.emit()

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)
        self._show_button()

    def _show_button(self) -> None:
        bar = self.verticalScrollBar()
        self._jump.offer(not self._following and bar.value() < bar.maximum() - _NEAR_END)


# In pixels: width of a letter and of an ideograph; height of a line, of a card without text, and of a source.
_LETTER = 7.0
_IDEOGRAPH = 14.0
_LINE = 22
_FIXED = 155
_SOURCE = 26


class TimelineRows:
    """Heights and positions of rows below one another.

    Args:
        above: Pixels above the first row.
        between: Pixels between two rows.
        below: Pixels below the last row.
    """

    def __init__(self, *, above: int, between: int, below: int) -> None:
        self._above = above
        self._spacing = between
        self._below = below
        self._heights: list[int] = []
        self._tops: list[int] | None = []

    def __len__(self) -> int:
        return len(self._heights)

    def replace(self, heights: Iterable[int]) -> None:
        """Replace the rows."""
        self._heights = list(heights)
        self._tops = None

    def append(self, height: int) -> None:
        """Add a row below the others."""
        self._heights.append(height)
        self._tops = None

    def height(self, row: int) -> int:
        """Return the height of a row."""
        return self._heights[row]

    def set_height(self, row: int, height: int) -> None:
        """Set the height of a row; the rows below it move."""
        if self._heights[row] != height:
            self._heights[row] = height
            self._tops = None

    def top(self, row: int) -> int:
        """Return the top of a row; one past the last row, the top that another row would have."""
        return self._all_tops()[row]

    @property
    def total(self) -> int:
        """Total height."""
        end = self._all_tops()[-1] - (self._spacing if self._heights else 0)
        return end + self._below

    def within(self, top: int, bottom: int) -> range:
        """Return the rows that are at least partly between two positions."""
        tops = self._all_tops()
        first = max(0, bisect_right(tops, top) - 1)
        if first < len(self) and tops[first] + self._heights[first] <= top:
            first += 1
        return range(first, max(first, min(len(self), bisect_right(tops, bottom - 1))))

    def _all_tops(self) -> list[int]:
        if self._tops is None:
            self._tops = list(accumulate((height + self._spacing for height in self._heights), initial=self._above))
        return self._tops or [self._above]


def estimate_row_height(answer: str, citations: Sequence[Citation], width: int) -> int:
    """Return an estimate of the height of an answer's card, used until the card is created."""
    # An ideograph has three bytes; checking every character would take too long for 500 answers.
    ideographs = 0 if answer.isascii() else (len(answer.encode("utf-8", "replace")) - len(answer)) // 2
    pixels = (len(answer) - ideographs) * _LETTER + ideographs * _IDEOGRAPH
    lines = math.ceil(pixels / max(width, 100)) + 0.5 * answer.count("\n")
    sources = len({citation.document_name for citation in citations if citation.valid})
    return round(_FIXED + lines * _LINE + sources * _SOURCE)


_ICON = 14
_EDGE = 12


class JumpButton(QPushButton):
    """Button that scrolls to the newest answer; hidden until it is needed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(tr("Jump to latest"), parent)
        self._theme = theme
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()

    def offer(self, needed: bool) -> None:
        """Show the button at the bottom centre of the view, or hide it."""
        self.setVisible(needed)
        around = self.parentWidget()
        if needed and around is not None:
            self.adjustSize()
            self.move((around.width() - self.width()) // 2, around.height() - self.height() - _EDGE)
            self.raise_()

    @Slot()
    def _dress(self) -> None:
        set_icon(self, self._theme, "chevron-down", size=_ICON)
