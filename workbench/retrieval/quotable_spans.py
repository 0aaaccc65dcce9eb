"""Quotable spans of a passage: its sentences, the rows of its tables, and its listings."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.chunking.block_runs import LONGEST_NAME
from workbench.chunking.sentences import BULLETS, sentence_spans
from workbench.chunking.table_heads import PIPE, UNIT_CELL, TableHeads, is_table_header, read_table_heads, unit_above
from workbench.retrieval.markdown_stripping import plain_cells, strip_markdown

# A longer "sentence" is a table, a listing or code: it is quoted line by line instead.
LONGEST_SENTENCE = 500

# A longer cell of several sentences, at the end of a row, is quoted by its sentences.
_LONGEST_CELL = 300

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
_MONEY_AT_END = re.compile(r"(?:[$€£¥￥]\s?|\b(?:USD|EUR|GBP|CHF|RMB) )\d[\d.,]*\s*\Z|\d\s?[€元]\s*\Z")
# An entry of a table of contents: "1.2 Priorities and cost 3", "Priorities ...... 3"; also several entries in one.
# The patterns do not backtrack: a page of dot leaders or of blanks is scanned once.
_NUMBERED = re.compile(r"\s*\d{1,2}(?:\.\d{1,2})+\s++[^\s\d].*\s\d{1,4}\s*", re.DOTALL)
_LEADERS = re.compile(r"[.·…]{4}\s*+(?:\d{1,4}\s*+)?\Z")
# Ruled lines around a sentence, as on the covers of reports.
_RULES = "-_=*~–—"
_SHORTEST_RULE = 8
_RULE_BEFORE = re.compile(rf"(?:[{_RULES}]{{{_SHORTEST_RULE},}}+\s*+)+(?=\S)")
# A blank to be filled in: "Name of the applicant: ________".
_BLANK = re.compile(r"_{5}")
_BLANK_LINE_END = re.compile(r"_{5,}+[^\S\n]*+\n\s*+(?=\S)")
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
        if end - start > LONGEST_SENTENCE:
            spans.extend(_find_lines(text, first + start, first + end))
            continue
        start, end = first + start, first + end
        for blank in _BLANK_LINE_END.finditer(text, start, end):
            spans.append((start, blank.end()))
            start = blank.end()
        spans.append((start, end))
    plain = strip_markdown(text)
    for index, (start, end) in enumerate(spans):
        is_last = last == len(text) and index == len(spans) - 1
        if empty := _EMPTY_QUOTED.match(text, start, end):
            start = empty.end()
        if heading := _HEADING.match(text, start, end):
            title_end = start + len(heading.group().rstrip())
            yield QuotableSpan(start, title_end, text[start:title_end], is_statement=False)
            start = heading.end()
        if rule := _RULE_BEFORE.match(text, start, end):
            start = rule.end()
        end = start + len(_without_rule_behind(text[start:end]))
        is_item = _ITEM.match(text, start, end) is not None
        # A quote is displayed with a bullet of its own.
        if bullet := _BULLET.match(text, start, end):
            start = bullet.end()
        leads_to_table = is_above_table and index == len(spans) - 1 and not _FULL_STOP.search(text[start:end])
        is_statement = not leads_to_table and _is_statement(text, start, end, is_last=is_last)
        is_ended = is_item or _ends(text[start:end]) or _count_words(text[start:end]) <= _MOST_UNENDED_WORDS
        yield QuotableSpan(start, end, text[start:end], is_statement, reads=plain.part(start, end), is_ended=is_ended)


def _without_rule_behind(sentence: str) -> str:
    """Return a sentence without a ruled line at its end; behind other words than an end mark, it is a blank."""
    bare = sentence.rstrip()
    rest = bare.rstrip(_RULES)
    is_rule = len(bare) - len(rest) >= _SHORTEST_RULE and (rest.endswith("\n") or _FULL_STOP.search(rest[-9:]))
    return rest.rstrip() if is_rule and rest.strip() else sentence


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
        goes_on = heads.is_inherited and (heads.is_prefix or len(heads.names) == len(values))
        if not goes_on and is_table_header(lines, cells, index, has_names=bool(heads.names)):
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
        is_long = len(values) > 1 and len(values[-1]) > _LONGEST_CELL
        end, sentences = _read_long_cell(text, start, end) if is_long else (end, [])
        short = values[:-1] if sentences else values
        row = text[start:end].rstrip()
        # The name of a row states nothing without a value.
        is_named_only = is_label or (bool(sentences) and sum(map(bool, short)) < 2)
        yield QuotableSpan(
            start,
            start + len(row),
            row,
            is_statement=bool(row) and not is_named_only and under_head == 0,
            header=heads.header,
            cells=heads.cells(values)[: len(short)],
            section=section if is_ambiguous else "",
            is_label=is_label and under_head == 0,
            above=above.strip(),
            unit=heads.unit,
        )
        yield from sentences
        under_head = max(0, under_head - 1)


def _read_long_cell(text: str, start: int, end: int) -> tuple[int, list[QuotableSpan]]:
    """Return the end of the other cells of the row text[start:end], and the sentences of its last cell.

    The row begins with its first filled cell, which may be the last one. If that has one sentence, it is not divided.
    """
    border = first = start
    for pipe in PIPE.finditer(text, start, end):
        border, first = pipe.span()
    spans = [(first + begin, first + last) for begin, last in sentence_spans(text[first:end])]
    if len(spans) < 2:
        return end, []
    plain = strip_markdown(text)
    return border, [
        QuotableSpan(
            *span,
            text[slice(*span)],
            _is_statement(text, *span, is_last=False),
            reads=plain.part(*span),
            is_ended=_ends(text[slice(*span)]),
        )
        for span in spans
    ]


# Characters above a table in which its unit is looked for.
_ABOVE = 300
_YEAR = r"(?:19|20)\d\d"
_YEARS_AT_END = re.compile(rf"{_YEAR}(?: ?\(\w\))?(?:[ \t]+{_YEAR}(?: ?\(\w\))?)+\s*\Z")


def above_table_head(headings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings of a part of a table that the whole table has: those above its head row."""
    for place in range(len(headings) - 1, max(-1, len(headings) - 3), -1):
        if "|" in headings[place]:
            return headings[:place]
    return headings


