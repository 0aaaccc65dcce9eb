"""Quotable spans of a passage: its sentences, the rows of its tables, and its listings."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.chunking.sentences import BULLETS, sentence_spans
from workbench.retrieval.markdown_stripping import plain_cells, strip_markdown

# A longer "sentence" is a table, a listing or code: it is quoted line by line instead.
LONGEST_SENTENCE = 500

# A longer fenced block is quoted line by line, too.
LONGEST_CODE = 1200

_LINE = re.compile(r"[^\s][^\n]*")
_ENDS = re.compile(r"[.!?。！？;；:：…|`)\]\"'”’」』][*_]*\s*$")
_QUESTION = re.compile(r"[?？][\"'”’」』）)*_]*\s*$")
_MARKS = re.compile(r"^\s*(?:#{1,6}\s|[-=|:\s]+$)")
# An entry of a table of contents: "1.2 Priorities and cost 3", "Priorities ...... 3"; also several entries in one.
# The patterns do not backtrack: a page of dot leaders or of blanks is scanned once.
_NUMBERED = re.compile(r"\s*\d{1,2}(?:\.\d{1,2})+\s++[^\s\d].*\s\d{1,4}\s*", re.DOTALL)
_LEADERS = re.compile(r"[.·…]{4}\s*+(?:\d{1,4}\s*+)?\Z")
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
# Two or more lines, each with a pipe.
_TABLE = re.compile(r"(?:^[^\n|]*\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
_BULLET = re.compile(rf"[-*+{BULLETS}]\s+")
# Empty lines of a block quotation, which separate its paragraphs.
_EMPTY_QUOTED = re.compile(r"(?:(?:>[ \t]*)+\n[ \t]*)+(?=\S)")
_RULER = re.compile(r"[-=|:+\s]+")
# A heading with the text directly below it, as Markdown allows.
_HEADING = re.compile(r"(?:>[ \t]?)*#{1,6}[ \t][^\n]*\n\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class QuotableSpan:
    """Quotable span text[start:end] of a passage.

    Attributes:
        is_statement: True if it can be an answer; headings, rulers and questions only introduce the following text.
        header: For a table row: the header row of its table; otherwise empty.
        is_code: True for a whole fenced block, fences included.
        cells: For a table row: (column name or "", cell content) pairs without Markdown marks.
        reads: Text without Markdown marks; empty if the text is displayed unchanged.
    """

    start: int
    end: int
    text: str
    is_statement: bool
    header: str = ""
    is_code: bool = False
    cells: tuple[tuple[str, str], ...] = ()
    reads: str = ""


@lru_cache(maxsize=256)
def quotables(text: str) -> tuple[QuotableSpan, ...]:
    """Return the quotable spans of a passage in order; cached, because several callers need them."""
    found: list[QuotableSpan] = []
    position = 0
    for start, end, read in _find_blocks(text):
        found.extend(_read_prose(text, position, start))
        found.extend(read(text, start, end))
        position = end
    found.extend(_read_prose(text, position, len(text)))
    return tuple(found)


def _find_blocks(text: str) -> list[tuple[int, int, Callable[[str, int, int], Iterator[QuotableSpan]]]]:
    """Return the fenced blocks and the tables outside them, in order, each with the function that reads it."""
    fenced = [(*match.span(), _read_code) for match in _FENCED.finditer(text)]
    tables = [
        (*match.span(), _read_table)
        for match in _TABLE.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end, _ in fenced)
    ]
    return sorted([*fenced, *tables], key=lambda block: block[0])


def _read_prose(text: str, first: int, last: int) -> Iterator[QuotableSpan]:
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text[first:last]):
        if end - start <= LONGEST_SENTENCE:
            spans.append((first + start, first + end))
        else:
            spans.extend(_find_lines(text, first + start, first + end))
    plain = strip_markdown(text)
    for index, (start, end) in enumerate(spans):
        is_last = last == len(text) and index == len(spans) - 1
        if empty := _EMPTY_QUOTED.match(text, start, end):
            start = empty.end()
        if heading := _HEADING.match(text, start, end):
            title_end = start + len(heading.group().rstrip())
            yield QuotableSpan(start, title_end, text[start:title_end], is_statement=False)
            start = heading.end()
        # A quote is displayed with a bullet of its own.
        if bullet := _BULLET.match(text, start, end):
            start = bullet.end()
        is_statement = _is_statement(text, start, end, is_last=is_last)
        yield QuotableSpan(start, end, text[start:end], is_statement, reads=plain.part(start, end))


def _read_code(text: str, start: int, end: int) -> Iterator[QuotableSpan]:
    if end - start <= LONGEST_CODE:
        yield QuotableSpan(start, end, text[start:end], is_statement=True, is_code=True)
        return
    yield from (
        QuotableSpan(*line, text[slice(*line)], is_statement=True) for line in _find_lines(text, start, end)[1:-1]
    )


def _read_table(text: str, first: int, last: int) -> Iterator[QuotableSpan]:
    """Yield the rows without their outer pipes; the row above a ruler names the columns of the rows below."""
    rows = _find_lines(text, first, last)
    header, names = "", list[str]()
    for index, (start, end) in enumerate(rows):
        line = text[start:end]
        if _RULER.fullmatch(line):
            continue
        values = plain_cells(line)
        start += len(line) - len(line.lstrip("| \t"))
        end = max(start, end - (len(line) - len(line.rstrip("| \t"))))
        is_header = index + 1 < len(rows) and _RULER.fullmatch(text[slice(*rows[index + 1])]) is not None
        is_statement = not is_header and start < end
        cells = tuple(zip(names if len(names) == len(values) else [""] * len(values), values, strict=True))
        yield QuotableSpan(start, end, text[start:end], is_statement, header=header, cells=cells)
        if is_header:
            header, names = text[start:end], values


def _find_lines(text: str, first: int, last: int) -> list[tuple[int, int]]:
    return [match.span() for match in _LINE.finditer(text, first, last)]


def _is_statement(text: str, start: int, end: int, *, is_last: bool) -> bool:
    sentence = text[start:end]
    if _MARKS.match(sentence) or _QUESTION.search(sentence):
        return False
    if _NUMBERED.fullmatch(sentence) or _LEADERS.search(sentence):
        return False
    words = len(_WORD.findall(sentence)) + len(_PAIR.findall(sentence)) // 2
    if words < 3:
        return False
    # A short line without end punctuation, followed by an empty line, is a heading.
    return bool(_ENDS.search(sentence)) or is_last or words > 10 or not text[end : end + 2].startswith("\n\n")
