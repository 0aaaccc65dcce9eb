"""What setting something up means for the air gap: a sentence, and a button where the air gap is in its way."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.egress import AirGapChoice
from workbench.ui.controls import button, frame, label, redress
from workbench.ui.network.air_gap import AirGapPresenter

OPENS = mark("This makes an exception of the air gap: this address may then be asked, and nothing else.")
STAYS = mark("The air gap is on without exceptions: this does not work until you allow what is set up.")


class Consent(QWidget):
    """Hidden where nothing would leave this machine, or the air gap is off."""

    def __init__(self, air_gap: AirGapPresenter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._air_gap = air_gap
        self._is_needed = False
        self._opens, self._stays = OPENS, STAYS
        self._text = label("", wrap=True)
        self._switch = button(tr("Allow what is set up"), "secondary", air_gap.make_exceptions)
        self._box = frame("banner", tone="warn")
        row = QHBoxLayout(self._box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._text, 1)
        row.addWidget(self._switch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        air_gap.changed.connect(self._show)
        self._show()

    @property
    def text(self) -> str:
        """What it says; nothing while it is hidden."""
        return "" if self.isHidden() else self._text.text()

    def ask(self, needed: bool, *, opens: str = OPENS, stays: str = STAYS) -> None:
        """Say what it would mean.

        Args:
            needed: What is being set up would use the network.
            opens: What is said where the air gap makes an exception for it, marked.
            stays: What is said where it makes none, marked.
        """
        self._is_needed, self._opens, self._stays = needed, opens, stays
        self._show()

    @Slot()
    def _show(self) -> None:
        state = self._air_gap.state
        self.setVisible(self._is_needed and state is not None and state.is_on)
        if state is not None:
            is_exception = state.choice is AirGapChoice.AUTO and state.at_home
            self._text.setText(tr(self._opens if is_exception else self._stays))
            self._switch.setVisible(not is_exception)
            redress(self._box, tone="" if is_exception else "warn")


def is_fetched(name: str) -> bool:
    """Tell whether a model is one of the hub's: its name is no folder of this machine."""
    return bool(name) and not Path(name).expanduser().is_dir()
