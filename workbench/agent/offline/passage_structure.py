"""Structure of a passage for the offline answerer: paragraphs, lists and tables."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from workbench.chunking.sentences import BULLETS
from workbench.retrieval.markdown_stripping import strip_markdown
from workbench.retrieval.quotable_spans import QuotableSpan, quotables

# Most lines of a list or table that is quoted whole.
MOST_LINES = 12
# A longer sentence is not added as context for a following one that begins with "it".
_LONGEST_CONTEXT = 300
# The text of a PDF has no paragraph breaks: beyond this length, the text after the last item of a list has begun.
_LONGEST_ITEM = 400

# Length of text before a span that is searched for an item's bullet, so that a long line is not scanned per sentence.
_LONGEST_MARK = 40

_BLANK = re.compile(r"\n[^\S\n]*(?:>[^\S\n]*)*\n")
_BULLET = re.compile(rf"[>\s]*[-*+{BULLETS}–—]\s+")
_NUMBERED = re.compile(
    r"[>\s]*(?:\(?\d{1,3}[.)、．](?!\d)|[（(](?:\d{1,3}|[一二三四五六七八九十]{1,3})[）)]|[一二三四五六七八九十]{1,3}、)"
)
_QUOTED_NUMBER = re.compile(r"\A(?:>[ \t]?)+(?=[（(]?\d{1,3}[.)）、．])")
_COLON = re.compile(r"[:：][*_\s]*$")
# Begins with a pronoun or another word that refers to the text before it.
_POINTS_BACK = re.compile(
    r"(?:It|Its|They|Their|This|These|Those|He|His|She|Her|Such|Both)\b"
    r"|该|該|它|[他她](?!人)|这|這|此(?!外)|其(?![他它实實次余餘中])"
)


@dataclass(frozen=True, slots=True)
class PassageList:
    """A list in a passage.

    Attributes:
        introduction: Start offset of the sentence that introduces it.
        before: Start offset of the sentence right before the introduction.
        items: Start offsets of the sentences of each item.
    """

    introduction: int | None
    before: int | None
    items: tuple[tuple[int, ...], ...]


class PassageSpans:
    """The quotable spans of one passage, by start offset."""

    def __init__(self, text: str, path: str = "") -> None:
        """Read a passage; path is its heading path, see quotables()."""
        self._text = text
        self._spans = quotables(text, path)
        self._index = {span.start: index for index, span in enumerate(self._spans)}
        self._lists = self._read_lists()

    @property
    def lists(self) -> tuple[PassageList, ...]:
        """The lists of the passage, in reading order."""
        return tuple(self._lists)

    @property
    def statements(self) -> list[int]:
        """Start offsets of the sentences that state something, ascending, without code and rows of tables."""
        return [span.start for span in self._spans if span.is_statement and not (span.cells or span.is_code)]

    def at(self, start: int) -> QuotableSpan | None:
        """Return the span with this start offset, or None."""
        index = self._index.get(start)
        return None if index is None else self._spans[index]

    def reads(self, first: int, last: int) -> str:
        """Return the text from the span at first through the span at last, without Markdown."""
        end = self._spans[self._index[last]].end
        return _QUOTED_NUMBER.sub("", strip_markdown(self._text).part(first, end) or self._text[first:end])

    def rows_with(self, start: int) -> tuple[QuotableSpan, ...]:
        """Return all rows of the table that contains the row with this start offset."""
        index = self._index[start]
        header = self._spans[index].header
        first = last = index
        while first > 0 and self._is_row(first - 1, header):
            first -= 1
        while last + 1 < len(self._spans) and self._is_row(last + 1, header):
            last += 1
        return self._spans[first : last + 1]

    def list_with(self, start: int, *, is_led_up_to: bool = False) -> PassageList | None:
        """Return the list that a sentence introduces or is part of; with is_led_up_to also the one it leads up to."""
        for listed in self._lists:
            if start == listed.introduction or any(start in item for item in listed.items):
                return listed
            if is_led_up_to and start == listed.before:
                return listed
        return None

    def run_with(self, start: int, chosen: Collection[int]) -> list[int]:
        """Return the start offsets of a sentence, the adjacent chosen sentences, and the context they need."""
        index = first = last = self._index[start]
        while first > 0 and self._spans[first - 1].start in chosen and self._continues(first):
            first -= 1
        while last + 1 < len(self._spans) and self._spans[last + 1].start in chosen and self._continues(last + 1):
            last += 1
        points_back = _POINTS_BACK.match(self._spans[first].text)
        if first > 0 and points_back and self._continues(first):
            before = self._spans[first - 1]
            if before.is_statement and before.end - before.start <= _LONGEST_CONTEXT:
                first -= 1
        return [span.start for span in self._spans[first : last + 1]] or [self._spans[index].start]

    def _is_row(self, index: int, header: str) -> bool:
        span = self._spans[index]
        return bool(span.cells) and (span.is_statement or span.is_label) and span.header == header

    def _is_item(self, index: int) -> bool:
        span = self._spans[index]
        before = self._text[max(0, span.start - _LONGEST_MARK) : span.start].rpartition("\n")[2]
        return (
            not span.cells
            and not span.is_code
            and bool(_BULLET.fullmatch(before) or (not before.strip("> \t") and _NUMBERED.match(span.text)))
        )

    def _continues(self, index: int) -> bool:
        """Return whether a sentence and the one before it are prose in the same paragraph."""
        before, span = self._spans[index - 1], self._spans[index]
        is_prose = not (before.cells or span.cells or before.is_code or span.is_code or self._is_item(index))
        return is_prose and before.is_statement and not _BLANK.search(self._text, before.end, span.start)

    def _read_lists(self) -> list[PassageList]:
        lists: list[PassageList] = []
        index = 0
        while index < len(self._spans):
            if not self._is_item(index):
                index += 1
                continue
            first, items = index, list[list[int]]()
            while index < len(self._spans) and (self._is_item(index) or self._belongs_to_item(index, items[-1][0])):
                if self._is_item(index):
                    items.append([])
                items[-1].append(self._spans[index].start)
                index += 1
            if len(items) > 1:
                lists.append(PassageList(*self._introduction(first), tuple(map(tuple, items))))
        return lists

    def _belongs_to_item(self, index: int, item: int) -> bool:
        """Return whether a sentence belongs to the list item with this start offset."""
        span = self._spans[index]
        is_prose = not (span.cells or span.is_code) and span.end - item <= _LONGEST_ITEM
        return is_prose and not _BLANK.search(self._text, self._spans[index - 1].end, span.start)

    def _introduction(self, first: int) -> tuple[int | None, int | None]:
        """Return the start offsets of the introduction of the list at span first, and of the sentence before it."""
        if first == 0:
            return None, None
        last = self._spans[first - 1]
        if last.cells or last.is_code or not _COLON.search(last.text):
            return None, None
        leads = first > 1 and self._continues(first - 1)
        return last.start, self._spans[first - 2].start if leads else None
