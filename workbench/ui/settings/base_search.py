"""Card that shows how a knowledge base is searched, and changes this for one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.hit import SearchMode
from workbench.model.reranker import RERANKERS
from workbench.model.search_configuration import SearchConfiguration
from workbench.ui.controls import button, frame, label
from workbench.ui.settings.presenter import BaseSearchPresenter

TITLE = mark("Search by knowledge base")
ABOUT = mark(
    "Each knowledge base can have its own search settings. Changes apply from the next "
    "question on; an evaluation shows which settings find more."
)
_LISTS = {
    SearchMode.HYBRID: mark("Meaning and keywords"),
    SearchMode.DENSE: mark("Meaning only"),
    SearchMode.KEYWORD: mark("Keywords only"),
}
_RERANKING = {"": mark("Same as above"), **{one.name: one.title for one in RERANKERS.values()}}
_FIELDS = (
    (mark("Search method"), mark("Search by meaning, by keywords, or both")),
    (mark("Reranking"), mark("How the passages found are sorted by relevance")),
    (
        mark("Weight of meaning"),
        mark("Share of meaning compared with keywords; “Automatic” is measured for this library"),
    ),
    (
        mark("Minimum relevance"),
        mark("If even the best passage is below this, nothing is returned; “None” always returns passages"),
    ),
    (mark("Diversity"), mark("Above 0, passages that repeat a better one move down")),
)
FIELD_TITLES = tuple(title for title, _text in _FIELDS)
_NOT_SET = -1
FIELD_WIDTH = 200


class BaseSearchCard(QWidget):
    """Card with the search settings of the chosen knowledge base."""

    def __init__(self, presenter: BaseSearchPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._base = QComboBox()
        self._base.setAccessibleName(tr("Knowledge base"))
        self._state = label("", "caption", wrap=True)
        self._lists = _box({str(mode): words for mode, words in _LISTS.items()})
        self._reranking = _box(_RERANKING)
        self._weight, self._floor, self._diversity = _percent(), _percent(), _percent()
        for one in (self._weight, self._floor):
            one.setMinimum(_NOT_SET)
        self._weight.setSpecialValueText(tr("Automatic"))
        self._floor.setSpecialValueText(tr("None"))
        self._names = QCheckBox(tr("Prefer documents named in the question"))
        self._parts = QCheckBox(tr("Also search for each part of a question with several parts"))
        self._reset = button("", "secondary", presenter.reset)
        self._lay_out()
        self._connect()
        self._on_changed()

    @property
    def text(self) -> str:
        """Sentence on how the chosen knowledge base is searched."""
        return self._state.text()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # An evaluation or another window may have changed the configuration meanwhile.
        self._presenter.refresh()

    def _lay_out(self) -> None:
        card = frame("card")
        chosen = QHBoxLayout()
        chosen.addWidget(self._state, 1)
        chosen.addWidget(self._base)
        self._base.setFixedWidth(FIELD_WIDTH)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        fields = (self._lists, self._reranking, self._weight, self._floor, self._diversity)
        for row, ((title, text), field) in enumerate(zip(_FIELDS, fields, strict=True)):
            field.setAccessibleName(tr(title))
            field.setAccessibleDescription(tr(text))
            field.setFixedWidth(FIELD_WIDTH)
            words = QVBoxLayout()
            words.setSpacing(0)
            words.addWidget(label(tr(title)))
            words.addWidget(label(tr(text), "caption", wrap=True))
            grid.addLayout(words, row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(0, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._reset)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(8)
        inside.addWidget(label(tr(TITLE), "title"))
        inside.addWidget(label(tr(ABOUT), "caption", wrap=True))
        inside.addLayout(chosen)
        inside.addWidget(frame("divider"))
        inside.addLayout(grid)
        inside.addWidget(self._names)
        inside.addWidget(self._parts)
        inside.addLayout(foot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    def _connect(self) -> None:
        presenter = self._presenter
        presenter.bases_changed.connect(self._on_bases)
        presenter.changed.connect(self._on_changed)
        self._base.activated.connect(self._on_base)
        for box in (self._lists, self._reranking):
            box.activated.connect(self._on_edited)
        for spin in (self._weight, self._floor, self._diversity):
            spin.valueChanged.connect(self._on_edited)
        for check in (self._names, self._parts):
            check.toggled.connect(self._on_edited)
        self._on_bases()

    def _configuration(self) -> SearchConfiguration:
        return replace(
            self._presenter.configuration,
            mode=SearchMode(self._lists.currentData()),
            reranking=self._reranking.currentData(),
            names=self._names.isChecked(),
            parts=self._parts.isChecked(),
            diversity=self._diversity.value() / 100,
            dense_weight=_share(self._weight),
            floor=_share(self._floor),
        )

    @Slot()
    def _on_bases(self) -> None:
        with QSignalBlocker(self._base):
            self._base.clear()
            self._base.addItem(tr("All others"), None)
            for name in self._presenter.bases:
                self._base.addItem(name, name)
            self._base.setCurrentIndex(max(0, self._base.findData(self._presenter.base)))

    @Slot()
    def _on_changed(self) -> None:
        presenter, shown = self._presenter, self._presenter.configuration
        fields = (self._lists, self._reranking, self._weight, self._floor, self._diversity, self._names, self._parts)
        blockers = [QSignalBlocker(field) for field in fields]
        self._lists.setCurrentIndex(self._lists.findData(str(shown.mode)))
        self._reranking.setCurrentIndex(max(0, self._reranking.findData(shown.reranking)))
        for spin, share in ((self._weight, shown.dense_weight), (self._floor, shown.floor)):
            spin.setValue(_NOT_SET if share is None else round(100 * share))
        self._diversity.setValue(round(100 * shown.diversity))
        self._names.setChecked(shown.names)
        self._parts.setChecked(shown.parts)
        for blocker in blockers:
            blocker.unblock()
        self._reset.setVisible(presenter.is_own)
        if presenter.base is None:
            self._reset.setText(tr("Reset to defaults"))
            self._state.setText(tr("Applies to all knowledge bases without their own settings:"))
        else:
            self._reset.setText(tr("Use the common settings"))
            own = tr("“{name}” has its own settings:", name=presenter.base)
            alike = tr("“{name}” uses the common settings:", name=presenter.base)
            self._state.setText(own if presenter.is_own else alike)

    @Slot(int)
    def _on_base(self, row: int) -> None:
        self._presenter.choose(self._base.itemData(row))

    @Slot()
    def _on_edited(self) -> None:
        self._presenter.put(self._configuration())


def _box(offers: Mapping[str, str]) -> QComboBox:
    box = QComboBox()
    for value, words in offers.items():
        box.addItem(tr(words), value)
    return box


def _percent() -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(0, 100)
    spin.setSingleStep(5)
    spin.setSuffix(" %")
    spin.setKeyboardTracking(False)
    spin.lineEdit().setTextMargins(8, 0, 0, 0)
    return spin


def _share(spin: QSpinBox) -> float | None:
    return None if spin.value() == _NOT_SET else spin.value() / 100
