"""Incremental rendering of a streaming answer.

Blocks that no later text can change are settled: they are neither parsed nor rendered again. A piece is the HTML of
one block of the answer, such as a paragraph or a quote. Long code blocks, lists and tables are split into several
pieces, because highlighting and laying out a hundred lines takes longer than one frame. Apart from this split, the
pieces together equal the result of answer_html.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.export.markdown_source import MarkdownBlock, MarkdownBlockKind, MarkdownBlocks, blocks, labels
from workbench.export.rendering import (
    AnswerWithPlaceholders,
    Chip,
    blocks_html,
    chips_of,
    coloured,
    html_chip,
    mark_citations,
    placeholders_in,
)
from workbench.model.hit import Citation

# Code is cut after at least _CODE_LINES lines, if the next _LINES_AFTER lines are highlighted the same with and without
# the lines before them. Otherwise the cut is tried again _STEP lines later, at most _MOST_TRIES times; then the rest
# stays in one piece (inside a long string, no cut is possible).
_CODE_LINES = 8
_LINES_AFTER = 4
_STEP = 4
_MOST_TRIES = 12
# Minimum number of characters of a list in a piece.
_LIST_LENGTH = 1_200
# Rows of a table in a piece; minimum and maximum number of characters that count for the width of a column.
_ROWS = 20
_WIDTHS = (4, 40)
# Characters in one line of a narrow answer, of the padding of a cell, and of a word at most that is not divided.
_NARROW = 40
_PADDING = 3
_DENSE_PADDING = 1
MANY_COLUMNS = 5
"""From this number of columns on, cells have less padding, so that words fit in a window of 1024 pixels."""
_LONGEST_WORD = 18
# Chinese and Japanese text can be divided at any character.
_WORD = re.compile(r"[^\s\u2e80-\uffef]+")
_HEAD = re.compile(r"<thead>.*?</thead>\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HtmlPiece:
    """HTML of a block or of a part of a long block.

    Attributes:
        begins: True for the first piece of its block.
        ends: True for the last piece of its block.
        widths: Column widths in per cent of a wide or split table, computed from its first rows.
    """

    html: str
    begins: bool = True
    ends: bool = True
    widths: tuple[int, ...] = ()


class AnswerPieces:
    """Renderer of one answer that is called repeatedly while the answer grows.

    Args:
        link: As for answer_html.
        chip: As for answer_html; must depend only on a citation's position, number and validity.
        code_style: As for answer_html.
    """

    def __init__(self, *, link: Callable[[Citation], str], chip: Chip = html_chip, code_style: str = "") -> None:
        self._link = link
        self._chip = chip
        self._code_style = code_style
        # Cached HTML of the settled blocks, and of the unsettled blocks at the last call.
        self._kept: dict[Hashable, str] = {}
        self._fresh: dict[Hashable, str] = {}
        self._references: Mapping[str, str] = {}
        self._forget()

    def read(self, markdown_text: str, citations: Sequence[Citation] = ()) -> list[HtmlPiece]:
        """Return all pieces of the answer received so far."""
        if not markdown_text.startswith(self._text) or self._text_citations != self._spans(citations, len(self._text)):
            self._forget()
        answer, read = self._read_rest(markdown_text, citations)
        if read.references != self._references:
            self._references = read.references
            if self._has_labels:
                # A link definition also applies to the text before it.
                self._forget()
                answer, read = self._read_rest(markdown_text, citations)
        chips = chips_of(answer, self._link, self._chip)
        made: dict[Hashable, str] = {}
        pieces = [[self._piece(part, answer, chips, made) for part in self._parts(block)] for block in read.children]
        shown = [*self._pieces, *(piece for parts in pieces for piece in parts)]
        # With "\r\n" line ends, offsets in the answer differ from offsets in the parsed text.
        if read.settled and "\r" not in markdown_text:
            self._settle(markdown_text, citations, answer, read)
            self._pieces += [piece for parts in pieces[: read.settled] for piece in parts]
            self._kept.update(made)
        self._fresh = made
        return shown

    def _forget(self) -> None:
        """Unsettle all blocks; keep only the cached HTML."""
        self._text = ""
        self._text_citations: tuple[Hashable, ...] = ()
        self._text_references: Mapping[str, str] = {}
        self._placeholders = 0
        self._has_labels = False
        self._pieces: list[HtmlPiece] = []

    def _read_rest(self, text: str, citations: Sequence[Citation]) -> tuple[AnswerWithPlaceholders, MarkdownBlocks]:
        answer = mark_citations(text, citations, start=len(self._text), number=self._placeholders)
        return answer, blocks(answer.text, self._text_references)

    def _settle(
        self, text: str, citations: Sequence[Citation], answer: AnswerWithPlaceholders, read: MarkdownBlocks
    ) -> None:
        """Record the blocks that no following text can change."""
        lines = answer.text.split("\n")
        settled = "\n".join([*lines[: read.children[read.settled].line], ""])
        found = placeholders_in(settled)
        length = len(settled) + sum(len(answer.sources[placeholder]) - 1 for placeholder in found)
        self._placeholders += len(found)
        self._text = text[: len(self._text) + length]
        self._text_citations = self._spans(citations, len(self._text))
        self._text_references = read.settled_references
        self._has_labels = self._has_labels or "[" in settled

    @staticmethod
    def _spans(citations: Sequence[Citation], end: int) -> tuple[Hashable, ...]:
        return tuple(
            (citation.answer_start, citation.answer_end, citation.marker, citation.valid)
            for citation in citations
            if citation.answer_start < end
        )

    def _piece(
        self,
        part: tuple[MarkdownBlock, bool, bool],
        answer: AnswerWithPlaceholders,
        chips: Mapping[str, str],
        made: dict[Hashable, str],
    ) -> HtmlPiece:
        block, begins, ends = part
        text = _text(block)
        cited = tuple((name, answer.sources[name], chips[name]) for name in placeholders_in(text))
        defined = tuple((label, self._references.get(label)) for label in labels(text)) if self._references else ()
        key = (_freeze(block), cited, defined)
        html = self._kept.get(key) or self._fresh.get(key)
        if html is None:
            html = blocks_html([block], self._references, answer.sources, chips, code_style=self._code_style)
        made[key] = html
        if block.kind is not MarkdownBlockKind.TABLE:
            return HtmlPiece(html, begins, ends)
        return HtmlPiece(html if begins else _HEAD.sub("", html), begins, ends, block.widths)

    def _parts(self, block: MarkdownBlock) -> Iterator[tuple[MarkdownBlock, bool, bool]]:
        """Yield a block or the parts of a long one, each with two flags: is it the first, is it the last part."""
        if block.kind is MarkdownBlockKind.CODE:
            parts = [replace(block, lines=block.lines[start:end]) for start, end in _ranges(self._cuts(block))]
        elif block.kind is MarkdownBlockKind.LIST:
            parts = [
                replace(block, children=block.children[start:end], number=block.number + start)
                for start, end in _ranges(_list_cuts(block))
            ]
        elif block.kind is MarkdownBlockKind.TABLE:
            parts = list(_table_parts(block))
        else:
            parts = [block]
        for number, part in enumerate(parts, start=1):
            yield part, number == 1, number == len(parts)

    def _cuts(self, code: MarkdownBlock) -> list[int]:
        """Return the line numbers before which code can be cut without changing its highlighting."""
        cuts: list[int] = []
        start, tries = 0, 0
        cut = _CODE_LINES
        while cut + _LINES_AFTER < len(code.lines) and tries < _MOST_TRIES:
            if not (code.lines[cut - 1].strip() and code.lines[cut].strip()):
                # HTML drops a line feed at the beginning of <pre>, and trailing blank lines are stripped.
                cut += 1
            elif self._can_cut(code, start, cut):
                cuts.append(cut)
                start, tries = cut, 0
                cut += _CODE_LINES
            else:
                tries += 1
                cut += _STEP
        return cuts

    def _can_cut(self, code: MarkdownBlock, start: int, cut: int) -> bool:
        end = cut + _LINES_AFTER
        whole = coloured("\n".join(code.lines[start:end]), code.mark, self._code_style)
        after = coloured("\n".join(code.lines[cut:end]), code.mark, self._code_style)
        return whole.split("\n")[cut - start :] == after.split("\n")


def _table_parts(table: MarkdownBlock) -> Iterator[MarkdownBlock]:
    """Yield the parts of a table; each repeats the head, which defines the alignment of the columns."""
    head, rows = table.lines[:2], table.lines[2:]
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in (head[0], *rows[:_ROWS])]
    columns = [[row[column] for row in cells if column < len(row)] for column in range(len(cells[0]))]
    least, most = _WIDTHS
    padding = _PADDING if len(columns) < MANY_COLUMNS else _DENSE_PADDING
    longest = [padding + min(most, max(least, *map(len, column))) for column in columns]
    is_wide = len(rows) > _ROWS or sum(longest) > _NARROW
    widths = _widths(columns, longest, padding) if is_wide else ()
    for start, end in _ranges(list(range(_ROWS, len(rows), _ROWS))):
        yield replace(table, lines=[*head, *rows[start:end]], widths=widths)


def _widths(columns: Sequence[Sequence[str]], longest: Sequence[int], padding: int) -> tuple[int, ...]:
    """Return column widths in per cent: first the longest word of each column, then the rest of its longest cell.

    Without widths, Qt divides words ("developme", "nt") while other columns have space to spare.

    Args:
        columns: Cells of each column.
        longest: Width of each column without line breaks, in characters, with its padding.
        padding: Characters of the padding of a cell.
    """
    # The head, in bold type, is a tenth wider.
    words = [
        max((len(word) + (row == 0) for row, cell in enumerate(column) for word in _WORD.findall(cell)), default=0)
        for column in columns
    ]
    needed = [min(whole, padding + min(_LONGEST_WORD, word)) for whole, word in zip(longest, words, strict=True)]
    missing = sum(longest) - sum(needed)
    share = max(0, _NARROW - sum(needed)) / missing if missing else 0.0
    widths = [least + share * (whole - least) for whole, least in zip(longest, needed, strict=True)]
    return tuple(round(100 * width / sum(widths)) for width in widths)


def _list_cuts(block: MarkdownBlock) -> list[int]:
    """Return the indices of the items before which a list is cut."""
    cuts: list[int] = []
    length = 0
    for number, item in enumerate(block.children):
        if length >= _LIST_LENGTH:
            cuts.append(number)
            length = 0
        length += len(_text(item))
    return cuts


def _ranges(cuts: Sequence[int]) -> Iterator[tuple[int, int | None]]:
    return zip([0, *cuts], [*cuts, None], strict=True)


def _freeze(block: MarkdownBlock) -> Hashable:
    """Return a hashable key of everything that a block's HTML depends on."""
    children = tuple(_freeze(child) for child in block.children)
    return block.kind, block.mark, block.number, block.loose, tuple(block.lines), children


def _text(block: MarkdownBlock) -> str:
    return "\n".join([*block.lines, *map(_text, block.children)])
