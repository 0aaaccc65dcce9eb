"""Metadata of PDF files: title (also by the cover or the largest heading), author, dates, keywords, outline.

The title is shown in the library and in citations, and precedes each chunk for its embedding, so a wrong one costs more
than none: without a suitable heading, the fallback is the file's name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Any

from workbench.model.document import BlockKind, Metadata
from workbench.parsing.assembly import clean, stem
from workbench.parsing.dates import MONTHS
from workbench.parsing.pdf_structure import Paragraph
from workbench.parsing.pdf_words import TextLine

_JUNK = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b.*|untitled\b.*|(?:powerpoint )?presentation\d*|document\d*"
    r"|title|slide \d+|[a-z]{1,2}|\(?(?:anonymous|unspecified|none)\)?"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|odt|rtf|txt|ai|eps|ps|html?)|[\d\s._-]*|无标题|未命名)$",
    re.I,
)
_DATE = re.compile(r"^(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?")
_LONGEST = 300


def pdf_metadata(said: Mapping[str, Any], paragraphs: Sequence[Paragraph], path: Path, language: str) -> Metadata:
    """Return the metadata; an invalid title is replaced by the largest heading of the first page.

    Args:
        said: The document's own metadata from PyMuPDF.
        paragraphs: Paragraphs of the whole document.
        path: Its file.
        language: Language in the document's catalogue.
    """
    title = _line(title_on_cover(paragraphs) or said.get("title"))
    if not title or _JUNK.match(title) or len(title) > _LONGEST:
        title = _line(title_by_size(paragraphs))[:_LONGEST] or stem(path)
    return Metadata(
        title=title,
        author=_line(said.get("author")).strip("()").replace("anonymous", ""),
        created=iso_date(_line(said.get("creationDate"))),
        keywords=tuple(
            word for word in (part.strip() for part in re.split(r"[,;，；、]", _line(said.get("keywords")))) if word
        ),
        language=language,
        modified=iso_date(_line(said.get("modDate"))),
    )


def iso_date(value: str) -> str:
    """Return a PDF date as ISO 8601, or "" if it is invalid."""
    match = _DATE.match(value)
    if match is None:
        return ""
    year, month, day, hour, minute, second = match.groups()
    if not 1 <= int(month or 1) <= 12 or not 1 <= int(day or 1) <= 31 or int(year) < 1900:
        return ""
    date = f"{year}-{month or '01'}-{day or '01'}"
    return f"{date}T{hour}:{minute}:{second or '00'}" if hour and int(hour) < 24 and int(minute) < 60 else date


def outline(document: Any) -> list[tuple[int, str, int]]:
    """Return level, title and page of each outline entry; an empty list if the outline is unreadable."""
    try:
        entries = document.get_toc(simple=True)
    except Exception:  # noqa: BLE001 - MuPDF raises bare RuntimeErrors of many kinds on broken outlines
        return []
    return [(level, title, page) for level, title, page, *_ in entries if title.strip()]


def _line(value: Any) -> str:
    return " ".join(clean(str(value or "")).replace("�", "").split())


_FIRST_PAGES = 2
_MOST_JOINED = 200
"""Maximum characters of a title that consists of several consecutive headings."""

# Headings as large as prose are equally likely to be a title, so they are not joined.
_LARGER_THAN_PROSE = 1.15
_SAME_SIZE = 0.02

_PART_OF_A_DOCUMENT = re.compile(
    r"\d|(?:table of )?contents\b|(?:abstract|summary|introduction|preface|page)$|about\b|part [ivx]+$"
    r"|(?:chart|figure|table) \d|for immediate release\b|e-?filed\b|arxiv:|form \d"
    r"|united states(?: of america)?$|united states securities and exchange commission\b|目录|目錄|摘要",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(r"[a-z(]|[^\W\d_]{0,2}$")
"""The end of a sentence, an aside, or no word."""

_MOST_BEFORE = 500
"""Characters of text before the title; the first heading of a page of text is one of its sections."""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad] (?=[^\W\d_])")

# The cover of a filing with the U.S. Securities and Exchange Commission; its wording is prescribed (Forms 10-K, 10-Q,
# 8-K, 20-F and others; https://www.sec.gov/forms).
_REGISTRANT = re.compile(r"\(?exact name of (?:the )?(?:registrant|company)\b", re.IGNORECASE)
_FORM = re.compile(r"\bform\s+((?:\d{1,2}|S|F|N)-[A-Z\d]{1,4}(?:/A)?)(?![\w-])", re.IGNORECASE)
_ANNUAL = re.compile(r"(?:10-K|20-F|40-F)", re.IGNORECASE)
_PERIOD = re.compile(
    rf"\b(?:ended|reported)\b(?:(?!\bended\b).){{0,60}}?\b({'|'.join(MONTHS)})\s+(\d{{1,2}}),\s+((?:19|20)\d\d)\b",
    re.IGNORECASE | re.DOTALL,
)
# A fiscal year of 52 weeks that ends on January 1, 2023, is the year 2022.
_LAST_DAY_OF_LAST_YEAR = 7
_LONGEST_NAME = 100
"""Maximum characters of a registrant's name."""


