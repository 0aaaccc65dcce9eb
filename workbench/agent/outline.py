"""A document's outline: its sections in order, each with its opening sentences as citable passages.

Without headings, lines that are alone between empty lines count as headings; without these, the outline lists pages or
spans of text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from workbench.agent.tools.access import ReadableDocument, Section
from workbench.chunking.sentences import BULLETS, first_sentences
from workbench.model.hit import Hit
from workbench.retrieval.quotable_spans import QuotableSpan, quotables

MOST_ENTRIES = 18
"""Maximum number of outline entries; if there are more sections, only the top levels that fit are shown."""

_FEWEST_ENTRIES = 3
_STRETCHES = 8
_LEAD_SENTENCES = 3
_FINDINGS = 8
# Characters of an opening: two or three lines in a window. A longer sentence is cut.
_LONGEST = 280
_LONGEST_CJK = 120
# If an opening is shorter than this, the next sentence is added: "This was agreed." has no meaning alone.
_SHORTEST = 60
_SHORTEST_CJK = 24

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex|article|§)\s*)?(?:[\dIVX]+(?:\.\d+)*|[A-Z])?[.)、:：]?\s+"
    r"|^(?:第[\d一二三四五六七八九十百]+[章节節部条條编編]|[一二三四五六七八九十]+、"
    r"|[（(][一二三四五六七八九十\d]+[)）]|[\d.]+)\s*",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(?:(?:executive|management|plain[- ]language|short|brief)?\s*(?:summary|abstract|overview|synopsis)"
    r"|in (?:brief|short)|at a glance|tl;?dr|摘要|内容摘要|内容提要|提要|总结|總結|概要|概述|综述|执行摘要|執行摘要"
    r"|简介|簡介)",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"(?:(?:principal|key|main|major)\s+)?(?:findings|results|conclusions?|highlights|takeaways|recommendations)"
    r"|key points|(?:主要)?(?:结论|結論|发现|發現|要点|要點|成果|建议)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"introduction|preface|foreword|purpose|scope|about this \w+|background|引言|前言|导言|緒論|绪论|总则|總則|目的"
    r"|背景",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"(?:table of )?contents|index|list of (?:tables|figures)|references|bibliography|目录|目錄"
    r"|参考文献",
    re.IGNORECASE,
)
# A line between empty lines, or above an indented one, that does not end like a sentence.
_ALONE = re.compile(
    r"(?:(?<=\n\n)|\A)(?P<title>(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s|[A-Z\u3400-\u9fff§第（(])[^\n]{1,78})(?=\n\s*\n"
    r"|\n[ \t]+\S|\n\n)"
)
_ENDS_A_SENTENCE = re.compile(r"[.,;:!?。，；：！？…|\"”]$")
_SENTENCE_END = re.compile(r"[.!?。！？…；;][\"”’)）」』]*\s*$")
_MOST_WORDS = 10
# More lines than this without a full stop are names, addresses or a form.
_LISTED_LINES = 2
_ITEM = re.compile(rf"[>\s]*(?:[-*+{BULLETS}–—]|\(?\d{{1,2}}[.)、])\s+")


@dataclass(frozen=True, slots=True)
class OpeningWords:
    """Verbatim words of a passage, or the head of a table.

    Attributes:
        hit: The passage.
        text: The words; for a table its column heads, or its first row.
        rows: For a table, the number of its rows in this passage; 0 for prose.
        start: Start offset in the document.
    """

    hit: Hit
    text: str
    rows: int = 0
    start: int = 0

    @property
    def page(self) -> int | None:
        """Page that contains the words; None if the format has no pages."""
        return self.hit.page_at(self.start)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A section, or a page or span of a document without sections; page is 1-based, level 1 is the topmost."""

    title: str
    level: int
    start: int
    end: int
    page: int | None
    opening: OpeningWords | None = None


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """Outline of a document, in verbatim sentences.

    Attributes:
        lead: The most informative sentences: those of its summary, otherwise its first ones.
        findings: The points of a section of findings or conclusions, if there is one.
        entries: The sections that are shown.
        sections: Number of all sections.
        part: The heading of the requested part; empty for the whole document.
    """

    lead: tuple[OpeningWords, ...]
    findings: tuple[OpeningWords, ...]
    entries: tuple[OutlineEntry, ...]
    sections: int
    part: str = ""


