"""Chunks: slices of a document's text that are embedded, found and cited.

Also contains their edits, neighbours, outlines and uses.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark
from workbench.model.document import BlockKind
from workbench.model.document_name import called

EMBEDDED_AS = 9
"""Version of the texts made by embedding_text(); part of an embedder's id, so that vectors are never mixed.

An older library is embedded again at the next start; until then it is searched by keyword.
"""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad][^\S\n]*\n[^\S\n]*(?=[^\W\d_A-Z])")
# Fences, rules, dot leaders: each mark would be a separate token, 15 % of all tokens in technical documentation.
_IDLE_MARKS = re.compile(r"`+|([^\w\s]|_)(?:[^\S\n]*\1){2,}")
# Number of lowest headings used: higher ones are the same for most chunks of a document, including lines of its cover.
# Page MRR by meaning alone of filings / reports: whole path joined by ">" 0.216 / 0.475, rows of tables without bars
# 0.268 / 0.495, then two headings 0.271 / 0.488, each name and heading on a separate line 0.291 / 0.508; with one
# heading 0.268 / 0.480. This reduces the tokens of filings by 7 %.
_HEADINGS = 2
# A tenth of the tokens of English prose, not needed by the vectors. Whole search with all words / without these /
# without 36 function words: evidence 0.913 / 0.912 / 0.900, hotpot 0.832 / 0.838 / 0.830, squad2 (1,200 questions)
# 0.942 / 0.940 / 0.938, xquad en 0.986 in all; page MRR of filings by meaning alone, without punctuation 0.27, with it
# 0.29 (int8). Words in capitals are names: IT, OF.
_FUNCTION_WORD = re.compile(r"\b(?<![\w'’-])(?:[Tt]he|a|[Aa]n|[Oo]f|[Aa]nd)(?![\w'’-])[^\S\n]*")
# "Company’s" is three tokens.
_POSSESSIVE = re.compile(r"(?<=[A-Za-z])['’]s(?!\w)")
# An amount, with its currency or "%". Not a year, nor a number that is part of a name: 10-K, COVID-19, 3.3.1, 12/31,
# 9:30. The keyword index contains them all. Without them and the possessives the text has 4 to 5 % fewer tokens; page
# recall@10 and MRR of filings 0.882, 0.581 (with one heading and numbers 0.882, 0.611), of reports 0.852, 0.682 (0.852,
# 0.656); nDCG@10 of xquad en 0.976 (0.978), squad2 0.948 (0.952), hotpot 0.832 (0.837), evidence 0.936 (0.935).
_AMOUNT = re.compile(
    r"(?:[$€£¥][^\S\n]?)?(?<![\w.,:/'’-])(?!(?:19|20)\d\d(?![.,]?\d))"
    r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d+)(?:[.,]\d+)?(?![\w/'’-]|[.,:]\d)(?:[^\S\n]?%)?[^\S\n]?"
)
_LETTER = re.compile(r"[^\W\d_]")
_ENGLISH = re.compile(r"\b(?:the|of|and)\b", re.IGNORECASE)
# Commas, full stops and hyphens of the text itself stay: without commas and hyphens page recall@10 and MRR of filings
# fall from 0.882, 0.604 to 0.853, 0.572, of reports from 0.843, 0.658 to 0.833, 0.645.
_PUNCTUATION = re.compile(r"[.,:;](?!\w)")
# 3 % of the tokens of filings. Page recall@5, @10 and MRR with / without them: filings 0.794, 0.912, 0.655 / 0.794,
# 0.882, 0.641 (one of 34 questions), reports 0.769, 0.833, 0.666 / 0.787, 0.843, 0.672 (two of 108, and one).
_BRACKETS = re.compile(r"[()\[\]“”\"•]+")
_BRACKETS_WITHIN = re.compile(rf"(?<=\w){_BRACKETS.pattern}(?=\w)")
# A cell that contains only a number, a sign or nothing. A year is a column head and stays.
_NUMBER_CELL = re.compile(r"(?!(?:19|20)\d\d$)[\d\s.,:'’()<>~≈±+*×x%‰$€£¥\u2010-\u2015\u2212-]*")


@dataclass(frozen=True, slots=True)
class ChunkText:
    """Text of a chunk with its title and headings, as compared by a search for hundreds of chunks.

    Attributes:
        text: Text of the chunk.
        title: Title of its document.
        headings: The heading path above it, in one line.
        kind: Kind of the chunk.
    """

    text: str
    title: str
    headings: str
    kind: BlockKind


@dataclass(frozen=True, slots=True)
class Chunk:
    """Slice of a document: text is exactly ParsedDocument.text[start:end], changed by nobody but the user.

    If the user edited it, text is theirs, and source is the document's text from start to end.

    Attributes:
        ordinal: 0-based index in the document.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself, or the user's replacement: this is embedded, found and quoted.
        page: 1-based page of its start, None if the format has no pages.
        page_end: Page of its end.
        headings: The heading path above it, topmost first; for a table the sentence that introduces it comes last.
        kind: PARAGRAPH for prose, or the kind of its only atomic block; a table's title, unit and similar lines precede
            its rows in its chunk.
        tokens: Counted by the embedder's own tokenizer, without the context and without special tokens.
        oversize: It is an atomic block that is longer than the embedder's window.
        id: The library's own number (int64, the FAISS id); 0 before it is stored.
        document: The document's id; 0 before it is stored.
        source: The slice, if text is the user's; empty if text is the slice.
        by_hand: The user merged it or split it off: its ends are not the chunker's.
        disabled: The user disabled it: no search finds it.
        tags: The user's own tags, in the user's order.
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
        """True if the text differs from the document's."""
        return bool(self.source)

    @property
    def slice(self) -> str:
        """Text of the document from start to end."""
        return self.source or self.text

    @property
    def is_changed(self) -> bool:
        """True if the user changed anything about it."""
        return bool(self.source or self.by_hand or self.disabled or self.tags)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position of text[start:end] in the document; for edited text, the position of the whole chunk."""
        return (self.start, self.end) if self.is_edited else (self.start + start, self.start + end)

    def part(self, low: int, high: int) -> str:
        """Return the text between two offsets of the document; edited text is returned as a whole, or not at all."""
        low, high = max(low, self.start), min(high, self.end)
        if low >= high:
            return ""
        return self.text if self.is_edited else self.text[low - self.start : high - self.start]

    @property
    def sha256(self) -> str:
        """Hex digest of the text: equal texts have equal digests."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def embedding_text(headings: tuple[str, ...], text: str) -> str:
    """Return the text that is embedded for a chunk: its text below the lowest heading above it.

    It has no amounts, no brackets, and not the commonest words of English. A change of this function changes the
    vectors: increment EMBEDDED_AS.

    The names of the document are not embedded: a question that names a document is answered from it anyway
    (retrieval/document_names.py). With file name and title / without them / without the heading, too: page recall@5,
    @10 and MRR of filings 0.765, 0.882, 0.604 / 0.824, 0.882, 0.657 / 0.765, 0.882, 0.635, of reports 0.806, 0.843,
    0.658 / 0.769, 0.843, 0.665 / 0.769, 0.833, 0.650, with 5 and 8 % / 10 and 13 % fewer tokens. Two headings instead
    of one are 3 % more tokens, and nothing more is found.

    Args:
        headings: The heading path, topmost first.
        text: Text of the chunk.
    """
    above = _PUNCTUATION.sub("", "".join(headings[-1:]))
    words = _remove_function_words(f"{above}\n{_remove_amounts(_join_broken_words(text))}")
    return _BRACKETS.sub("", _BRACKETS_WITHIN.sub(" ", words))


