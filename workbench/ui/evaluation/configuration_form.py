"""Form with two search configurations side by side: one row per step, one column per configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QSpinBox, QWidget

from workbench.language import mark, tr
from workbench.model.evaluation import NamedConfiguration
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.ui.controls import label
from workbench.ui.evaluation.run_presenter import LISTS, RERANKING

NOW, OWN = mark("Current"), mark("Custom")
HELP = {
    mark("Search"): mark("The current configuration, a saved one, or a custom one below"),
    mark("Search by"): mark("Search by meaning, by keywords, or both"),
    mark("Reranking"): mark("How the passages found are sorted by relevance"),
    mark("Names"): mark("Prefer documents named in the question"),
    mark("Parts"): mark("Also search for each part of a question with several parts"),
    mark("Weight"): mark("Share of meaning compared with keywords, if both are searched"),
    mark("Floor"): mark("If even the best passage is below this, nothing is returned; ranks do not change"),
    mark("Diversity"): mark("Above 0, passages that repeat a better one move down"),
}
DEFAULT_K = 10
_NOT_SET = -1
"""Value of a field whose share is not set."""


@dataclass(frozen=True, slots=True)
class ChosenConfiguration:
    """Configuration chosen in one column; None stands for the configuration in force."""

    configuration: SearchConfiguration | None
    name: str = ""


class ConfigurationColumn(QObject):
    """Input fields of one configuration.

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
        self._weight, self._floor, self._diversity = _percent(5), _percent(5), _percent(10)
        for field in (self._weight, self._floor):
            field.setMinimum(_NOT_SET)
            # The special value text must not make the form wider than a narrow dock.
            field.setMinimumWidth(self._diversity.minimumSizeHint().width())
        self._weight.setSpecialValueText(tr("Automatic"))
        self._floor.setSpecialValueText(tr("None"))
        shares = (self._weight, self._floor, self._diversity)
        steps: tuple[QWidget, ...] = (self._lists, self._reranking, self._names, self._parts, *shares)
        self.fields: tuple[QWidget, ...] = (self._choice, *steps)
        for one, (title, text) in zip(self.fields, HELP.items(), strict=True):
            one.setAccessibleName(tr("{field} of {letter}", field=tr(title), letter=name))
            one.setToolTip(tr(text))
        self._choice.activated.connect(self._on_choice)
        self._lists.activated.connect(self._on_edited)
        self._reranking.activated.connect(self._on_edited)
        self._names.toggled.connect(self._on_edited)
        self._parts.toggled.connect(self._on_edited)
        for share in shares:
            share.valueChanged.connect(self._on_edited)
        self.offer(())

    @property
    def configuration(self) -> SearchConfiguration:
        """Configuration that the fields describe."""
        return replace(
            self._filled,
            mode=SearchMode(self._lists.currentData()),
            reranking=self._reranking.currentData(),
            names=self._names.isChecked(),
            parts=self._parts.isChecked(),
            dense_weight=_share(self._weight, self._filled.dense_weight),
            floor=_share(self._floor, self._filled.floor),
            diversity=_share(self._diversity, self._filled.diversity) or 0.0,
        )

    @property
    def _own(self) -> int:
        """Index of the entry for the user's own configuration, the last one."""
        return self._choice.count() - 1

    @property
    def chosen(self) -> ChosenConfiguration:
        """Chosen configuration, with its name if it is a named one."""
        if self._choice.currentIndex() == 0:
            return ChosenConfiguration(None)
        named = self._choice.currentData() is not None
        return ChosenConfiguration(self.configuration, self._choice.currentText() if named else "")

    def offer(self, named: tuple[NamedConfiguration, ...]) -> None:
        """Offer named configurations, and keep the current choice if it is still offered."""
        before = self._choice.currentText()
        self._choice.clear()
        self._choice.addItem(tr(NOW))
        for one in named:
            self._choice.addItem(one.name, one.configuration)
        self._choice.addItem(tr(OWN))
        self._choice.setCurrentIndex(max(0, self._choice.findText(before)))

    def show_in_force(self, configuration: SearchConfiguration) -> None:
        """Store the configuration in force, and fill the fields with it if it is chosen."""
        self._in_force = configuration
        if self._choice.currentIndex() == 0:
            self._fill(configuration)

    def show_chosen(self, chosen: ChosenConfiguration) -> None:
        """Show an earlier choice; if its name has another configuration by now, show it as the user's own."""
        row = self._choice.findText(chosen.name) if chosen.name else -1
        if chosen.configuration is None:
            self._choice.setCurrentIndex(0)
        elif row > 0 and self._choice.itemData(row) == chosen.configuration:
            self._choice.setCurrentIndex(row)
        else:
            self._choice.setCurrentIndex(self._own)
        self._fill(chosen.configuration or self._in_force)

    def show(self, shown: bool) -> None:
        """Show or hide the fields."""
        for field in self.fields:
            field.setVisible(shown)

    def _fill(self, configuration: SearchConfiguration) -> None:
        self._filled = configuration
        blockers = [QSignalBlocker(field) for field in self.fields]
        self._lists.setCurrentIndex(self._lists.findData(str(configuration.mode)))
        self._reranking.setCurrentIndex(max(0, self._reranking.findData(configuration.reranking)))
        self._names.setChecked(configuration.names)
        self._parts.setChecked(configuration.parts)
        self._weight.setValue(_percents(configuration.dense_weight))
        self._floor.setValue(_percents(configuration.floor))
        self._diversity.setValue(_percents(configuration.diversity))
        for blocker in blockers:
            blocker.unblock()
        self._show_weight()

    def _show_weight(self) -> None:
        """Enable the weight only for hybrid search; a single list needs no weight."""
        self._weight.setEnabled(self._lists.currentData() == SearchMode.HYBRID)

    def _box(self, offers: Mapping[str, str]) -> QComboBox:
        box = QComboBox()
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(4)
        for value, words in offers.items():
            box.addItem(tr(words), value)
        return box

    @Slot()
    def _on_choice(self) -> None:
        if self._choice.currentIndex() != self._own:
            self._fill(self._choice.currentData() or self._in_force)
        self.changed.emit()

    @Slot()
    def _on_edited(self) -> None:
        self._show_weight()
        self._choice.setCurrentIndex(self._own)
        self.changed.emit()


