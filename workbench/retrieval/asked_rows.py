"""Table rows whose name is what a question asks for: "Other liabilities | 6,468 | 2,852" for “Other liabilities”."""

import re
from collections.abc import Sequence, Set

from workbench.retrieval.markdown_stripping import plain_cells
from workbench.retrieval.question_words import QuestionWords, words_of

_OTHER = words_of("other")
# Words about the period and the unit, which stand in the head of a table.
_BESIDE = words_of("fiscal year years quarter FY USD dollars millions billions")
_FOOTNOTES = re.compile(r"(?: ?\(\w{1,2}\)){1,3}\Z")
# The first cell of a row, with the pipe behind it.
_FIRST_CELL = re.compile(r"^[ \t]*+\|?[ \t]*+(?P<name>[^|\n]{2,120})\|", re.MULTILINE)
_PREFIX = 3
"""Leading letters that a word has in common with its stem."""
# Words are compared without their accents.
_ACCENTS = re.compile(r"[\u00df-\u024f\u0300-\u036f\u1e00-\u1eff]")
_YEAR = re.compile(r"(?:fy)?(?:19|20)\d\d")


class AskedRow:
    """Recognises the rows whose name, with or without footnote marks, has the words of a question and no others.

    Args:
        words: Words of the question that carry its meaning, without those that name a document.
        all_words: All words of the question.
    """

    def __init__(self, words: QuestionWords, all_words: Set[str]) -> None:
        self._all = all_words
        # It carries no weight, but “Other assets” is another row than “Assets”.
        self._asked = {word for word in words.weights if not _YEAR.fullmatch(word)} - _BESIDE | (_OTHER & all_words)
        self._prefixes = [word[:_PREFIX] for word in self._asked if word.isalpha() and word.isascii()]

    def is_named(self, cells: Sequence[str]) -> bool:
        """Return whether the cells of a row have this name and at least one value."""
        return bool(self._asked) and any(cells[1:]) and self._is_name(cells[0])

    def is_in(self, text: str) -> bool:
        """Return whether a passage contains such a row.

        Comparing the words of all first cells of 80 tables takes 8 ms, of those with the beginnings of all words 1 ms.
        """
        if not self._asked or "|" not in text or not self._may_have(text):
            return False
        rows = (text[one.start() :] for one in _FIRST_CELL.finditer(text) if self._may_have(one["name"]))
        return any(self.is_named(plain_cells(row.partition("\n")[0])) for row in rows)

    def _is_name(self, name: str) -> bool:
        return any(self._asked <= found <= self._all for found in (words_of(name), words_of(_FOOTNOTES.sub("", name))))

    def _may_have(self, text: str) -> bool:
        lowered = text.lower()
        if all(prefix in lowered for prefix in self._prefixes):
            return True
        return not text.isascii() and _ACCENTS.search(lowered) is not None