def _inherited_heads(path: str) -> TableHeads:
    """Return the names and the unit of a part of a table from its headings: the last one or two hold its head row.

    A part is also the rest of a table on the next page. The head row lacks its outer pipes, with them perhaps an empty
    first cell, and its last names if it is long.
    """
    head = next((one for one in reversed(path.split(PATH_SEPARATOR)[-2:]) if "|" in one), "")
    names = plain_cells(f"|{head}|") if head else []
    unit = names[0] if names and UNIT_CELL.fullmatch(names[0]) else unit_above(path)
    if names and not names[0]:
        names[0] = unit
    return TableHeads("", names, 0, unit, is_prefix=len(head) > LONGEST_NAME // 2, is_inherited=bool(names))


def _known_heads(above: str, path: str, *, width: int) -> TableHeads:
    """Return what is known of the columns before the rows are read: from the text right above, or from the headings.

    A line above a table may end in the years of its columns, all but the first: "(in millions) 2022 2021 2020".
    """
    heads = _inherited_heads("" if above.strip() else path)
    unit = unit_above(above) or heads.unit or unit_above(path)
    line = (above.strip() or path.rpartition(PATH_SEPARATOR)[2]).rpartition("\n")[2]
    years = re.findall(_YEAR, match[0]) if (match := _YEARS_AT_END.search(line)) else []
    if not heads.names and len(set(years)) == width - 1 == len(years):
        heads = replace(heads, names=[unit, *years])
    return replace(heads, unit=unit)


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
    if _BLANK.search(sentence) or _NUMBERED.fullmatch(sentence) or _LEADERS.search(sentence) or _is_contents(sentence):
        return False
    ends = _ends(sentence)
    if not ends and (_FRAGMENT.match(sentence) or _is_title(sentence)):
        return False
    words = _count_words(sentence)
    if words < 3:
        return False
    # A short line without end punctuation, followed by an empty line, is a heading, but not "TOTAL $ 821.14".
    is_alone = not is_last and words <= _MOST_UNENDED_WORDS and text[end : end + 2].startswith("\n\n")
    return ends or not is_alone or _MONEY_AT_END.search(sentence) is not None


def _ends(sentence: str) -> bool:
    return sentence.rstrip().rstrip(_EMPHASIS)[-1:] in _ENDS


def _count_words(sentence: str) -> int:
    return len(_WORD.findall(sentence)) + len(_PAIR.findall(sentence)) // 2
