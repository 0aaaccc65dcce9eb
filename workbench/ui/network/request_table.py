"""Table of the requests, and the delegate that paints its cells."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from workbench.language import tr
from workbench.model.egress import NetworkOutcome, NetworkRequest
from workbench.ui.actions import pane_action
from workbench.ui.network.model import KINDS, LEFT_OUT, REQUEST_ROLE, RequestColumn, RequestModel, tool_tip
from workbench.ui.theme import Theme

_LOWEST = 60


class RequestTable(QTableView):
    """View that reads only the visible rows of its model; a narrow one hides columns.

    Signals:
        passages_asked: A NetworkRequest whose passages are to be shown.
        session_asked: The identifier of the session that a request was made for.
        host_asked: A host; only the requests to it are to be shown.
    """

    passages_asked = Signal(object)
    session_asked = Signal(int)
    host_asked = Signal(str)

    def __init__(self, model: RequestModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = model
        self._delegate = RequestDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setMouseTracking(True)
        self.setMinimumHeight(_LOWEST)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAccessibleName(tr("Requests"))
        self._prepare_headers()
        self._passages = pane_action(self, "network.passages", self._on_passages)
        self._session = pane_action(self, "network.session", self._on_session)
        self._host = pane_action(self, "network.host", self._on_host)
        pane_action(self, "network.copy", self._on_copy)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        theme.changed.connect(self._measure)
        self._measure()
        self._on_current()

    @property
    def chosen(self) -> NetworkRequest | None:
        """Request of the current row."""
        return self._requests.request(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_link = index.column() == RequestColumn.PASSAGES and bool(index.data())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)

    def _prepare_headers(self) -> None:
        header = self.horizontalHeader()
        # The header queries the selection for every row of a column: 3 s for 100,000. Its own selection stays empty.
        header.setSelectionModel(QItemSelectionModel(self._requests, header))
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(40)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(RequestColumn.HOST, QHeaderView.ResizeMode.Stretch)
        header.setAccessibleName(tr("Columns"))
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @Slot()
    def _measure(self) -> None:
        """Set the sizes of rows and columns for the present font."""
        self.verticalHeader().setDefaultSectionSize(
            self._delegate.sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        )
        for column in RequestColumn:
            if column is not RequestColumn.HOST:
                self.setColumnWidth(column, self._delegate.width_of(column))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Hide the columns that have no space, the least informative first."""
        room = self.viewport().width() - sum(map(self._delegate.width_of, RequestColumn))
        for column in LEFT_OUT:
            self.setColumnHidden(column, room < 0)
            room += self._delegate.width_of(column) if room < 0 else 0

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == RequestColumn.PASSAGES:
            self._on_passages()

    @Slot()
    def _on_current(self) -> None:
        request = self.chosen
        self._passages.setEnabled(request is not None and bool(request.chunks))
        self._session.setEnabled(request is not None and request.session is not None)
        self._host.setEnabled(request is not None and bool(request.host))

    @Slot()
    def _on_passages(self) -> None:
        request = self.chosen
        if request is not None and request.chunks:
            self.passages_asked.emit(request)

    @Slot()
    def _on_session(self) -> None:
        request = self.chosen
        if request is not None and request.session is not None:
            self.session_asked.emit(request.session)

    @Slot()
    def _on_host(self) -> None:
        request = self.chosen
        if request is not None:
            self.host_asked.emit(request.host)

    @Slot()
    def _on_copy(self) -> None:
        request = self.chosen
        if request is not None:
            QGuiApplication.clipboard().setText(tool_tip(request))


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
    """Delegate that paints a NetworkRequest on one line."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fonts: tuple[QFont, QFont, QFontMetrics] | None = None
        theme.changed.connect(self._on_theme_changed)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _AnyIndex) -> QSize:
        return QSize(80, max(self._icon, self._type[2].height()) + 11)

    def width_of(self, column: RequestColumn) -> int:
        """Return the width that a column needs for about its longest text."""
        icon = self._icon + SIDE if column is RequestColumn.TIME else 0
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
        column = RequestColumn(index.column())
        if column is RequestColumn.TIME:
            self._paint_icon(painter, area, request)
            area.setLeft(area.left() + self._icon + SIDE)
        self._paint_text(painter, area, column, request)
        painter.restore()

    @property
    def _icon(self) -> int:
        return self._theme.scaled(ICON)

    @property
    def _type(self) -> tuple[QFont, QFont, QFontMetrics]:
        """Font of most cells, font of links, and metrics of the first."""
        if self._fonts is None:
            size = self._theme.tokens().caption + 0.5
            font = self._theme.font(size)
            self._fonts = (font, self._theme.font(size, bold=True), QFontMetrics(font))
        return self._fonts

    def _paint_icon(self, painter: QPainter, area: QRect, request: NetworkRequest) -> None:
        icon, colour = icon_of(request)
        pixmap = self._theme.pixmap(icon, getattr(self._theme.tokens(), colour), ICON)
        painter.drawPixmap(area.left(), area.top() + (area.height() - self._icon) // 2, pixmap)

    def _paint_text(self, painter: QPainter, area: QRect, column: RequestColumn, request: NetworkRequest) -> None:
        font, bold, metrics = self._type
        tokens = self._theme.tokens()
        kind = KINDS[column]
        is_link = column is RequestColumn.PASSAGES
        colour = tokens.accent if is_link else tokens.text if column is RequestColumn.HOST else tokens.text_muted
        if column is RequestColumn.OUTCOME and request.outcome is NetworkOutcome.FAILED:
            colour = tokens.danger
        painter.setFont(bold if is_link else font)
        painter.setPen(QColor(colour))
        # Both ends of an address are informative.
        mode = Qt.TextElideMode.ElideMiddle if column is RequestColumn.HOST else Qt.TextElideMode.ElideRight
        shown = metrics.elidedText(kind.text(request), mode, area.width())
        painter.drawText(area, _RIGHT if kind.is_number else _LEFT, shown)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._fonts = None
