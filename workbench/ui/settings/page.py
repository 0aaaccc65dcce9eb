"""One page of the settings: its rows in a card, cards below it, and a way back for all that was changed on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.settings import Settings
from workbench.ui.controls import button, frame
from workbench.ui.settings.fields import SettingRow
from workbench.ui.settings.finding import Words, finds
from workbench.ui.settings.reranking import is_used


class SettingsPage(QScrollArea):
    """Shows some settings; of these only what is found, while something is looked for.

    It is empty until it is filled: all pages at once would take half a second of the dialog's opening.

    Signals:
        reset_asked: The keys of settings that are to have their defaults again, a tuple.
    """

    reset_asked = Signal(tuple)

    def __init__(self, title: str, keys: Sequence[str], row_of: Callable[[str], SettingRow]) -> None:
        """Take what the page is called, its settings, and what makes a row of one."""
        super().__init__()
        self.title = title
        self.keys = tuple(keys)
        self._row_of = row_of
        self._settings = Settings()
        self._rows: tuple[SettingRow, ...] = ()
        self._dividers: list[QFrame] = []
        self._to_make: list[tuple[Callable[[], QWidget], tuple[str, ...]]] = []
        self._cards: list[tuple[QWidget, tuple[str, ...]]] = []
        self._reset = button(tr("Reset this page"), "ghost", self._on_reset)
        self._box = frame("card")
        self._column = QVBoxLayout()
        self.setWidgetResizable(True)

    @property
    def rows(self) -> tuple[SettingRow, ...]:
        """Its settings, from above."""
        self.fill()
        return self._rows

    @property
    def changed(self) -> tuple[str, ...]:
        """The keys of those that have another value than their default."""
        return tuple(row.key for row in self._rows if row.is_changed)

    def add_card(self, make: Callable[[], QWidget], texts: tuple[str, ...]) -> None:
        """Put a card below the settings; texts are what it is found by."""
        self._to_make.append((make, texts))
        if self._rows:
            self._make_cards()

    def fill(self) -> bool:
        """Make what it shows, where that is not done yet; return whether there was anything to do."""
        if self._rows:
            return False
        self._rows = tuple(self._row_of(key) for key in self.keys)
        for row in self._rows:
            row.reset_asked.connect(self._on_reset_asked)
        self._lay_out()
        self._make_cards()
        self.show_settings(self._settings)
        return True

    def show_settings(self, settings: Settings) -> None:
        """Show the values in force."""
        self._settings = settings
        for row in self._rows:
            row.show_value(getattr(settings, row.key))
            row.setEnabled(is_used(row.key, settings))
        self._reset.setVisible(bool(self.changed))

    def show_found(self, words: Words, *, only_changed: bool) -> tuple[SettingRow, ...]:
        """Show only what is found, with the words marked, and return the settings among it."""
        names = (tr(self.title), self.title)
        found = [
            row for row in self.rows if finds(words, (*names, *row.texts)) and (row.is_changed or not only_changed)
        ]
        for row, divider in zip(self._rows, self._dividers, strict=True):
            row.setVisible(row in found)
            row.show_found(words)
            divider.setVisible(row in found and row is not found[0])
        self._box.setVisible(bool(found))
        for card, texts in self._cards:
            card.setVisible(finds(words, (*names, *texts)) and not only_changed)
        return tuple(found)

    @property
    def finds_cards(self) -> bool:
        """Whether one of its cards is among what is found."""
        return any(not card.isHidden() for card, _texts in self._cards)

    def _make_cards(self) -> None:
        for make, texts in self._to_make:
            card = make()
            self._cards.append((card, texts))
            self._column.insertWidget(len(self._cards), card)
        self._to_make.clear()

    def _lay_out(self) -> None:
        inside = QVBoxLayout(self._box)
        inside.setContentsMargins(0, 4, 0, 4)
        inside.setSpacing(0)
        for number, row in enumerate(self._rows):
            divider = frame("divider")
            divider.setVisible(number > 0)
            self._dividers.append(divider)
            inside.addWidget(divider)
            inside.addWidget(row)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._reset)
        self._reset.hide()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        self._column.setSpacing(12)
        self._column.addWidget(self._box)
        column.addLayout(self._column)
        column.addLayout(foot)
        column.addStretch(1)
        self.setWidget(page)

    @Slot(str)
    def _on_reset_asked(self, key: str) -> None:
        self.reset_asked.emit((key,))

    @Slot()
    def _on_reset(self) -> None:
        self.reset_asked.emit(self.changed)