def text_in_context(name: str, title: str, headings: tuple[str, ...], text: str) -> str:
    """Return a chunk's text below its document's names and the lowest headings above it.

    The parts of a word divided at the end of a line ("infor-", "mation") are joined for the embedder. A mark that is
    repeated three times or more is reduced to one, and code marks are removed: they take time to embed and carry no
    meaning. The numbers of a table are left out as well: its title, column heads and row labels describe its topic (the
    keyword index contains the numbers).

    Args:
        name: File name of the document.
        title: Title of the document.
        headings: The heading path, topmost first.
        text: Text of the chunk.
    """
    return f"{_context_lines(name, title, headings[-_HEADINGS:])}\n{_join_broken_words(text)}"


def _context_lines(name: str, title: str, headings: tuple[str, ...]) -> str:
    names = called(name, title)
    path = [*names, *(heading for heading in headings if heading not in names)]
    return "\n".join(part for part in path if part)


def _join_broken_words(text: str) -> str:
    """Return a text with broken words joined, tables as phrases, and without meaningless marks."""
    phrases = _as_phrases(text) if "|" in text else text
    return _IDLE_MARKS.sub(r"\1", _BROKEN_WORD.sub("", phrases))


def _remove_amounts(text: str) -> str:
    """Return a text without its amounts; unchanged if it contains nothing else."""
    left = _AMOUNT.sub("", text)
    return left if _LETTER.search(left) else text


