"""One declared setting as one row: title, marker, help, field, reset."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from workbench.model.setting import Setting
from workbench.ui.controls import IconButton, frame, label
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

FIELD_WIDTH = 200
CHOICES = {
    "auto": "Automatic",
    "system": "As the system",
    "light": "Light",
    "dark": "Dark",
    "no": "No",
    "yes": "Yes",
    "tokens": "Built in, word by word",
    "letters": "Built in, by letters",
    "model": "A model of your own",
    "server": "A server",
    "none": "None",
    "never": "Never",
    "asked": "Where you say so",
    "always": "Always",
    "cohere": "Cohere",
    "jina": "Jina and others",
    "tei": "Text Embeddings Inference",
    "searxng": "SearXNG",
    "brave": "Brave Search",
    "tavily": "Tavily",
}
"""How choices are said; the others are names and stay as they are."""


class SettingRow(QWidget):
    """Shows one setting and changes it as soon as it is left."""

    def __init__(self, declared: Setting, presenter: SettingsPresenter, theme: Theme) -> None:
        super().__init__()
        self._declared = declared
        self._presenter = presenter
        title = label(declared.title)
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(title)
        if declared.needs_reindex:
            heading.addWidget(self._marker())
        heading.addStretch(1)
        self._field = self._make_field()
        self._field.setFixedWidth(FIELD_WIDTH)
        self._field.setAccessibleName(declared.title)
        self._field.setAccessibleDescription(declared.help)
        self._reset = IconButton(theme, "undo", f"Reset “{declared.title}” to its default", self._on_reset)
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        help_text = label(declared.help, "caption", wrap=True)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 10, 10, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addLayout(heading, 0, 0)
        grid.addWidget(help_text, 1, 0)
        grid.addWidget(self._field, 0, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self._reset, 0, 2, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(0, 1)

    def show_value(self, value: Any) -> None:
        """Show the value in force."""
        with QSignalBlocker(self._field):
            if isinstance(self._field, QSpinBox):
                self._field.setValue(int(value))
            elif isinstance(self._field, QComboBox):
                self._field.setCurrentIndex(self._field.findData(value))
            elif isinstance(self._field, QLineEdit):
                self._field.setText(str(value))
        self._reset.setVisible(value != self._declared.default)

    def focus(self) -> None:
        """Put the keyboard on what changes it."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _marker(self) -> QWidget:
        chip = frame("chip")
        chip.setToolTip("Documents that are indexed already keep the old value until they are indexed again.")
        row = QHBoxLayout(chip)
        row.setContentsMargins(8, 0, 8, 1)
        row.addWidget(label("needs re-index", "caption"))
        return chip

    def _make_field(self) -> QWidget:
        declared = self._declared
        if declared.type is int:
            spin = QSpinBox()
            spin.setRange(int(declared.minimum or 0), int(declared.maximum or 1_000_000))
            spin.setKeyboardTracking(False)
            spin.lineEdit().setTextMargins(8, 0, 0, 0)
            spin.valueChanged.connect(self._on_changed)
            return spin
        if declared.choices:
            combo = QComboBox()
            for choice in declared.choices:
                combo.addItem(CHOICES.get(choice, choice), choice)
            combo.activated.connect(self._on_chosen)
            return combo
        line = QLineEdit()
        unset = "Built-in" if declared.key == "embedder" else "None"
        line.setPlaceholderText(str(declared.default) or unset)
        line.editingFinished.connect(self._on_edited)
        return line

    @Slot(int)
    def _on_changed(self, value: int) -> None:
        self._presenter.put(self._declared.key, value)

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        if isinstance(self._field, QComboBox):
            self._presenter.put(self._declared.key, self._field.itemData(row))

    @Slot()
    def _on_edited(self) -> None:
        if isinstance(self._field, QLineEdit):
            self._presenter.put(self._declared.key, self._field.text().strip())

    @Slot()
    def _on_reset(self) -> None:
        self._presenter.reset(self._declared.key)
