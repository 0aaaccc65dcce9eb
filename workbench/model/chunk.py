"""Chunks: slices of a document's text that are embedded, found and cited.

Their edits, their neighbours, outlines and uses.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark
from workbench.model.document import BlockKind
from workbench.model.document_name import called

EMBEDDED_AS = 7
"""Counts the ways in which embedding_text() made its texts: part of an embedder's id, so that vectors never mix.

A library of before is embedded anew at the next start; until then it is searched by keyword.
"""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad][^\S\n]*\n[^\S\n]*(?=[^\W\d_A-Z])")
# Fences, rules, dot leaders: each mark would be a token of its own, 15 % of all tokens in technical documentation.
_IDLE_MARKS = re.compile(r"`+|([^\w\s]|_)(?:[^\S\n]*\1){2,}")
# Of the heading path, the lowest: what stands higher is the same for most chunks of a document, the lines of its cover
# among them. Page MRR by meaning alone of filings / reports: whole path joined by ">" 0.216 / 0.475, rows of tables
# without bars 0.268 / 0.495, then two headings 0.271 / 0.488, each name and heading on a line of its own 0.291 / 0.508;
# with one heading 0.268 / 0.480. Filings have 7 % fewer tokens so.
_HEADINGS = 2
# Of what is embedded, one: 3 % fewer tokens, and the whole search finds as much (page recall@10 and MRR of filings
# 0.882, 0.596 with two and 0.882, 0.611 with one; of reports 0.843, 0.652 and 0.852, 0.656).
_HEADINGS_EMBEDDED = 1
# A tenth of the tokens of English prose, and a vector says as much without them. Whole search with all words / without
# these / without 36 function words: evidence 0.913 / 0.912 / 0.900, hotpot 0.832 / 0.838 / 0.830, squad2 (1,200
# questions) 0.942 / 0.940 / 0.938, xquad en 0.986 in all; page MRR of filings by meaning alone, without punctuation
# 0.27, with it 0.29 (int8). Words in capitals are names: IT, OF.
_FUNCTION_WORD = re.compile(r"\b(?<![\w'’-])(?:[Tt]he|a|[Aa]n|[Oo]f|[Aa]nd)(?![\w'’-])[^\S\n]*")
# "Company’s" is three tokens.
_POSSESSIVE = re.compile(r"(?<=[A-Za-z])['’]s(?!\w)")
# An amount, with its currency or "%". Not a year, nor a number that names: 10-K, COVID-19, 3.3.1, 12/31, 9:30.
# The keyword index has them all. Without them and the possessives the text has 4 to 5 % fewer tokens; page recall@10
# and MRR of filings 0.882, 0.581 (with one heading and numbers 0.882, 0.611), of reports 0.852, 0.682 (0.852, 0.656);
# nDCG@10 of xquad en 0.976 (0.978), squad2 0.948 (0.952), hotpot 0.832 (0.837), evidence 0.936 (0.935).
_AMOUNT = re.compile(
    r"(?:[$€£¥][^\S\n]?)?(?<![\w.,:/'’-])(?!(?:19|20)\d\d(?![.,]?\d))"
    r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d+)(?:[.,]\d+)?(?![\w/'’-]|[.,:]\d)(?:[^\S\n]?%)?[^\S\n]?"
)
_LETTER = re.compile(r"[^\W\d_]")
_ENGLISH = re.compile(r"\b(?:the|of|and)\b", re.IGNORECASE)
# Commas, brackets and hyphens of the text itself stay: 8 % of the tokens, but without them page recall@10 and MRR of
# filings fall from 0.882, 0.604 to 0.853, 0.572, of reports from 0.843, 0.658 to 0.833, 0.645.
# Of what a document is called and of headings. With _LEGAL_FORM 4 % of the tokens of filings; their page MRR is 0.574
# and 0.589 without, 0.591 and 0.576 with them (two runs each), and with none in tables either (5 %) 0.535.
_PUNCTUATION = re.compile(r"[.,:;](?!\w)|[()\[\]“”\"]")
_LEGAL_FORM = re.compile(
    r",? (?:inc|incorporated|corp|corporation|co|company|ltd|limited|plc|llc)\b\.?(?=,|$)|,? form(?= \d)", re.IGNORECASE
)
# A cell that holds only a number, a sign or nothing. A year heads a column and stays.
_NUMBER_CELL = re.compile(r"(?!(?:19|20)\d\d$)[\d\s.,:'’()<>~≈±+*×x%‰$€£¥\u2010-\u2015\u2212-]*")


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text of a chunk and what stands over it: what a search compares of hundreds.

    Attributes:
        text: The chunk's own.
        title: Of its document.
        headings: The heading path above it, in one line.
        kind: As of the chunk.
    """

    text: str
    title: str
    headings: str
    kind: BlockKind


