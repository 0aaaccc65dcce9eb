"""The card below the setting of the air gap: what it means now, and the way to what went over the network."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import button
from workbench.ui.network.air_gap import AirGapPresenter
from workbench.ui.network.air_gap_bar import AirGapBar
from workbench.ui.network.switching import window_action
from workbench.ui.theme import Theme


class NetworkCard(QWidget):
    """The bar of the pane of the network, and a button that shows this pane."""

    def __init__(self, presenter: AirGapPresenter, theme: Theme) -> None:
        super().__init__()
        self.bar = AirGapBar(presenter, theme)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(button(tr("Show what went over the network"), "ghost", self._on_show))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.bar)
        layout.addLayout(row)

    @Slot()
    def _on_show(self) -> None:
        action = window_action(self, "focus_network")
        if action is not None:
            self.window().close()
            action.trigger()
