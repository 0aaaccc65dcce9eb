"""Widget of the command palette: search field, list of entries, item model and delegate."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr
from workbench.ui.controls import frame, label
from workbench.ui.messages import announce
from workbench.ui.palette.presenter import PaletteEntry, PaletteEntryKind, PalettePresenter
from workbench.ui.theme import Theme

_WIDTH = 680
_MARGIN = 24
_ROWS = 11
_TOP = 0.12
"""Vertical position in the window, as a share of its height."""


class CommandPalette(QWidget):
    """Popup over its parent; closes on Esc, on a choice, or when it loses the focus."""

    def __init__(self, presenter: PalettePresenter, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._window = parent
        self._before: QWidget | None = None
        self.setAccessibleName(tr("Command palette"))
        self._field = QLineEdit()
        self._field.setPlaceholderText(tr("Find a command, document, session, setting or agent"))
        self._field.setAccessibleName(tr("Find a command, document, session, setting or agent"))
        self._field.textEdited.connect(presenter.look)
        self._field.installEventFilter(self)
        self._model = EntryModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(EntryDelegate(theme, self._list))
        self._list.setUniformItemSizes(True)
        self._list.setMouseTracking(True)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setAccessibleName(tr("Found"))
        self._list.clicked.connect(self._on_clicked)
        self._nothing = label(tr("No matches."), "muted")
        self._nothing.setContentsMargins(12, 8, 12, 8)
        presenter.found.connect(self._on_found)
        self._lay_out()
        parent.installEventFilter(self)
        self.hide()

    @property
    def entries(self) -> list[PaletteEntry]:
        """Entries that are shown."""
        return self._model.entries

    @property
    def chosen(self) -> PaletteEntry | None:
        """Entry that Enter triggers."""
        entry: PaletteEntry | None = self._list.currentIndex().data(ENTRY_ROLE)
        return entry

    @Slot()
    def toggle(self) -> None:
        """Open the palette, or close it."""
        if self.isVisible():
            self._leave()
            return
        self._before = QApplication.focusWidget()
        self._field.clear()
        self._presenter.begin()
        self.show()
        self._place()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        elif event.type() == QEvent.Type.FocusOut and self.isVisible() and QApplication.activePopupWidget() is None:
            self.hide()
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _ROWS - 1, Qt.Key.Key_PageUp: 1 - _ROWS}
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        elif key in steps:
            self._move(steps[key])
        else:
            # Tab would leave the field, and with it the palette.
            return key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        return True

    def _move(self, step: int) -> None:
        count = self._model.rowCount()
        row = self._list.currentIndex().row() + step
        if count:
            # A single step wraps around, a page step stops at the end.
            self._show_row(row % count if abs(step) == 1 else max(0, min(row, count - 1)))

    def _show_row(self, row: int) -> None:
        self._list.setCurrentIndex(self._model.index(row))
        entry = self.chosen
        if entry is not None and self.isVisible():
            place = tr("{row} of {rows}", row=row + 1, rows=self._model.rowCount())
            announce(self._field, f"{entry.spoken}, {place}")

    def _take(self) -> None:
        entry = self.chosen
        if entry is not None:
            self._leave()
            self._presenter.choose(entry)

    def _leave(self) -> None:
        """Close the palette and restore the focus: most commands act on the widget that had it."""
        before, self._before = self._before, None
        self.hide()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(QModelIndex)
    def _on_clicked(self, _index: QModelIndex) -> None:
        self._take()

    @Slot(list)
    def _on_found(self, entries: list[PaletteEntry]) -> None:
        before = self.chosen.key if self.chosen is not None and self._list.currentIndex().row() else ""
        self._model.show(entries)
        self._list.setVisible(bool(entries))
        self._nothing.setVisible(not entries)
        if entries:
            self._show_row(next((row for row, entry in enumerate(entries) if entry.key == before), 0))
        if self.isVisible():
            self._place()

    def _lay_out(self) -> None:
        box = frame("toast")
        inside = QVBoxLayout(box)
        inside.setContentsMargins(8, 8, 8, 8)
        inside.setSpacing(6)
        inside.addWidget(self._field)
        inside.addWidget(self._list)
        inside.addWidget(self._nothing)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)

    def _place(self) -> None:
        room = self._window.rect()
        width = min(_WIDTH, room.width() - 2 * _MARGIN)
        top = round(room.height() * _TOP)
        row = self._list.sizeHintForRow(0) if self._model.rowCount() else 0
        whole = min(_ROWS, self._model.rowCount()) * row + 2
        self._list.setFixedHeight(max(0, min(whole, room.height() - top - 4 * _MARGIN)))
        layout = self.layout()
        if layout is not None:
            layout.activate()
        self.setGeometry((room.width() - width) // 2, top, width, self.sizeHint().height())


AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
_PAD = 12
_ICON = 16
# Largest share of a row for the name if there is a detail text.
_NAME_SHARE = 0.66


class EntryModel(QAbstractListModel):
    """Item model of the found entries."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[PaletteEntry] = []

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self.entries):
            return None
        entry = self.entries[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return entry.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return f"{entry.text}\n{entry.detail}".strip()
            case _ if role == ENTRY_ROLE:
                return entry
        return None

    def show(self, entries: Sequence[PaletteEntry]) -> None:
        """Replace the entries."""
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()


class EntryDelegate(QStyledItemDelegate):
    """Delegate that paints a PaletteEntry in one line."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(200, QFontMetrics(self._theme.font()).height() + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw one row."""
        entry = index.data(ENTRY_ROLE)
        if not isinstance(entry, PaletteEntry):
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect.adjusted(4, 1, -4, -1)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            chosen = option.state & QStyle.StateFlag.State_Selected
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.accent_soft if chosen else tokens.hover))
            painter.drawRoundedRect(area, 6, 6)
        inner = area.adjusted(_PAD - 2, 0, 2 - _PAD, 0)
        icon = self._theme.pixmap(entry.icon or "keyboard", size=_ICON)
        side = self._theme.scaled(_ICON)
        painter.drawPixmap(inner.left(), inner.center().y() - side // 2 + 1, icon)
        inner.setLeft(inner.left() + side + 10)
        inner.setRight(inner.right() - self._paint_right(painter, inner, entry))
        self._paint_words(painter, inner, entry)
        painter.restore()

    def _paint_right(self, painter: QPainter, area: QRect, entry: PaletteEntry) -> int:
        """Draw the key, or the kind of the entry, at the right, and return the width used."""
        text = entry.keys or ("" if entry.kind is PaletteEntryKind.COMMAND else tr(entry.kind.value))
        if not text:
            return 0
        font = self._theme.font(self._theme.tokens().caption)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens().text_muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        return QFontMetrics(font).horizontalAdvance(text) + _PAD

    def _paint_words(self, painter: QPainter, area: QRect, entry: PaletteEntry) -> None:
        tokens = self._theme.tokens()
        font = self._theme.font(text=entry.text)
        metrics = QFontMetrics(font)
        room = round(area.width() * (_NAME_SHARE if entry.detail else 1))
        text = metrics.elidedText(entry.text, Qt.TextElideMode.ElideRight, room)
        layout = QTextLayout(text, font)
        layout.setFormats([_marked(start, end, tokens.accent) for start, end in entry.spans if end <= len(text)])
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        painter.setPen(QColor(tokens.text))
        layout.draw(painter, QRect(area.left(), 0, 0, 0).topLeft() + _middle(area, metrics.height()))
        used_width = round(line.naturalTextWidth()) + _PAD
        caption = self._theme.font(tokens.caption, text=entry.detail)
        painter.setFont(caption)
        painter.setPen(QColor(tokens.text_muted))
        detail = QFontMetrics(caption).elidedText(
            " ".join(entry.detail.split()), Qt.TextElideMode.ElideRight, area.width() - used_width
        )
        painter.drawText(area.adjusted(used_width, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, detail)


def _middle(area: QRect, height: int) -> Any:
    return QRect(0, area.top() + (area.height() - height) // 2, 0, 0).topLeft()


def _marked(start: int, end: int, colour: str) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length = start, end - start
    format = QTextCharFormat()
    format.setForeground(QColor(colour))
    format.setFontWeight(600)
    marked.format = format
    return marked
