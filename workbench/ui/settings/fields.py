"""One declared setting as one row: title, marker, help, field, reset."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from workbench.language import mark, said, tr
from workbench.model.setting import Setting
from workbench.ui.controls import IconButton, frame, label
from workbench.ui.settings.finding import Words, in_both, show_marked
from workbench.ui.settings.pages import choice_words, help_words
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

FIELD_WIDTH = 200
LATER = mark("Documents that are indexed already keep the old value until they are indexed again.")


class SettingRow(QWidget):
    """Shows one setting and changes it as soon as it is left.

    Signals:
        reset_asked: The key of the setting, which is to have its default again.
    """

    reset_asked = Signal(str)

    def __init__(self, declared: Setting, presenter: SettingsPresenter, theme: Theme) -> None:
        super().__init__()
        self._declared = declared
        self._presenter = presenter
        self._theme = theme
        self._title_text, self._help_text = said(declared.title), help_words(declared)
        self._title = label(self._title_text)
        self._help = label(self._help_text, "caption", wrap=True)
        self.is_changed = False
        self.texts = self._texts()
        self._field = self._make_field()
        self._field.setFixedWidth(FIELD_WIDTH)
        self._field.setAccessibleName(self._title_text)
        later = f" {tr(LATER)}" if declared.needs_reindex else ""
        self._field.setAccessibleDescription(f"{self._help_text}{later}")
        reset = tr("Reset “{title}” to its default", title=self._title_text)
        self._reset = IconButton(theme, "undo", reset, self._on_reset)
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        self._lay_out()

    def show_value(self, value: Any) -> None:
        """Show the value in force."""
        with QSignalBlocker(self._field):
            if isinstance(self._field, QSpinBox):
                self._field.setValue(int(value))
            elif isinstance(self._field, QDoubleSpinBox):
                self._field.setValue(float(value))
            elif isinstance(self._field, QComboBox):
                self._field.setCurrentIndex(self._field.findData(value))
            elif isinstance(self._field, QLineEdit):
                self._field.setText(str(value))
                self._field.setCursorPosition(0)
        self.is_changed = value != self._declared.default
        self._reset.setVisible(self.is_changed)

    def show_found(self, words: Words) -> None:
        """Mark words in its title and its help; no words mark nothing."""
        show_marked(self._title, self._title_text, words, self._theme)
        show_marked(self._help, self._help_text, words, self._theme)

    def focus(self) -> None:
        """Put the keyboard on what changes it."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def key(self) -> str:
        """Of the setting."""
        return self._declared.key

    @property
    def titles(self) -> tuple[str, str]:
        """Its title as it is shown, and in English."""
        return self._title_text, self._declared.title

    def _texts(self) -> tuple[str, ...]:
        """Return what it is found by: what it shows, the same in English, and its name on the command line."""
        declared = self._declared
        choices = in_both(*(choice_words(declared.key, choice) for choice in declared.choices))
        shown = (self._title_text, self._help_text, declared.title, declared.help, *choices)
        return (*shown, declared.key, declared.key.replace("_", " "))

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        if self._declared.needs_reindex:
            heading.addWidget(self._marker())
        heading.addStretch(1)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 10, 10, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addLayout(heading, 0, 0)
        grid.addWidget(self._help, 1, 0)
        rows = 2
        if self._declared.needs_reindex:
            grid.addWidget(label(tr(LATER), "caption", wrap=True, tone="warn"), 2, 0)
            rows = 3
        grid.addWidget(self._field, 0, 1, rows, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self._reset, 0, 2, rows, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(0, 1)

    def _marker(self) -> QWidget:
        chip = frame("chip")
        chip.setToolTip(tr(LATER))
        row = QHBoxLayout(chip)
        row.setContentsMargins(8, 0, 8, 1)
        row.addWidget(label(tr("needs re-index"), "caption"))
        return chip

    def _make_field(self) -> QWidget:
        declared = self._declared
        if declared.type in (int, float):
            return self._make_spin_box()
        if declared.choices:
            combo = QComboBox()
            for choice in declared.choices:
                combo.addItem(tr(choice_words(declared.key, choice)), choice)
            combo.activated.connect(self._on_chosen)
            return combo
        line = QLineEdit()
        unset = tr("Built-in") if declared.key == "embedder" else tr("None")
        line.setPlaceholderText(str(declared.default) or unset)
        line.editingFinished.connect(self._on_edited)
        return line

    def _make_spin_box(self) -> QWidget:
        declared = self._declared
        spin: QSpinBox | QDoubleSpinBox
        if declared.type is int:
            spin = QSpinBox()
            spin.setRange(int(declared.minimum or 0), int(declared.maximum or 1_000_000))
            # What 0 stands for, where that is no number of tokens.
            spin.setSpecialValueText(tr("As the server says") if declared.key == "context_tokens" else "")
            spin.valueChanged.connect(self._on_changed)
        else:
            spin = QDoubleSpinBox()
            spin.setDecimals(1)
            spin.setRange(declared.minimum or 0.0, declared.maximum or 1_000_000.0)
            spin.valueChanged.connect(self._on_fraction_changed)
        spin.setKeyboardTracking(False)
        spin.setGroupSeparatorShown(True)
        spin.setSuffix(f" {tr(declared.unit)}" if declared.unit else "")
        spin.lineEdit().setTextMargins(8, 0, 0, 0)
        return spin

    @Slot(float)
    def _on_fraction_changed(self, value: float) -> None:
        self._presenter.put(self._declared.key, value)

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
        self.reset_asked.emit(self._declared.key)
