"""Answers that cite the passages of a document: requested once per document, looked up per passage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from workbench import operations
from workbench.language import tr, trn
from workbench.model.chunk import ChunkUse
from workbench.ui.bridge import Bridge
from workbench.ui.controls import caption_of
from workbench.ui.inspector.passage_rows import InspectedPassage
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library

_WIDTH = 6
_MOST_LISTED = 30
_QUESTION_LENGTH = 60


class Span(Protocol):
    """A span of a document's text: a passage or a page."""

    @property
    def start(self) -> int:
        """Offset of the first character."""
        ...

    @property
    def end(self) -> int:
        """Offset after the last character."""
        ...


class _CitationsRequest:
    """Request for the citations of one document; it holds the document so that a late reply can be recognised."""

    def __init__(self, uses: CitationUses, document: int) -> None:
        self._uses = uses
        self._document = document

    def done(self, found: list[ChunkUse]) -> None:
        """Pass the citations on."""
        self._uses.receive(self._document, found)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Leave the citations empty."""


class CitationUses(QObject):
    """Citations of one document.

    Signals:
        changed: The citations changed.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._document: int | None = None
        self._citations: tuple[ChunkUse, ...] = ()

    @property
    def document(self) -> int | None:
        """Id of the document that these citations belong to."""
        return self._document

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._library = library
        self.mean(None)

    def mean(self, document: int | None) -> None:
        """Request the citations of a document; None for none."""
        self._document = document
        self._citations = ()
        self.changed.emit()
        if self._library is not None and document is not None:
            request = _CitationsRequest(self, document)
            self._bridge.submit(operations.cited_in(self._library, document), done=request.done, failed=request.failed)

    def receive(self, document: int, found: list[ChunkUse]) -> None:
        """Store the citations of a document; ignored if another document is shown by now."""
        if document == self._document:
            self._citations = tuple(found)
            self.changed.emit()

    def of(self, passage: InspectedPassage) -> tuple[ChunkUse, ...]:
        """Return the answers that cite a passage, each once, the latest first."""
        if passage.document != self._document:
            return ()
        found = {use.run: use for use in self._citations if use.cites(passage.start, passage.end)}
        return tuple(found.values())

    def weights(self, passages: Sequence[Span]) -> list[int]:
        """Return the number of answers that cite each passage or page; passages holds all of the document's, in order.

        Only the few passages that each citation touches are checked: 6,000 passages and 1,000 citations would otherwise
        take the main thread a second.
        """
        starts = [passage.start for passage in passages]
        runs: list[set[int]] = [set() for _ in passages]
        for use in self._citations:
            row = max(0, bisect_right(starts, use.start) - 2)  # neighbouring passages may share a sentence
            while row < len(passages) and starts[row] < use.end:
                if use.cites(passages[row].start, passages[row].end):
                    runs[row].add(use.run)
                row += 1
        return [len(found) for found in runs]


class CitedButton(QPushButton):
    """Button “Cited in 3 answers” with a menu of these answers; hidden if only the answer that is shown cites it.

    Signals:
        session_asked: Session of the answer that was chosen.
    """

    session_asked = Signal(int)

    def __init__(self, uses: CitationUses, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._uses = uses
        self._passage: InspectedPassage | None = None
        self.setProperty("variant", "link")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._menu = QMenu(self)
        self._menu.triggered.connect(self._on_chosen)
        self.clicked.connect(self._on_clicked)
        uses.changed.connect(self._show)
        self._show()

    def mean(self, passage: InspectedPassage | None) -> None:
        """Set the passage."""
        self._passage = passage
        self._show()

    @Slot()
    def _show(self) -> None:
        uses = self._uses.of(self._passage) if self._passage is not None else ()
        # A passage of an answer is cited by that answer; only others are worth a button.
        is_own = self._passage is not None and self._passage.cited
        self.setVisible(len(uses) > is_own)
        self.setText(trn("Cited in {n:,} answer", "Cited in {n:,} answers", len(uses)))
        self._menu.clear()
        for use in uses[:_MOST_LISTED]:
            question = " ".join(use.question.split())
            question = question if len(question) <= _QUESTION_LENGTH else f"{question[:_QUESTION_LENGTH]}…"
            action = self._menu.addAction(caption_of(question))
            action.setToolTip(use.session_title)
            action.setData(use.session)

    @Slot()
    def _on_clicked(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        self.session_asked.emit(int(action.data()))


class HeatBar(QWidget):
    """Bar next to the list of a document: the number of answers that cite each passage, darker for more.

    Signals:
        row_pressed: Row of the passage at the position that was clicked.
    """

    row_pressed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._weights: tuple[int, ...] = ()
        self._row_height = 0
        self.setFixedWidth(_WIDTH)
        self.setToolTip(tr("Where answers cite this document; click to go there"))
        self.setAccessibleName(tr("Where answers cite this document"))
        self.hide()
        theme.changed.connect(self.update)

    @property
    def weights(self) -> tuple[int, ...]:
        """Number of answers that cite each passage."""
        return self._weights

    def show_weights(self, weights: Sequence[int], row_height: int = 0) -> None:
        """Show the number of answers that cite each passage; the bar is hidden if there are none.

        Args:
            weights: One number per row.
            row_height: Row height of the list next to the bar: if all rows are visible, each mark is level with its
                row.
        """
        self._weights = tuple(weights)
        self._row_height = row_height
        self.setVisible(any(weights))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._weights:
            row = int(max(0.0, event.position().y()) / max(self._step(), 0.001))
            self.row_pressed.emit(min(row, len(self._weights) - 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        most = max(self._weights, default=0)
        if not most:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        step = self._step()
        for row, weight in enumerate(self._weights):
            if weight:
                colour = QColor(self._theme.tokens().accent)
                colour.setAlphaF(0.35 + 0.65 * weight / most)
                painter.setBrush(colour)
                margin = min(6.0, step / 4)
                mark = QRectF(1, row * step + margin, _WIDTH - 3, max(3.0, step - 2 * margin))
                painter.drawRoundedRect(mark, 1.5, 1.5)

    def _step(self) -> float:
        """Return the height of one row of the bar."""
        share = self.height() / max(1, len(self._weights))
        return min(share, self._row_height) if self._row_height else share

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()
