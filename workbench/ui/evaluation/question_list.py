"""List of golden questions, outcomes and evaluations: rows, item model, delegate, and the view with keys and menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeySequence, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.language import tr
from workbench.ui.evaluation.comparison_charts import DifferenceKind, colour_of
from workbench.ui.theme import Theme, Tokens

ROW_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """Row of a list.

    Attributes:
        title: Text of the first line, usually a question.
        second: Text of the second, smaller line.
        figure: Text at the right.
        change: Sets the colour and the arrow of the figure; None for neither.
        warning: Problem that precedes the second line, which then has the colour of a warning.
        subject: Object that the row represents.
    """

    title: str
    second: str = ""
    figure: str = ""
    change: DifferenceKind | None = None
    warning: str = ""
    subject: object = None

    @property
    def spoken(self) -> str:
        """Description of the row for screen readers."""
        figures = [tr("not found") if one == "–" else one for one in self.figure.split(" → ")]
        figure = figures[0] if len(figures) == 1 else tr("{before} to {after}", before=figures[0], after=figures[1])
        change = tr(self.change.value) if self.change is not None else ""
        return ". ".join(part for part in (self.title, self.second, self.warning, figure, change) if part)


class RowModel(QAbstractListModel):
    """Item model of rows that are replaced as a whole."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[EvaluationRow, ...] = ()

    @property
    def rows(self) -> tuple[EvaluationRow, ...]:
        """Rows of the list."""
        return self._rows

    def show(self, rows: Sequence[EvaluationRow]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, tooltip or accessible text of a row, or the row itself for ROW_ROLE."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in (row.title, row.second, row.warning) if part)
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case _ if role == ROW_ROLE:
                return row
        return None


_PAD = 6
_SIDE = 14
_ARROWS = {DifferenceKind.BETTER: "▲", DifferenceKind.WORSE: "▼", DifferenceKind.SAME: ""}
_Index = QModelIndex | QPersistentModelIndex


class RowDelegate(QStyledItemDelegate):
    """Delegate that paints two lines of text, and a figure at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        caption = QFontMetrics(self._theme.font(self._theme.tokens().caption))
        return QSize(160, QFontMetrics(self._theme.font()).lineSpacing() + caption.lineSpacing() + 2 * _PAD + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one row."""
        row = index.data(ROW_ROLE)
        if not isinstance(row, EvaluationRow):
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
        inner = area.adjusted(_SIDE - 6, _PAD - 1, 6 - _SIDE, 1 - _PAD)
        inner.setRight(inner.right() - self._paint_figure(painter, inner, row, tokens))
        self._paint_words(painter, inner, row, tokens)
        painter.restore()

    def _paint_figure(self, painter: QPainter, area: QRect, row: EvaluationRow, tokens: Tokens) -> int:
        """Paint the figure at the right with the arrow below it, and return their width."""
        if not row.figure:
            return 0
        font = self._theme.font(tokens.caption + 0.5, bold=True)
        width = QFontMetrics(font).horizontalAdvance(row.figure)
        painter.setFont(font)
        changed = row.change in (DifferenceKind.BETTER, DifferenceKind.WORSE)
        painter.setPen(QColor(colour_of(row.change, tokens) if row.change is not None and changed else tokens.text))
        arrow = _ARROWS[row.change] if row.change is not None else ""
        text = f"{row.figure}\n{arrow}" if arrow else row.figure
        top = Qt.AlignmentFlag.AlignTop if arrow else Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, top | Qt.AlignmentFlag.AlignRight, text)
        return width + 10

    def _paint_words(self, painter: QPainter, area: QRect, row: EvaluationRow, tokens: Tokens) -> None:
        y = area.top()
        second = " · ".join(part for part in (row.warning, row.second) if part)
        for text, size, colour in (
            (row.title, tokens.body, tokens.text),
            (second, tokens.caption, tokens.warn if row.warning else tokens.text_muted),
        ):
            font = self._theme.font(size, text=text)
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            line = QRect(area.left(), y, area.width(), metrics.lineSpacing())
            elided = metrics.elidedText(" ".join(text.split()), Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, elided)
            y += metrics.lineSpacing() + 1


class RowView(QListView):
    """View of a list of rows.

    Signals:
        opened: The subject of the row that was double-clicked or opened with Enter.
    """

    opened = Signal(object)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = RowModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(theme, self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAccessibleName(name)
        self.setMinimumHeight(76)
        self.doubleClicked.connect(self._on_opened)
        enter = QAction(tr("Open", "verb"), self)
        enter.setShortcuts([QKeySequence(Qt.Key.Key_Return), QKeySequence(Qt.Key.Key_Enter)])
        enter.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        enter.triggered.connect(self._on_enter)
        self._enter = enter
        theme.changed.connect(self.viewport().update)

    def offer_open(self, text: str) -> None:
        """Set the text of the command that Enter and a double click run."""
        self._enter.setText(text)
        self.addAction(self._enter)

    def offer(self, text: str, key: str, slot: Callable[[], object]) -> QAction:
        """Add a command to the context menu of a row."""
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    @property
    def subject(self) -> object:
        """Object that the current row represents; None if there is no current row."""
        row = self.currentIndex().data(ROW_ROLE)
        return row.subject if isinstance(row, EvaluationRow) else None

    @Slot(QModelIndex)
    def _on_opened(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, EvaluationRow):
            self.opened.emit(row.subject)

    @Slot()
    def _on_enter(self) -> None:
        self._on_opened(self.currentIndex())