def outline_of(readable: ReadableDocument, *, part: str = "", most: int = MOST_ENTRIES) -> DocumentOutline | None:
    """Return the outline of a document; None if it has no such part.

    Args:
        readable: The visible content of the document.
        part: A chapter or section, by its number or title; empty for the whole document.
        most: Maximum number of entries.
    """
    chosen = section_named(readable, part) if part else Section("", 0, len(readable.text))
    if chosen is None:
        return None
    within = chosen.start, chosen.end
    sections = [one for one in _levels(sections_in(readable)) if within[0] <= one.start and one.end <= within[1]]
    if part:
        sections = [one for one in sections if (one.start, one.end) != within]
    entries = _shown(readable, sections, most)
    if len(entries) < _FEWEST_ENTRIES and not part:
        # Headings of a title page are not an outline of the text that follows.
        entries = list(_stretches(readable, *within)) or entries
    findings = () if part else _findings(readable, sections)
    lead = _lead(readable, sections, within, bool(part))
    return DocumentOutline(lead, findings, tuple(entries), len(sections), chosen.title)


def statements_in(readable: ReadableDocument, start: int, end: int, most: int) -> list[OpeningWords]:
    """Return the first sentences of text[start:end] that make a statement, at most that many.

    Whole sentences are preferred over titles in capitals and fragments of broken lines.
    """
    loose: list[OpeningWords] = []
    whole: list[OpeningWords] = []
    for one in _statements(readable, start, end):
        (whole if _is_sentence(one.text) else loose).append(one)
        if len(whole) >= most:
            break
    return whole or loose[:most]


def _is_sentence(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    capitals = sum(sign.isupper() for sign in letters)
    begins_well = not text.lstrip("“\"'(").startswith(tuple("abcdefghijklmnopqrstuvwxyz"))
    ends_well = _SENTENCE_END.search(text) is not None
    return begins_well and ends_well and 2 * capitals < len(letters)


def _statements(readable: ReadableDocument, start: int, end: int) -> Iterator[OpeningWords]:
    """Yield the quotable sentences of text[start:end], in order."""
    broken: tuple[Hit, QuotableSpan] | None = None
    for hit, span in _spans(readable, start, end):
        if span.cells or span.is_code:
            continue
        # "firmware\n3.0 and later." is one sentence that was split at a line break.
        goes_on = broken is not None and broken[0] is hit and "\n\n" not in hit.chunk.text[broken[1].end : span.start]
        first = broken[1] if broken is not None and goes_on else span
        text = hit.chunk.text[first.start : span.end] if first is not span else span.reads or span.text
        is_whole = bool(_ENDS_A_SENTENCE.search(span.text.strip()))
        broken = None if is_whole else (hit, first)
        if (span.is_statement or first is not span) and not _is_listing(text):
            yield OpeningWords(hit, _cut(text), start=_place(hit, first))
            broken = None


def _is_listing(text: str) -> bool:
    """Return whether a "sentence" is a heading on its own line, or several lines without an end mark."""
    lines = text.strip().split("\n")
    return not _ENDS_A_SENTENCE.search(text.strip()) and (
        len(lines) > _LISTED_LINES or _ALONE.match(text + "\n\n") is not None
    )


def section_named(readable: ReadableDocument, part: str) -> Section | None:
    """Return the chapter or section with that number or title; None if the document has no such part."""
    key, number = _key(part), _numbered(part)
    sections = sections_in(readable)
    titled = [one for one in sections if _key(one.title) == key]
    counted = [one for one in sections if number and _numbered(one.title) == number]
    return next(iter((*titled, *counted)), None)


def _key(title: str) -> str:
    return _NUMBERING.sub("", title).strip().casefold() or title.strip().casefold()


_NUMERALS = {sign: str(value) for value, sign in enumerate("零一二三四五六七八九十")}
_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex|article|§)\s*)?(?P<number>\d+(?:\.\d+)*|[IVX]+|[A-Z])\b"
    r"|^第?(?P<numeral>[一二三四五六七八九十]|\d+)(?:[章节節部条條编編、])",
    re.IGNORECASE,
)


def _numbered(title: str) -> str:
    match = _NUMBER.match(title.strip())
    if match is None:
        return ""
    said = match["number"] or match["numeral"]
    return _NUMERALS.get(said, said).casefold()


