"""The cards of a session below one another; follows the newest text unless the reader has scrolled away from it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.ui.chat.composer import COLUMN, SCROLL_BAR
from workbench.ui.theme import Theme

_NEAR_END = 32
_NEAR_TOP = 400
_ABOVE = 20


class Timeline(QScrollArea):
    """A scrolling column of cards.

    Signals:
        following_changed: Whether it follows the newest text.
        top_reached: The reader is near the oldest card; older ones may be put above it.
    """

    following_changed = Signal(bool)
    top_reached = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._following = True
        self._below: int | None = None
        self._cards: list[QWidget] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Conversation")
        column = QWidget()
        column.setMaximumWidth(COLUMN)
        self._layout = QVBoxLayout(column)
        self._layout.setContentsMargins(24, 20, 24, 20)
        self._layout.setSpacing(32)
        self._layout.addStretch(1)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        self.setWidget(holder)
        # The pane's own surface shines through; by default a scroll area paints the window's colour.
        for surface in (self.viewport(), holder):
            surface.setAutoFillBackground(False)
        self._jump = QPushButton("Jump to the latest", self)
        self._jump.setIconSize(QSize(14, 14))
        self._jump.setCursor(Qt.CursorShape.PointingHandCursor)
        self._jump.clicked.connect(self.follow)
        self._jump.hide()
        bar = self.verticalScrollBar()
        self._keep_room_for_bar()
        bar.rangeChanged.connect(self._on_range_changed)
        bar.valueChanged.connect(self._on_value_changed)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @property
    def following(self) -> bool:
        """Whether it keeps to the newest text."""
        return self._following

    def add(self, card: QWidget) -> None:
        """Put a card below the others."""
        self._cards.append(card)
        self._layout.insertWidget(self._layout.count() - 1, card)

    def put_above(self, cards: Sequence[QWidget]) -> None:
        """Put older cards above the others, oldest first; what the reader looks at stays where it is."""
        bar = self.verticalScrollBar()
        self._below = None if self._following else bar.maximum() - bar.value()
        for place, card in enumerate(cards):
            self._cards.insert(place, card)
            self._layout.insertWidget(place, card)

    def has_room(self) -> bool:
        """Return whether so little is shown that the reader could not scroll up to more."""
        return self.verticalScrollBar().maximum() < _NEAR_TOP

    def reveal(self, card: QWidget) -> None:
        """Bring the beginning of a card into sight."""
        column = self.widget()
        assert column is not None
        layout = column.layout()
        assert layout is not None
        layout.activate()
        self._set_following(False)
        self.verticalScrollBar().setValue(card.mapTo(column, QPoint(0, 0)).y() - _ABOVE)

    def clear(self) -> None:
        """Take every card out."""
        self.take_out(list(self._cards))
        self._set_following(True)

    def take_out(self, cards: Sequence[QWidget]) -> None:
        """Take some cards out."""
        for card in cards:
            self._layout.removeWidget(card)
            card.hide()
            card.deleteLater()
            self._cards.remove(card)

    @Slot()
    def follow(self) -> None:
        """Go to the newest text and keep to it."""
        self._set_following(True)
        self._to_end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def viewportEvent(self, event: QEvent) -> bool:
        # Layout requests of the cards arrive here before the range changes; nothing to do but keep the button on top.
        if event.type() == QEvent.Type.LayoutRequest:
            self._jump.raise_()
        return super().viewportEvent(event)

    def _to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _keep_room_for_bar(self) -> None:
        """Let the cards be as wide with the scroll bar as without: they would move at its first appearance."""
        self.setViewportMargins(0, 0, 0 if self.verticalScrollBar().maximum() > 0 else SCROLL_BAR, 0)

    @Slot(int, int)
    def _on_range_changed(self, _low: int, _high: int) -> None:
        self._keep_room_for_bar()
        if self._following:
            self._to_end()
        elif self._below is not None:
            bar = self.verticalScrollBar()
            below, self._below = self._below, None
            bar.setValue(bar.maximum() - below)
        self._show_button()

    @Slot(int)
    def _on_value_changed(self, value: int) -> None:
        if value < _NEAR_TOP and self._below is None:
            self.top_reached.emit()
        self._set_following(value >= self.verticalScrollBar().maximum() - _NEAR_END)

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)
        self._show_button()

    def _show_button(self) -> None:
        self._jump.setVisible(not self._following and self.verticalScrollBar().maximum() > 0)
        self._place_button()

    def _place_button(self) -> None:
        self._jump.adjustSize()
        self._jump.move((self.width() - self._jump.width()) // 2, self.height() - self._jump.height() - 12)
        self._jump.raise_()

    @Slot()
    def _on_theme_changed(self) -> None:
        self._jump.setIcon(self._theme.icon("chevron-down", size=14))
