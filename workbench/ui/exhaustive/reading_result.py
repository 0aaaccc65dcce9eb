"""View of an exhaustive reading: progress, conclusion, actions, and the table of documents with verdicts and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QScrollArea,
    QSplitter,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate
from workbench.model.exhaustive import DocumentReading, Reading, ReadingMeter, ReadingProgress
from workbench.model.hit import Citation
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, label
from workbench.ui.exhaustive.presenter import (
    pause_reason,
    progress_line,
    remarks,
    scope_line,
    status_line,
    summary_line,
    verdict_of,
)
from workbench.ui.network.offline_mode_button import OfflineModeButton
from workbench.ui.theme import Theme

_CONCLUSION_HEIGHT = 110
_LOWEST = 48
_LOW = 270
_ANY = 10_000


class ReadingResult(QWidget):
    """View of one reading, while it runs or as it was saved.

    Signals:
        stop_asked: The reading is to stop.
        continue_asked: The reading is to continue; True also reads what was unreadable again.
        citation_activated: A Citation that was pressed.
    """

    stop_asked = Signal()
    continue_asked = Signal(bool)
    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = label("", "title", wrap=True)
        self._scope = ElidedLabel()
        self._scope.setProperty("role", "caption")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("How much was read"))
        self._meter = label("", wrap=True)
        self._meter.setAccessibleName(tr("Coverage"))
        self._summary = label("", "muted", wrap=True)
        self._why = label("", wrap=True, tone="warn")
        self._why_icon = IconLabel(theme, "alert", colour="warn")
        self._switch = OfflineModeButton()
        self._stop = button(tr("Stop"), "secondary", self.stop_asked)
        self._continue = button(tr("Continue"), "primary", self._on_continue)
        self._again = button(tr("Read unreadable ones again"), "ghost", self._on_again)
        self.conclusion = AnswerView(theme)
        self.conclusion.setAccessibleName(tr("Conclusion"))
        self.table = ReadingTable(theme)
        self._well = self._make_conclusion_well()
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._lay_out()
        # Empty widgets must not request space, which the chat above needs.
        for widget in (self._question, self._summary, self._why, self._why_icon, self._well):
            widget.hide()
        self.setFocusProxy(self.table)
        self.table.citation_activated.connect(self.citation_activated)
        self.conclusion.citation_activated.connect(self.citation_activated)

    def show_reading(self, reading: Reading, *, running: bool, busy: bool) -> None:
        """Show a reading.

        Args:
            reading: The reading.
            running: Whether it is being read.
            busy: Whether any reading is running; this one cannot be continued meanwhile.
        """
        info = reading.info
        # The list above already names the reading, mostly by its question.
        self._question.setText(info.question)
        self._question.setVisible(info.question != info.name)
        self._scope.set_whole_text(scope_line(info))
        self.table.show_rows(reading.documents, offline=info.is_offline)
        self._show_meter(info.meter, status_line(info, running=running))
        self._summary.setText(summary_line(reading) if reading.documents and not running else "")
        self._meter.setToolTip("\n".join([scope_line(info), self._summary.text()]).strip())
        self._well.setVisible(bool(reading.conclusion) and not info.is_offline)
        self._parts.setSizes([_CONCLUSION_HEIGHT, max(_CONCLUSION_HEIGHT, self._parts.height() - _CONCLUSION_HEIGHT)])
        self._fit()
        reasons = [] if running else [pause_reason(info)]
        self._show_notes([*reasons, *map(translate, reading.notes)])
        self._switch.follow("" if running else info.hint)
        self.conclusion.show_answer(reading.conclusion, reading.citations)
        self._stop.setVisible(running)
        self._stop.setEnabled(True)
        self._continue.setVisible(not running and (not info.is_complete or reading.outdated))
        self._again.setVisible(not running and bool(info.meter.unreadable))
        for one in (self._continue, self._again):
            one.setEnabled(not busy)

    @Slot(object)
    def show_progress(self, event: ReadingProgress) -> None:
        """Show the progress of the reading."""
        self._show_meter(event.meter, progress_line(event))

    @Slot(object)
    def show_row(self, row: DocumentReading) -> None:
        """Show the result of a document so far."""
        self.table.put_row(row)

    def show_stopping(self) -> None:
        """Show that the reading is stopping."""
        self._stop.setEnabled(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave the space to the table if there is little; the tool tip of the meter contains the rest."""
        is_low = self.height() < _LOW
        self._scope.setVisible(not is_low)
        self._summary.setVisible(not is_low and bool(self._summary.text()))
        if is_low:
            self._parts.setSizes([_LOWEST, _ANY])

    def _show_meter(self, meter: ReadingMeter, line: str) -> None:
        self._bar.setMaximum(max(1, meter.passages))
        self._bar.setValue(meter.read)
        self._meter.setText(line)

    def _show_notes(self, sentences: list[str]) -> None:
        text = "\n".join(sentence for sentence in sentences if sentence)
        self._why.setText(text)
        for one in (self._why, self._why_icon):
            one.setVisible(bool(text))

    def _make_conclusion_well(self) -> QScrollArea:
        well = QScrollArea()
        well.setWidgetResizable(True)
        well.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        well.setAccessibleName(tr("Conclusion"))
        well.setMinimumHeight(_LOWEST)
        inside = frame("pane")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.conclusion)
        column.addStretch(1)
        well.setWidget(inside)
        return well

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self._meter, 1)
        for one in (self._again, self._continue, self._stop):
            buttons.addWidget(one)
        why = QHBoxLayout()
        why.setSpacing(8)
        why.addWidget(self._why_icon, 0, Qt.AlignmentFlag.AlignTop)
        why.addWidget(self._why, 1)
        why.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignTop)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self._well)
        self._parts.addWidget(self.table)
        self._parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 4, 16, 8)
        layout.setSpacing(5)
        for widget in (self._question, self._scope):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        layout.addWidget(self._bar)
        layout.addWidget(self._summary)
        layout.addLayout(why)
        layout.addWidget(self._parts, 1)

    @Slot()
    def _on_continue(self) -> None:
        self.continue_asked.emit(False)

    @Slot()
    def _on_again(self) -> None:
        self.continue_asked.emit(True)


