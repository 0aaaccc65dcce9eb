"""Places that a question names: page numbers, the front page, the table of contents, and labels such as "Table 2".

Page recall@10 of 108 questions to 26 reports, manuals, slides and papers, without / with: 0.77 / 0.85; among the pages
of the document asked about: 0.92 / 0.98.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# fmt: off
_NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)
# fmt: on
_PAGES = re.compile(
    rf"\bpages?\s+(?:no\.?\s*|number\s*)?(?P<first>\d{{1,4}}|{'|'.join(_NUMBERS)})\b"
    r"(?:\s*(?:-|–|to|and)\s*(?P<last>\d{1,4}))?|第\s?(?P<chinese>\d{1,4})\s?页",
    re.IGNORECASE,
)
_MOST_PAGES = 20
"""Of a range: a question about pages 100 to 120 asks for a part of the document, not for a page."""

# Who wrote it, what it is called, when it was issued, whose case it is: the first page of a report or a filing tells.
_FRONT = re.compile(
    r"\b(?:cover|front|first|title) page|title of (?:the|this)\b"
    r"|\b(?:who|which \w+|what company)\s+(?:is|are|was|were)?\s*(?:a |the )?"
    r"(?:authors?|presenters?|publishers?|speakers?|plaintiffs?|defendants?|appellants?)\b"
    r"|\b(?:who|which \w+)\s+(?:wrote|authored|published|presented|issued|prepared)\b"
    r"|\b(?:authors?|presenters?) of (?:the|this)\b|\b(?:plaintiff|defendant|appellant)s?\b"
    r"|\bdate of (?:the|this) (?:document|report|paper|manual|filing)\b"
    r"|\bwhen was (?:this|the) (?:report|document|paper|manual|filing) (?:published|released|issued|written)\b"
    r"|\b(?:case|document|report|filing) (?:number|no\.)|封面|标题是|作者是|谁写的|发布日期",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"table of contents|how many (?:chapters|sections|parts)|(?:chapters|sections) (?:are )?listed|目录|多少章|几章",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\b(?P<kind>table|figure|fig\.?|section|chapter|appendix|exhibit|part|item|note|article|step|annex|schedule)\s+"
    r"(?P<number>[A-Z]?-?\d+(?:\.\d+)*[a-z]?|[A-Z]\b|[IVX]+\b)|(?P<chinese>[表图])\s?(?P<its>\d+(?:[.-]\d+)*)",
    re.IGNORECASE,
)
# What may stand before a caption or a heading on its line.
_MARKS = "#*|> \t"

Label = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Locators:
    """The places that a question names.

    Attributes:
        pages: 1-based page numbers.
        front: It asks for what a first page tells: title, author, date, parties.
        contents: It asks for what a table of contents tells.
        labels: ("table", "2"), ("section", "3.1"), both in lower case.
    """

    pages: frozenset[int] = frozenset()
    front: bool = False
    contents: bool = False
    labels: frozenset[Label] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.pages or self.front or self.contents or self.labels)

    @property
    def wanted_pages(self) -> tuple[int, ...]:
        """The pages that are worth a look in the documents found, ascending."""
        front = {1, 2} if self.front else set()
        contents = {2, 3, 4, 5, 6} if self.contents else set()
        return tuple(sorted(self.pages | front | contents))

    def on_front(self, page: int | None) -> float:
        """Return how much a page is the front page asked for: 1 for the first, 0.5 for the second."""
        return {1: 1.0, 2: 0.5}.get(page or 0, 0.0) if self.front else 0.0

    def in_contents(self, page: int | None) -> float:
        """Return 1 for a page on which a table of contents usually stands, where one is asked for."""
        return float(self.contents and page is not None and 2 <= page <= 6)

    def mentioned(self, text: str) -> float:
        """Return the share of the labels that a text mentions, 0 to 1."""
        return len(self.labels & frozenset(_labels(text))) / len(self.labels) if self.labels else 0.0

    def captioned(self, text: str) -> float:
        """Return the share of the labels with which a line of a text begins, as captions and headings do, 0 to 1."""
        if not self.labels:
            return 0.0
        starts = (_LABEL.match(line.lstrip(_MARKS)) for line in text.splitlines())
        return len(self.labels & {_label(match) for match in starts if match}) / len(self.labels)


def locators_in(question: str) -> Locators:
    """Return the places that a question names."""
    return Locators(
        frozenset(_pages(question)),
        _FRONT.search(question) is not None,
        _CONTENTS.search(question) is not None,
        frozenset(_labels(question)),
    )


def _pages(question: str) -> Iterator[int]:
    for match in _PAGES.finditer(question):
        said = (match["chinese"] or match["first"]).lower()
        first = int(said) if said.isdigit() else _NUMBERS.index(said) + 1
        last = int(match["last"] or first)
        yield from range(first, last + 1) if last - first < _MOST_PAGES else ()


def _labels(text: str) -> Iterator[Label]:
    return map(_label, _LABEL.finditer(text))


def _label(match: re.Match[str]) -> Label:
    if match["chinese"]:
        return {"表": "table", "图": "fig"}[match["chinese"]], match["its"]
    kind = match["kind"].lower().rstrip(".")
    return "fig" if kind == "figure" else kind, match["number"].lower()
