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

_MIN_WIDTH = 190
_MARGINS = 56
"""Pixels next to a page's name: the margins on both sides and the number of matches."""


class SettingsSearch(QWidget):
    """Search field of the settings, with the list of pages.

    Signals:
        looked: The search changed.
        page_chosen: The index of the page to show.
        next_asked: The next match is to receive the keyboard focus.
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
        self._field.setToolTip(tr("Search titles, descriptions and options (Ctrl+F). Enter moves to the next match."))
        self._field.setClearButtonEnabled(True)
        self._field.installEventFilter(self)
        self._pages = QListWidget()
        self._pages.setAccessibleName(tr("Pages of the settings"))
        for title in self._titles:
            self._pages.addItem(QListWidgetItem(tr(title)))
        self._changed = QCheckBox(tr("Only changed settings"))
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
        """Words of the search."""
        typed = words_of(self._field.text())
        return tuple(word for word in typed if word not in _SMALL_WORDS) or typed

    @property
    def text(self) -> str:
        """The text in the search field."""
        return self._field.text().strip()

    @property
    def only_changed(self) -> bool:
        """True if only settings that differ from their defaults are to be shown."""
        return self._changed.isChecked()

    @property
    def is_looking(self) -> bool:
        """True if the search or the check box restricts what is shown."""
        return bool(self.words) or self.only_changed

    @property
    def page(self) -> int:
        """Index of the page on show."""
        return self._pages.currentRow()

    def show_page(self, page: int) -> None:
        """Show a page."""
        self._pages.setCurrentRow(page)

    def show_found(self, numbers: Sequence[int]) -> None:
        """Show the number of matches on each page; -1 stands for matches that are not counted."""
        for row, (title, number) in enumerate(zip(self._titles, numbers, strict=True)):
            item = self._pages.item(row)
            counted = self.is_looking and number > 0
            item.setText(f"{tr(title)}  {number}" if counted else tr(title))
            name = tr("{page}, {n} found", page=tr(title), n=number) if counted else tr(title)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, name)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags if number or not self.is_looking else Qt.ItemFlag.NoItemFlags)

    def look_for_everything(self) -> None:
        """Clear the search, so that everything is shown."""
        self._field.clear()
        self._changed.setChecked(False)

    @Slot()
    def focus(self) -> None:
        """Set the keyboard focus to the search field."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Set the width to that of the longest page name in the current font."""
        metrics = self._pages.fontMetrics()
        widest = max(metrics.horizontalAdvance(tr(title)) for title in self._titles)
        self.setFixedWidth(max(_MIN_WIDTH, widest + _MARGINS, self._changed.sizeHint().width()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()
        # Rows that were laid out before the style sheet was applied would be too close to each other.
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
"""Words of a search; each of them has to match."""
_SMALL_WORDS = frozenset(("a", "an", "the", "of", "in", "on", "to", "for", "and", "or", "my", "的", "和"))
"""Words that say nothing about what is looked for."""
_SHORTEST_PART = 2
"""Least number of letters of a part of a Chinese word."""


def words_of(typed: str) -> Words:
    """Return the casefolded words of a text, each once."""
    return tuple(dict.fromkeys(typed.casefold().split()))


def finds(words: Words, texts: Iterable[str], *, within: bool = False, parts: bool = False) -> bool:
    """Return whether every word occurs in one of the texts.

    Args:
        words: The words; those in Latin letters match at the beginning of a word, others anywhere.
        texts: The texts.
        within: Words in Latin letters match within a longer word, too.
        parts: Words in other letters match if both of two parts of them occur, as Chinese has no spaces.
    """
    everything = "\n".join(texts).casefold()
    return all(_occurs(word, everything, within=within, parts=parts) for word in words)


def _occurs(word: str, text: str, *, within: bool, parts: bool) -> bool:
    if word not in text:
        cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1) if parts and not word.isascii() else ()
        return any(word[:cut] in text and word[cut:] in text for cut in cuts)
    return within or not word.isascii() or re.search(rf"(?<![a-z0-9]){re.escape(word)}", text) is not None


def in_both(*english: str) -> tuple[str, ...]:
    """Return texts in the language of the window and in English, so that both can be searched for."""
    return tuple(dict.fromkeys((*(tr(one) for one in english), *english)))


def show_marked(shown: QLabel, text: str, words: Words, theme: Theme) -> None:
    """Show a text with the words highlighted, or plain text if none of them occurs."""
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
