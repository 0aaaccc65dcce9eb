"""What a reading would take, before it begins: the user confirms it here, or not."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.exhaustive import Price, ReadingEstimate
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.exhaustive.wording import estimate_lines, what_leaves
from workbench.ui.theme import Theme


class EstimateCard(QWidget):
    """An estimate with the button that begins.

    Signals:
        start_asked: Begin.
        price_changed: The user typed what tokens cost.
    """

    start_asked = Signal()
    price_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = label("", wrap=True)
        self._where = label("", "muted", wrap=True)
        self._shield = IconLabel(theme, "shield", colour="ok")
        self._read, self._written = (
            _price(tr("Price of a million tokens read")),
            _price(tr("Price of a million tokens written")),
        )
        self._prices = QWidget()
        self.start = button(tr("Start reading"), "primary", self.start_asked)
        self._lay_out()
        for field in (self._read, self._written):
            field.valueChanged.connect(self._on_price)

    @property
    def price(self) -> Price | None:
        """What tokens cost; None where nothing was typed."""
        read, written = self._read.value(), self._written.value()
        return Price(read, written) if read or written else None

    def set_price(self, price: Price | None) -> None:
        """Show a price without asking for another estimate."""
        for field, value in (
            (self._read, price.input if price else 0.0),
            (self._written, price.output if price else 0),
        ):
            with QSignalBlocker(field):
                field.setValue(value)

    def show_estimate(self, estimate: ReadingEstimate) -> None:
        """Show an estimate."""
        lines, leaves = estimate_lines(estimate), what_leaves(estimate)
        self._lines.setText("\n".join(lines))
        self._where.setText(leaves)
        self._shield.show_icon("globe" if estimate.host else "shield", "warn" if estimate.host else "ok")
        self._prices.setVisible(bool(estimate.calls))
        self.setAccessibleName(". ".join([*lines, leaves]))

    def _lay_out(self) -> None:
        where = QHBoxLayout()
        where.setSpacing(8)
        where.addWidget(self._shield)
        where.addWidget(self._where, 1)
        where.addWidget(self.start)
        prices = QHBoxLayout(self._prices)
        prices.setContentsMargins(0, 0, 0, 0)
        prices.setSpacing(6)
        prices.addWidget(label(tr("Price of a million tokens: read"), "caption"))
        prices.addWidget(self._read)
        prices.addWidget(label(tr("written", "tokens"), "caption"))
        prices.addWidget(self._written)
        prices.addStretch(1)
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(14, 10, 12, 10)
        inside.setSpacing(6)
        inside.addWidget(self._lines)
        inside.addWidget(self._prices)
        inside.addLayout(where)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    @Slot()
    def _on_price(self) -> None:
        self.price_changed.emit()


def _price(name: str) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setRange(0.0, 10_000.0)
    field.setDecimals(2)
    field.setSpecialValueText("–")
    field.setAccessibleName(name)
    field.setToolTip(tr("In whatever money you pay; only you know it. Without it no cost is told."))
    field.setKeyboardTracking(False)
    field.setMaximumWidth(90)
    return field
