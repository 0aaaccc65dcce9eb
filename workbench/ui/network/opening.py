"""What waits for the air gap to go off: done at once where it is off already."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from workbench.model.egress import AirGap
from workbench.ui.network.air_gap import AirGapPresenter


class Opening(QObject):
    """Switches the air gap off for something that the user asked for with that."""

    def __init__(self, air_gap: AirGapPresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._air_gap = air_gap
        self._waiting: list[Callable[[], object]] = []
        air_gap.changed.connect(self._on_changed)

    @property
    def is_needed(self) -> bool:
        """Whether the air gap is on."""
        return self._air_gap.is_on

    def then(self, work: Callable[[], object]) -> None:
        """Switch the air gap off and do this; if it cannot be switched off, this is not done."""
        if self.is_needed:
            self._waiting.append(work)
            self._air_gap.switch_off()
        else:
            work()

    @Slot(object)
    def _on_changed(self, state: AirGap | None) -> None:
        waiting, self._waiting = self._waiting, []
        if state is not None and not state.is_on:
            for work in waiting:
                work()
