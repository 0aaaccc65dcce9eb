"""Quotable spans of a passage: its sentences, the rows of its tables, and its listings."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.chunking.block_runs import LONGEST_NAME
from workbench.chunking.sentences import BULLETS, sentence_spans
from workbench.retrieval.markdown_stripping import plain_cells, strip_markdown

# A longer "sentence" is a table, a listing or code: it is quoted line by line instead.
LONGEST_SENTENCE = 500

# A longer fenced block is quoted line by line, too.
LONGEST_CODE = 1200

_LINE = re.compile(r"[^\s][^\n]*")
_ENDS = frozenset(".!?。！？;；:：…|`)]\"'”’」』")
_EMPHASIS = "*_"
_FULL_STOP = re.compile(r"[.!?。！？][\"'”’」』)）*_]*\s*$")
# The rest of a sentence that began on another page or in another column.
_FRAGMENT = re.compile(r"[\"'“(]*[a-z]+[ ,;’'-]")
_LATIN = re.compile(r"\b[A-Za-z][a-z]*")
_PAGE_AT_END = re.compile(r"[^\W\d]\W*\s(\d{1,3})\s*$")
_FEWEST_CONTENTS = 4
_FEWEST_WORDS = 4
_MOST_UNENDED_WORDS = 10
"""Number of words of a line without an end mark, such as “Opening hours: 9 to 5”, that still reads as a whole."""
_CAPITALS = 0.9
_BEHIND_QUESTION = "\"'”’」』）)*_"
_MARKS = re.compile(r"^\s*(?:#{1,6}\s|[-=|:\s]+$)")
# An entry of a table of contents: "1.2 Priorities and cost 3", "Priorities ...... 3"; also several entries in one.
# The patterns do not backtrack: a page of dot leaders or of blanks is scanned once.
_NUMBERED = re.compile(r"\s*\d{1,2}(?:\.\d{1,2})+\s++[^\s\d].*\s\d{1,4}\s*", re.DOTALL)
_LEADERS = re.compile(r"[.·…]{4}\s*+(?:\d{1,4}\s*+)?\Z")
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FENCED = re.compile(r"^(?P<fence>`{3,}+|~{3,}+)[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
PATH_SEPARATOR = " > "
"""Separator of the headings in the path of a passage."""
# Two or more lines, each with a pipe.
_TABLE = re.compile(r"(?:^[^\n|]*\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
_BULLET = re.compile(rf"[-*+{BULLETS}]\s+")
_ITEM = re.compile(rf"[>\s]*(?:[-*+{BULLETS}–—]\s|[(（]?(?:\d{{1,3}}|[一二三四五六七八九十]{{1,3}})[.)）、．])")
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
        section: For a table row whose first cell occurs several times: the row above that only names a section.
        is_label: True for a table row that only names the rows below it, such as "Current assets:".
        above: For a table row: names of all columns, the unit, and the section.
        unit: For a table row: unit of its values, such as "(in millions)"; empty if it is not stated.
        is_ended: False for prose of many words without an end mark, which is often a part of a sentence or a heading.
    """

    start: int
    end: int
    text: str
    is_statement: bool
    header: str = ""
    is_code: bool = False
    cells: tuple[tuple[str, str], ...] = ()
    reads: str = ""
    section: str = ""
    is_label: bool = False
    above: str = ""
    unit: str = ""
    is_ended: bool = True


@lru_cache(maxsize=256)
def quotables(text: str, path: str = "") -> tuple[QuotableSpan, ...]:
    """Return the quotable spans of a passage in order; cached, because several callers need them.

    Args:
        text: Text of the passage.
        path: The headings above it, joined by PATH_SEPARATOR. For a part of a long table they contain its unit and the
            names of its columns; the offsets of the spans do not depend on them.
    """
    found: list[QuotableSpan] = []
    position = 0
    for start, end, is_table in _find_blocks(text):
        found.extend(_read_prose(text, position, start, is_above_table=is_table))
        if is_table:
            found.extend(_read_table(text, start, end, "" if "|" in text[:start] else path))
        else:
            found.extend(_read_code(text, start, end))
        position = end
    found.extend(_read_prose(text, position, len(text)))
    return tuple(found)


def _find_blocks(text: str) -> list[tuple[int, int, bool]]:
    """Return the fenced blocks and the tables outside them, in order, each with whether it is a table."""
    fenced = [(*match.span(), False) for match in _FENCED.finditer(text)]
    tables = [
        (*match.span(), True)
        for match in _TABLE.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end, _ in fenced)
    ]
    return sorted([*fenced, *tables], key=lambda block: block[0])


