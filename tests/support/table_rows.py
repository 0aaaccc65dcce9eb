"""Rows of tables in PDFs, found by MuPDF alone and independently of the program's parser.

A row is a line of a page that begins with at least two words and goes on with at least two numbers. Each is asked for
by its words, and must be cited with its numbers inside the mark.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

_NUMBER = re.compile(r"\(?\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?|\(?\$?\d+\.\d+\)?%?")
_MOST_LABEL_WORDS = 8

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a table as MuPDF sees it.

    Attributes:
        document: File name.
        page: 1-based.
        label: The words at its beginning.
        numbers: Its numbers, without brackets and currency.
        boxes: Where each of them stands on the page, in points.
    """

    document: str
    page: int
    label: str
    numbers: tuple[str, ...]
    boxes: tuple[Box, ...]

    @property
    def question(self) -> str:
        """The question about the row, which names its document."""
        return f"What is “{self.label}” in {Path(self.document).stem.replace('_', ' ')}?"

    def is_quoted(self, document: str, page: int | None, quote: str) -> bool:
        """Return whether a citation quotes the row."""
        same = (document, page) == (self.document, self.page)
        return same and sum(number in quote for number in self.numbers) >= 2

    def is_marked(self, marks: Sequence[Box]) -> bool:
        """Return whether each of its numbers lies inside one of these boxes of its page."""
        return all(_holds(marks, box) for box in self.boxes)


def table_rows(pdf: Path) -> Iterator[TableRow]:
    """Yield the rows of a PDF's tables."""
    with pymupdf.open(pdf) as document:
        for page in document:
            lines: defaultdict[int, list[tuple[float, ...]]] = defaultdict(list)
            for word in page.get_text("words"):
                lines[round((word[1] + word[3]) / 2 / 3)].append(word)
            for line in lines.values():
                if row := _row(pdf.name, page.number + 1, sorted(line)):
                    yield row


def _row(document: str, page: int, words: list[tuple[float, ...]]) -> TableRow | None:
    texts = [str(word[4]) for word in words]
    first = next((at for at, text in enumerate(texts) if _NUMBER.fullmatch(text)), len(texts))
    label = [text for text in texts[:first] if text != "$"]
    numbers = [at for at in range(first, len(texts)) if _NUMBER.fullmatch(texts[at])]
    rest = [text for text in texts[first:] if not _NUMBER.fullmatch(text) and not re.fullmatch(r"[$%)(—–-]+", text)]
    is_label = 2 <= len(label) <= _MOST_LABEL_WORDS and all(re.match(r"[A-Za-z&(]", text) for text in label)
    if not is_label or len(numbers) < 2 or rest:
        return None
    bare = tuple(texts[at].strip("$()%") for at in numbers)
    return TableRow(document, page, " ".join(label), bare, tuple(words[at][:4] for at in numbers))


def chosen_rows(pdfs: list[Path], count: int, seed: int) -> list[TableRow]:
    """Return rows at random, as many of each document, whose label occurs once in their document."""
    drawn: list[TableRow] = []
    chance = random.Random(seed)
    each = -(-count // len(pdfs))
    for pdf in pdfs:
        rows = list(table_rows(pdf))
        often = Counter(row.label for row in rows)
        drawn += chance.sample(once, min(each, len(once))) if (once := [r for r in rows if often[r.label] == 1]) else []
    return chance.sample(drawn, min(count, len(drawn)))


def _holds(marks: Sequence[Box], box: Box) -> bool:
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(x0 - 1 <= middle[0] <= x1 + 1 and y0 - 1 <= middle[1] <= y1 + 1 for x0, y0, x1, y1 in marks)