def sections_in(readable: ReadableDocument) -> tuple[Section, ...]:
    """Return a document's sections; without headings, the text below lines that look like headings."""
    return readable.sections or _lines_alone(readable.text)


def _lines_alone(text: str) -> tuple[Section, ...]:
    """Return the text below lines that look like headings as sections; empty if there are fewer than three."""
    found = [
        match
        for match in _ALONE.finditer(text)
        if not _ENDS_A_SENTENCE.search(match["title"].rstrip()) and len(match["title"].split()) <= _MOST_WORDS
    ]
    if len(found) < _FEWEST_ENTRIES:
        return ()
    starts = [*(match.start("title") for match in found), len(text)]
    return tuple(
        Section(" ".join(match["title"].split()), start, end)
        for match, (start, end) in zip(found, pairwise(starts), strict=True)
    )


def _levels(sections: Sequence[Section]) -> list[OutlineEntry]:
    """Return the sections with their nesting depth."""
    around: list[int] = []
    found = []
    for one in sections:
        while around and around[-1] <= one.start:
            around.pop()
        around.append(one.end)
        found.append(OutlineEntry(one.title, len(around), one.start, one.end, None))
    return found


def _shown(readable: ReadableDocument, sections: Sequence[OutlineEntry], most: int) -> list[OutlineEntry]:
    """Return the sections of as many levels as fit, without those that have no opening."""
    told = [one for one in sections if not _CONTENTS.fullmatch(_key(one.title))]
    shown: list[OutlineEntry] = []
    for depth in sorted({one.level for one in told}):
        upto = [one for one in told if one.level <= depth]
        # A section that only groups other sections under a title has no content.
        tops = [one for one in upto if not _is_title(readable, one, told)]
        if len(tops) > most and len(shown) >= _FEWEST_ENTRIES:
            break
        shown = tops
        if len(shown) >= _FEWEST_ENTRIES:
            break
    entries = [replace(one, page=_page(readable, one.start), opening=_opening(readable, one)) for one in shown]
    return [one for one in entries if one.opening is not None]


def _is_title(readable: ReadableDocument, one: OutlineEntry, sections: Sequence[OutlineEntry]) -> bool:
    """Return whether a section is the whole document under its title."""
    if one.title == readable.document.metadata.title:
        return True
    inner = sum(one.start < other.start and other.end <= one.end for other in sections)
    return inner >= _FEWEST_ENTRIES and one.end - one.start > 0.7 * len(readable.text)


def _opening(readable: ReadableDocument, one: OutlineEntry) -> OpeningWords | None:
    statements = statements_in(readable, one.start, one.end, 2)
    if statements:
        first = statements[0]
        short = _SHORTEST_CJK if _CJK.search(first.text) else _SHORTEST
        is_beside = len(statements) > 1 and statements[1].hit is first.hit
        if len(first.text) < short and is_beside and not _CONTENTS.search(first.text):
            joined = _joined(first, statements[1])
            return joined or first
        return first
    return _table_head(readable, one.start, one.end) or _first_words(readable, one)


def _joined(first: OpeningWords, second: OpeningWords) -> OpeningWords | None:
    """Return two adjacent sentences as one; None if they are not adjacent."""
    text = first.hit.chunk.text
    low, high = first.start - first.hit.chunk.start, second.start - first.hit.chunk.start
    between = text[low + len(first.text) : high]
    if first.hit.chunk.is_edited or between.strip() or "\n\n" in between:
        return None
    separator = "" if _CJK.search(first.text[-1:] + second.text[:1]) or not between else " "
    return replace(first, text=_cut(f"{first.text}{separator}{second.text}"))


def _table_head(readable: ReadableDocument, start: int, end: int) -> OpeningWords | None:
    for hit, span in _spans(readable, start, end):
        if span.cells:
            rows = [one for beside, one in _spans(readable, start, end) if beside is hit and one.cells]
            told = [one for one in rows if one.is_statement]
            return OpeningWords(hit, " | ".join(value for _, value in span.cells), len(told) or 1, _place(hit, span))
    return None