def _read_prose(text: str, first: int, last: int, *, is_above_table: bool = False) -> Iterator[QuotableSpan]:
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
        is_item = _ITEM.match(text, start, end) is not None
        # A quote is displayed with a bullet of its own.
        if bullet := _BULLET.match(text, start, end):
            start = bullet.end()
        leads_to_table = is_above_table and index == len(spans) - 1 and not _FULL_STOP.search(text[start:end])
        is_statement = not leads_to_table and _is_statement(text, start, end, is_last=is_last)
        is_ended = is_item or _ends(text[start:end]) or _count_words(text[start:end]) <= _MOST_UNENDED_WORDS
        yield QuotableSpan(start, end, text[start:end], is_statement, reads=plain.part(start, end), is_ended=is_ended)


def _read_code(text: str, start: int, end: int) -> Iterator[QuotableSpan]:
    if end - start <= LONGEST_CODE:
        yield QuotableSpan(start, end, text[start:end], is_statement=True, is_code=True)
        return
    yield from (
        QuotableSpan(*line, text[slice(*line)], is_statement=True) for line in _find_lines(text, start, end)[1:-1]
    )


def _read_table(text: str, first: int, last: int, path: str) -> Iterator[QuotableSpan]:
    """Yield the rows without their outer pipes; the rows around a ruler name the columns of the rows below.

    Args:
        text: Text of the passage.
        first: Start of the table.
        last: End of the table.
        path: Headings above the passage; empty if they are those of another table.
    """
    rows = _find_lines(text, first, last)
    lines = [text[start:end] for start, end in rows]
    cells = [plain_cells(line) for line in lines]
    heads = _known_heads(text[max(0, first - _ABOVE) : first], path, width=max(map(len, cells)))
    unit = heads.unit
    labels = Counter(values[0] for values in cells)
    section, under_head = "", 0
    for index, (start, end) in enumerate(rows):
        line = lines[index]
        if _RULER.fullmatch(line):
            continue
        values = cells[index]
        start += len(line) - len(line.lstrip("| \t"))
        end = max(start, end - (len(line) - len(line.rstrip("| \t"))))
        if _is_header(lines, cells, index, has_names=bool(heads.names)):
            yield QuotableSpan(
                start, end, text[start:end], is_statement=False, header=heads.header, cells=heads.cells(values)
            )
            heads = read_table_heads(text[start:end], values, cells[index + 2 :], unit)
            section, under_head = "", heads.length
            continue
        is_label = len(values) > 1 and sum(map(bool, values)) == 1
        section = next(filter(None, values)) if is_label else section
        is_ambiguous = not is_label and bool(section) and labels[values[0]] > 1
        above = " ".join((*heads.names, heads.unit, section if is_ambiguous else ""))
        yield QuotableSpan(
            start,
            end,
            text[start:end],
            is_statement=start < end and not is_label and under_head == 0,
            header=heads.header,
            cells=heads.cells(values),
            section=section if is_ambiguous else "",
            is_label=is_label and under_head == 0,
            above=above.strip(),
            unit=heads.unit,
        )
        under_head = max(0, under_head - 1)


# Characters above a table in which its unit is looked for.
_ABOVE = 300
_UNIT = re.compile(
    r"\((?:[^()\n]{0,60}\b)?(?:millions?|thousands?|billions?|lakhs?|crores?)\b[^()\n]{0,60}\)"
    r"|[（(]?\s?(?:单位|單位)\s?[:：]\s?[^\s，。、)）|]{1,12}[）)]?|^in (?:millions|thousands|billions)\b",
    re.IGNORECASE | re.MULTILINE,
)
_UNIT_CELL = re.compile(
    r"\(?\s*(?:US)?\$?\s*(?:dollars |amounts )?in (?:millions|thousands|billions)\b.*", re.IGNORECASE | re.DOTALL
)
# A year or a date, which names a column; any other number is a value.
_DATE = re.compile(
    r"(?:[^\W\d_]{3,9}\.? \d{1,2}, ?|\d{1,2}(?:st|nd|rd|th)? [^\W\d_]{3,9},? |FY ?|Q[1-4] ?)?(?:19|20)\d\d"
    r"(?:[-–/]\d{2,4})?年?度?(?:\s*\(\w\))?(?: vs\.? (?:19|20)\d\d)?",
)
_YEAR = r"(?:19|20)\d\d"
_YEARS_AT_END = re.compile(rf"{_YEAR}(?: ?\(\w\))?(?:[ \t]+{_YEAR}(?: ?\(\w\))?)+\s*\Z")
_PERIOD = re.compile(r"\b(?:years?|quarters?|months|weeks|periods?|ended|ending|as of)\b|^at\b", re.IGNORECASE)
# A name above one column or some of them only.
_CHANGE = re.compile(r"increase|decrease|change|variance|growth|%|变动|变化|增减", re.IGNORECASE)
# An amount that is no name of a column: "5,651", "$ 79", "(1,204)". "10", "1.5" and years may be names.
_AMOUNT = re.compile(r"\(?[$€£¥￥]?\s?\(?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?|\(?[$€£¥￥]\s?\d[\d.,]*\)?")
_FEWEST_LINES = 2
_MOST_HEADS = 3
"""Maximum number of rows below the ruler that name columns, too."""


