"""Form of a new exhaustive reading: question, filter, profile, and the card on which its estimate is confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.exhaustive import Price, ReadingEstimate
from workbench.model.filter import ChunkFilter, FilterExtent
from workbench.model.profile import ModelProfile
from workbench.ui.chat.filter_bar import FilterBar
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.exhaustive.reading_wording import estimate_lines, what_leaves
from workbench.ui.theme import Theme

ABOUT = mark(
    "One question, asked of every passage and not only of those that a search finds: a verdict for each document."
)
_EXAMPLE = mark("Ask every passage… for example: Does it name a notice period of more than 30 days?")


class ReadingForm(QFrame):
    """Form that requests an estimate first; only the estimate's card has the button that starts the reading.

    Signals:
        estimate_asked: Question, ChunkFilter, name of the profile, and Price or None.
        start_asked: The same values.
        filter_changed: The new ChunkFilter.
    """

    estimate_asked = Signal(str, object, str, object)
    start_asked = Signal(str, object, str, object)
    filter_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._prices: dict[str, Price] = {}
        self._offered: list[str] = []
        self._question = QLineEdit()
        self._question.setPlaceholderText(tr(_EXAMPLE))
        self._question.setAccessibleName(tr("Question for every passage"))
        self._question.setAccessibleDescription(tr(ABOUT))
        self._question.setToolTip(tr(ABOUT))
        self.filter_bar = FilterBar(theme)
        self._profile = QComboBox()
        self._profile.setAccessibleName(tr("Who reads"))
        self._profile.setToolTip(tr("“offline” quotes from your documents and needs no model."))
        self._estimate = button(tr("Estimate", "verb"), "primary", self._on_estimate)
        self._where = label("", "caption", wrap=True)
        self._problem = label("", wrap=True, tone="danger")
        self.card = EstimateCard(theme)
        self._lay_out()
        self.setFocusProxy(self._question)
        self._question.textEdited.connect(self._on_changed)
        self._question.returnPressed.connect(self._on_estimate)
        self._profile.currentIndexChanged.connect(self._on_profile)
        self.filter_bar.changed.connect(self._on_filter)
        self.filter_bar.left.connect(self._on_left)
        self.card.start_asked.connect(self._on_start)
        self.card.price_changed.connect(self._on_estimate)
        self._forget()

    @property
    def profile(self) -> str:
        """Name of the profile that reads."""
        return str(self._profile.currentData() or "offline")

    def set_profiles(self, profiles: Sequence[ModelProfile], chosen: str, prices: dict[str, Price]) -> None:
        """Offer profiles; the one of the settings is chosen at first."""
        keep = self.profile if self._profile.count() else chosen
        names = [one.name for one in profiles]
        if prices == self._prices and names == self._offered:
            return  # an estimate that is shown stays
        self._prices, self._offered = prices, names
        with QSignalBlocker(self._profile):
            self._profile.clear()
            for one in profiles:
                words = tr("offline: no model") if one.is_offline else f"{one.name}: {one.model}"
                self._profile.addItem(words, one.name)
            self._profile.setCurrentIndex(max(0, self._profile.findData(keep)))
        self._on_profile()

    def set_knowledge_base(self, name: str | None) -> None:
        """Show the knowledge base that is read."""
        self._where.setText(tr("Reads only in the knowledge base “{name}”.", name=name) if name else "")
        self._where.setVisible(bool(name))
        self._forget()

    def show_extent(self, extent: FilterExtent) -> None:
        """Show how many documents and passages pass the filter."""
        self.filter_bar.show_extent(extent)

    def show_estimate(self, estimate: ReadingEstimate) -> None:
        """Show an estimate, with the button that starts the reading."""
        self._problem.hide()
        self._estimate.setEnabled(True)
        self.card.show_estimate(estimate)
        self.card.show()
        self._estimate.hide()
        if self._question.hasFocus() or self._estimate.hasFocus():
            self.card.start.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_problem(self, text: str) -> None:
        """Show the reason why nothing can be read."""
        self._forget()
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _lay_out(self) -> None:
        profile_row = QHBoxLayout()
        profile_row.setSpacing(8)
        profile_row.addWidget(label(tr("Who reads"), "muted"))
        profile_row.addWidget(self._profile, 1)
        profile_row.addWidget(self._estimate)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(self._question)
        layout.addWidget(self.filter_bar)
        layout.addLayout(profile_row)
        layout.addWidget(self._where)
        layout.addWidget(self._problem)
        layout.addWidget(self.card)
        layout.addStretch(1)

    def _read_fields(self) -> tuple[str, ChunkFilter, str, Price | None] | None:
        """Return the values of the form, or None if the question is empty or the filter is invalid."""
        question = self._question.text().strip()
        if not question:
            self.show_problem(tr("Type what every passage is to be asked."))
            self._question.setFocus(Qt.FocusReason.OtherFocusReason)
            return None
        if not self.filter_bar.check():
            return None
        return question, self.filter_bar.filter, self.profile, self.card.price

    def _forget(self) -> None:
        """Hide the estimate, which no longer applies."""
        self.card.hide()
        self._problem.hide()
        self._estimate.show()
        self._estimate.setEnabled(True)

    @Slot()
    def _on_estimate(self) -> None:
        if (values := self._read_fields()) is not None:
            self._problem.hide()
            self._estimate.setEnabled(False)
            self.estimate_asked.emit(*values)

    @Slot()
    def _on_start(self) -> None:
        if (values := self._read_fields()) is not None:
            self.start_asked.emit(*values)
            self._forget()

    @Slot()
    def _on_changed(self) -> None:
        self._forget()

    @Slot()
    def _on_profile(self) -> None:
        self.card.set_price(self._prices.get(self.profile))
        self._forget()

    @Slot(object)
    def _on_filter(self, chosen: ChunkFilter) -> None:
        self._forget()
        self.filter_changed.emit(chosen)

    @Slot()
    def _on_left(self) -> None:
        self._question.setFocus(Qt.FocusReason.OtherFocusReason)


class EstimateCard(QWidget):
    """Card with an estimate and the button that starts the reading.

    Signals:
        start_asked: The button was pressed.
        price_changed: The user typed another price of tokens.
    """

    start_asked = Signal()
    price_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = label("", wrap=True)
        self._where = label("", "muted", wrap=True)
        self._shield = IconLabel(theme, "shield", colour="ok")
        self._read, self._written = (
            _make_price_field(tr("Price of a million tokens read")),
            _make_price_field(tr("Price of a million tokens written")),
        )
        self._prices = QWidget()
        self.start = button(tr("Start reading"), "primary", self.start_asked)
        self._lay_out()
        for field in (self._read, self._written):
            field.valueChanged.connect(self._on_price)

    @property
    def price(self) -> Price | None:
        """Price of tokens; None if nothing was typed."""
        read, written = self._read.value(), self._written.value()
        return Price(read, written) if read or written else None

    def set_price(self, price: Price | None) -> None:
        """Show a price without requesting another estimate."""
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
        target_row = QHBoxLayout()
        target_row.setSpacing(8)
        target_row.addWidget(self._shield)
        target_row.addWidget(self._where, 1)
        target_row.addWidget(self.start)
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
        inside.addLayout(target_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    @Slot()
    def _on_price(self) -> None:
        self.price_changed.emit()


def _make_price_field(name: str) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setRange(0.0, 10_000.0)
    field.setDecimals(2)
    field.setSpecialValueText("–")
    field.setAccessibleName(name)
    field.setToolTip(tr("In whatever money you pay; only you know it. Without it no cost is told."))
    field.setKeyboardTracking(False)
    field.setMaximumWidth(90)
    return field