def _first_words(readable: ReadableDocument, one: OutlineEntry) -> OpeningWords | None:
    """Return the first lines below a heading that has no sentence: those of a list of names or a form."""
    for hit in readable.passages:
        low = max(hit.chunk.start, one.start)
        if low >= min(hit.chunk.end, one.end) or hit.chunk.is_edited:
            continue
        below = hit.chunk.part(low, one.end)
        title, _, rest = below.partition("\n") if low == one.start else ("", "", below)
        words = rest.strip()
        if item := _ITEM.match(words):
            words = words[item.end() :].partition("\n")[0].strip()
        if words and not words.lstrip().startswith(("```", "|", "$$")) and len(title) < len(below):
            return OpeningWords(hit, _cut(words), start=hit.chunk.start + hit.chunk.text.find(words))
    return None


def _findings(readable: ReadableDocument, sections: Sequence[OutlineEntry]) -> tuple[OpeningWords, ...]:
    """Return the first sentence of each point in the first section of findings."""
    for one in sections:
        if _FOUND.fullmatch(_key(one.title)):
            found = []
            for hit, span in _spans(readable, one.start, one.end):
                at = span.start
                if (
                    span.is_statement
                    and not span.cells
                    and _ITEM.fullmatch(hit.chunk.text[max(0, at - 12) : at].rpartition("\n")[2])
                ):
                    found.append(OpeningWords(hit, _cut(span.reads or span.text), start=_place(hit, span)))
            if found:
                return tuple(found[:_FINDINGS])
            return tuple(statements_in(readable, one.start, one.end, _LEAD_SENTENCES))
    return ()


def _lead(
    readable: ReadableDocument, sections: Sequence[OutlineEntry], within: tuple[int, int], is_part: bool
) -> tuple[OpeningWords, ...]:
    """Return the first sentences of the summary, else of the text before the sections, else of an introduction."""
    titled = [] if is_part else sections
    for wanted in (_SUMMARY, _FIRST):
        for one in titled:
            if wanted.fullmatch(_key(one.title)):
                found = statements_in(readable, one.start, one.end, _LEAD_SENTENCES)
                if found:
                    return tuple(found)
        if wanted is _SUMMARY:
            first = next((one.start for one in sections if one.start > within[0] and one.level > 1), within[1])
            before = statements_in(readable, within[0], first, _LEAD_SENTENCES)
            said = "".join(one.text for one in before)
            least = _SHORTEST_CJK if _CJK.search(said) else _SHORTEST
            if any(_is_sentence(one.text) for one in before) and (len(before) > 1 or len(said) > least):
                return tuple(before)
    return tuple(statements_in(readable, *within, _LEAD_SENTENCES))


def _stretches(readable: ReadableDocument, start: int, end: int) -> Iterator[OutlineEntry]:
    """Yield pages, or spans of equal length, of a document without headings, each with its first sentence."""
    pages = [one for one in readable.pages if start <= one.start < end and one.end > one.start]
    bounds = [(one.start, one.end, one.label, one.number) for one in pages]
    if len(bounds) < _FEWEST_ENTRIES:
        hits = [hit for hit in readable.passages if start <= hit.chunk.start < end]
        bounds = [(hit.chunk.start, hit.chunk.end, "", 0) for hit in hits]
    step = max(1, -(-len(bounds) // _STRETCHES))
    for low, high, label, _ in bounds[::step]:
        entry = OutlineEntry(label, 1, low, high, _page(readable, low))
        if (opening := _opening(readable, entry)) is not None:
            yield replace(entry, opening=opening)


def _page(readable: ReadableDocument, place: int) -> int | None:
    return next((one.number for one in readable.pages if one.start <= place < one.end), None)


def _spans(readable: ReadableDocument, start: int, end: int) -> Iterator[tuple[Hit, QuotableSpan]]:
    """Yield the quotable spans of text[start:end], passage by passage."""
    for hit in readable.passages:
        chunk = hit.chunk
        if chunk.end <= start or chunk.start >= end:
            continue
        for span in quotables(chunk.text):
            if chunk.is_edited or start <= chunk.start + span.start < end:
                yield hit, span


def _place(hit: Hit, span: QuotableSpan) -> int:
    return hit.chunk.span(span.start, span.end)[0]


def _cut(text: str) -> str:
    """Return a text that is short enough for an outline, cut at the end of a sentence, or else between words."""
    longest = _LONGEST_CJK if _CJK.search(text) else _LONGEST
    if len(text) <= longest:
        return text
    if whole := first_sentences(text, longest):
        return whole
    kept = text[:longest]
    return (kept[: kept.rindex(" ")] if " " in kept[longest // 2 :] else kept).rstrip(",;:，；：、 ") + " …"
