"""The air gap as a bar: whether it is on, why, what may go where, and the button that shuts or opens it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.egress import AirGap
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, redress
from workbench.ui.network.air_gap import AirGapPresenter
from workbench.ui.network.wording import state_words, switch_words, why_words
from workbench.ui.theme import Theme


class AirGapBar(QWidget):
    """Hidden while nothing is known of it; as high in a narrow pane as in a wide one."""

    def __init__(self, presenter: AirGapPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._icon = IconLabel(theme, "shield", colour="ok", size=20)
        self._state = ElidedLabel()
        self._state.setProperty("role", "title")
        self._why = ElidedLabel()
        self._why.setProperty("role", "caption")
        self._switch = button(tr("Switch on"), "secondary", presenter.toggle)
        self._box = frame("banner", tone="ok")
        self.setFocusProxy(self._switch)
        self._lay_out()
        presenter.changed.connect(self._show)
        self._show(presenter.state)

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._state.accessibleName()} {self._why.accessibleName()}"

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._state)
        words.addWidget(self._why)
        row = QHBoxLayout(self._box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(words, 1)
        row.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    @Slot(object)
    def _show(self, state: AirGap | None) -> None:
        self.setVisible(state is not None)
        if state is None:
            return
        tone = "ok" if state.is_shut else "warn"
        self._icon.show_icon("shield" if state.is_on else "shield-off", tone)
        self._state.set_whole_text(state_words(state))
        self._why.set_whole_text(why_words(state))
        text, name = switch_words(state)
        self._switch.setText(text)
        self._switch.setAccessibleName(name)
        redress(self._box, tone=tone)
