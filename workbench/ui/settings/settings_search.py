"""Search in the settings: the search field with the list of pages, matching, and highlighting of matches."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import write_markup, write_plain
from workbench.ui.theme import Theme

_LEAST = 190
_BESIDE = 56
"""Pixels that a page's name has to both sides, the number of what is found on it included."""


class SettingsSearch(QWidget):
    """Says what is looked for and which page is shown.

    Signals:
        looked: Something else is looked for.
        page_chosen: The place of a page that is to be shown.
        next_asked: The next setting that was found is to have the keyboard.
    """

    looked = Signal()
    page_chosen = Signal(int)
    next_asked = Signal()

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self._titles = tuple(titles)
        self._field = QLineEdit()
        self._field.setPlaceholderText(tr("Search settings"))
        self._field.setAccessibleName(tr("Search settings"))
        self._field.setToolTip(tr("Finds titles, explanations and choices (Ctrl+F); Enter goes to the next one"))
        self._field.setClearButtonEnabled(True)
        self._field.installEventFilter(self)
        self._pages = QListWidget()
        self._pages.setAccessibleName(tr("Pages of the settings"))
        for title in self._titles:
            self._pages.addItem(QListWidgetItem(tr(title)))
        self._changed = QCheckBox(tr("Only what I changed"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._field)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._changed)
        self._fit()
        self._field.textChanged.connect(self.looked)
        self._changed.toggled.connect(self.looked)
        self._pages.currentRowChanged.connect(self.page_chosen)

    @property
    def words(self) -> Words:
        """What is looked for."""
        return words_of(self._field.text())

    @property
    def only_changed(self) -> bool:
        """Whether only settings are to be shown that have another value than their default."""
        return self._changed.isChecked()

    @property
    def is_looking(self) -> bool:
        """Whether less than everything is to be shown."""
        return bool(self.words) or self.only_changed

    @property
    def page(self) -> int:
        """The place of the page that is shown."""
        return self._pages.currentRow()

    def show_page(self, page: int) -> None:
        """Show a page."""
        self._pages.setCurrentRow(page)

    def show_found(self, numbers: Sequence[int]) -> None:
        """Say how much is found on each page; -1 is something that is not counted."""
        for row, (title, number) in enumerate(zip(self._titles, numbers, strict=True)):
            item = self._pages.item(row)
            counted = self.is_looking and number > 0
            item.setText(f"{tr(title)}  {number}" if counted else tr(title))
            name = tr("{page}, {n} found", page=tr(title), n=number) if counted else tr(title)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, name)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags if number or not self.is_looking else Qt.ItemFlag.NoItemFlags)

    def look_for_everything(self) -> None:
        """Look for nothing any more: everything is shown."""
        self._field.clear()
        self._changed.setChecked(False)

    @Slot()
    def focus(self) -> None:
        """Put the keyboard where one types what is looked for."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Be as wide as the pages' names, however large they are written."""
        metrics = self._pages.fontMetrics()
        widest = max(metrics.horizontalAdvance(tr(title)) for title in self._titles)
        self.setFixedWidth(max(_LEAST, widest + _BESIDE, self._changed.sizeHint().width()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()
        # Laid out before the style sheet was there, the rows would stand too close.
        self._pages.scheduleDelayedItemsLayout()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.next_asked.emit()
                return True
            if event.key() == Qt.Key.Key_Escape and self.is_looking:
                self.look_for_everything()
                return True
            if event.key() == Qt.Key.Key_Down:
                self._pages.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)


Words = tuple[str, ...]
"""What is looked for; every one of them has to be found."""


def words_of(typed: str) -> Words:
    """Return the words of what was typed, each once."""
    return tuple(dict.fromkeys(typed.casefold().split()))


def finds(words: Words, texts: Iterable[str]) -> bool:
    """Tell whether every word stands in one of the texts, or within a word of theirs."""
    everything = "\n".join(texts).casefold()
    return all(word in everything for word in words)


def in_both(*english: str) -> tuple[str, ...]:
    """Return texts as they are shown and, as they are looked for by who knows the English ones, in English."""
    return tuple(dict.fromkeys((*(tr(one) for one in english), *english)))


def show_marked(shown: QLabel, text: str, words: Words, theme: Theme) -> None:
    """Show a text with the words marked in it, or as it is where there are none."""
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    if not pattern or re.search(pattern, text, re.IGNORECASE) is None:
        write_plain(shown, text)
        return
    pieces, end = [], 0
    for found in re.finditer(pattern, text, re.IGNORECASE):
        style = f"background-color: {theme.tokens().mark_solid}"
        pieces += [html.escape(text[end : found.start()]), f'<span style="{style}">{html.escape(found[0])}</span>']
        end = found.end()
    write_markup(shown, "".join([*pieces, html.escape(text[end:])]))
