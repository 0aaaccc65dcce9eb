"""A document's text with the passage marked, for formats without pages and for those who like to read plainly."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme

# Around the passage: a document of 5 MB takes the main thread 0.3 s to lay out, this much under 10 ms.
_AROUND = 30_000


class TextView(QPlainTextEdit):
    """Shows the text around a passage.

    Signals:
        why_asked: First character of what is selected and one past its last: why was it not found?
    """

    why_asked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marked: tuple[int, int] | None = None
        self._shaded: tuple[int, int] | None = None
        # Where in the document the text begins that is shown, and what stands before it here.
        self._first = 0
        self._lead = 0
        self.setProperty("variant", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setAccessibleName(tr("Text of the document"))
        theme.changed.connect(self._mark)

    def show_text(self, text: str, start: int, end: int) -> None:
        """Show the text around text[start:end] and mark it; an empty slice marks nothing."""
        first = max(0, start - _AROUND)
        last = min(len(text), max(end, start) + _AROUND)
        before = "…\n" if first else ""
        self._first, self._lead = first, len(before)
        after = "\n…" if last < len(text) else ""
        self.setFont(self._theme.font(text=text[first : first + 2000]))
        self.setPlainText(before + text[first:last] + after)
        offset = len(before) + _units(text[first:start])
        self._marked = (offset, offset + _units(text[start:end])) if end > start else None
        self._shaded = None
        self._mark()
        cursor = self.textCursor()
        cursor.setPosition(offset if self._marked is not None else 0)
        self.setTextCursor(cursor)
        self.centerCursor()

    def show_around(self, start: int, end: int) -> None:
        """Shade a stretch of the document's text around the passage and show where it begins."""
        shown = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        first, last = (max(0, place - self._first) + self._lead for place in (start, end))
        self._shaded = _units(shown[:first]), _units(shown[:last])
        self._mark()
        cursor = self.textCursor()
        cursor.setPosition(self._shaded[0])
        self.setTextCursor(cursor)
        self.centerCursor()

    def select_found(self, text: str, start: int, end: int) -> None:
        """Select a place of the document's text, the stretch around which is brought here where it is far away."""
        shown = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if not self._first <= start <= end <= self._first + len(shown) - 2 * self._lead:
            self.show_text(text, start, start)
            shown = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        first, last = (place - self._first + self._lead for place in (start, end))
        self.setTextCursor(self._cursor(_units(shown[:first]), _units(shown[:last])))
        self.centerCursor()

    def clear(self) -> None:
        """Show nothing."""
        self._marked = self._shaded = None
        self.setExtraSelections([])
        super().clear()

    @property
    def marked_text(self) -> str:
        """The text that is marked."""
        return self._cursor(*self._marked).selectedText() if self._marked is not None else ""

    @property
    def shaded_text(self) -> str:
        """The stretch around the passage that is shaded."""
        return self._cursor(*self._shaded).selectedText() if self._shaded is not None else ""

    def selected_span(self) -> tuple[int, int] | None:
        """Return what is selected as offsets into the document's text; None for nothing."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        shown = self.toPlainText().encode("utf-16-le", "surrogatepass")
        ends = (cursor.selectionStart(), cursor.selectionEnd())
        start, end = (len(shown[: 2 * place].decode("utf-16-le", "surrogatepass")) - self._lead for place in ends)
        return self._first + max(0, start), self._first + max(0, end)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.addSeparator()
        why = menu.addAction(tr("Why was this not found?"), self._on_why)
        why.setEnabled(self.textCursor().hasSelection())
        menu.exec(event.globalPos())
        menu.deleteLater()

    @Slot()
    def _on_why(self) -> None:
        span = self.selected_span()
        if span is not None:
            self.why_asked.emit(*span)

    @Slot()
    def _mark(self) -> None:
        tokens = self._theme.tokens()
        # The passage after what is shaded around it: the later one is drawn over the earlier.
        spans = ((self._shaded, tokens.accent_soft), (self._marked, tokens.mark_solid))
        selections = []
        for span, colour in spans:
            if span is not None:
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(*span)
                selection.format.setBackground(QColor(colour))
                selections.append(selection)
        self.setExtraSelections(selections)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _units(text: str) -> int:
    """Return how many UTF-16 units a text is: Qt counts in them, our offsets count characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
