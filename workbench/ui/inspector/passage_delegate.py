"""A passage drawn as an item: number, place, heading, the beginning of its text, bars for hits, badges."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.language import tr
from workbench.ui.inspector.passage_model import MARK_ROLE, PASSAGE_ROLE
from workbench.ui.inspector.passages import Passage
from workbench.ui.inspector.scores import Lane
from workbench.ui.theme import Theme, Tokens

_PAD = 10
_BADGE = 30
_LANES = 118
_MARK = 16
# Below this the bars would squeeze the text out.
_WIDE_ENOUGH = 330
_Index = QModelIndex | QPersistentModelIndex


class PassageDelegate(QStyledItemDelegate):
    """Draws three lines: place, heading or facts, text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        body = QFontMetrics(self._theme.font()).lineSpacing()
        caption = QFontMetrics(self._theme.font(self._theme.tokens().caption)).lineSpacing()
        return QSize(option.rect.width(), 2 * _PAD + body + 2 * caption + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one passage."""
        passage = index.data(PASSAGE_ROLE)
        if not isinstance(passage, Passage):
            return
        tokens = self._theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_background(painter, option, tokens)
        inner = option.rect.adjusted(_PAD + 6, _PAD, -_PAD - 6, -_PAD)
        self._paint_number(painter, inner, passage, tokens)
        self._paint_mark(painter, inner, index.data(MARK_ROLE), tokens)
        text = inner.adjusted(_BADGE + 10, 0, 0, 0)
        if passage.lanes and option.rect.width() >= _WIDE_ENOUGH:
            # Into the padding: four lanes are a little higher than the three lines of text beside them.
            area = QRect(text.right() - _LANES, text.top() - _PAD // 2, _LANES, text.height() + _PAD)
            self._paint_lanes(painter, area, passage, tokens)
            text.setRight(text.right() - _LANES - 12)
        self._paint_text(painter, text, passage, tokens)
        painter.restore()

    def _paint_background(self, painter: QPainter, option: QStyleOptionViewItem, tokens: Tokens) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if not selected and not hovered:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover))
        painter.drawRoundedRect(QRectF(option.rect).adjusted(6, 1, -6, -1), 7, 7)

    def _paint_number(self, painter: QPainter, inner: QRect, passage: Passage, tokens: Tokens) -> None:
        """Draw the number as a chip: filled where the answer cites it."""
        font = self._theme.font(tokens.caption, bold=True)
        width = max(_BADGE, QFontMetrics(font).horizontalAdvance(str(passage.number)) + 12)
        pill = QRectF(inner.left(), inner.top(), width, 19)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent if passage.cited else tokens.surface_sunken))
        painter.drawRoundedRect(pill, 9.5, 9.5)
        painter.setPen(QColor(tokens.accent_text if passage.cited else tokens.text_muted))
        painter.setFont(font)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, str(passage.number))

    def _paint_mark(self, painter: QPainter, inner: QRect, mark: bool | None, tokens: Tokens) -> None:
        """Draw below the number whether the passage is right or wrong for the question."""
        if mark is None:
            return
        colour = tokens.ok if mark else tokens.danger
        icon = self._theme.pixmap("check" if mark else "close", colour, _MARK)
        painter.drawPixmap(inner.left() + (_BADGE - _MARK) // 2, inner.top() + 24, icon)

    def _paint_text(self, painter: QPainter, area: QRect, passage: Passage, tokens: Tokens) -> None:
        title = self._theme.font()
        caption = self._theme.font(tokens.caption)
        page = passage.page_words
        heading = passage.headings[-1] if passage.headings else ""
        if passage.hit is None and passage.chunk is not None:
            first, second = (
                heading or page[:1].upper() + page[1:] or tr("Chunk {n}", n=passage.number),
                [page if heading else "", *passage.badges],
            )
        else:
            first, second = passage.place, [passage.relevance, heading, *passage.badges]
        y = area.top()
        for text, font, colour, middle in (
            (first, title, tokens.text, Qt.TextElideMode.ElideMiddle),
            (" · ".join(part for part in second if part), caption, tokens.text_muted, Qt.TextElideMode.ElideRight),
            (
                passage.snippet,
                self._theme.font(tokens.caption, text=passage.snippet),
                tokens.text,
                Qt.TextElideMode.ElideRight,
            ),
        ):
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(tokens.text_disabled if passage.is_disabled else colour))
            line = QRect(area.left(), y, area.width(), metrics.lineSpacing())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, metrics.elidedText(text, middle, area.width()))
            y += metrics.lineSpacing() + 2

    def _paint_lanes(self, painter: QPainter, area: QRect, passage: Passage, tokens: Tokens) -> None:
        """Draw one bar a list; a list that did not hold the hit shows an empty track."""
        font = self._theme.font(tokens.caption - 0.5)
        height = area.height() // max(1, len(passage.lanes))
        for number, lane in enumerate(passage.lanes):
            row = QRect(area.left(), area.top() + number * height, area.width(), height)
            painter.setFont(font)
            painter.setPen(QColor(tokens.text_muted))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, lane.name)
            _paint_bar(painter, QRectF(row.right() - 54, row.center().y() - 2, 54, 5), lane, tokens)


def _paint_bar(painter: QPainter, track: QRectF, lane: Lane, tokens: Tokens) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.border))
    painter.drawRoundedRect(track, 2.5, 2.5)
    if lane.share:
        filled = QRectF(track.left(), track.top(), max(5.0, track.width() * lane.share), track.height())
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(filled, 2.5, 2.5)
