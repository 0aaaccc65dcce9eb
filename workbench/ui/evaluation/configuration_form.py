"""Two search configurations side by side: a row a step, a column each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QSpinBox, QWidget

from workbench.model.evaluation import NamedConfiguration
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.controls import label
from workbench.ui.evaluation.wording import LISTS, RERANKING

NOW, OWN = "As now", "Your own"
HELP = {
    "Search": "How searches go now, one that you keep under a name, or your own choice below",
    "Lists": "By meaning, by words, or both together",
    "Reranking": "Which reranker orders what was found",
    "Names": "Documents that the question names go first",
    "Parts": "A question that asks for several things is searched for each of them, too",
    "Diversity": "Above 0 a passage gives way that says what one above it says",
}
DEFAULT_K = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """What one column says; a configuration of None is how searches go now."""

    configuration: SearchConfiguration | None
    name: str = ""


class ConfigurationColumn(QObject):
    """The fields of one configuration.

    Signals:
        changed: Another value was chosen.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._in_force = DEFAULT_SEARCH
        self._filled = DEFAULT_SEARCH
        self._choice = self._box({})
        self._lists = self._box({str(mode): words for mode, words in LISTS.items()})
        self._reranking = self._box(RERANKING)
        self._names, self._parts = QCheckBox(), QCheckBox()
        self._diversity = QSpinBox()
        self._diversity.setRange(0, 100)
        self._diversity.setSingleStep(10)
        self._diversity.setSuffix(" %")
        self._diversity.lineEdit().setTextMargins(8, 0, 0, 0)
        steps: tuple[QWidget, ...] = (self._lists, self._reranking, self._names, self._parts, self._diversity)
        self.fields: tuple[QWidget, ...] = (self._choice, *steps)
        for field, (title, text) in zip(self.fields, HELP.items(), strict=True):
            field.setAccessibleName(f"{title} of {name}")
            field.setToolTip(text)
        self._choice.activated.connect(self._on_choice)
        self._lists.activated.connect(self._on_edited)
        self._reranking.activated.connect(self._on_edited)
        self._names.toggled.connect(self._on_edited)
        self._parts.toggled.connect(self._on_edited)
        self._diversity.valueChanged.connect(self._on_edited)
        self.offer(())

    @property
    def configuration(self) -> SearchConfiguration:
        """What the fields say."""
        return replace(
            self._filled,  # its weight and floor, which only the command line sets
            mode=SearchMode(self._lists.currentData()),
            reranking=self._reranking.currentData(),
            names=self._names.isChecked(),
            parts=self._parts.isChecked(),
            diversity=self._diversity.value() / 100,
        )

    @property
    def chosen(self) -> Chosen:
        """What is to be searched with."""
        if self._choice.currentIndex() == 0:
            return Chosen(None)
        named = self._choice.currentData() is not None
        return Chosen(self.configuration, self._choice.currentText() if named else "")

    def offer(self, named: tuple[NamedConfiguration, ...]) -> None:
        """Offer these names; the one that was chosen stays chosen where it is still there."""
        before = self._choice.currentText()
        self._choice.clear()
        self._choice.addItem(NOW)
        for one in named:
            self._choice.addItem(one.name, one.configuration)
        self._choice.addItem(OWN)
        self._choice.setCurrentIndex(max(0, self._choice.findText(before)))

    def show_in_force(self, configuration: SearchConfiguration) -> None:
        """Take note of how searches go now, and show that where it is chosen."""
        self._in_force = configuration
        if self._choice.currentIndex() == 0:
            self._fill(configuration)

    def show_chosen(self, chosen: Chosen) -> None:
        """Show what was chosen another time; a name that means something else by now is one's own choice."""
        row = self._choice.findText(chosen.name) if chosen.name else -1
        if chosen.configuration is None:
            self._choice.setCurrentIndex(0)
        elif row > 0 and self._choice.itemData(row) == chosen.configuration:
            self._choice.setCurrentIndex(row)
        else:
            self._choice.setCurrentText(OWN)
        self._fill(chosen.configuration or self._in_force)

    def show(self, shown: bool) -> None:
        """Show the fields, or hide them."""
        for field in self.fields:
            field.setVisible(shown)

    def _fill(self, configuration: SearchConfiguration) -> None:
        self._filled = configuration
        blockers = [QSignalBlocker(field) for field in self.fields]
        self._lists.setCurrentIndex(self._lists.findData(str(configuration.mode)))
        self._reranking.setCurrentIndex(max(0, self._reranking.findData(configuration.reranking)))
        self._names.setChecked(configuration.names)
        self._parts.setChecked(configuration.parts)
        self._diversity.setValue(round(100 * configuration.diversity))
        for blocker in blockers:
            blocker.unblock()

    def _box(self, offers: Mapping[str, str]) -> QComboBox:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(4)
        for value, words in offers.items():
            box.addItem(words, value)
        return box

    @Slot()
    def _on_choice(self) -> None:
        if self._choice.currentText() != OWN:
            self._fill(self._choice.currentData() or self._in_force)
        self.changed.emit()

    @Slot()
    def _on_edited(self) -> None:
        self._choice.setCurrentText(OWN)
        self.changed.emit()


