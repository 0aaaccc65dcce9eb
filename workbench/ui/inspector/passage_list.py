"""List of passages: item model, delegate, copying and dragging with the source, marking as right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.language import tr
from workbench.ui.actions import pane_action
from workbench.ui.evaluation.passage_marks import MarkButtons, Marks, PassageSpot, Scope
from workbench.ui.external_programs import DragOut, quote_mime
from workbench.ui.inspector.passage_rows import InspectedPassage, Lane
from workbench.ui.theme import Theme, Tokens

if TYPE_CHECKING:
    from workbench.model.run import Run


PASSAGE_ROLE = Qt.ItemDataRole.UserRole + 1
MARK_ROLE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex


class PassageModel(QAbstractListModel):
    """List model of passages, replaced as a whole.

    Attributes:
        mark_of: Callback that returns whether a passage is marked as right or wrong; None if marking is not offered.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._passages: tuple[InspectedPassage, ...] = ()
        self.mark_of: Callable[[InspectedPassage], bool | None] | None = None

    def show(self, passages: Sequence[InspectedPassage]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self._passages = tuple(passages)
        self.endResetModel()

    @property
    def passages(self) -> tuple[InspectedPassage, ...]:
        """The rows."""
        return self._passages

    def passage(self, index: _Index) -> InspectedPassage | None:
        """Return the passage of an index, None for an invalid one."""
        return self._passages[index.row()] if index.isValid() else None

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._passages)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row as text, accessible text, InspectedPassage (PASSAGE_ROLE) or mark (MARK_ROLE)."""
        passage = self.passage(index)
        if passage is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{passage.number}  {passage.place}"
            case Qt.ItemDataRole.ToolTipRole:
                return " › ".join(passage.headings) or passage.place
            case Qt.ItemDataRole.AccessibleTextRole:
                return _accessible_text(passage, self._mark(passage))
            case _ if role == MARK_ROLE:
                return self._mark(passage)
            case _ if role == PASSAGE_ROLE:
                return passage
        return None

    def _mark(self, passage: InspectedPassage) -> bool | None:
        return self.mark_of(passage) if self.mark_of is not None else None


def _accessible_text(passage: InspectedPassage, mark: bool | None) -> str:
    parts = [
        tr("Passage {n}, cited in the answer", n=passage.number)
        if passage.cited
        else tr("Passage {n}", n=passage.number),
        "" if mark is None else tr("marked as right") if mark else tr("marked as wrong"),
        passage.place,
        passage.relevance,
        *passage.badges,
        passage.text[:200],
    ]
    return ". ".join(part for part in parts if part)


_PAD = 10
_BADGE = 30
_LANES = 118
_MARK = 16
# Below this width the bars would leave too little space for the text.
_WIDE_ENOUGH = 330


class PassageDelegate(QStyledItemDelegate):
    """Delegate that draws three lines: place, heading or facts, text."""

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
        if not isinstance(passage, InspectedPassage):
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
            # Extends into the padding: four lanes are slightly higher than the three lines of text next to them.
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

    def _paint_number(self, painter: QPainter, inner: QRect, passage: InspectedPassage, tokens: Tokens) -> None:
        """Draw the number as a chip, filled if the answer cites the passage."""
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
        """Draw the mark below the number: whether the passage is right or wrong for the question."""
        if mark is None:
            return
        colour = tokens.ok if mark else tokens.danger
        icon = self._theme.pixmap("check" if mark else "close", colour, _MARK)
        painter.drawPixmap(inner.left() + (_BADGE - _MARK) // 2, inner.top() + 24, icon)

    def _paint_text(self, painter: QPainter, area: QRect, passage: InspectedPassage, tokens: Tokens) -> None:
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

    def _paint_lanes(self, painter: QPainter, area: QRect, passage: InspectedPassage, tokens: Tokens) -> None:
        """Draw one bar per ranked list; a list that did not contain the hit shows an empty track."""
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


class PassageCopy(QObject):
    """Copying and dragging from a list of passages, with the source."""

    def __init__(self, view: QListView, model: PassageModel) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        pane_action(view, "passage.copy", self._on_copy)
        DragOut(view.viewport(), self.data_at)

    def data_at(self, place: QPoint) -> QMimeData | None:
        """Return the passage at a position of the list; None if there is none."""
        passage = self._model.passage(self._view.indexAt(place))
        return quote_mime(passage.marked, passage.place) if passage is not None else None

    @Slot()
    def _on_copy(self) -> None:
        passage = self._model.passage(self._view.currentIndex())
        if passage is not None:
            QGuiApplication.clipboard().setMimeData(quote_mime(passage.marked, passage.place))


class PassageRating(QObject):
    """Coordinator of the library's marks, the list of passages, and the mark buttons above the shown passage.

    A document's chunks can be marked, too: for the question that was shown last, whose search may have missed them.
    """

    def __init__(self, view: QListView, model: PassageModel, buttons: MarkButtons) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._buttons = buttons
        self._marks: Marks | None = None
        self._scope: Scope | None = None
        self._passage: InspectedPassage | None = None
        self._actions: list[QAction] = []
        buttons.hide()
        buttons.marked.connect(self._on_marked)

    def follow(self, marks: Marks) -> None:
        """Show these marks from now on, and offer marking in the menu of the list and by its keys."""
        self._marks = marks
        self._model.mark_of = self.mark_of
        marks.changed.connect(self._on_changed)
        for right, word in ((True, "right"), (False, "wrong")):
            action = pane_action(self._view, f"passage.{word}", self._on_action)
            action.setData(right)
            action.setVisible(False)
            self._actions.append(action)

    def forget(self) -> None:
        """Drop the question, because another library was opened."""
        self._scope = None
        self.show(None)

    def mean(self, run: Run, golden_set: str) -> None:
        """Set the question of a run; an empty golden_set means the set of the marks."""
        self._scope = Scope.of_run(run, golden_set)

    def show(self, passage: InspectedPassage | None) -> None:
        """Set the shown passage and show its mark; the buttons are visible if it can be marked."""
        self._passage = passage
        can_mark = self._scope is not None and passage is not None and passage.chunk is not None
        can_mark = can_mark and passage is not None and not passage.is_outside
        can_mark = can_mark and self._marks is not None
        self._buttons.setVisible(can_mark)
        for action in self._actions:
            action.setVisible(can_mark)
        if passage is not None and self._scope is not None:
            self._buttons.name(tr("passage {n}", n=passage.number), f"“{self._scope.question}”")
            self._buttons.show_mark(self.mark_of(passage))

    def mark_of(self, passage: InspectedPassage) -> bool | None:
        """Return whether a passage is marked as right for the question; None if it is not marked."""
        if self._marks is None or self._scope is None or passage.chunk is None or passage.is_outside:
            return None
        chunk = passage.chunk
        return self._marks.of(
            self._scope, PassageSpot(passage.document_name, chunk.start, chunk.end, passage.page, chunk.text)
        )

    @Slot(object)
    def _on_marked(self, right: bool | None) -> None:
        passage = self._passage
        if self._marks is not None and self._scope is not None and passage is not None and passage.chunk is not None:
            self._marks.mark(self._scope, passage.hit or passage.chunk.id, right)

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and self._passage is not None:
            right = bool(action.data())
            self._on_marked(None if self.mark_of(self._passage) is right else right)

    @Slot(object)
    def _on_changed(self, scope: Scope) -> None:
        if scope == self._scope:
            self._view.viewport().update()
            if self._passage is not None:
                self._buttons.show_mark(self.mark_of(self._passage))
