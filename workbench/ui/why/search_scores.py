"""Scores of a passage in the search of the answer: a bar for each ranked list, and the figures below."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.language import tr
from workbench.ui.controls import label
from workbench.ui.inspector.passage_rows import InspectedPassage, Lane, search_facts
from workbench.ui.theme import Theme

_BAR = QSize(72, 6)


class SearchScores(QWidget):
    """Table of the ranked lists of a search, with the score and rank of one passage in each."""

    def __init__(self, theme: Theme, passage: InspectedPassage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(2, 1)
        grid.addWidget(label(tr("Scores in the search of this answer"), "section"), 0, 0, 1, 3)
        for lane in passage.lanes:
            row = grid.rowCount()
            grid.addWidget(label(lane.name, "caption"), row, 0)
            grid.addWidget(ScoreBar(theme, lane), row, 1)
            grid.addWidget(label(lane.text, "caption", wrap=True), row, 2)
        for name, value in search_facts(passage):
            row = grid.rowCount()
            grid.addWidget(label(name, "caption"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(value, "caption", wrap=True), row, 1, 1, 2)


class ScoreBar(QWidget):
    """Bar of one ranked list; an empty track if the list did not contain the passage."""

    def __init__(self, theme: Theme, lane: Lane, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lane = lane
        self.setFixedWidth(_BAR.width())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(f"{lane.name}: {lane.text}")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return _BAR

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        round_by = _BAR.height() / 2
        track = QRectF(0, self.height() / 2 - round_by, self.width(), _BAR.height())
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(track, round_by, round_by)
        if self._lane.share:
            track.setWidth(max(track.height(), track.width() * self._lane.share))
            painter.setBrush(QColor(tokens.accent))
            painter.drawRoundedRect(track, round_by, round_by)
        painter.end()
