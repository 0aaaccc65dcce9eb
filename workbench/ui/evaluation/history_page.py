"""The evaluations of a set over time: a line a configuration, and each of them in a list."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.evaluation import EvaluationSummary
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import ElidedLabel, empty, label
from workbench.ui.dates import day_and_time
from workbench.ui.evaluation.measuring import MeasuringPresenter
from workbench.ui.evaluation.row_view import RowView
from workbench.ui.evaluation.rows import Row
from workbench.ui.evaluation.trend import Line, Point, Trend, colour_of_line, paint_mark
from workbench.ui.evaluation.wording import configuration_words, invite
from workbench.ui.theme import Theme

NOTHING = ("clock", mark("No evaluation is kept yet"), mark("Each run is kept, so that you see what a change did."))
_LINES = 5
"""More than these could not be told apart; the configurations that were run last are drawn."""


class HistoryPage(QStackedWidget):
    """The chart above, the list below; a kept evaluation is opened, compared or removed."""

    def __init__(self, measuring: MeasuringPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._theme = theme
        self.trend = Trend(theme)
        self._legend = QVBoxLayout()
        self._legend.setSpacing(2)
        self.list = RowView(theme, tr("Kept evaluations"))
        self.list.offer_open(tr("Show"))
        self.list.offer(tr("Compare with the one shown"), "Ctrl+Return", self._on_compare)
        self.list.offer(tr("Remove"), "Del", self._on_remove)
        self.list.opened.connect(self._on_opened)
        self.trend.chosen.connect(measuring.open)
        empty = EmptyState(theme, quiet=True)
        invite(empty, NOTHING)
        self.setFocusProxy(self.list)
        self.addWidget(empty)
        self.addWidget(self._full())
        measuring.listed.connect(self.show_history)
        self.show_history(measuring.history)

    @Slot(object)
    def show_history(self, history: tuple[EvaluationSummary, ...]) -> None:
        """Show the kept evaluations, newest first."""
        self.setCurrentIndex(1 if history else 0)
        self.list.rows.show([_row(one) for one in history])
        lines = lines_of(history)
        self.trend.show_lines(lines)
        empty(self._legend)
        for number, line in enumerate(lines):
            self._legend.addWidget(LegendLine(self._theme, number, line.name))

    def _full(self) -> QWidget:
        top = QWidget()
        upper = QVBoxLayout(top)
        upper.setContentsMargins(14, 10, 14, 8)
        upper.setSpacing(6)
        upper.addWidget(label(tr("nDCG@10 over time"), "section"))
        upper.addWidget(self.trend, 1)
        upper.addLayout(self._legend)
        splitter = QSplitter()
        splitter.setOrientation(splitter.orientation().Vertical)
        splitter.addWidget(top)
        splitter.addWidget(self.list)
        splitter.setChildrenCollapsible(False)
        return splitter

    @Slot(object)
    def _on_opened(self, subject: object) -> None:
        if isinstance(subject, EvaluationSummary):
            self._measuring.open(subject.id)

    @Slot()
    def _on_compare(self) -> None:
        subject, shown = self.list.subject, self._measuring.on_show
        if isinstance(subject, EvaluationSummary) and shown is not None:
            self._measuring.compare(subject.id, shown.evaluations[-1].summary.id)

    @Slot()
    def _on_remove(self) -> None:
        subject = self.list.subject
        if isinstance(subject, EvaluationSummary):
            self._measuring.remove(subject.id)


class LegendLine(QWidget):
    """The mark of a line and the name of its configuration."""

    def __init__(self, theme: Theme, number: int, name: str) -> None:
        super().__init__()
        words = ElidedLabel()
        words.setProperty("role", "caption")
        words.set_whole_text(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(LegendMark(theme, number))
        row.addWidget(words, 1)


class LegendMark(QWidget):
    """The mark of a line."""

    def __init__(self, theme: Theme, number: int) -> None:
        super().__init__()
        self._theme = theme
        self._number = number
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(16, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.surface), 1.2))
        painter.setBrush(QColor(colour_of_line(self._number, tokens)))
        paint_mark(painter, QPointF(8, 8), self._number)
        painter.end()


def lines_of(history: tuple[EvaluationSummary, ...]) -> tuple[Line, ...]:
    """Return a line for each of the configurations that were run last."""
    points: dict[str, list[Point]] = {}
    for place, one in enumerate(reversed(history)):
        name = _name(one)
        date = day_and_time(one.began, year=False)
        words = tr("{name}: nDCG@10 {value:.2f}, {date}", name=name, value=one.metrics.ndcg, date=date)
        # Taken out and put back: the last to be run stands last.
        earlier = points.pop(name, [])
        points[name] = [*earlier, Point(one.id, place, one.metrics.ndcg, date, words)]
    latest = list(points.items())[-_LINES:]
    return tuple(Line(name, tuple(found)) for name, found in reversed(latest))


def _row(one: EvaluationSummary) -> Row:
    asked = trn("{n:,} question", "{n:,} questions", one.metrics.questions)
    second = [day_and_time(one.began, year=False), asked, *([tr("by itself")] if one.by_itself else [])]
    warning = tr("{n:,} lost", n=one.lost) if one.lost else ""
    return Row(_name(one), " · ".join(second), f"{one.metrics.ndcg:.2f}", warning=warning, subject=one)


def _name(one: EvaluationSummary) -> str:
    return one.name or configuration_words(one.configuration)
