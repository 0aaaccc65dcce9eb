"""Layout that arranges items in rows and wraps to a new row at the available width."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Rows of items, each item at its size hint."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 4) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        # Cached by width: each piece of a streaming answer makes Qt query the height of every card of the session
        # again.
        self._heights: dict[int, int] = {}
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Clear the cached heights when an item or its size has changed."""
        self._heights.clear()
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the items in the rectangle (or only measure them) and return the height they take."""
        x, y, line_height = rect.x(), rect.y(), 0
        line: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            if item.isEmpty():
                # A hidden item takes no space and no spacing.
                continue
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.right() + 1:
                _place_line(line if move else [], line_height)
                x, y, line_height, line = rect.x(), y + line_height + self.spacing(), 0, []
            line.append((item, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
            line_height = max(line_height, size.height())
        _place_line(line if move else [], line_height)
        return y + line_height - rect.y()


def _place_line(line: list[tuple[QLayoutItem, QRect]], height: int) -> None:
    """Place the items of a row, each in the middle of its height."""
    for item, area in line:
        item.setGeometry(area.translated(0, (height - area.height()) // 2))
