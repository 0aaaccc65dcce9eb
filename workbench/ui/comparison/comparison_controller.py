"""Opening of the comparison window for an answer and the alternatives to it in the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from workbench.model.run import Run
from workbench.ui.bridge import Bridge
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.chat.run_cards import RunCards
    from workbench.ui.comparison.comparison_dialog import ComparisonDialog


class ComparisonController(QObject):
    """Opens the comparison window for an answer of the session that is shown.

    Signals:
        citation_activated: The Citation that was pressed in the window.
        go_on_asked: The Run from which the next question continues.
    """

    citation_activated = Signal(object)
    go_on_asked = Signal(object)

    def __init__(self, bridge: Bridge, theme: Theme, cards: RunCards, pane: QWidget) -> None:
        super().__init__(pane)
        self._bridge = bridge
        self._theme = theme
        self._cards = cards
        self._pane = pane
        cards.compare_asked.connect(self.open)

    @Slot(object)
    def open(self, run: Run) -> ComparisonDialog | None:
        """Compare an answer with an alternative to it; return None if there is none."""
        # Imported here to keep it out of the time to an answer: few users compare answers.
        from workbench.ui.comparison.comparison_dialog import ComparisonDialog

        runs = self._cards.branches_of(run)
        if len(runs) < 2:
            return None
        dialog = ComparisonDialog(self._bridge, self._theme, runs, run, self._pane.window())
        dialog.citation_activated.connect(self.citation_activated)
        dialog.go_on_asked.connect(self.go_on_asked)
        dialog.show()
        return dialog
