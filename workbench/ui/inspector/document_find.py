"""Search in the document of the shown passage: its whole text is searched, and matches are shown on its pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QVBoxLayout

from workbench import operations
from workbench.language import tr
from workbench.ui.bridge import Bridge
from workbench.ui.find_bar import FindBar
from workbench.ui.inspector.document_loader import DocumentLoader
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.ui.inspector.pane import InspectorPane

MOST = 10_000
"""Maximum number of matches that are counted: a single letter occurs a million times in a book."""


class _FindRequest:
    """Request for the page of a match; it holds the match so that a late reply can be recognised."""

    def __init__(self, find: DocumentFind, place: tuple[int, int]) -> None:
        self._find = find
        self._place = place

    def done(self, page: int | None) -> None:
        """Pass the page on."""
        self._find.show_place(self._place, page)

    def failed(self, _error: BaseException, _details: str) -> None:
        """Show the match in the text only: a page that cannot be drawn can still be read."""
        self._find.show_place(self._place, None)


class DocumentFind(QObject):
    """Presenter of the find bar above the page and the text of a document."""

    def __init__(self, bridge: Bridge, theme: Theme, pane: InspectorPane) -> None:
        super().__init__(pane)
        self._bridge = bridge
        self._pane = pane
        self._view = pane.passage_view
        source = pane.findChild(DocumentLoader)
        assert source is not None
        self._source = source
        self._document: int | None = None
        self._text = ""
        self._places: list[tuple[int, int]] = []
        self._current = 0
        self.bar = FindBar(theme, tr("the document"))
        layout = self._view.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(1, self.bar)
        self.bar.looked.connect(self._on_looked)
        self.bar.moved.connect(self._on_moved)
        self.bar.left.connect(self._on_left)
        source.text_ready.connect(self._on_text)

    @property
    def can_open(self) -> bool:
        """True if a passage of a document of the library is shown."""
        shown = self._pane.shown
        return self._view.isVisible() and shown is not None and not shown.is_outside

    def open(self) -> None:
        """Show the find bar; text that is selected in the text view becomes the search text."""
        shown = self._pane.shown
        if shown is not None:
            self._source.want_text(shown.document)
            selected = self._view.text_view.textCursor().selectedText()
            self.bar.open("" if "\u2029" in selected else selected)

    def show_place(self, place: tuple[int, int], page: int | None) -> None:
        """Show a match on its page, unless another match is current by now."""
        if self._places and self._places[self._current] == place:
            self._view.show_found(self._text, *place, page)

    @Slot(object, str)
    def _on_text(self, document: int, text: str) -> None:
        if (document, len(text)) != (self._document, len(self._text)):
            self._document, self._text = document, text
            if self.bar.needle:
                # Another document is shown: it is searched for the same text, without scrolling to a match.
                self._places = _places(text, self.bar.needle)
                self._current = 0
                self._show_count()

    @Slot(str)
    def _on_looked(self, needle: str) -> None:
        self._places = _places(self._text, needle)
        shown = self._pane.shown
        passage_start = shown.start if shown is not None else 0
        # Start at the shown passage, as a reader would.
        self._current = next((place for place, (start, _end) in enumerate(self._places) if start >= passage_start), 0)
        self._show()

    @Slot(int)
    def _on_moved(self, step: int) -> None:
        if self._places:
            self._current = (self._current + step) % len(self._places)
        self._show()

    @Slot()
    def _on_left(self) -> None:
        self._pane.setFocus()

    def _show(self) -> None:
        self._show_count()
        library: Library | None = self._source.library
        if self._places and library is not None and self._document is not None:
            place = self._places[self._current]
            request = _FindRequest(self, place)
            operation = operations.page_at(library, self._document, place[0])
            self._bridge.submit(operation, done=request.done, failed=request.failed)

    def _show_count(self) -> None:
        self.bar.show_place(self._current + 1, len(self._places), more=len(self._places) == MOST)


def _places(text: str, needle: str) -> list[tuple[int, int]]:
    """Return the spans of a text that match the words; case and kind of whitespace are ignored."""
    words = needle.split()
    if not words:
        return []
    # Lines of a page end at its margin: a space in the search text also matches a line break.
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    found = []
    for match in pattern.finditer(text):
        found.append(match.span())
        if len(found) == MOST:
            break
    return found