@dataclass(frozen=True, slots=True)
class Chunk:
    """text is exactly ParsedDocument.text[start:end]; nothing is stripped, joined or rewritten but by the user.

    Where the user edited it, text is theirs, and source is what stands in the document from start to end.

    Attributes:
        ordinal: 0-based, running on through the whole document.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself, or what the user wrote in its place: this is embedded, found and quoted.
        page: 1-based page on which it starts, None where the format has no pages.
        page_end: Page on which it ends.
        headings: The heading path above it, topmost first; of a table the sentence that introduces it comes last.
        kind: PARAGRAPH for prose, or the kind of the one atomic block it is; a table's title, unit and the like stand
            before its rows in its chunk.
        tokens: Of the embedder's own tokenizer, without the context and without special tokens.
        oversize: An atomic block that is longer than the embedder sees.
        id: The library's own number (int64, the FAISS id); 0 before it is stored.
        document: The document's id; 0 before it is stored.
        source: The slice, where text is the user's; empty where text is the slice.
        by_hand: The user merged it or split it off: its ends are not the chunker's.
        disabled: The user switched it off: no search finds it.
        tags: The user's own, in the user's order.
    """

    ordinal: int
    start: int
    end: int
    text: str
    page: int | None
    page_end: int | None
    headings: tuple[str, ...]
    kind: BlockKind
    tokens: int
    oversize: bool = False
    id: int = 0
    document: int = 0
    source: str = ""
    by_hand: bool = False
    disabled: bool = False
    tags: tuple[str, ...] = ()

    @property
    def is_edited(self) -> bool:
        """Whether the text is not what stands in the document."""
        return bool(self.source)

    @property
    def slice(self) -> str:
        """What stands in the document from start to end."""
        return self.source or self.text

    @property
    def is_changed(self) -> bool:
        """Whether the user changed anything about it."""
        return bool(self.source or self.by_hand or self.disabled or self.tags)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where text[start:end] stands in the document; of edited text all that it was made of."""
        return (self.start, self.end) if self.is_edited else (self.start + start, self.start + end)

    def part(self, low: int, high: int) -> str:
        """Return the text from one offset of the document to another; edited text is given whole, or not at all."""
        low, high = max(low, self.start), min(high, self.end)
        if low >= high:
            return ""
        return self.text if self.is_edited else self.text[low - self.start : high - self.start]

    @property
    def sha256(self) -> str:
        """Hex digest of the text: equal text has an equal digest."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def embedding_text(name: str, title: str, headings: tuple[str, ...], text: str) -> str:
    """Return what is embedded for a chunk: its text under what its document is called and the heading above it.

    As text_in_context(), without amounts, the commonest words of English, and the legal form of a company. What is
    made otherwise makes other vectors: count EMBEDDED_AS up.

    Args:
        name: Of the document's file.
        title: Of the document.
        headings: The heading path, topmost first.
        text: The chunk's own.
    """
    above = _above(name, _LEGAL_FORM.sub("", title), headings[-_HEADINGS_EMBEDDED:])
    return _without_function_words(f"{_PUNCTUATION.sub('', above)}\n{_without_amounts(_joined(text))}")


def text_in_context(name: str, title: str, headings: tuple[str, ...], text: str) -> str:
    """Return a chunk's text under what its document is called and the lowest headings above it.

    A word that a line's end divides is one word to the embedder: "infor-", "mation". Of a mark that is repeated
    thrice or more one is left, and of code marks none: they take time to embed and say nothing. The numbers of a table
    are left out, too: its title, column heads and row labels say what it is about (the keyword index has the numbers).

    Args:
        name: Of the document's file.
        title: Of the document.
        headings: The heading path, topmost first.
        text: The chunk's own.
    """
    return f"{_above(name, title, headings[-_HEADINGS:])}\n{_joined(text)}"


def _above(name: str, title: str, headings: tuple[str, ...]) -> str:
    names = called(name, title)
    path = [*names, *(heading for heading in headings if heading not in names)]
    return "\n".join(part for part in path if part)


def _joined(text: str) -> str:
    """Return a text with its broken words joined, its tables as phrases, and without marks that say nothing."""
    said = _as_phrases(text) if "|" in text else text
    return _IDLE_MARKS.sub(r"\1", _BROKEN_WORD.sub("", said))


def _without_amounts(text: str) -> str:
    """Return a text without its amounts, as it is where nothing else is in it."""
    left = _AMOUNT.sub("", text)
    return left if _LETTER.search(left) else text


def _without_function_words(text: str) -> str:
    """Return an English text without its commonest words and its possessives; “an” is a word in German, too."""
    return _FUNCTION_WORD.sub("", _POSSESSIVE.sub("", text)) if _ENGLISH.search(text) else text


