"""Which sources of an answer are right for its question, shown and changed beside them and in the answer's text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from workbench.language import tr
from workbench.model.hit import Citation
from workbench.ui.actions import command
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.source_list import SourceList
from workbench.ui.chat.transcript import Transcript
from workbench.ui.evaluation.passage_marks import WORDS, Marks, Scope, Spot
from workbench.ui.external_programs import citation_mime


class SourceMarks(QObject):
    """Between the marks of the library and the sources of one answer."""

    def __init__(
        self, marks: Marks, transcript: Transcript, sources: SourceList, answer: AnswerView, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._marks = marks
        self._transcript = transcript
        self._sources = sources
        self._answer = answer
        self._menu_of: Citation | None = None
        sources.offer_marks(self.mark_of)
        sources.citation_marked.connect(self.mark)
        answer.mark_menu = self.menu
        marks.changed.connect(self._on_changed)

    def mark_of(self, citation: Citation) -> bool | None:
        """Return whether a source is right for the question; None where nobody said."""
        hit = self._transcript.hit_of(citation)
        if hit is None or hit.is_outside:
            return None
        return self._marks.of(self._scope(), Spot.of_hit(hit))

    @Slot(object, object)
    def mark(self, citation: Citation, right: bool | None) -> None:
        """Mark a source, or take its mark back."""
        hit = self._transcript.hit_of(citation)
        if hit is not None and not hit.is_outside:
            self._marks.mark(self._scope(), hit, right)

    def menu(self, citation: Citation) -> QMenu:
        """Return the menu of a citation's chip in the text."""
        menu = QMenu(self._answer)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._menu_of = citation
        menu.addAction(command("source.open").title, self._on_open)
        menu.addAction(command("source.copy").title, self._on_copy)
        menu.addSeparator()
        marked = self.mark_of(citation)
        for right, words in WORDS.items():
            action = menu.addAction(tr(words), self._on_action)
            action.setCheckable(True)
            action.setChecked(marked is right)
            action.setEnabled(not citation.is_outside)
            action.setData(right)
        return menu

    def _scope(self) -> Scope:
        transcript = self._transcript
        return Scope(transcript.question.strip(), transcript.knowledge_base, transcript.filter)

    @Slot(object)
    def _on_changed(self, scope: Scope) -> None:
        if scope == self._scope():
            self._sources.refresh_marks()

    @Slot()
    def _on_open(self) -> None:
        if self._menu_of is not None:
            self._answer.citation_activated.emit(self._menu_of)

    @Slot()
    def _on_copy(self) -> None:
        if self._menu_of is not None:
            QGuiApplication.clipboard().setMimeData(citation_mime(self._menu_of))

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and self._menu_of is not None:
            right = bool(action.data())
            self.mark(self._menu_of, None if self.mark_of(self._menu_of) is right else right)