class ConfigurationForm(QWidget):
    """Form of configuration A, and of B if two are compared.

    Signals:
        changed: Another value was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = (ConfigurationColumn("A", self), ConfigurationColumn("B", self))
        self._compare = QCheckBox(tr("Compare with B"))
        self._compare.toggled.connect(self._on_compare)
        self._k = QSpinBox()
        self._k.setRange(1, 100)
        self._k.setValue(DEFAULT_K)
        self._k.setAccessibleName(tr("Number of hits"))
        self._k.lineEdit().setTextMargins(8, 0, 0, 0)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.addWidget(label("A", "section"), 0, 1)
        grid.addWidget(self._compare, 0, 2)
        for row, (title, text) in enumerate(HELP.items(), start=1):
            name = label(tr(title), "muted")
            name.setToolTip(tr(text))
            grid.addWidget(name, row, 0)
            for number, column in enumerate(self._columns, start=1):
                grid.addWidget(column.fields[row - 1], row, number, Qt.AlignmentFlag.AlignVCenter)
        hits = label(tr("Hits"), "muted")
        hits.setToolTip(tr("How many hits of each question are evaluated"))
        grid.addWidget(hits, len(HELP) + 1, 0)
        grid.addWidget(self._k, len(HELP) + 1, 1)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for column in self._columns:
            column.changed.connect(self.changed)
        self._on_compare()

    @property
    def chosen(self) -> tuple[ChosenConfiguration, ...]:
        """Chosen configuration, or both if two are compared."""
        return tuple(column.chosen for column in self._columns[: 2 if self._compare.isChecked() else 1])

    @property
    def configurations(self) -> tuple[SearchConfiguration, ...]:
        """Configuration that the fields describe, or both if two are compared."""
        return tuple(column.configuration for column in self._columns[: 2 if self._compare.isChecked() else 1])

    @property
    def k(self) -> int:
        """Number of hits to evaluate per question."""
        return self._k.value()

    def offer(self, named: tuple[NamedConfiguration, ...]) -> None:
        """Offer named configurations in both columns."""
        for column in self._columns:
            column.offer(named)

    def show_in_force(self, configuration: SearchConfiguration) -> None:
        """Store the configuration in force in both columns."""
        for column in self._columns:
            column.show_in_force(configuration)
        self.changed.emit()

    def show_chosen(self, chosen: tuple[ChosenConfiguration, ...]) -> None:
        """Show one or two earlier choices."""
        for column, one in zip(self._columns, chosen, strict=False):
            column.show_chosen(one)
        self._compare.setChecked(len(chosen) > 1)
        self.changed.emit()

    @Slot()
    def _on_compare(self) -> None:
        self._columns[1].show(self._compare.isChecked())
        self.changed.emit()


def _percent(step: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(0, 100)
    field.setSingleStep(step)
    field.setSuffix(" %")
    field.lineEdit().setTextMargins(8, 0, 0, 0)
    return field


def _percents(share: float | None) -> int:
    return _NOT_SET if share is None else round(100 * share)


def _share(field: QSpinBox, filled: float | None) -> float | None:
    """Return the share of a field; a filled-in share with more digits is kept until the field is changed."""
    if field.value() == _percents(filled):
        return filled
    return None if field.value() == _NOT_SET else field.value() / 100
