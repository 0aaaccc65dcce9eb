"""The tab “Why” next to the page and the text of a passage, and the actions that open it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.explanation import DocumentSpot
from workbench.ui.bridge import Bridge
from workbench.ui.theme import Theme
from workbench.ui.why.presenter import WhyPresenter

if TYPE_CHECKING:
    from workbench.ui.inspector.page_view import PageView
    from workbench.ui.inspector.passage_rows import InspectedPassage
    from workbench.ui.inspector.text_view import TextView
    from workbench.ui.why.view import WhyView


class WhyTab(QObject):
    """Explains the passage that is shown, a selection in its text, or the page that is shown.

    Attributes:
        presenter: Presenter with the question of the explanations.

    Signals:
        question_asked: A question that finds the passage, to be put to the library.
    """

    question_asked = Signal(str)

    def __init__(self, bridge: Bridge, theme: Theme, tabs: QTabWidget, page: PageView, text: TextView) -> None:
        super().__init__(tabs)
        self.presenter = WhyPresenter(bridge, self)
        self._theme = theme
        self._holder = QWidget()
        layout = QVBoxLayout(self._holder)
        layout.setContentsMargins(0, 0, 0, 0)
        self._tabs = tabs
        self._page = page
        self._text = text
        self._document: int | None = None
        self._shown = DocumentSpot()
        self._passage: InspectedPassage | None = None
        tabs.addTab(self._holder, tr("Why"))
        tabs.currentChanged.connect(self._on_tab_changed)
        # Deferred: a new answer changes the question and then the passage, which needs one explanation only.
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.timeout.connect(self._on_due)
        self.presenter.outdated.connect(self._due.start)
        text.why_asked.connect(self._on_span)
        action = QAction(tr("Why was this page not found?"), page)
        action.triggered.connect(self._on_page)
        page.addAction(action)
        page.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    @cached_property
    def view(self) -> WhyView:
        """Content of the tab, created when the tab is first shown: most sessions never show it."""
        from workbench.ui.why.view import WhyView

        content = WhyView(self.presenter, self._theme)
        content.question_asked.connect(self.question_asked)
        layout = self._holder.layout()
        assert layout is not None
        layout.addWidget(content)
        return content

    @property
    def is_in_front(self) -> bool:
        """True if the tab is the current one."""
        return self._tabs.currentWidget() is self._holder

    def mean(self, document: int, start: int, end: int, passage: InspectedPassage | None = None) -> None:
        """Set the passage to explain, with its row if a search found it; explain it at once if the tab is in front."""
        self._document = document
        self._shown = DocumentSpot(start, end)
        self._passage = passage
        self.presenter.mean(document, self._shown)
        if self.is_in_front:
            self._begin()

    def forget(self) -> None:
        """Forget the passage."""
        self._document = None
        self.presenter.forget()

    @Slot()
    def explain(self) -> None:
        """Explain the passage, or the selection in its text if the text has the keyboard focus."""
        span = self._text.selected_span() if self._text.hasFocus() else None
        self._explain(DocumentSpot(*span) if span else self._shown)

    @Slot()
    def explain_document(self) -> None:
        """Explain the passage of the document that came furthest in the search."""
        self._explain(DocumentSpot())

    def _explain(self, spot: DocumentSpot) -> None:
        if self._document is None:
            return
        self.presenter.mean(self._document, spot)
        if self.is_in_front:
            self._begin()
        else:
            self._tabs.setCurrentWidget(self._holder)

    def _begin(self) -> None:
        """Explain the current place, with the scores of the passage if the place is the passage."""
        is_passage = self._passage is not None and self.presenter.spot == self._shown
        self.view.begin(self._passage if is_passage else None)

    @Slot(int, int)
    def _on_span(self, start: int, end: int) -> None:
        self._explain(DocumentSpot(start, end))

    @Slot()
    def _on_page(self) -> None:
        self._explain(DocumentSpot(page=self._page.page))

    @Slot()
    def _on_due(self) -> None:
        if self.is_in_front and self.presenter.is_due:
            self.view.begin()

    @Slot(int)
    def _on_tab_changed(self, _index: int) -> None:
        if self.is_in_front and self._document is not None:
            self._begin()