def _remove_function_words(text: str) -> str:
    """Return an English text without its commonest words and possessives; “an” is a word in German, too."""
    return _FUNCTION_WORD.sub("", _POSSESSIVE.sub("", text)) if _ENGLISH.search(text) else text


def _as_phrases(text: str) -> str:
    """Return a text with the cells of table rows joined by spaces; numbers are left out unless there is nothing else.

    Page recall@20 by meaning alone of 36 questions about annual reports, with the numbers / without: 0.69 / 0.81.
    """
    lines = text.split("\n")
    rows = {
        number: _cells(line)
        for number, line in enumerate(lines)
        if line.startswith("|") and line.rstrip().endswith("|")
    }
    labels = {number: [cell for cell in row if not _NUMBER_CELL.fullmatch(cell)] for number, row in rows.items()}
    cells = labels if any(labels.values()) else rows
    shown = [" ".join(cells[number]) if number in cells else line for number, line in enumerate(lines)]
    return "\n".join(line for number, line in enumerate(shown) if line or number not in cells)


def _cells(row: str) -> list[str]:
    return [cell for cell in map(str.strip, row.split("|")) if cell]


class EditKind(StrEnum):
    """Kind of an edit."""

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
    """Replacement of chunks by others.

    Attributes:
        document: The document that contains them.
        kind: Kind of the edit.
        before: The current chunks, adjacent, in order.
        after: Their replacement: a chunk with other text or other ends has the id 0 until it is stored, any other keeps
            its own. Together they cover the same text as those before.
    """

    document: int
    kind: EditKind
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class ChunkEdit:
    """Edit that was made.

    Attributes:
        id: Its number.
        document: The document that contains the chunks.
        kind: Kind of the edit.
        made: ISO 8601, UTC.
        before: The chunks before the edit.
        after: The chunks after the edit.
        undone: 0 while it is in force; higher numbers were undone later.
        lost: The document's file no longer contains the changed text, so the edit has no effect.
        can_undo: No later edit depends on it.
        can_redo: It was undone, and the chunks before it are unchanged.
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
        """Description of the edit."""
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
        """True if it changed the searchable text."""
        return self.text_before.split() != self.text_after.split()


@dataclass(frozen=True, slots=True)
class ChunksEdited:
    """Event: chunks of a document were changed, or a change was undone; lists of them must be reloaded."""

    edit: ChunkEdit

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The current chunks."""
        return self.edit.before if self.edit.undone else self.edit.after


Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextSize:
    """Number of tokens of a text, and the size of the embedder's window; 0 without an embedder."""

    tokens: int
    most: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Outline of a chunk on a page: one rectangle per line, in points from the page's top left corner."""

    chunk: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Chunk with its predecessor and successor; None at the ends of the document."""

    chunk: Chunk
    before: Chunk | None
    after: Chunk | None


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """Answer that cites text of a document.

    Attributes:
        session: Session of the answer.
        session_title: Title of the session.
        run: The answer.
        question: Its question.
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
        """Return whether it cites some text in a span of the document."""
        return self.start < end and self.end > start


@dataclass(frozen=True, slots=True)
class Stretch:
    """Span of a document: text is ParsedDocument.text[start:end], with gaps between chunks and the user's changes.

    Attributes:
        document: The document's id.
        start: First character in the document's text.
        end: One past the last.
        text: The slice itself, with the user's replacements and without disabled chunks.
        first: Ordinal of its first chunk, from 0.
        last: Ordinal of its last chunk.
        is_cut: It is a part of a section that is longer than requested.
    """

    document: int
    start: int
    end: int
    text: str
    first: int
    last: int
    is_cut: bool = False
