"""Whole sentences with values in them, found again by their words.

A room without a window says f"{name} could not be read: {reason}". Its template "{0} could not be read: {1}" stands in
the file of translations; here the sentence is recognised as one of that template, and its values are put into the
translation. So sentences that were kept in a library years ago are read in the language of today.
"""

import re

from workbench.language.catalogue import Catalogue

_VALUE = re.compile(r"\{(\d+)\}")
_DEEP = 3
"""How deep a value is taken for a sentence of its own: a reason within a reason."""
_LONGEST = 2000
"""Characters of what can be a sentence of ours; a document's text is not held against 1,000 templates."""


class Sentences:
    """What translates sentences from one language's catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._patterns: list[tuple[re.Pattern[str], str]] | None = None

    def translated(self, text: str, depth: int = 0) -> str:
        """Return a text in the catalogue's language, as it is where no template is its."""
        exact = self._catalogue.get(text)
        if exact is not None or len(text) > _LONGEST:
            return exact or text
        for pattern, translation in self._templates():
            found = pattern.fullmatch(text)
            if found is not None:
                return _VALUE.sub(lambda value: self._value(found, int(value[1]), depth), translation)
        return text

    def _value(self, found: re.Match[str], number: int, depth: int) -> str:
        value = found[number + 1]
        return self.translated(value, depth + 1) if depth < _DEEP else value

    def _templates(self) -> list[tuple[re.Pattern[str], str]]:
        # Those of most words first: they say most exactly what they are.
        if self._patterns is None:
            templates = [pair for pair in self._catalogue.texts.items() if _VALUE.search(pair[0][0])]
            templates.sort(key=lambda pair: -len(_VALUE.sub("", pair[0][0])))
            self._patterns = [(_pattern(source), translation) for (source, _), translation in templates]
        return self._patterns


def _pattern(template: str) -> re.Pattern[str]:
    parts = _VALUE.split(template)
    words = [re.escape(part) if place % 2 == 0 else "(.*?)" for place, part in enumerate(parts)]
    return re.compile("".join(words), re.DOTALL)
