"""The golden questions: sets of them, files read and written, questions removed and brought back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import said, tr, trn
from workbench.model.evaluation import MARKS, GoldenQuestion, GoldenSet, QuestionsRead
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.part import Part
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import Operation


class QuestionsPresenter(Part):
    """One set of golden questions at a time.

    Signals:
        sets_listed: The sets, a tuple of GoldenSet.
        listed: The questions of the set that is chosen, a tuple of GoldenQuestion.
        set_chosen: Its name.
        kept: Questions were added or removed in the library.
    """

    sets_listed = Signal(object)
    listed = Signal(object)
    set_chosen = Signal(str)
    kept = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(bridge, parent)
        self.chosen = MARKS
        self.sets: tuple[GoldenSet, ...] = ()
        self.questions: tuple[GoldenQuestion, ...] = ()
        self._undo: Operation[Any] | None = None

    def set_library(self, library: Library | None) -> None:
        """Show another library's questions."""
        self._library = library
        self._undo = None
        self.sets = self.questions = ()
        self.choose(MARKS)

    @Slot(str)
    def choose(self, name: str) -> None:
        """Show another set."""
        self.chosen = name
        self.set_chosen.emit(name)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the sets and the questions anew."""
        if self._library is not None:
            self._ask(operations.golden_sets(self._library), self._on_sets)

    def read(self, path: Path) -> None:
        """Add the questions of a file, as a set of its name."""
        if self._library is not None:
            self._ask(operations.read_questions(self._library, path), self._on_read)

    def write(self, path: Path) -> None:
        """Write the questions of the set that is chosen to a file."""
        if self._library is not None:
            self._ask(operations.write_questions(self._library, self.chosen, path), self._on_written)

    def remove(self, question: GoldenQuestion) -> None:
        """Remove a question and offer to bring it back."""
        if self._library is not None:
            self._ask(operations.remove_question(self._library, self.chosen, question), self._on_removed)

    @Slot()
    def remove_set(self) -> None:
        """Remove the set that is chosen and offer to bring it back."""
        if self._library is not None:
            self._ask(operations.remove_set(self._library, self.chosen), self._on_set_removed)

    @Slot()
    def undo(self) -> None:
        """Bring back what was removed last, or take away what was added."""
        undo, self._undo = self._undo, None
        if undo is not None:
            self._ask(undo, self._on_changed)

    def _on_sets(self, sets: tuple[GoldenSet, ...]) -> None:
        self.sets = sets
        if self.chosen not in {one.name for one in sets}:
            self.chosen = MARKS
            self.set_chosen.emit(MARKS)
        self.sets_listed.emit(sets)
        if self._library is not None:
            self._ask(operations.golden_questions(self._library, self.chosen), self._on_listed)

    def _on_listed(self, questions: tuple[GoldenQuestion, ...]) -> None:
        self.questions = questions
        self.listed.emit(questions)

    def _on_read(self, read: QuestionsRead) -> None:
        assert self._library is not None
        self._undo = operations.put_questions(self._library, read.set, read.before)
        self.choose(read.set)
        self.said.emit(_added(read), True)
        self.kept.emit()

    def _on_written(self, path: Path) -> None:
        self.said.emit(tr("Exported to {path}", path=path), False)

    def _on_removed(self, question: GoldenQuestion) -> None:
        assert self._library is not None
        self._undo = operations.put_question(self._library, self.chosen, question)
        self.said.emit(tr("Removed a question"), True)
        self._on_changed()

    def _on_set_removed(self, questions: tuple[GoldenQuestion, ...]) -> None:
        assert self._library is not None
        self._undo = operations.put_questions(self._library, self.chosen, questions)
        self.said.emit(trn("Removed {n:,} question", "Removed {n:,} questions", len(questions)), True)
        self._on_changed()

    def _on_changed(self, _value: object = None) -> None:
        self.refresh()
        self.kept.emit()


def _added(read: QuestionsRead) -> str:
    added = trn("{n:,} question added", "{n:,} questions added", read.questions)
    if not read.bad_lines:
        return added
    first = read.bad_lines[0]
    return trn(
        "{added}; {n:,} line left out, first line {line}: {reason}",
        "{added}; {n:,} lines left out, first line {line}: {reason}",
        len(read.bad_lines),
        added=added,
        line=first.number,
        reason=said(first.reason),
    )
