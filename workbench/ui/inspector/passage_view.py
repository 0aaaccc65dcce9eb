"""View of one passage: its place as a title, a notice, and tabs with its page, text, details and explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.chunk import Stretch
from workbench.ui.bridge import Bridge
from workbench.ui.controls import ElidedLabel, label
from workbench.ui.evaluation.passage_marks import MarkButtons
from workbench.ui.export.export_controller import AddOriginalButton
from workbench.ui.inspector.citation_uses import CitationUses, CitedButton, HeatBar
from workbench.ui.inspector.details_view import DetailsView
from workbench.ui.inspector.document_loader import DocumentLoader, NeighbourLoader, SectionAction
from workbench.ui.inspector.page_outlines import OutlinesLayer, PageOutlines
from workbench.ui.inspector.page_presenter import PagePresenter
from workbench.ui.inspector.page_view import PageView
from workbench.ui.inspector.passage_editing import PassageEditing, standing
from workbench.ui.inspector.passage_rows import InspectedPassage, Span
from workbench.ui.inspector.text_view import TextView
from workbench.ui.theme import Theme
from workbench.ui.why.tab import WhyTab

if TYPE_CHECKING:
    from workbench.operations import Library

ELSEWHERE = mark("This document is not in this library. The passage from the imported session is shown.")
GONE = mark("This document is no longer in the library. The quote stored with the answer is shown.")
CHANGED = mark(
    "This document has changed and no longer contains the passage. The quote stored with the answer is shown."
)
LONG_SECTION = mark("This section is very long. Only the part around the passage is highlighted.")
MOVED = mark("This document has changed. The passage was found in a different place.")


class PassageView(QFrame):
    """View of a passage in its document.

    The text is fetched first: a page may be marked only if text[start:end] is still the passage.

    Attributes:
        marks: Buttons next to the title that mark it as right or wrong; shown by code that knows the question.
        why: Tab that explains why the passage was found, or was not.
        changes: Controls that edit it.
        outlines: Outlines of all passages on the visible pages, while they are switched on.
        layer: Layer that draws the outlines.
        uses: Citations of the document.
        cited: Button with the answers that cite the passage.
        heat: Bar that shows how often each page is cited.
        neighbours: Loader for the passages before and after it.
        kept_original: Offer to add a document that is not in this library but came with the imported session.
    """

    def __init__(self, bridge: Bridge, theme: Theme, source: DocumentLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._source = source
        self._passage: InspectedPassage | None = None
        self._marks: tuple[Span, ...] = ()
        self._title = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)  # the page is at the end
        self._title.setProperty("role", "title")
        self.marks = MarkButtons(theme, tr("this passage"))
        self._section = SectionAction(bridge, self)
        self._section.found.connect(self._on_section)
        self._section.failed.connect(self._show_notice)
        self._heading = ElidedLabel()
        self._heading.setProperty("role", "caption")
        self._notice = label(wrap=True)
        self.kept_original = AddOriginalButton(bridge, self)
        self._notice_box = _notice_box(self._notice, self.kept_original.button)
        self._page = PageView(theme)
        self._pages = PagePresenter(bridge, self._page)
        self._text = TextView(theme)
        self._details = DetailsView(bridge, theme)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setAccessibleName(tr("Views of the passage"))
        self._tabs.addTab(self._page, tr("Page"))
        self._tabs.addTab(_padded(self._text), tr("Text"))
        self._tabs.addTab(_padded(self._details), tr("Details"))
        self.why = self._why = WhyTab(bridge, theme, self._tabs, self._page, self._text)
        self.changes = PassageEditing(bridge, theme, self._tabs, self)
        self.changes.tools.add(self._section)
        self.changes.notified.connect(self._show_notice)
        self.changes.provenance_changed.connect(self._details.show_edits)
        self.outlines = PageOutlines(bridge, self)
        self.layer = OutlinesLayer(self.outlines, self._page)
        self.uses = CitationUses(bridge, self)
        self.cited = CitedButton(self.uses)
        self.heat = HeatBar(theme)
        self._page.row.addWidget(self.heat)
        self.neighbours = NeighbourLoader(bridge, self)
        self.neighbours.found.connect(self._details.show_neighbours)
        self.neighbours.found.connect(self.changes.editing.show_neighbours)
        self._details.chunk_wanted.connect(self.neighbours.show)
        self._arrange()
        self._pages.pages_changed.connect(self._show_heat)
        self.uses.changed.connect(self._show_heat)
        self.heat.row_pressed.connect(self._on_heat_pressed)
        self._pages.shown.connect(self._on_kept_page_shown)
        self._pages.failed.connect(self._on_page_failed)
        source.text_ready.connect(self._on_text)
        source.missing.connect(self._on_missing)
        source.failed.connect(self._on_failed)

    @property
    def passage(self) -> InspectedPassage | None:
        """The passage that is shown."""
        return self._passage

    @property
    def notice(self) -> str:
        """The notice above the tabs; empty if there is none."""
        return self._notice.text()

    @property
    def page_view(self) -> PageView:
        """The page tab."""
        return self._page

    @property
    def text_view(self) -> TextView:
        """The text tab."""
        return self._text

    @property
    def section_action(self) -> SectionAction:
        """Action that shows the whole section of the passage."""
        return self._section

    def set_library(self, library: Library | None) -> None:
        """Set the library."""
        self._pages.set_library(library)
        self._section.set_library(library)
        self._why.presenter.set_library(library)
        self.changes.set_library(library)
        self.outlines.set_library(library)
        self.uses.set_library(library)
        self.neighbours.set_library(library)
        self.kept_original.set_library(library)
        self.clear()

    def clear(self) -> None:
        """Clear the view."""
        self._passage = None
        self.neighbours.mean(None)
        self._section.mean(None)
        self._why.forget()
        self.kept_original.mean(0)
        self.changes.mean(None)
        self.outlines.mean(None)
        self._pages.clear()
        self._text.clear()
        self._details.show_passage(None)

    def forget(self) -> None:
        """Drop the kept pictures, because a document changed."""
        self._pages.forget()

    def show_passage(self, passage: InspectedPassage) -> None:
        """Show a passage: the page tab if the format has pages, otherwise the text tab."""
        other = self._passage is None or self._passage.document != passage.document
        self._passage = passage
        self._title.set_whole_text(passage.place)
        self._heading.set_whole_text(" › ".join(passage.headings))
        self._show_notice(standing(passage))
        self._details.show_passage(passage)
        self.changes.mean(passage)
        self.kept_original.mean(passage.document)
        self.outlines.mean(passage.document, passage.chunk.id if passage.chunk is not None else 0)
        if passage.document > 0 and self.uses.document != passage.document:
            self.uses.mean(passage.document)
        self.cited.mean(passage)
        self.neighbours.mean(passage)
        self._section.mean(None)
        self._tabs.setTabVisible(0, passage.has_picture)
        if other:
            self._pages.clear()
            self._text.clear()
        self._tabs.setTabVisible(3, passage.document > 0)
        if passage.is_outside:
            self._show_kept_text(passage)
            return
        if passage.document < 0:
            self._show_from_elsewhere(passage)
            return
        self._why.mean(passage.document, passage.start, passage.end, passage)
        if self._tabs.currentIndex() < 2:
            self._tabs.setCurrentIndex(0 if passage.has_picture else 1)
        self._source.want_text(passage.document)

    def show_found(self, text: str, start: int, end: int, page: int | None) -> None:
        """Show a match of a search in the document's text, and its page if the page tab is visible."""
        self._marks = ((start, end),)
        self._text.select_found(text, start, end)
        if self._tabs.currentIndex() > 1:
            self._tabs.setCurrentIndex(1)
        if page is not None and self._tabs.isTabVisible(0):
            self._show_page(page)

    def _arrange(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(16, 10, 16, 2)
        head.setSpacing(2)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self._title, 1)
        line.addWidget(self.marks)
        head.addLayout(line)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self._heading, 1)
        below.addWidget(self.cited)
        below.addWidget(self.changes.tools)
        head.addLayout(below)
        head.addSpacing(2)
        head.addWidget(self._notice_box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.changes.stack, 1)

    @Slot(str)
    def _show_notice(self, text: str) -> None:
        self._notice.setText(text)
        self._notice_box.setVisible(bool(text))

    def _show_page(self, page: int) -> None:
        if self._passage is not None:
            self._pages.show(self._passage.document, page, self._marks)

    @Slot(object, str)
    def _on_text(self, document: int, text: str) -> None:
        passage = self._passage
        if passage is None or passage.document != document:
            return
        start = passage.start
        # If an edited passage no longer exists, only its position is known.
        is_known = passage.chunk is not None or not passage.edited
        if is_known and text[start : passage.end] != passage.marked:
            start = text.find(passage.marked)
            if start < 0:
                self._show_kept_quote(tr(CHANGED))
                return
            self._show_notice(tr(MOVED))
        moved = start - passage.start
        self._marks = tuple((first + moved, last + moved) for first, last in passage.marks)
        self._text.show_text(text, self._marks)
        self._section.mean(passage, start)
        if passage.has_picture and passage.page is not None:
            self._show_page(passage.page)

    @Slot(object)
    def _on_section(self, section: Stretch) -> None:
        self._text.show_around(section.start, section.end)
        self._show_notice(tr(LONG_SECTION) if section.is_cut else "")
        self._tabs.setCurrentIndex(1)

    @Slot(object)
    def _on_missing(self, document: int) -> None:
        if self._passage is not None and self._passage.document == document:
            self._show_kept_quote(tr(GONE))

    @Slot(object, str, str)
    def _on_failed(self, document: int, message: str, hint: str) -> None:
        if self._passage is not None and self._passage.document == document:
            self._show_kept_quote(f"{message} {hint}".strip())

    def _show_kept_text(self, passage: InspectedPassage) -> None:
        """Show a passage that is in no document of the library: only the text kept with the answer is available."""
        self._why.forget()
        self._tabs.setCurrentIndex(1)
        text = passage.chunk.text if passage.chunk is not None else passage.text
        self._text.show_text(text, passage.marks)

    def _show_from_elsewhere(self, passage: InspectedPassage) -> None:
        """Show the quote, and the page picture that came with an imported session, in which the marks are drawn."""
        self._why.forget()
        self._show_kept_quote(tr(ELSEWHERE))
        self._marks = passage.marks
        if passage.has_picture and passage.page is not None:
            self._show_page(passage.page)

    def _show_kept_quote(self, notice: str) -> None:
        if self._passage is None:
            return
        self._show_notice(notice)
        self._tabs.setTabVisible(0, False)
        self._pages.clear()
        self._tabs.setCurrentIndex(1)
        self._text.show_text(self._passage.marked, [(0, len(self._passage.marked))])

    @Slot()
    def _show_heat(self) -> None:
        """Show next to the scroll bar which pages are cited by answers."""
        is_of_these = self._passage is not None and self.uses.document == self._passage.document
        self.heat.show_weights(self.uses.weights(self._pages.pages) if is_of_these else ())

    @Slot(int)
    def _on_heat_pressed(self, row: int) -> None:
        if row < len(self._pages.pages):
            self._page.turn_to(self._pages.pages[row].number)

    @Slot()
    def _on_kept_page_shown(self) -> None:
        if not self._tabs.isTabVisible(0):
            self._tabs.setTabVisible(0, True)
            self._tabs.setCurrentIndex(0)

    @Slot(str, str)
    def _on_page_failed(self, message: str, hint: str) -> None:
        self._show_notice(f"{message} {hint}".strip())
        self._pages.clear()
        self._page.clear(message)
        self._tabs.setCurrentIndex(1)


def _notice_box(notice: QWidget, offer: QWidget) -> QFrame:
    box = QFrame()
    box.setProperty("role", "banner")
    box.setProperty("tone", "warn")
    layout = QHBoxLayout(box)
    layout.setContentsMargins(10, 8, 10, 8)
    layout.addWidget(notice, 1)
    layout.addWidget(offer, 0, Qt.AlignmentFlag.AlignTop)
    box.hide()
    return box


def _padded(view: QWidget) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(16, 8, 4, 4)
    layout.addWidget(view)
    return holder