@dataclass(frozen=True, slots=True)
class TableHeads:
    """Names of the columns of a table.

    Attributes:
        header: The row above the ruler, as in the text.
        names: Name of each column; the first one is the unit if the column has no name.
        length: Number of rows below the ruler that name columns, too.
        unit: Unit of the values, such as "(in millions)"; empty if it is not stated.
        is_prefix: True if further columns may follow whose names are not known.
    """

    header: str
    names: Sequence[str]
    length: int
    unit: str
    is_prefix: bool = False

    def cells(self, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return (column name, value) pairs; the names are empty if it is not certain which column has which name."""
        names, missing = list(self.names), len(values) - len(self.names)
        if missing > 0 and (self.is_prefix or not any(values[-missing:])):
            names += [""] * missing
        elif missing == 1 and names and all(map(_DATE.fullmatch, names)):
            names = ["", *names]  # the column of the row names has no name
        elif missing > 0:
            names = [""] * len(values)
        # As in Markdown, a row that is too short lacks its last cells.
        return tuple(zip(names, values, strict=False))


def above_table_head(headings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings of a part of a table that the whole table has: those above its head row."""
    for place in range(len(headings) - 1, max(-1, len(headings) - 3), -1):
        if "|" in headings[place]:
            return headings[:place]
    return headings


def _inherited_heads(path: str) -> TableHeads:
    """Return the names and the unit of a part of a table from its headings: the last one or two hold its head row.

    The head row lacks its outer pipes, with them perhaps an empty first cell, and its last names if it is long.
    """
    head = next((one for one in reversed(path.split(PATH_SEPARATOR)[-2:]) if "|" in one), "")
    names = plain_cells(f"|{head}|") if head else []
    unit = _unit_above(path)
    if names and not names[0]:
        names[0] = unit
    return TableHeads("", names, 0, unit, is_prefix=len(head) > LONGEST_NAME // 2)


def _known_heads(above: str, path: str, *, width: int) -> TableHeads:
    """Return what is known of the columns before the rows are read: from the text right above, or from the headings.

    A line above a table may end in the years of its columns, all but the first: "(in millions) 2022 2021 2020".
    """
    heads = _inherited_heads("" if above.strip() else path)
    unit = _unit_above(above) or _unit_above(path)
    line = (above.strip() or path.rpartition(PATH_SEPARATOR)[2]).rpartition("\n")[2]
    years = re.findall(_YEAR, match[0]) if (match := _YEARS_AT_END.search(line)) else []
    if not heads.names and len(set(years)) == width - 1 == len(years):
        heads = replace(heads, names=[unit, *years])
    return replace(heads, unit=unit)


def _is_header(lines: Sequence[str], cells: Sequence[Sequence[str]], index: int, *, has_names: bool) -> bool:
    """Return whether a row names the columns of those below it.

    It is above a ruler, unless it holds amounts, or nothing but the name of the rows below: a table that a page break
    divides begins with any row. Without a ruler it is the first one if it holds dates and words, and no first cell.
    """
    values = cells[index]
    if index + 1 < len(lines) and _RULER.fullmatch(lines[index + 1]):
        others = [value for value in values[1:] if re.search(r"\w", value)]
        if not values[0] or len(values) == 1:
            return True
        if not others:
            return bool(_UNIT_CELL.fullmatch(values[0])) or any(map(_names_columns, cells[index + 2 : index + 3]))
        return not (all(re.search(r"\d", value) for value in others) and any(map(_AMOUNT.fullmatch, others)))
    if index or has_names or len(lines) < _FEWEST_LINES or any(map(_RULER.fullmatch, lines)):
        return False
    return _names_columns(values) and any(map(_DATE.fullmatch, values[1:]))


def read_table_heads(header: str, values: Sequence[str], below: Sequence[Sequence[str]], unit: str) -> TableHeads:
    """Return the names of the columns from the row above the ruler and the rows below it that name columns, too.

    Tables of reports have "December 31," above and "2016 | 2017" below: the columns are "December 31, 2016" and
    "December 31, 2017".
    """
    rows = [list(values)]
    for row in below[:_MOST_HEADS]:
        if len(row) != len(values) or not _names_columns(row):
            break
        rows.append(list(row))
    for row in rows:
        for place, value in enumerate(row):
            if _UNIT_CELL.fullmatch(value):
                unit, row[place] = value, ""
    if len(rows) > 1:
        for row, lower in itertools.pairwise(rows):
            _spread(row, lower)
    names = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows, strict=True)]
    if names and not names[0]:
        names[0] = unit
    return TableHeads(header, names, len(rows) - 1, unit)


