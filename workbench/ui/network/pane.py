"""Pane of the network: offline mode, the diagram of the traffic, and the table of requests."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr, trn
from workbench.ui.controls import ElidedLabel, IconButton, label
from workbench.ui.dialog import agrees
from workbench.ui.localisation import day
from workbench.ui.messages import Banner
from workbench.ui.network.model import NOTHING_LEFT, NOTHING_LEFT_ABOUT, headline, totals_words
from workbench.ui.network.offline_mode import OfflineModeBar, OfflineModePresenter
from workbench.ui.network.presenter import NetworkPresenter, RequestScope
from workbench.ui.network.request_table import RequestTable
from workbench.ui.network.traffic_diagram import TrafficDiagram
from workbench.ui.theme import Theme

WIDE = 820
"""Width in pixels from which the diagram is next to the table."""
_HEAD = 60
"""Pixels for the lines above the diagram and the space below it."""
_ROWS = 130
"""Pixels that the table needs at least to be readable."""
_WIDEST_STILL = 440
_TYPED_MS = 250
_TABLE, _NOTHING_FOUND = range(2)
_EMPTY, _LEDGER = range(2)


class NetworkPane(QFrame):
    """Pane with the offline mode bar, the diagram of the traffic and the list of requests.

    Signals:
        session_asked: The identifier of the session that a request was made for.
    """

    session_asked = Signal(int)

    def __init__(
        self,
        presenter: NetworkPresenter,
        offline_mode: OfflineModePresenter,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._offline_mode = offline_mode
        self.setProperty("role", "pane")
        self.banner = Banner(theme)
        self.bar = OfflineModeBar(offline_mode, theme, self)
        self.picture = TrafficDiagram(theme)
        self.table = RequestTable(presenter.model, theme)
        self.search = QLineEdit()
        self.where = QComboBox()
        self._search_timer = QTimer(self)
        self._title = label("", "title")
        self._sums = ElidedLabel()
        self._count = label("", "caption")
        self._more = IconButton(theme, "more", tr("Export or clear the list"), self._on_more)
        self._empty_diagram = TrafficDiagram(theme)
        self._nothing = label(tr("No matching requests."), "muted", wrap=True)
        self._rows = QStackedWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._stack = QStackedWidget()
        self._make_controls(theme)
        self._lay_out()
        self._connect()
        self._on_summed()
        self._on_listed()

    def focus(self) -> None:
        """Set the keyboard focus to the switch."""
        self.bar.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def text(self) -> str:
        """Headline and sums at the top."""
        return f"{self._title.text()} {self._sums.accessibleName()}".rstrip()

    @property
    def is_empty(self) -> bool:
        """True if the pane shows that there is nothing to list."""
        return self._stack.currentIndex() == _EMPTY

    def menu(self) -> QMenu:
        """Return the menu of actions for the whole list."""
        menu = QMenu(self)
        menu.addAction(tr("Export as CSV…"), self._on_csv)
        menu.addAction(tr("Export as JSONL…"), self._on_jsonl)
        menu.addSeparator()
        menu.addAction(tr("Clear the list…"), self._on_clear)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= WIDE
        directions = QBoxLayout.Direction
        self._columns.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        self._columns.setStretch(0, 2 if wide else 0)
        self._columns.setStretch(1, 3 if wide else 1)
        room = self._stack.height() - _HEAD - (0 if wide else _ROWS)
        # The rows contain all that the diagram shows: if there is not enough space for both, only the rows stay.
        self.picture.keep_within(room)

    def _make_controls(self, theme: Theme) -> None:
        self.search.setPlaceholderText(tr("Find requests"))
        self.search.setAccessibleName(tr("Find requests by host, address or note"))
        self.search.setClearButtonEnabled(True)
        self.search.setProperty("variant", "quiet")
        self._looking_glass = self.search.addAction(theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._looking_glass.setText(tr("Find requests"))
        self.where.setAccessibleName(tr("Filter requests"))
        self.where.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.where.setMinimumContentsLength(6)
        for where in RequestScope:
            self.where.addItem(tr(where.value), where)
        self._search_timer.setSingleShot(True)
        self._search_timer.setInterval(_TYPED_MS)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setContentsMargins(12, 24, 12, 12)
        self._sums.setProperty("role", "caption")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        top = QVBoxLayout()
        top.setContentsMargins(12, 4, 12, 6)
        top.addWidget(self.bar)
        layout.addLayout(top)
        self._stack.addWidget(_make_scroll_area(self._make_empty_page()))
        self._stack.addWidget(_make_scroll_area(self._make_ledger()))
        layout.addWidget(self._stack, 1)

    def _make_empty_page(self) -> QWidget:
        title, text = label(tr(NOTHING_LEFT), "title", wrap=True), label(tr(NOTHING_LEFT_ABOUT), "muted", wrap=True)
        self._empty_diagram.setMaximumWidth(_WIDEST_STILL)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addStretch(1)
        column.addWidget(self._empty_diagram)
        column.addSpacing(4)
        for words in (title, text):
            words.setAlignment(Qt.AlignmentFlag.AlignCenter)
            words.setMaximumWidth(_WIDEST_STILL)
            column.addWidget(words)
        column.addStretch(2)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(12, 4, 12, 8)
        row.addStretch(1)
        row.addLayout(column, 100)
        row.addStretch(1)
        return page

    def _make_ledger(self) -> QWidget:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._title)
        words.addWidget(self._sums)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addLayout(words, 1)
        head.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        search_row = QHBoxLayout()
        search_row.setSpacing(8)
        search_row.addWidget(self.search, 3)
        search_row.addWidget(self.where, 2)
        search_row.addWidget(self._count)
        self._rows.addWidget(self.table)
        self._rows.addWidget(self._nothing)
        list_column = QVBoxLayout()
        list_column.setSpacing(4)
        list_column.addLayout(search_row)
        list_column.addWidget(self._rows, 1)
        diagram_column = QVBoxLayout()
        diagram_column.addWidget(self.picture)
        diagram_column.addStretch(1)
        self._columns.setSpacing(8)
        self._columns.addLayout(diagram_column)
        self._columns.addLayout(list_column, 1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 0, 12, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(self._columns, 1)
        return inside

    def _connect(self) -> None:
        presenter = self._presenter
        presenter.listed.connect(self._on_listed)
        presenter.summed.connect(self._on_summed)
        presenter.failed.connect(self.banner.show_error)
        self._offline_mode.changed.connect(self._on_offline_mode)
        self.search.textChanged.connect(self._search_timer.start)
        self._search_timer.timeout.connect(self._on_typed)
        self.search.returnPressed.connect(self._on_typed)
        self.where.activated.connect(self._on_where)
        self.picture.host_chosen.connect(self._on_host)
        self.table.host_asked.connect(self._on_host)
        self.table.passages_asked.connect(presenter.show_passages)
        self.table.session_asked.connect(self.session_asked)
        self._on_offline_mode()

    @Slot()
    def _on_offline_mode(self) -> None:
        for picture in (self.picture, self._empty_diagram):
            picture.show_closed(self._offline_mode.is_shut)

    @Slot()
    def _on_summed(self) -> None:
        totals = self._presenter.totals
        self._stack.setCurrentIndex(_LEDGER if totals.requests else _EMPTY)
        self._title.setText(headline(totals))
        since = tr("since {day}", day=day(totals.since)) if totals.since else ""
        self._sums.set_whole_text(" · ".join(filter(None, (totals_words(totals), since))))
        self.picture.show_hosts(self._presenter.hosts)

    @Slot()
    def _on_listed(self) -> None:
        matching = self._presenter.matching
        self._rows.setCurrentIndex(_TABLE if matching or not self._presenter.is_narrowed else _NOTHING_FOUND)
        self._count.setText(trn("{n:,} request", "{n:,} requests", matching) if self._presenter.is_narrowed else "")
        self._count.setVisible(self._presenter.is_narrowed)

    @Slot()
    def _on_typed(self) -> None:
        self._search_timer.stop()
        self._presenter.search(self.search.text())

    @Slot(int)
    def _on_where(self, row: int) -> None:
        self._presenter.narrow(RequestScope(self.where.itemData(row)))

    @Slot(str)
    def _on_host(self, host: str) -> None:
        """List only the requests to a host; the same host again lists all requests."""
        self.search.setText("" if self.search.text() == host else host)
        self._on_typed()

    @Slot()
    def _on_more(self) -> None:
        self.menu().popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_csv(self) -> None:
        self._export("csv", tr("Table (*.csv)"))

    @Slot()
    def _on_jsonl(self) -> None:
        self._export("jsonl", tr("JSON lines (*.jsonl)"))

    def _export(self, suffix: str, kind: str) -> None:
        proposed = f"{tr('network', 'file name')}.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, tr("Export network activity"), proposed, kind)
        if name:
            path = Path(name)
            self._presenter.export(path if path.suffix.lower() == f".{suffix}" else Path(f"{name}.{suffix}"))

    @Slot()
    def _on_clear(self) -> None:
        text = trn(
            "Permanently delete {n:,} request from the list? This does not undo what was sent.",
            "Permanently delete {n:,} requests from the list? This does not undo what was sent.",
            self._presenter.totals.requests,
        )
        if agrees(self, tr("Clear the list"), text):
            self._presenter.clear()


def _make_scroll_area(page: QWidget) -> QScrollArea:
    """Return an area that scrolls a page if the dock is low; otherwise the rest could not be reached."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    for surface in (area.viewport(), page):
        surface.setAutoFillBackground(False)
    return area
