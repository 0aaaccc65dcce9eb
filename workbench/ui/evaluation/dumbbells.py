"""Figures of one or two configurations, drawn: a line a figure, a dot a configuration, the way between them."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.language import mark, tr
from workbench.ui.theme import Theme, Tokens

_DOT = 5.5
_GAP = 10.0
_ROW = 9.0
"""Added to the height of a line of text."""


class Change(StrEnum):
    """What a difference is."""

    BETTER = mark("better")
    WORSE = mark("worse")
    SAME = mark("same")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one or two configurations.

    Attributes:
        first: Of the first one, as it is written.
        second: Of the second one; empty where there is none.
        first_share: Where its dot stands, 0 to 1.
        difference: As it is written, with its sign; empty for none.
        help: What the figure means.
    """

    name: str
    first: str
    first_share: float
    second: str = ""
    second_share: float = 0.0
    difference: str = ""
    change: Change = Change.SAME
    help: str = ""

    @property
    def spoken(self) -> str:
        """All of it in words."""
        if not self.second:
            return f"{self.name} {self.first}"
        said = {"name": self.name, "first": self.first, "second": self.second, "change": tr(self.change.value)}
        return tr("{name}: A {first}, B {second}, {change}", **said)


class Dumbbells(QWidget):
    """The ring is configuration A, the disc is B; arrows and words say what colours do."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures: tuple[Figure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Figures"))
        theme.changed.connect(self.update)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What is drawn."""
        return self._figures

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        """Draw these."""
        self._figures = figures
        self.setAccessibleDescription("; ".join(figure.spoken for figure in figures))
        self.setToolTip("\n".join(f"{figure.name}: {figure.help}" for figure in figures if figure.help))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, round(len(self._figures) * self._row_height()) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._figures:
            return
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetricsF(self._theme.font(tokens.caption, bold=True))
        names = max(metrics.horizontalAdvance(figure.name) for figure in self._figures) + _GAP
        values = max(metrics.horizontalAdvance(_values(figure)) for figure in self._figures)
        differences = max(metrics.horizontalAdvance(_signed(figure)) for figure in self._figures)
        right = self.width() - differences - (_GAP if differences else 0)
        height = self._row_height()
        for number, figure in enumerate(self._figures):
            row = QRectF(0, number * height, self.width(), height)
            track = QRectF(names, row.top(), max(40.0, right - values - _GAP - names), height)
            self._paint_words(painter, row, figure, right, tokens)
            self._paint_track(painter, track, figure, tokens)
        painter.end()

    def _row_height(self) -> float:
        return QFontMetricsF(self._theme.font(self._theme.tokens().caption)).lineSpacing() + _ROW

    def _paint_words(self, painter: QPainter, row: QRectF, figure: Figure, right: float, tokens: Tokens) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(self._theme.font(tokens.caption))
        painter.setPen(QColor(tokens.text_muted))
        painter.drawText(row, middle, figure.name)
        painter.setPen(QColor(tokens.text))
        painter.drawText(
            QRectF(0, row.top(), right, row.height()), middle | Qt.AlignmentFlag.AlignRight, _values(figure)
        )
        painter.setFont(self._theme.font(tokens.caption, bold=True))
        painter.setPen(QColor(colour_of(figure.change, tokens)))
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, _signed(figure))

    def _paint_track(self, painter: QPainter, track: QRectF, figure: Figure, tokens: Tokens) -> None:
        middle = track.center().y()
        left, room = track.left() + _DOT, track.width() - 2 * _DOT
        first = QPointF(left + room * figure.first_share, middle)
        second = QPointF(left + room * figure.second_share, middle)
        painter.setPen(QPen(QColor(tokens.border), 3))
        painter.drawLine(QPointF(left, middle), QPointF(left + room, middle))
        if not figure.second:
            painter.setPen(QPen(QColor(tokens.accent), 3))
            painter.drawLine(QPointF(left, middle), first)
            painter.setPen(QPen(QColor(tokens.surface), 1.5))
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(first, _DOT, _DOT)
            return
        painter.setPen(QPen(QColor(colour_of(figure.change, tokens)), 3))
        painter.drawLine(first, second)
        painter.setPen(QPen(QColor(tokens.text_muted), 2))
        painter.setBrush(QColor(tokens.surface))
        painter.drawEllipse(first, _DOT - 1, _DOT - 1)
        painter.setPen(QPen(QColor(tokens.surface), 1.5))
        painter.setBrush(QColor(tokens.accent))
        painter.drawEllipse(second, _DOT, _DOT)


def colour_of(change: Change, tokens: Tokens) -> str:
    """Return the colour of a difference."""
    return {Change.BETTER: tokens.ok, Change.WORSE: tokens.danger}.get(change, tokens.text_muted)


def _values(figure: Figure) -> str:
    return f"{figure.first} → {figure.second}" if figure.second else figure.first


def _signed(figure: Figure) -> str:
    if not figure.difference:
        return ""
    arrow = {Change.BETTER: "▲ ", Change.WORSE: "▼ "}.get(figure.change, "")
    return f"{arrow}{figure.difference}"
