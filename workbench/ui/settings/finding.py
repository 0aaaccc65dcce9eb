"""What is typed into the search of the settings -> whether it is found in texts, and where it stands in them."""

import html
import re
from collections.abc import Iterable

from PySide6.QtWidgets import QLabel

from workbench.language import tr
from workbench.ui.controls import write_markup, write_plain
from workbench.ui.theme import Theme

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
