"""Documents and regions as rows of one kind: their item model, and how they are painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.ui.map.palette import colour_of
from workbench.ui.theme import Theme

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_PAD = 5
_SIDE = 12
_DOT = 10
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class MapRow:
    """One line of a list.

    Attributes:
        colour: Place in the palette; None for a row without a dot.
    """

    title: str
    second: str
    colour: int | None = None


class MapRows(QAbstractListModel):
    """A list of subjects, replaced as a whole; a row is made of one when it is looked at: there may be 100,000."""

    def __init__(self, row_of: Callable[[int, Any], MapRow], parent: QObject | None = None) -> None:
        """Take what makes a row of a subject and its place."""
        super().__init__(parent)
        self._row_of = row_of
        self._subjects: Sequence[Any] = ()

    def show(self, subjects: Sequence[Any]) -> None:
        """Replace what is listed."""
        self.beginResetModel()
        self._subjects = subjects
        self.endResetModel()

    def subject(self, row: int) -> Any:
        """Return what is listed in a row."""
        return self._subjects[row]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._subjects)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row as text, as speech, or as itself (ROW_ROLE)."""
        if not index.isValid():
            return None
        row = self._row_of(index.row(), self._subjects[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{row.title}\n{row.second}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}. {row.second}"
            case _ if role == ROW_ROLE:
                return row
        return None


class MapRowDelegate(QStyledItemDelegate):
    """Two lines, with a dot of the document's colour before them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        caption = QFontMetrics(self._theme.font(self._theme.tokens().caption))
        return QSize(140, QFontMetrics(self._theme.font()).lineSpacing() + caption.lineSpacing() + 2 * _PAD + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one row."""
        row = index.data(ROW_ROLE)
        if not isinstance(row, MapRow):
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(6, 1, -6, -1)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
            painter.drawRoundedRect(area, 7, 7)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 7, 7)
        inner = area.adjusted(_SIDE - 4, _PAD - 1, 4 - _SIDE, 1 - _PAD)
        if row.colour is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour_of(row.colour, tokens)))
            painter.drawEllipse(inner.left(), inner.top() + 4, _DOT, _DOT)
            inner.setLeft(inner.left() + _DOT + 8)
        y = inner.top()
        for text, size, colour in (
            (row.title, tokens.body, tokens.text),
            (row.second, tokens.caption, tokens.text_muted),
        ):
            font = self._theme.font(size, text=text)
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRect(inner.left(), y, inner.width(), metrics.lineSpacing())
            elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            y += metrics.lineSpacing() + 1
        painter.restore()


class MapRowView(QListView):
    """Lists rows; several can be chosen where that is said."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        row_of: Callable[[int, Any], MapRow],
        *,
        several: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.rows = MapRows(row_of, self)
        self.setModel(self.rows)
        self.setItemDelegate(MapRowDelegate(theme, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.setAccessibleName(name)
        theme.changed.connect(self.viewport().update)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The rows that are chosen, from above."""
        stretches = self.selectionModel().selection()
        return tuple(sorted(row for one in stretches.toList() for row in range(one.top(), one.bottom() + 1)))
