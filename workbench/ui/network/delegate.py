"""How a cell of the table of requests is painted: an icon that says where it went, then lines of text."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.language import tr
from workbench.model.egress import NetworkOutcome, NetworkRequest
from workbench.ui.network.columns import KINDS, Column
from workbench.ui.network.model import REQUEST_ROLE
from workbench.ui.theme import Theme

ICON = 14
SIDE = 8
_AnyIndex = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def icon_of(request: NetworkRequest) -> tuple[str, str]:
    """Return the icon of a request and the name of its colour."""
    match request.outcome:
        case NetworkOutcome.REFUSED:
            return "shield", "ok"
        case NetworkOutcome.FAILED:
            return "error", "danger"
        case NetworkOutcome.UNDER_WAY:
            return "spinner", "accent"
        case NetworkOutcome.DONE:
            return ("circle", "text_muted") if request.is_here else ("globe", "warn")


class RequestDelegate(QStyledItemDelegate):
    """Paints a NetworkRequest on one line."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fonts: tuple[QFont, QFont, QFontMetrics] | None = None
        theme.changed.connect(self._on_theme_changed)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _AnyIndex) -> QSize:
        return QSize(80, max(ICON, self._type[2].height()) + 11)

    def width_of(self, column: Column) -> int:
        """Return how wide a column has to be for about the longest that it says."""
        icon = ICON + SIDE if column is Column.TIME else 0
        letters = KINDS[column].longest * self._type[2].horizontalAdvance("n")
        heading = self._type[2].horizontalAdvance(tr(KINDS[column].title))
        return max(letters, heading) + icon + 2 * SIDE

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _AnyIndex) -> None:
        request = index.data(REQUEST_ROLE)
        if not isinstance(request, NetworkRequest):
            return
        painter.save()
        area: QRect = option.rect
        tokens = self._theme.tokens()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(tokens.accent_soft))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(tokens.hover))
        area = area.adjusted(SIDE, 0, -SIDE, 0)
        column = Column(index.column())
        if column is Column.TIME:
            self._paint_icon(painter, area, request)
            area.setLeft(area.left() + ICON + SIDE)
        self._paint_text(painter, area, column, request)
        painter.restore()

    @property
    def _type(self) -> tuple[QFont, QFont, QFontMetrics]:
        """The font of most cells, that of what can be pressed, and the measures of the first."""
        if self._fonts is None:
            size = self._theme.tokens().caption + 0.5
            font = self._theme.font(size)
            self._fonts = (font, self._theme.font(size, bold=True), QFontMetrics(font))
        return self._fonts

    def _paint_icon(self, painter: QPainter, area: QRect, request: NetworkRequest) -> None:
        icon, colour = icon_of(request)
        pixmap = self._theme.pixmap(icon, getattr(self._theme.tokens(), colour), ICON)
        painter.drawPixmap(area.left(), area.top() + (area.height() - ICON) // 2, pixmap)

    def _paint_text(self, painter: QPainter, area: QRect, column: Column, request: NetworkRequest) -> None:
        font, bold, metrics = self._type
        tokens = self._theme.tokens()
        kind = KINDS[column]
        is_link = column is Column.PASSAGES
        colour = tokens.accent if is_link else tokens.text if column is Column.HOST else tokens.text_muted
        if column is Column.OUTCOME and request.outcome is NetworkOutcome.FAILED:
            colour = tokens.danger
        painter.setFont(bold if is_link else font)
        painter.setPen(QColor(colour))
        # Of an address both ends tell something.
        mode = Qt.TextElideMode.ElideMiddle if column is Column.HOST else Qt.TextElideMode.ElideRight
        shown = metrics.elidedText(kind.text(request), mode, area.width())
        painter.drawText(area, _RIGHT if kind.is_number else _LEFT, shown)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._fonts = None
