"""What the test of a connection found out, a line each: a mark, what was tried, and what was seen."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from workbench.language import mark, said, tr
from workbench.model.profile import Ability, Mark, ModelAbility
from workbench.ui.controls import IconLabel, empty, label
from workbench.ui.theme import Theme

TITLES = {
    Ability.REACHED: mark("Server"),
    Ability.LISTED: mark("Models"),
    Ability.ANSWERS: mark("Answers"),
    Ability.STREAMS: mark("Streaming"),
    Ability.SPEED: mark("Speed"),
    Ability.REASONS: mark("Reasoning"),
    Ability.TOOLS: mark("Tools"),
    Ability.CONTEXT: mark("Context length"),
}
_MARKS = {
    Mark.YES: ("check-circle", "ok", mark("works")),
    Mark.PARTLY: ("alert", "warn", mark("works in part")),
    Mark.NO: ("cross-circle", "danger", mark("fails")),
    Mark.UNKNOWN: ("minus-circle", "text_muted", mark("not known")),
}


class ReportView(QWidget):
    """Grows by a line as each thing is found out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self._said: list[str] = []
        self.hide()

    @property
    def text(self) -> str:
        """All that it says, a line each, with the marks in words."""
        return "\n".join(self._said)

    def clear(self) -> None:
        """Forget what was found out before."""
        self._said.clear()
        empty(self._grid)
        self.hide()

    def add(self, found: ModelAbility) -> str:
        """Add a line and return how it is said."""
        icon, colour, meaning = _MARKS[found.mark]
        title, words = tr(TITLES[found.ability]), said(found.words)
        sentence = f"{words} {said(found.hint)}".rstrip()
        row = len(self._said)
        shown = IconLabel(self._theme, icon, colour=colour)
        shown.setToolTip(tr(meaning))
        shown.setAccessibleName(tr(meaning))
        self._grid.addWidget(shown, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label(title), row, 1, Qt.AlignmentFlag.AlignTop)
        tone = "danger" if found.mark is Mark.NO else ""
        self._grid.addWidget(label(sentence, "muted", wrap=True, tone=tone), row, 2, Qt.AlignmentFlag.AlignTop)
        spoken = tr("{title}, {mark}: {words}", title=title, mark=tr(meaning), words=sentence)
        self._said.append(spoken)
        self.show()
        return spoken
