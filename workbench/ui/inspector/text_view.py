"""Text of a document with the passage marked, for formats without pages and for reading plain text."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QTextEdit, QWidget

from workbench.language import tr
from workbench.ui.theme import Theme

# Characters around the passage: laying out a 5 MB document takes the main thread 0.3 s, this much under 10 ms.
_CONTEXT = 30_000
_WRAPPED = 4_000
"""Characters before and behind a place that are wrapped when it is scrolled to, which takes 5 ms."""


class TextView(QPlainTextEdit):
    """View of the text around a passage.

    Signals:
        why_asked: Start and end offset of the selection, to explain why it was not found.
    """

    why_asked = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._marked: list[tuple[int, int]] = []
        self._shaded: tuple[int, int] | None = None
        # Offset in the document of the text that is shown, and number of characters inserted before it here.
        self._first = 0
        self._lead = 0
        # Value of the scroll bar after the view scrolled by itself.
        self._centered = -1
        self.setProperty("variant", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setAccessibleName(tr("Text of the document"))
        theme.changed.connect(self._mark)

    def show_text(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        """Show the text around spans, which are in order, and mark them; an empty span marks nothing."""
        start = spans[0][0]
        first = max(0, start - _CONTEXT)
        last = min(len(text), max(start, *(end for _, end in spans)) + _CONTEXT)
        before = "…\n" if first else ""
        self._first, self._lead = first, len(before)
        after = "\n…" if last < len(text) else ""
        self.setFont(self._theme.font(text=text[first : first + 2000]))
        self.setPlainText(before + text[first:last] + after)
        self._marked = [
            (offset, offset + _utf16_length(text[start:end]))
            for start, end in spans
            if end > start
            for offset in [len(before) + _utf16_length(text[first:start])]
        ]
        self._shaded = None
        self._mark()
        self._scroll_to(self._marked[0][0] if self._marked else 0)

    def show_around(self, start: int, end: int) -> None:
        """Shade a span of the document's text around the passage and scroll to its beginning."""
        content = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        first, last = (max(0, place - self._first) + self._lead for place in (start, end))
        self._shaded = _utf16_length(content[:first]), _utf16_length(content[:last])
        self._mark()
        self._scroll_to(self._shaded[0])

    def select_found(self, text: str, start: int, end: int) -> None:
        """Select a span of the document's text; if it is not loaded, the text around it is shown first."""
        content = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if not self._first <= start <= end <= self._first + len(content) - 2 * self._lead:
            self.show_text(text, [(start, start)])
            content = self.toPlainText().encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        first, last = (place - self._first + self._lead for place in (start, end))
        self.setTextCursor(self._cursor(_utf16_length(content[:first]), _utf16_length(content[:last])))
        self._center()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place that was scrolled to in the middle, unless the user has scrolled since."""
        is_kept = self.verticalScrollBar().value() == self._centered
        super().resizeEvent(event)
        if is_kept:
            self._center()

    def _scroll_to(self, place: int) -> None:
        self.setTextCursor(self._cursor(place, place))
        self._center()

    def _center(self) -> None:
        """Scroll to the cursor after the lines around it are wrapped.

        Otherwise they are wrapped while they are painted; near the end of a text with long lines, as in Chinese, the
        scroll bar then has too few lines, and a marked sentence moves out of the view.
        """
        layout, document, place = self.document().documentLayout(), self.document(), self.textCursor().position()
        assert isinstance(layout, QPlainTextDocumentLayout)
        block = document.findBlock(max(0, place - _WRAPPED))
        while block.isValid() and block.position() < place + _WRAPPED:
            layout.ensureBlockLayout(block)
            block = block.next()
        self.centerCursor()
        self._centered = self.verticalScrollBar().value()

    def clear(self) -> None:
        """Clear the view."""
        self._marked, self._shaded = [], None
        self.setExtraSelections([])
        super().clear()

    @property
    def marked_text(self) -> str:
        """The marked text, one line for each span."""
        return "\n".join(self._cursor(*span).selectedText() for span in self._marked)

    @property
    def shaded_text(self) -> str:
        """The shaded text around the passage."""
        return self._cursor(*self._shaded).selectedText() if self._shaded is not None else ""

    def selected_span(self) -> tuple[int, int] | None:
        """Return the selection as offsets into the document's text; None if nothing is selected."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        content = self.toPlainText().encode("utf-16-le", "surrogatepass")
        ends = (cursor.selectionStart(), cursor.selectionEnd())
        start, end = (len(content[: 2 * place].decode("utf-16-le", "surrogatepass")) - self._lead for place in ends)
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
        # The shading comes first: later selections are drawn over earlier ones.
        spans = ((self._shaded, tokens.accent_soft), *((span, tokens.mark_solid) for span in self._marked))
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


def _utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, which Qt counts; our offsets count characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
