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
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QGuiApplication, QPainter, QTextLayout
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.language import tr
from workbench.ui.actions import pane_action
from workbench.ui.evaluation.passage_marks import MarkButtons, Marks, PassageSpot, Scope
from workbench.ui.external_programs import DragOut, quote_mime
from workbench.ui.inspector.passage_rows import InspectedPassage
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
        passage.quality,
        *passage.badges,
        passage.snippet[:200],
    ]
    return ". ".join(part for part in parts if part)


_PAD = 10
_BADGE = 30
_MARK = 16
# Pixels between the place and the quality.
_GAP = 12


class PassageDelegate(QStyledItemDelegate):
    """Delegate that draws three lines: place with quality and text, or the heading, facts and text of a chunk."""

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
        self._paint_text(painter, inner.adjusted(self._theme.scaled(_BADGE) + 10, 0, 0, 0), passage, tokens)
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
        height = self._theme.scaled(19)
        width = max(self._theme.scaled(_BADGE), QFontMetrics(font).horizontalAdvance(str(passage.number)) + 12)
        pill = QRectF(inner.left(), inner.top(), width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent if passage.cited else tokens.surface_sunken))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setPen(QColor(tokens.accent_text if passage.cited else tokens.text_muted))
        painter.setFont(font)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, str(passage.number))

    def _paint_mark(self, painter: QPainter, inner: QRect, mark: bool | None, tokens: Tokens) -> None:
        """Draw the mark below the number: whether the passage is right or wrong for the question."""
        if mark is None:
            return
        colour = tokens.ok if mark else tokens.danger
        badge, size = self._theme.scaled(_BADGE), self._theme.scaled(_MARK)
        icon = self._theme.pixmap("check" if mark else "close", colour, _MARK)
        painter.drawPixmap(inner.left() + (badge - size) // 2, inner.top() + self._theme.scaled(24), icon)

    def _paint_text(self, painter: QPainter, area: QRect, passage: InspectedPassage, tokens: Tokens) -> None:
        """Draw place, quality and two lines of text; for a chunk of a document, its heading, its facts and one line."""
        caption = self._theme.font(tokens.caption)
        own = self._theme.font(tokens.caption, text=passage.snippet)
        grey = tokens.text_disabled if passage.is_disabled else ""
        height = QFontMetrics(self._theme.font()).lineSpacing()
        if passage.hit is None and passage.chunk is not None:
            title, facts = _chunk_title(passage)
            _paint_line(
                painter,
                QRect(area.topLeft(), QSize(area.width(), height)),
                title,
                self._theme.font(),
                grey or tokens.text,
            )
            line = QFontMetrics(caption).lineSpacing()
            below = QRect(area.left(), area.top() + height + 2, area.width(), line)
            _paint_line(painter, below, facts, caption, grey or tokens.text_muted)
            _paint_line(painter, below.translated(0, line + 2), passage.snippet, own, grey or tokens.text)
            return
        label = passage.quality or " · ".join(passage.badges)
        width = min(QFontMetrics(caption).horizontalAdvance(label), area.width() // 2)
        first = QRect(area.topLeft(), QSize(area.width(), height))
        at_right = first.adjusted(area.width() - width, 0, 0, 0)
        _paint_line(painter, at_right, label, caption, grey or tokens.text_muted)
        place = first.adjusted(0, 0, -(width + _GAP if width else 0), 0)
        _paint_line(painter, place, passage.place, self._theme.font(), grey or tokens.text, middle=True)
        text = area.adjusted(0, height + 2, 0, 0)
        _paint_wrapped(painter, text, passage.snippet, own, grey or tokens.text_muted)


def _chunk_title(passage: InspectedPassage) -> tuple[str, str]:
    """Return the heading of a chunk, or its page, and its properties."""
    heading, page = passage.headings[-1] if passage.headings else "", passage.page_words
    facts = [page if heading else "", *passage.badges]
    title = heading or page[:1].upper() + page[1:] or tr("Passage {n}", n=passage.number)
    return title, " · ".join(part for part in facts if part)


def _paint_line(painter: QPainter, line: QRect, text: str, font: QFont, colour: str, *, middle: bool = False) -> None:
    painter.setFont(font)
    painter.setPen(QColor(colour))
    mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
    painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, QFontMetrics(font).elidedText(text, mode, line.width()))


def _paint_wrapped(painter: QPainter, area: QRect, text: str, font: QFont, colour: str) -> None:
    """Draw text on two lines; the second ends in "…" if there is more."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    first = layout.createLine()
    first.setLineWidth(area.width())
    layout.endLayout()
    # textLength counts UTF-16 code units, as Qt does.
    units = text.encode("utf-16-le")
    cut = 2 * first.textLength() if first.isValid() else len(units)
    top = QRect(area.left(), area.top(), area.width(), QFontMetrics(font).lineSpacing())
    _paint_line(painter, top, units[:cut].decode("utf-16-le").rstrip(), font, colour)
    rest = units[cut:].decode("utf-16-le").lstrip()
    _paint_line(painter, top.translated(0, top.height() + 2), rest, font, colour)


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