class ConfigurationForm(QWidget):
    """Configuration A, and B where two are to be compared.

    Signals:
        changed: Another value was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = (ConfigurationColumn("A", self), ConfigurationColumn("B", self))
        self._compare = QCheckBox("Compare with B")
        self._compare.toggled.connect(self._on_compare)
        self._k = QSpinBox()
        self._k.setRange(1, 100)
        self._k.setValue(DEFAULT_K)
        self._k.setAccessibleName("Hits that are looked at")
        self._k.lineEdit().setTextMargins(8, 0, 0, 0)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.addWidget(label("A", "section"), 0, 1)
        grid.addWidget(self._compare, 0, 2)
        for row, (title, text) in enumerate(HELP.items(), start=1):
            name = label(title, "muted")
            name.setToolTip(text)
            grid.addWidget(name, row, 0)
            for number, column in enumerate(self._columns, start=1):
                grid.addWidget(column.fields[row - 1], row, number, Qt.AlignmentFlag.AlignVCenter)
        hits = label("Hits", "muted")
        hits.setToolTip("How many hits of a question are looked at")
        grid.addWidget(hits, len(HELP) + 1, 0)
        grid.addWidget(self._k, len(HELP) + 1, 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for column in self._columns:
            column.changed.connect(self.changed)
        self._on_compare()

    @property
    def chosen(self) -> tuple[Chosen, ...]:
        """One, or the two to compare."""
        return tuple(column.chosen for column in self._columns[: 2 if self._compare.isChecked() else 1])

    @property
    def configurations(self) -> tuple[SearchConfiguration, ...]:
        """What the fields of the one, or of the two, say."""
        return tuple(column.configuration for column in self._columns[: 2 if self._compare.isChecked() else 1])

    @property
    def k(self) -> int:
        """How many hits are looked at."""
        return self._k.value()

    def offer(self, named: tuple[NamedConfiguration, ...]) -> None:
        """Offer these names."""
        for column in self._columns:
            column.offer(named)

    def show_in_force(self, configuration: SearchConfiguration) -> None:
        """Take note of how searches go now."""
        for column in self._columns:
            column.show_in_force(configuration)
        self.changed.emit()

    def show_chosen(self, chosen: tuple[Chosen, ...]) -> None:
        """Show one or two that were chosen another time."""
        for column, one in zip(self._columns, chosen, strict=False):
            column.show_chosen(one)
        self._compare.setChecked(len(chosen) > 1)
        self.changed.emit()

    @Slot()
    def _on_compare(self) -> None:
        self._columns[1].show(self._compare.isChecked())
        self.changed.emit()