def title_on_cover(paragraphs: Sequence[Paragraph]) -> str:
    """Return the title of a filing from its prescribed cover: "Verizon Communications Inc., Form 10-K 2022".

    Args:
        paragraphs: Paragraphs of the whole document.

    Returns:
        The registrant, the form, and the fiscal year (for reports that are not annual, the month); "" for any other
        document.
    """
    rows = [row for paragraph in _first_pages(paragraphs) for line in paragraph.lines for row in _rows(line)]
    text = "\n".join(rows)
    form, registrant = _FORM.search(text), _registrant(rows)
    if form is None or not registrant:
        return ""
    return f"{registrant}, Form {form[1].upper()} {_period(text, form[1])}".strip()


def _period(text: str, form: str) -> str:
    match = _PERIOD.search(text)
    if match is None:
        return ""
    month, day, year = match[1].capitalize(), int(match[2]), int(match[3])
    if not _ANNUAL.match(form):
        return f"{month} {year}"
    return str(year - 1 if month == "January" and day <= _LAST_DAY_OF_LAST_YEAR else year)


def title_by_size(paragraphs: Sequence[Paragraph]) -> str:
    """Return the largest heading of the first page that has headings, of the first two pages; "" if there is none.

    Headings that name a part of a document, or are vertical in the margin, are not titles. A heading of the same size
    directly after a title is its second line.

    Args:
        paragraphs: Paragraphs of the whole document.
    """
    shown = _first_pages(paragraphs)
    first = max(filter(_may_be_title, _opening_headings(shown)), key=lambda heading: heading.size, default=None)
    if first is None:
        return ""
    lines = [first]
    if first.size > _LARGER_THAN_PROSE * _prose_size(paragraphs):
        following = shown[shown.index(first) + 1 :]
        lines += takewhile(lambda other: _continues(first, other), following)
    whole = " ".join(line.text for line in lines)
    return _BROKEN_WORD.sub("", whole) if len(whole) <= _MOST_JOINED else first.text


def _first_pages(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    return list(takewhile(lambda paragraph: paragraph.page <= _FIRST_PAGES, paragraphs))


def _prose_size(paragraphs: Sequence[Paragraph]) -> float:
    """Return the median size of paragraphs: on a form of a few large lines most characters are small print."""
    return median(one.size for one in paragraphs if one.kind is not BlockKind.TABLE)


def _opening_headings(paragraphs: Sequence[Paragraph]) -> Iterator[Paragraph]:
    """Yield the headings of the first page that has any, up to the start of its text."""
    page = next((paragraph.page for paragraph in paragraphs if paragraph.kind is BlockKind.HEADING), None)
    characters = 0
    for paragraph in paragraphs:
        if paragraph.page != page:
            continue
        if paragraph.kind is not BlockKind.HEADING:
            characters += len(paragraph.text)
        elif characters <= _MOST_BEFORE:
            yield paragraph


def _may_be_title(heading: Paragraph) -> bool:
    return heading.lines[0].upright and not (_PART_OF_A_DOCUMENT.match(heading.text) or _FRAGMENT.match(heading.text))


def _continues(first: Paragraph, other: Paragraph) -> bool:
    return (
        other.kind is BlockKind.HEADING
        and other.page == first.page
        and abs(other.size - first.size) <= _SAME_SIZE * first.size
        and not _PART_OF_A_DOCUMENT.match(other.text)
    )


def _registrant(rows: Sequence[str]) -> str:
    """Return the text before “(Exact name of registrant as specified in its charter)”, in its row or above it."""
    for number, row in enumerate(rows):
        match = _REGISTRANT.search(row)
        if match:
            before = [row[: match.start()], *reversed(rows[:number])]
            name = next((text.strip() for text in before if any(map(str.isalpha, text))), "")
            return name if len(name) <= _LONGEST_NAME else ""
    return ""


def _rows(line: TextLine) -> Iterator[str]:
    if not line.cells:
        yield line.text
    for row in line.cells:
        yield " ".join(word[4] for cell in row for word in cell)
