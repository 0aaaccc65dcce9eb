"""An answer with what only it says marked."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Slot
from PySide6.QtWidgets import QWidget

from workbench.model.run import Run
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.comparison.marks import Place, cursor_of, selections
from workbench.ui.theme import Theme


class ComparedAnswer(AnswerView):
    """As in the conversation, and all of it at once."""

    def __init__(self, theme: Theme, *, is_left: bool, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._colours = theme
        self._is_left = is_left
        self._places: tuple[Place, ...] = ()
        # Behind the view's own: it draws the text anew first.
        theme.changed.connect(self._on_colours_changed)

    @property
    def text(self) -> str:
        """What is shown, without markup."""
        return self.document().toPlainText()

    @property
    def places(self) -> tuple[Place, ...]:
        """What is marked."""
        return self._places

    def show_run(self, run: Run) -> None:
        """Show the answer of a run, nothing of it marked."""
        self._places = ()
        self.show_answer(run.answer, run.citations)
        self._complete()

    def mark(self, places: Sequence[Place]) -> None:
        """Mark these places and no others."""
        self._places = tuple(places)
        self._draw()

    def rect_of(self, place: Place) -> QRect:
        """Return where a place stands in the view, and select it."""
        cursor = cursor_of(self.document(), place, self.document().characterCount() - 1)
        self.setTextCursor(cursor)
        return self.cursorRect(cursor)

    def _complete(self) -> None:
        while not self.is_whole:
            self.go_on()
        self._draw()

    def _draw(self) -> None:
        tokens = self._colours.tokens()
        self.setExtraSelections(selections(self.document(), self._places, tokens, is_left=self._is_left))

    @Slot()
    def _on_colours_changed(self) -> None:
        self._complete()
