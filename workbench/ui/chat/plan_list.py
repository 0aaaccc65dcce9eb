"""A plan as a checklist among the steps of an answer: what is done, what is under way, what is still to come."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.chat.plan_card import PlanCard
from workbench.ui.chat.plan_progress import PlanProgress
from workbench.ui.chat.plan_row import PlanRow
from workbench.ui.controls import IconLabel, label
from workbench.ui.theme import Theme


class PlanList(QFrame):
    """The plan's task, its steps, and while it waits for the person the card that asks for a word.

    Signals:
        decided: The Word that a person said to the plan.
    """

    decided = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[PlanRow] = []
        self._card: PlanCard | None = None
        self._title = label("", wrap=True)
        head = QHBoxLayout()
        head.setContentsMargins(0, 2, 0, 4)
        head.setSpacing(8)
        head.addWidget(IconLabel(theme, "plan", colour="accent"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 4)
        self._layout.setSpacing(2)
        self._layout.addLayout(head)

    @property
    def rows(self) -> tuple[PlanRow, ...]:
        """The steps, in order."""
        return tuple(self._rows)

    @property
    def card(self) -> PlanCard | None:
        """What asks for the person's word; None where nothing waits."""
        return self._card

    def place_of(self, step: int) -> QVBoxLayout | None:
        """Return where the tool calls of a step stand; None where there is no such step."""
        return self._rows[step - 1].steps if 0 < step <= len(self._rows) else None

    def show_progress(self, progress: PlanProgress) -> None:
        """Show a plan, or how far it has come."""
        standing = progress.standing
        texts = standing.plan.steps if standing.plan is not None else ()
        self._title.setText(progress.title)
        self.setAccessibleName(tr("Plan: {title}", title=progress.title))
        for index, (text, result) in enumerate(zip(texts, standing.steps, strict=True)):
            if index == len(self._rows):
                self._rows.append(PlanRow(self._theme, index + 1, text))
                self._layout.addWidget(self._rows[-1])
            self._rows[index].rename(text)
            if self._rows[index].result != result:
                self._rows[index].show_result(result)
        for index, row in enumerate(self._rows):
            # The card holds the steps while they can still be changed: not twice.
            row.setVisible(index < len(texts) and progress.asked is None)
        self._show_card(progress)

    def show_details(self, shown: bool) -> None:
        """Unfold what each step came to, or fold it."""
        for row in self._rows:
            row.show_details(shown)

    def _show_card(self, progress: PlanProgress) -> None:
        if progress.asked is not None and self._card is None:
            self._card = PlanCard(self._theme, progress.asked)
            self._card.decided.connect(self.decided)
            self._layout.addWidget(self._card)
            self._card.announce()
        elif progress.asked is None and self._card is not None:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
