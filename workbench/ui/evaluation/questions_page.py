"""The golden questions of a set: listed, added from a file, removed, written to a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet
from workbench.ui.controls import IconButton, button, label
from workbench.ui.evaluation.measuring import MeasuringPresenter
from workbench.ui.evaluation.questions import QuestionsPresenter
from workbench.ui.evaluation.results import lost_by_question, row_of_question
from workbench.ui.evaluation.row_view import RowView
from workbench.ui.theme import Theme

FILES = mark("Golden questions (*.jsonl);;All files (*)")
MARKED = mark("Marked in answers")
NONE_MARKED = mark("Nothing is marked yet. Press ✓ or ✗ beside a source of an answer.")


class QuestionsPage(QWidget):
    """A set at a time.

    Signals:
        question_opened: The GoldenQuestion whose hits are to be shown.
    """

    question_opened = Signal(object)

    def __init__(
        self,
        questions: QuestionsPresenter,
        measuring: MeasuringPresenter,
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
        menu.addAction(tr("Remove all of these"), self._questions.remove_set)
        for action in menu.actions():
            action.setEnabled(bool(self._questions.questions))
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_export(self) -> None:
        place = str(Path.home() / f"{self._questions.chosen}.jsonl")
        name, _kind = QFileDialog.getSaveFileName(self, tr("Export golden questions"), place, tr(FILES))
        if name:
            self._questions.write(Path(name))
