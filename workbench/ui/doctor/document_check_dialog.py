"""Dialog of the document check.

It contains the model of the documents that have problems, a row for each problem with its remedy, and a histogram of a
document's chunk lengths with a line at the embedding model's input limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate, trn
from workbench.model.diagnosis import Bar, Diagnosis, Gravity, Patient, Remedy, Symptom
from workbench.model.document import Document, PageKind
from workbench.model.import_progress import PageRead
from workbench.ui.controls import IconLabel, bring_up, button, empty, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.doctor.presenter import DocumentCheckPresenter
from workbench.ui.library.document_wording import chunks, join_with_commas, pages
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library

_GAP = 3
_TOP = 38
"""Space for the count above a bar, and for the label of the limit line."""
_FOOT = 20


class Histogram(QWidget):
    """Histogram whose bars beyond the model's input limit are drawn in the warning colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bars: tuple[Bar, ...] = ()
        self._window = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Lengths of the passages"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(420, 150)

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Draw the chunk lengths of a document."""
        self._bars = diagnosis.bars
        self._window = diagnosis.window
        self.setAccessibleDescription("; ".join(_bar_words(bar) for bar in self._bars if bar.chunks))
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            bar = next((bar for bar, place in self._places() if place.contains(event.pos().x(), place.y())), None)
            QToolTip.showText(event.globalPos(), _bar_words(bar) if bar else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(tokens.caption))
        floor = self.height() - _FOOT
        painter.setPen(Qt.PenStyle.NoPen)
        for bar, place in self._places():
            painter.setBrush(QColor(tokens.warn if self._window and bar.high > self._window else tokens.accent))
            painter.drawRoundedRect(place, 2, 2)
        painter.setPen(QColor(tokens.border_strong))
        painter.drawLine(0, floor, self.width(), floor)
        self._paint_scale(painter, floor)
        self._paint_counts(painter)
        self._paint_window(painter, floor)
        painter.end()

    def _places(self) -> list[tuple[Bar, QRectF]]:
        if not self._bars:
            return []
        highest = max(bar.chunks for bar in self._bars) or 1
        width = self.width() / len(self._bars)
        room = self.height() - _FOOT - _TOP
        places = []
        for number, bar in enumerate(self._bars):
            # A single chunk among thousands must still be visible.
            height = max(2.0, room * bar.chunks / highest) if bar.chunks else 0.0
            left = number * width + _GAP / 2
            places.append((bar, QRectF(left, self.height() - _FOOT - height, width - _GAP, height)))
        return places

    def _paint_scale(self, painter: QPainter, floor: int) -> None:
        painter.setPen(QColor(self._theme.tokens().text_muted))
        metrics = QFontMetrics(painter.font())
        width = self.width() / max(1, len(self._bars))
        last = -100.0
        for number, bar in enumerate(self._bars):
            text = f"{bar.high:,}"
            right = (number + 1) * width
            text_width = metrics.horizontalAdvance(text)
            if right - text_width / 2 < last + 10 or right + text_width / 2 > self.width():
                continue
            painter.drawText(QPointF(right - text_width / 2, floor + metrics.ascent() + 4), text)
            last = right + text_width / 2

    def _paint_counts(self, painter: QPainter) -> None:
        metrics = QFontMetrics(painter.font())
        for bar, place in self._places():
            text = f"{bar.chunks:,}"
            text_width = metrics.horizontalAdvance(text)
            if bar.chunks and text_width <= place.width() + _GAP:
                painter.drawText(QPointF(place.center().x() - text_width / 2, place.top() - 4), text)

    def _paint_window(self, painter: QPainter, floor: int) -> None:
        if not self._window or not self._bars or self._window > self._bars[-1].high:
            return
        x = self.width() * self._window / self._bars[-1].high
        x = min(x, self.width() - 1)
        tokens = self._theme.tokens()
        painter.setPen(QPen(QColor(tokens.text_muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 4), QPointF(x, floor))
        text = tr("model limit: {n:,}", n=self._window)
        metrics = QFontMetrics(painter.font())
        text_width = metrics.horizontalAdvance(text)
        left = x - text_width - 6 if x - text_width - 6 > 0 else x + 6
        painter.drawText(QPointF(left, metrics.ascent() + 1), text)


def _bar_words(bar: Bar) -> str:
    return trn(
        "{n:,} passage of {low:,} to {high:,} tokens",
        "{n:,} passages of {low:,} to {high:,} tokens",
        bar.chunks,
        low=bar.low,
        high=bar.high,
    )


SOUND = mark("All content was read.")
NOBODY = mark("No problems found")


class DocumentCheckDialog(Dialog):
    """Modeless dialog of the document check; solved problems disappear automatically."""

    def __init__(self, presenter: DocumentCheckPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Document check"))
        self.resize(640, 680)
        self._presenter = presenter
        self._theme = theme
        self._diagnosis: Diagnosis | None = None
        self._model = IssuesModel(theme, self)
        self._list = self._make_list()
        self._banner = Banner(theme)
        self._name = label("", "title", wrap=True)
        self._summary = label("", "muted", wrap=True)
        self._rows = QVBoxLayout()
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._lengths = label(tr("Tokens per passage, including title and headings"), "section")
        self._histogram = Histogram(theme)
        self._lay_out()
        self.finished.connect(presenter.rest)
        presenter.diagnosed.connect(self._on_diagnosed)
        presenter.listed.connect(self._on_listed)
        presenter.gone.connect(self._on_gone)
        presenter.progressed.connect(self._on_progressed)
        presenter.failed.connect(self._banner.show_error)

    def check(self, library: Library | None, document: Document | None) -> None:
        """Check one document, or all of them, and show the dialog."""
        self._banner.hide()
        self._list.setVisible(document is None)
        if document is None and self.width() < 860:
            self.resize(860, self.height())
        self._blank(document.name if document else tr("Checking the documents…"))
        self._presenter.check(library, document.id if document else None, all_documents=document is None)
        bring_up(self)

    def _make_list(self) -> QListView:
        view = QListView()
        view.setModel(self._model)
        view.setUniformItemSizes(True)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName(tr("Documents to look at"))
        view.setFixedWidth(260)
        view.selectionModel().currentChanged.connect(self._on_chosen)
        return view

    def _lay_out(self) -> None:
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addLayout(self._rows)
        page = QWidget()
        right = QVBoxLayout(page)
        right.setContentsMargins(20, 16, 20, 16)
        right.setSpacing(10)
        for widget in (self._name, self._summary, card, self._lengths, self._histogram):
            right.addWidget(widget)
        right.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName(tr("What was found in the document"))
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        both = QHBoxLayout()
        both.setSpacing(0)
        both.addWidget(self._list)
        both.addWidget(scroll, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 10, 20, 14)
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(button(tr("Check again"), "secondary", self._presenter.check_again))
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._banner)
        layout.addLayout(both, 1)
        layout.addWidget(frame("divider"))
        layout.addLayout(foot)

    def _blank(self, name: str, summary: str = "") -> None:
        """Clear the dialog, and show a heading and a summary."""
        self._diagnosis = None
        self._name.setText(name)
        self._summary.setText(summary)
        self._show_rows(())
        for part in (self._lengths, self._histogram):
            part.setVisible(False)

    def _show_rows(self, symptoms: tuple[Symptom, ...]) -> None:
        empty(self._rows)
        for number, symptom in enumerate(symptoms):
            if number:
                self._rows.addWidget(frame("divider"))
            kind = self._diagnosis.document.page_kind if self._diagnosis else None
            assert kind is not None
            row = SymptomRow(symptom, kind, self._theme, is_under_way=self._is_under_way(symptom))
            row.cure_asked.connect(self._on_cure)
            row.stop_asked.connect(self._on_stop)
            self._rows.addWidget(row)
        if not symptoms and self._diagnosis is not None:
            self._rows.addWidget(self._all_well())

    def _is_under_way(self, symptom: Symptom) -> bool:
        shown = self._diagnosis
        return symptom.remedy in PAGE_REMEDIES and shown is not None and self._presenter.reads(shown.document.id)

    def _all_well(self) -> QWidget:
        row_widget = QWidget()
        row = QHBoxLayout(row_widget)
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(12)
        row.addWidget(IconLabel(self._theme, "check-circle", colour="ok", size=18))
        row.addWidget(label(tr(SOUND)), 1)
        return row_widget

    @Slot(object)
    def _on_diagnosed(self, diagnosis: Diagnosis) -> None:
        self._diagnosis = diagnosis
        document = diagnosis.document
        parts = [pages(document.pages, document.page_kind)] if document.pages else []
        self._name.setText(document.name)
        self._summary.setText(" · ".join([*parts, chunks(document.chunks), _verdict(diagnosis)]))
        self._show_rows(diagnosis.symptoms)
        self._histogram.show_diagnosis(diagnosis)
        for part in (self._lengths, self._histogram):
            part.setVisible(bool(diagnosis.bars))

    @Slot(list)
    def _on_listed(self, patients: list[Patient]) -> None:
        looked_at = self._diagnosis.document.id if self._diagnosis else None
        self._model.show_patients(patients)
        row = self._model.row_of(looked_at)
        if patients and (row >= 0 or looked_at is None):
            self._list.setCurrentIndex(self._model.index(max(0, row)))
        elif not patients and looked_at is None:
            self._blank(tr(NOBODY), tr("Documents with unreadable pages would appear here."))

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        patient = index.data(PATIENT_ROLE)
        if isinstance(patient, Patient):
            self._presenter.look_at(patient.document.id)

    @Slot(object)
    def _on_cure(self, symptom: Symptom) -> None:
        if self._diagnosis is not None:
            self._presenter.cure(self._diagnosis, symptom)

    @Slot()
    def _on_stop(self) -> None:
        if self._diagnosis is not None:
            self._presenter.stop_reading(self._diagnosis.document.id)

    @Slot(object)
    def _on_progressed(self, read: PageRead) -> None:
        counts = {"n": read.done, "total": read.total}
        reading = tr("Reading by OCR: {n:,} of {total:,} done", **counts)
        self._summary.setText(tr("Looking for tables: {n:,} of {total:,} done", **counts) if read.tables else reading)

    @Slot()
    def _on_gone(self) -> None:
        self._blank(tr("This document was removed."))


def _verdict(diagnosis: Diagnosis) -> str:
    problems = sum(symptom.gravity is Gravity.PROBLEM for symptom in diagnosis.symptoms)
    warnings = sum(symptom.gravity is Gravity.WARNING for symptom in diagnosis.symptoms)
    parts = [trn("{n:,} problem", "{n:,} problems", problems)] if problems else []
    parts += [trn("{n:,} warning", "{n:,} warnings", warnings)] if warnings else []
    return join_with_commas(parts) or tr("no problems")


_ICONS = {
    Gravity.NOTE: ("info", "text_muted"),
    Gravity.WARNING: ("alert", "warn"),
    Gravity.PROBLEM: ("error", "danger"),
}
_REMEDIES = {
    Remedy.UNLOCK: mark("Enter password…"),
    Remedy.READ_AGAIN: mark("Read again"),
    Remedy.MORE_TIME: mark("Try again with more time"),
    Remedy.EMBED: mark("Embed now"),
}

PAGE_REMEDIES = (Remedy.OCR, Remedy.TABLES)
"""Remedies that read pages one by one."""


class SymptomRow(QWidget):
    """Row of a problem with its remedy.

    Signals:
        cure_asked: The Symptom whose remedy was pressed.
        stop_asked: The running remedy is to be stopped.
    """

    cure_asked = Signal(object)
    stop_asked = Signal()

    def __init__(self, symptom: Symptom, kind: PageKind, theme: Theme, *, is_under_way: bool = False) -> None:
        super().__init__()
        self._symptom = symptom
        icon, colour = _ICONS[symptom.gravity]
        title, detail = translate(symptom.title), translate(symptom.detail)
        grave = _gravity_words(symptom.gravity)
        self.setAccessibleName(tr("{gravity}: {title}. {detail}", gravity=grave, title=title, detail=detail).strip())
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(title, wrap=True))
        if symptom.detail:
            words.addWidget(label(detail, "muted", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, icon, colour=colour, size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.remedy: QPushButton | None = None
        if symptom.remedy is not None:
            self.remedy = button(remedy_words(symptom, kind), "secondary", self._on_pressed)
            row.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignVCenter)
        self._is_under_way = is_under_way
        if is_under_way:
            self._show_under_way()

    @Slot()
    def _on_pressed(self) -> None:
        is_stop = self._is_under_way
        self._is_under_way = True
        self._show_under_way(stopping=is_stop)
        if is_stop:
            self.stop_asked.emit()
        else:
            self.cure_asked.emit(self._symptom)

    def _show_under_way(self, *, stopping: bool = False) -> None:
        """Show that the remedy is running; only the reading of pages takes long enough to be stopped."""
        if self.remedy is None:
            return
        can_stop = self._symptom.remedy in PAGE_REMEDIES and not stopping
        self.remedy.setEnabled(can_stop)
        progress_text = tr("Stopping…") if stopping else tr("In progress…")
        self.remedy.setText(tr("Stop") if can_stop else progress_text)


def _gravity_words(gravity: Gravity) -> str:
    match gravity:
        case Gravity.PROBLEM:
            return tr("Problem")
        case Gravity.WARNING:
            return tr("Warning")
    return tr("Note", "what was found, and is not grave")


def remedy_words(symptom: Symptom, kind: PageKind) -> str:
    """Return the text of a remedy's button."""
    if symptom.remedy is Remedy.OCR:
        return tr("OCR {pages}", pages=pages(len(symptom.pages), kind)) if symptom.pages else tr("OCR")
    if symptom.remedy is Remedy.TABLES:
        return tr("Find tables on {pages}", pages=pages(len(symptom.pages), kind))
    return tr(_REMEDIES[symptom.remedy]) if symptom.remedy else ""


AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
PATIENT_ROLE = Qt.ItemDataRole.UserRole + 1


class IssuesModel(QAbstractListModel):
    """Item model with a row per document: its name, and its problems in the tool tip."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._patients: list[Patient] = []

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._patients)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._patients):
            return None
        patient = self._patients[index.row()]
        worst = patient.symptoms[0]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return patient.document.name
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(translate(symptom.title) for symptom in patient.symptoms)
            case Qt.ItemDataRole.AccessibleTextRole:
                return tr("{name}: {finding}", name=patient.document.name, finding=translate(worst.title))
            case Qt.ItemDataRole.DecorationRole:
                icon, colour = _ICONS[worst.gravity]
                return self._theme.icon(icon, getattr(self._theme.tokens(), colour))
            case _ if role == PATIENT_ROLE:
                return patient
        return None

    def show_patients(self, patients: list[Patient]) -> None:
        """Replace the documents."""
        self.beginResetModel()
        self._patients = patients
        self.endResetModel()

    def row_of(self, document: int | None) -> int:
        """Return the row of a document, -1 if it is not listed."""
        rows = (row for row, patient in enumerate(self._patients) if patient.document.id == document)
        return next(rows, -1)