MOST_UNFOLDED = 40
"""Maximum number of documents whose quotes are expanded; with more, users look through the verdicts."""

_SAYS_WIDTH = 118
_DOCUMENT_WIDTH = 190
_ARROW = 12
_TABLE_LOWEST = 52
_NARROWEST = 80
_Index = QModelIndex | QPersistentModelIndex


class ReadingTable(QTreeView):
    """Table of documents and their quotes.

    Signals:
        citation_activated: The Citation of the quote that was pressed.
    """

    citation_activated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows = ReadingModel(theme, self)
        self.setModel(self.rows)
        self.setAccessibleName(tr("What each document says"))
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(16)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setMouseTracking(True)
        self.setMinimumHeight(_TABLE_LOWEST)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(SAYS, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(SAYS, _SAYS_WIDTH)
        header.resizeSection(DOCUMENT, _DOCUMENT_WIDTH)
        header.setMinimumSectionSize(60)
        self.clicked.connect(self._on_clicked)

    def show_rows(self, rows: Sequence[DocumentReading], *, offline: bool) -> None:
        """Show other rows; an offline reading has quotes but no answers."""
        self.rows.show(rows, offline=offline)
        for place in range(len(rows)):
            self._unfold(place)
        self.setColumnHidden(ANSWER, offline)
        if rows:
            self.setCurrentIndex(self.rows.index(0, 0))

    def put_row(self, row: DocumentReading) -> None:
        """Show the result of a document so far, and keep the selection."""
        before = next((one for one in self.rows.rows if one.document == row.document), None)
        place = self.rows.put(row)
        # Only the first quotes expand a document: one that the user has collapsed stays collapsed.
        if before is None or not before.citations:
            self._unfold(place)
        else:
            self._span(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a narrow table the answers get the larger part.
        room = self.viewport().width() - self.header().sectionSize(SAYS)
        self.header().resizeSection(DOCUMENT, max(_NARROWEST, min(_DOCUMENT_WIDTH, round(room * 0.4))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate(self.currentIndex())
            return
        super().keyPressEvent(event)

    def drawBranches(self, painter: QPainter, rect: QRect, index: _Index) -> None:
        """Draw the arrow of a document that has quotes; the style would paint it apart from its row."""
        painter.fillRect(rect, QColor(self._theme.tokens().surface))
        if not self.rows.rowCount(self.rows.index(index.row(), 0, index.parent())):
            return
        icon = self._theme.pixmap("chevron-down" if self.isExpanded(index) else "chevron-right", size=_ARROW)
        side = self._theme.scaled(_ARROW)
        place = QRect(0, 0, side, side)
        place.moveCenter(rect.center())
        painter.drawPixmap(place, icon)

    def _unfold(self, place: int) -> None:
        self._span(place)
        if len(self.rows.rows) <= MOST_UNFOLDED and self.rows.rows[place].citations:
            self.expand(self.rows.index(place, 0))

    def _span(self, place: int) -> None:
        parent = self.rows.index(place, 0)
        for number in range(len(self.rows.rows[place].citations)):
            self.setFirstColumnSpanned(number, parent, True)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        # A click on a document selects it; its quotes are listed below it.
        if index.parent().isValid():
            self._activate(index)

    def _activate(self, index: _Index) -> None:
        citation = index.data(CITATION_ROLE)
        if isinstance(citation, Citation):
            self.citation_activated.emit(citation)


COLUMNS = (mark("Verdict"), mark("Document"), mark("Answer"))
SAYS, DOCUMENT, ANSWER = range(3)
CITATION_ROLE = Qt.ItemDataRole.UserRole + 1
_NO_PARENT = 0


class ReadingModel(QAbstractItemModel):
    """Item model of rows sorted by document; a row with further results is replaced in place."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[DocumentReading] = []
        self._places: dict[int, int] = {}
        self._offline = False
        theme.changed.connect(self._on_theme_changed)

    @property
    def rows(self) -> Sequence[DocumentReading]:
        """Rows of the documents."""
        return self._rows

    def show(self, rows: Sequence[DocumentReading], *, offline: bool) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._rows = list(rows)
        self._places = {one.document: place for place, one in enumerate(self._rows)}
        self._offline = offline
        self.endResetModel()

    def put(self, row: DocumentReading) -> int:
        """Replace the row of a document, or append a new one; return its index."""
        place = self._places.get(row.document)
        if place is None:
            place = len(self._rows)
            self.beginInsertRows(QModelIndex(), place, place)
            self._rows.append(row)
            self._places[row.document] = place
            self.endInsertRows()
            return place
        parent = self.index(place, 0)
        before, now = len(self._rows[place].citations), len(row.citations)
        # Quotes are removed or inserted first, so that a view never requests one that does not exist.
        if now < before:
            self.beginRemoveRows(parent, now, before - 1)
            self._rows[place] = row
            self.endRemoveRows()
        elif now > before:
            self.beginInsertRows(parent, before, now - 1)
            self._rows[place] = row
            self.endInsertRows()
        self._rows[place] = row
        self.dataChanged.emit(parent, self.index(place, len(COLUMNS) - 1))
        if now:
            self.dataChanged.emit(self.index(0, 0, parent), self.index(now - 1, len(COLUMNS) - 1, parent))
        return place

    def index(self, row: int, column: int, parent: _Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Return the index of a document or of a quote; the internal id of a quote is the row of its document + 1."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _NO_PARENT)

    def parent(self, index: _Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """Return the index of the document of a quote."""
        above = index.internalId() if index.isValid() else _NO_PARENT
        return QModelIndex() if above == _NO_PARENT else self.createIndex(above - 1, 0, _NO_PARENT)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._rows)
        is_document = parent.internalId() == _NO_PARENT and parent.column() == 0
        return len(self._rows[parent.row()].citations) if is_document else 0

    def columnCount(self, _parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell, or the Citation of a row."""
        if not index.isValid():
            return None
        above = index.internalId()
        if above != _NO_PARENT:
            return self._quote_data(self._rows[above - 1].citations[index.row()], index.column(), role)
        return self._document_data(self._rows[index.row()], index.column(), role)

    def _document_data(self, row: DocumentReading, column: int, role: int) -> Any:
        word, icon, colour = verdict_of(row.verdict, offline=self._offline)
        remark, problem = remarks(row), translate(row.problem)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (word, row.name, row.answer or (problem if not row.citations else ""))[column] or remark
            case Qt.ItemDataRole.DecorationRole if column == SAYS:
                return self._theme.icon(icon, getattr(self._theme.tokens(), colour))
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in (row.name, row.answer, remark, problem) if part)
            case Qt.ItemDataRole.AccessibleTextRole if column == SAYS:
                return ". ".join(part for part in (row.name, word, row.answer, remark) if part)
            case Qt.ItemDataRole.FontRole if column == ANSWER:
                return self._theme.font(text=row.answer)
            case _ if role == CITATION_ROLE:
                return row.citations[0] if row.citations else None
        return None

    def _quote_data(self, citation: Citation, column: int, role: int) -> Any:
        quote, place = " ".join(citation.quote.split()), translate(citation.place)
        match role:
            case Qt.ItemDataRole.DisplayRole if column == SAYS:
                return f"“{quote}”{f'  {place}' if place else ''}"
            case Qt.ItemDataRole.ToolTipRole:
                return f"{citation.quote}\n\n{place}".strip()
            case Qt.ItemDataRole.AccessibleTextRole if column == SAYS:
                return tr("Quote: {quote}. {place}. Press Enter to show the passage.", quote=quote, place=place)
            case Qt.ItemDataRole.DecorationRole if column == SAYS:
                return self._theme.icon("quote")
            case Qt.ItemDataRole.FontRole:
                return self._theme.font(text=quote)
            case _ if role == CITATION_ROLE:
                return citation
        return None

    @Slot()
    def _on_theme_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))
