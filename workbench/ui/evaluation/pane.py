"""The evaluation pane: an invitation while there is nothing to ask, then questions, results and history as tabs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.evaluation import MARKS, GoldenSet
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import button
from workbench.ui.evaluation.compare_page import ComparePage
from workbench.ui.evaluation.history_page import HistoryPage
from workbench.ui.evaluation.presenter import EvaluationPresenter
from workbench.ui.evaluation.questions_page import QuestionsPage
from workbench.ui.evaluation.wording import invite
from workbench.ui.library.drop import dropped_paths
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

INVITATION = (
    "target",
    mark("Does the search find the right passages?"),
    mark(
        "Ask a question, then press ✓ or ✗ beside the sources of its answer: it becomes a golden question. "
        "A run asks all golden questions and shows how often the right passages are found, and how far up. "
        "So you see what another way to search, other settings or other documents make better or worse."
    ),
)
CLOSED = ("target", mark("No library is open"), mark("Golden questions are kept in a library."))
SUFFIXES = (".jsonl", ".ndjson")


class EvaluationPane(QFrame):
    """Golden questions and what comes of asking them."""

    def __init__(self, presenter: EvaluationPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self.setProperty("role", "pane")
        self.setAcceptDrops(True)
        self.banner = Banner(theme)
        self.questions = QuestionsPage(presenter.questions, presenter.measuring, theme)
        self.compare = ComparePage(presenter.measuring, presenter.promoting, theme)
        self.history = HistoryPage(presenter.measuring, theme)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(tr("Parts of the evaluation"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.questions, tr("Questions"))
        self.tabs.addTab(self.compare, tr("Compare"))
        self.tabs.addTab(self.history, tr("History"))
        self._empty = EmptyState(theme, quiet=True)
        self._add = button(tr("Add questions from a file…"), "secondary", self.questions.ask_for_file)
        self._stack = QStackedWidget()
        self._arrange()
        self.questions.question_opened.connect(presenter.look_at)
        self.compare.question_opened.connect(presenter.look_at)
        presenter.failed.connect(self._on_failed)
        presenter.said.connect(self.banner.hide)
        presenter.library_changed.connect(self._on_library_changed)
        presenter.questions.sets_listed.connect(self._on_sets)
        presenter.questions.listed.connect(self._on_listed)
        presenter.measuring.shown.connect(self._on_shown)
        presenter.measuring.running_changed.connect(self._on_running_changed)
        self._on_library_changed(presenter.is_open)
        self._on_listed()
        self._on_sets(presenter.questions.sets)

    @property
    def is_inviting(self) -> bool:
        """Whether there is nothing to ask yet."""
        return self._stack.currentIndex() == 0

    def focus(self) -> None:
        """Put the keyboard on what can be done next."""
        page: QWidget = self._add
        if not self.is_inviting:
            page = self.compare.panel if self.tabs.currentWidget() is self.compare else self.tabs.currentWidget()
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _arrange(self) -> None:
        invitation = QWidget()
        inside = QVBoxLayout(invitation)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addStretch(2)
        inside.addWidget(self._empty)
        inside.addWidget(self._add, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addStretch(3)
        self._stack.addWidget(invitation)
        self._stack.addWidget(self.tabs)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.banner)
        layout.addWidget(self._stack, 1)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._presenter.is_open and _question_files(event):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        for path in _question_files(event):
            self._presenter.questions.read(path)

    @Slot(bool)
    def _on_library_changed(self, is_open: bool) -> None:
        invite(self._empty, INVITATION if is_open else CLOSED)
        self._add.setVisible(is_open)
        self.banner.hide()
        if not is_open:
            self._stack.setCurrentIndex(0)

    @Slot(object)
    def _on_sets(self, sets: tuple[GoldenSet, ...]) -> None:
        anything = any(one.questions or one.name != MARKS for one in sets)
        anything = anything or bool(self._presenter.measuring.history)
        self._stack.setCurrentIndex(1 if anything and self._presenter.is_open else 0)

    @Slot()
    def _on_listed(self, _questions: object = None) -> None:
        # Without anything right to find there is nothing to measure.
        self.compare.panel.expect(sum(bool(one.right) for one in self._presenter.questions.questions))

    @Slot(object)
    def _on_shown(self, shown: object) -> None:
        if shown is not None and self.tabs.currentWidget() is self.history:
            self.tabs.setCurrentWidget(self.compare)

    @Slot(bool)
    def _on_running_changed(self, running: bool) -> None:
        if running:
            self.banner.hide()

    @Slot(object, str)
    def _on_failed(self, error: BaseException, details: str) -> None:
        self.banner.show_error(error, details)


def _question_files(event: QDropEvent) -> list[Path]:
    return [path for path in dropped_paths(event.mimeData()) if path.suffix.lower() in SUFFIXES]
