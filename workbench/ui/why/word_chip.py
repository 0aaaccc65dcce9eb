"""One word of the question as a chip: a tick or a cross, and below it how much the word counts."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.language import mark, tr, trn
from workbench.model.explanation import QuestionWord, Standing
from workbench.ui.theme import Theme

_PAD = 8
_ICON = 12
_WEIGHT = 3
_WIDEST = 220
_WORDS = {
    Standing.IN_TEXT: mark("in the passage"),
    Standing.ABOVE: mark("in its title or a heading"),
    Standing.MISSING: mark("missing"),
}


def spoken(word: QuestionWord) -> str:
    """Return what a chip says in words."""
    rare = trn("stands in {n:,} chunk", "stands in {n:,} chunks", word.chunks)
    return tr(
        "“{word}”: {standing}; {share:.0%} of the question; {rare}",
        word=word.text,
        standing=tr(_WORDS[word.standing]),
        share=word.share,
        rare=rare if word.chunks else tr("stands nowhere in the library"),
    )


class WordChip(QWidget):
    """Never by colour alone: a word that is missing has a cross and a broken edge."""

    def __init__(self, theme: Theme, word: QuestionWord, heaviest: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._word = word
        self._share = word.share / heaviest if heaviest else 0.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(spoken(word))
        self.setToolTip(spoken(word))
        theme.changed.connect(self.update)

    @property
    def word(self) -> QuestionWord:
        """What it shows."""
        return self._word

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._theme.font(self._theme.tokens().caption, text=self._word.text))
        width = metrics.horizontalAdvance(self._word.text) + 2 * _PAD + _ICON + 4
        return QSize(min(width, _WIDEST), metrics.lineSpacing() + _PAD + _WEIGHT + 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens()
        held = self._word.is_held
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(0.5, 0.5, self.width() - 1, self.height() - _WEIGHT - 3)
        edge = QPen(QColor(tokens.ok_soft if held else tokens.border_strong), 1)
        edge.setStyle(Qt.PenStyle.SolidLine if held else Qt.PenStyle.DashLine)
        painter.setPen(edge)
        painter.setBrush(QColor(tokens.ok_soft) if held else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(pill, 7, 7)
        colour = tokens.ok if held else tokens.warn
        icon = self._theme.pixmap("check" if held else "close", colour, _ICON)
        painter.drawPixmap(_PAD - 1, round(pill.center().y() - _ICON / 2), icon)
        font = self._theme.font(tokens.caption, text=self._word.text)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text if held else tokens.text_muted))
        room = pill.adjusted(_PAD + _ICON + 3, 0, -_PAD + 2, 0)
        text = QFontMetrics(font).elidedText(self._word.text, Qt.TextElideMode.ElideRight, round(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        wide = max(_WEIGHT, (pill.width() - 2 * _PAD) * self._share)
        painter.drawRoundedRect(QRectF(_PAD, self.height() - _WEIGHT, wide, _WEIGHT), _WEIGHT / 2, _WEIGHT / 2)
        painter.end()