def _names_columns(row: Sequence[str]) -> bool:
    """Return whether a row below a ruler names columns: no first cell but a unit, and no values in the others.

    "Years Ended December 31," is a first cell, too, if the others are years.
    """
    others = [value for value in row[1:] if value]
    if len(others) < 2:
        return False
    if row[0] and not _UNIT_CELL.fullmatch(row[0]):
        return _PERIOD.search(row[0]) is not None and all(map(_DATE.fullmatch, others))
    return all(_DATE.fullmatch(value) or not re.search(r"\d", value) for value in others) and any(
        re.search(r"\w", value) for value in others
    )


def _spread(row: list[str], lower: Sequence[str]) -> None:
    """Give the only name of a row to all columns that the row below it names."""
    named, below = ([value for value in one[1:] if value] for one in (row, lower))
    if len(named) == 1 and not _CHANGE.search(named[0]) and len(below) > 1:
        # Years that occur twice belong to two names, one of which is missing.
        is_of_all = len(set(below)) == len(below)
        row[1:] = [named[0] if value and is_of_all else "" for value in lower[1:]]


def _unit_above(text: str) -> str:
    """Return the unit that is stated last in the text above a table; empty if there is none."""
    found = _UNIT.findall(text)
    unit = " ".join(found[-1].split()) if found else ""
    return f"({unit})" if unit.lower().startswith("in ") else unit


def _find_lines(text: str, first: int, last: int) -> list[tuple[int, int]]:
    return [match.span() for match in _LINE.finditer(text, first, last)]


def _is_contents(sentence: str) -> bool:
    """Return whether a text is a table of contents: most of its lines end in a page number, in ascending order."""
    lines = sentence.splitlines()
    if len(lines) < _FEWEST_CONTENTS:
        return False
    pages = [int(match[1]) for line in lines if (match := _PAGE_AT_END.search(line))]
    return len(pages) >= _FEWEST_CONTENTS and len(pages) > 0.7 * len(lines) and pages == sorted(pages)


def _is_title(sentence: str) -> bool:
    """Return whether a text is a heading by its letters: almost all of its words begin with a capital one."""
    words = _LATIN.findall(sentence)
    return len(words) >= _FEWEST_WORDS and sum(word[0].isupper() for word in words) >= _CAPITALS * len(words)


def _is_statement(text: str, start: int, end: int, *, is_last: bool) -> bool:
    sentence = text[start:end]
    # The end of a sentence is compared character by character: a pattern would be tried at each punctuation mark.
    stripped = sentence.rstrip()
    if _MARKS.match(sentence) or stripped.rstrip(_BEHIND_QUESTION).endswith(("?", "？")):
        return False
    if _NUMBERED.fullmatch(sentence) or _LEADERS.search(sentence) or _is_contents(sentence):
        return False
    ends = _ends(sentence)
    if not ends and (_FRAGMENT.match(sentence) or _is_title(sentence)):
        return False
    words = _count_words(sentence)
    if words < 3:
        return False
    # A short line without end punctuation, followed by an empty line, is a heading.
    return ends or is_last or words > _MOST_UNENDED_WORDS or not text[end : end + 2].startswith("\n\n")


def _ends(sentence: str) -> bool:
    return sentence.rstrip().rstrip(_EMPHASIS)[-1:] in _ENDS


def _count_words(sentence: str) -> int:
    return len(_WORD.findall(sentence)) + len(_PAIR.findall(sentence)) // 2