def _as_phrases(text: str) -> str:
    """Return a text with the cells of its tables' rows side by side; numbers are left out unless there is nothing else.

    Page recall@20 by meaning alone of 36 questions to annual reports, with the numbers / without: 0.69 / 0.81.
    """
    lines = text.split("\n")
    rows = {
        number: _cells(line)
        for number, line in enumerate(lines)
        if line.startswith("|") and line.rstrip().endswith("|")
    }
    named = {number: [cell for cell in row if not _NUMBER_CELL.fullmatch(cell)] for number, row in rows.items()}
    cells = named if any(named.values()) else rows
    shown = [" ".join(cells[number]) if number in cells else line for number, line in enumerate(lines)]
    return "\n".join(line for number, line in enumerate(shown) if line or number not in cells)


def _cells(row: str) -> list[str]:
    return [cell for cell in map(str.strip, row.split("|")) if cell]


class EditKind(StrEnum):
    """What was done."""

    TEXT = "text"
    MERGE = "merge"
    SPLIT = "split"
    DISABLE = "disable"
    ENABLE = "enable"
    TAG = "tag"
    RESET = "reset"


WORDS = {
    EditKind.TEXT: mark("Text edited"),
    EditKind.MERGE: mark("Merged"),
    EditKind.SPLIT: mark("Split"),
    EditKind.DISABLE: mark("Disabled"),
    EditKind.ENABLE: mark("Enabled"),
    EditKind.TAG: mark("Tags changed"),
    EditKind.RESET: mark("Reset to the original"),
}


@dataclass(frozen=True, slots=True)
class ChunkChange:
    """Chunks that are to stand in the place of others.

    Attributes:
        document: That holds them.
        kind: What is done.
        before: Chunks as they are, neighbours, in order.
        after: What they become: a chunk of other text or other ends has the id 0 until it is stored, any other keeps
            its own. Together they cover what those before do.
    """

    document: int
    kind: EditKind
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class ChunkEdit:
    """A change that was made.

    Attributes:
        id: Its number.
        document: That holds the chunks.
        kind: What was done.
        made: ISO 8601, UTC.
        before: The chunks as they were.
        after: What they became.
        undone: 0 while it is in force; the higher the later it was undone.
        lost: The document's file no longer holds the text that was changed: nothing stands for it any more.
        can_undo: Nothing was built upon it since.
        can_redo: It was undone, and what it changed is there as it was.
    """

    id: int
    document: int
    kind: EditKind
    made: str
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]
    undone: int = 0
    lost: bool = False
    can_undo: bool = False
    can_redo: bool = False

    @property
    def words(self) -> str:
        """What was done, in words."""
        if self.kind is EditKind.MERGE:
            return mark(f"{len(self.before)} merged into one")
        if self.kind is EditKind.SPLIT:
            return mark(f"Split into {len(self.after)}")
        return WORDS[self.kind]

    @property
    def text_before(self) -> str:
        """The text of the chunks before."""
        return "\n".join(chunk.text for chunk in self.before)

    @property
    def text_after(self) -> str:
        """The text of the chunks after."""
        return "\n".join(chunk.text for chunk in self.after)

    @property
    def is_of_text(self) -> bool:
        """Whether another text is found since."""
        return self.text_before.split() != self.text_after.split()


@dataclass(frozen=True, slots=True)
class ChunksEdited:
    """Chunks of a document were changed, or a change was undone: its lists are to be read anew."""

    edit: ChunkEdit

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """What stands there now."""
        return self.edit.before if self.edit.undone else self.edit.after


Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextSize:
    """How long a text is to the embedder, and how much of a text it sees; 0 where there is none."""

    tokens: int
    most: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a chunk stands on a page: one rectangle a line, in points from the page's top left corner."""

    chunk: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A chunk and those before and after it; None at the ends of the document."""

    chunk: Chunk
    before: Chunk | None
    after: Chunk | None


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """An answer that cites text of a document.

    Attributes:
        session: In which it was given.
        session_title: What that is called.
        run: The answer.
        question: That it answers.
        start: First cited character in the document's text, as it was then.
        end: One past the last.
    """

    session: int
    session_title: str
    run: int
    question: str
    start: int
    end: int

    def cites(self, start: int, end: int) -> bool:
        """Tell whether it cites some of a stretch of the document."""
        return self.start < end and self.end > start


@dataclass(frozen=True, slots=True)
class Stretch:
    """text is ParsedDocument.text[start:end], what lies between the chunks included, but for what the user changed.

    Attributes:
        document: The document's id.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself, with what the user wrote in the place of some of it, without what they switched off.
        first: Ordinal of its first chunk, from 0.
        last: Ordinal of its last chunk.
        is_cut: It is a part of a section that is longer than was asked for.
    """

    document: int
    start: int
    end: int
    text: str
    first: int
    last: int
    is_cut: bool = False
