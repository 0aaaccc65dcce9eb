"""Evaluation pane with its tabs, and the page of the golden questions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, trn
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.controls import IconButton, button, label
from workbench.ui.evaluation.compare_page import ComparePage
from workbench.ui.evaluation.history_page import HistoryPage
from workbench.ui.evaluation.presenter import EvaluationPresenter, QuestionsPresenter
from workbench.ui.evaluation.question_list import RowView
from workbench.ui.evaluation.result_summary import lost_by_question, row_of_question
from workbench.ui.evaluation.run_presenter import RunPresenter, invite
from workbench.ui.library.drop_overlay import accept_as_copy, dropped_paths
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

INVITATION = (
    "target",
    mark("Does the search find the right passages?"),
    mark(
        "Ask a question and mark its sources as Right or Wrong to make it a golden question. A run "
        "asks all golden questions and shows how often, and how high up, the right passages are "
        "found. This shows whether changes to settings or documents help."
    ),
)
CLOSED = ("target", mark("No library is open"), mark("Open a library to see its golden questions."))
SUFFIXES = (".jsonl", ".ndjson")


class EvaluationPane(QFrame):
    """Pane with the golden questions and their evaluations."""

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
        presenter.notified.connect(self.banner.hide)
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
        """True while the invitation is shown instead of the tabs."""
        return self._stack.currentIndex() == 0

    def focus(self) -> None:
        """Set the keyboard focus to the current page, or to the button that adds questions."""
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
            accept_as_copy(event)
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        for path in _question_files(event) if accept_as_copy(event) else ():
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
        # A question without a right passage cannot be measured.
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


FILES = mark("Golden questions (*.jsonl);;All files (*)")
MARKED = mark("Marked in answers")
NONE_MARKED = mark("No golden questions yet. Mark sources of an answer as Right or Wrong.")


class QuestionsPage(QWidget):
    """Page that lists one set of golden questions at a time.

    Signals:
        question_opened: The GoldenQuestion whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(
        self,
        questions: QuestionsPresenter,
        measuring: RunPresenter,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._questions = questions
        self._measuring = measuring
        self._sets = QComboBox()
        self._sets.setAccessibleName(tr("Set of golden questions"))
        self._sets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._sets.activated.connect(self._on_set)
        self._counts = label("", "caption")
        self.list = RowView(theme, tr("Golden questions"))
        self.list.offer_open(tr("Show its hits"))
        self.list.offer(tr("Remove"), "Del", self._on_remove)
        self.list.opened.connect(self.question_opened)
        none = label(tr(NONE_MARKED), "muted", wrap=True)
        none.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        none.setContentsMargins(14, 6, 14, 6)
        self._stack = QStackedWidget()
        self._stack.addWidget(none)
        self._stack.addWidget(self.list)
        self._more = IconButton(theme, "more", tr("Export or remove these questions"), self._on_more)
        self._arrange()
        self.setFocusProxy(self.list)
        questions.sets_listed.connect(self._on_sets)
        questions.listed.connect(self._show_rows)
        measuring.shown.connect(self._show_rows)
        self._on_sets(questions.sets)
        self._show_rows()

    @Slot()
    def ask_for_file(self) -> None:
        """Ask for a file of golden questions and add them."""
        name, _kind = QFileDialog.getOpenFileName(self, tr("Add golden questions"), str(Path.home()), tr(FILES))
        if name:
            self._questions.read(Path(name))

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 12, 4)
        top.setSpacing(6)
        top.addWidget(self._sets, 1)
        top.addWidget(button(tr("Add from file…"), "secondary", self.ask_for_file))
        top.addWidget(self._more)
        self._counts.setContentsMargins(14, 0, 14, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self._counts)
        layout.addWidget(self._stack, 1)

    @Slot(object)
    def _on_sets(self, sets: tuple[GoldenSet, ...]) -> None:
        self._sets.clear()
        for one in sets:
            self._sets.addItem(tr(MARKED) if one.name == MARKS else one.name, one.name)
        self._sets.setCurrentIndex(max(0, self._sets.findData(self._questions.chosen)))

    @Slot()
    def _show_rows(self, _value: object = None) -> None:
        questions = self._questions.questions
        lost = lost_by_question(self._measuring.on_show)
        row = self.list.currentIndex().row()
        self.list.rows.show([row_of_question(one, lost) for one in questions])
        # After a removal the next row is chosen, so that Del can be pressed again.
        if questions and row >= 0:
            self.list.setCurrentIndex(self.list.rows.index(min(row, len(questions) - 1)))
        right = sum(len(one.right) for one in questions)
        wrong = sum(len(one.wrong) for one in questions)
        parts = [
            trn("{n:,} question", "{n:,} questions", len(questions)),
            trn("{n:,} right passage", "{n:,} right passages", right),
            tr("{n:,} wrong", n=wrong),
        ]
        self._counts.setText(" · ".join(parts))
        self._counts.setVisible(bool(questions))
        self._stack.setCurrentIndex(1 if questions else 0)

    @Slot(int)
    def _on_set(self, row: int) -> None:
        self._questions.choose(self._sets.itemData(row))

    @Slot()
    def _on_remove(self) -> None:
        subject = self.list.subject
        if isinstance(subject, GoldenQuestion):
            self._questions.remove(subject)

    @Slot()
    def _on_more(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export…"), self._on_export)
        menu.addAction(tr("Remove all"), self._questions.remove_set)
        for action in menu.actions():
            action.setEnabled(bool(self._questions.questions))
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_export(self) -> None:
        place = str(Path.home() / f"{self._questions.chosen}.jsonl")
        name, _kind = QFileDialog.getSaveFileName(self, tr("Export golden questions"), place, tr(FILES))
        if name:
            self._questions.write(Path(name))
