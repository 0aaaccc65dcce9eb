"""Parser of source code and configuration, and its splitter at definitions and blank lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from workbench.model.document import Block, BlockKind, Metadata, ParsedDocument
from workbench.parsing.assembly import clean, visible_span
from workbench.parsing.encoding import read_source, require_text
from workbench.parsing.formats import LANGUAGE, suffixes_of


class CodeParser:
    """Parser of source code; each piece has the qualified names of its definitions as title."""

    format: ClassVar[str] = "code"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("code")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        blocks = tuple(code_blocks(source.text))
        require_text(blocks)
        language = LANGUAGE.get(path.suffix.lower(), "")
        # "setup.py" is a better title than "setup".
        metadata = Metadata(title=clean(path.name), keywords=(language,) if language else ())
        return ParsedDocument(
            source.text, blocks, (), metadata, self.format, findings=source.findings, lines=source.lines
        )


_MOST_LINES = 40
_MOST_CHARACTERS = 2000
"""About twice the window of the built-in embedder; code has 40 characters and 10 tokens a line."""
_AIM_CHARACTERS = 800
"""Smaller adjacent pieces are merged up to this size."""
_LONG_LINE = 4 * _MOST_CHARACTERS
_MOST_NAMES = 4

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([\w:]+\))?|unsafe|const"
    r"|override|virtual|inline|sealed|open|data|partial|extern|local|declare|suspend|noinline|constexpr|typedef"
    r"|unsigned|mut|case|companion|inner|native|synchronized|readonly|pure|elemental|recursive|create|or|replace)\s+)*"
)
_DEFINITION = re.compile(
    rf"([ \t]*)\(?{_MODIFIERS}"
    r"(?:class|struct|enum|interface|trait|impl|union|namespace|module|object|protocol|extension"
    r"|def|defn|defun|defmodule|defp|fn|func|function|fun|sub|subroutine|proc|procedure|record|type|macro|message"
    r"|service|resource|contract|package|table|view|trigger|index|entity|architecture|mixin)"
    r"(?:\s+|\s*\([^()]{0,80}\)\s*)[*&]?[\"'`]?([A-Za-z_$@][\w$.:!?-]*)",
    re.I,
)
_ASSIGNED = re.compile(
    r"([ \t]*)(?:export\s+)?(?:default\s+)?(?:const|let|var|local|my)?\s*([A-Za-z_$][\w$.]*)\s*(?:=|<-|:)\s*"
    r"(?:async\s*)?(?:function\b|lambda\b|\([^()]{0,120}\)\s*=>|[\w$]+\s*=>)"
)
_TYPED = re.compile(
    r"([ \t]{0,4})(?:[A-Za-z_][\w:.<>,\[\]]*[ \t*&]+){1,5}([A-Za-z_~][\w:~]*)[ \t]*\([^;={}]{0,300}(?:\)[^;=]{0,40})?$"
)
_STATEMENT_WORDS = """
    if else for while switch return catch new throw delete goto case do and or not in is as with assert await yield from
    import using include raise elif until unless when print echo extends implements
"""
_STATEMENTS = frozenset(_STATEMENT_WORDS.split())
_NO_NAMES = _STATEMENTS | {"set", "let", "var", "val", "const"}
_SECTION = re.compile(r"()\[{1,2}([^\[\]]{1,80})\]{1,2}[ \t]*$")
_ABOVE = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;|@|%|'''|\"\"\"|\[<|#\[|template\b)")


@dataclass(frozen=True, slots=True)
class _CodePiece:
    """Lines first to last of the source, last excluded, with the names of the definitions that begin there."""

    first: int
    last: int
    names: tuple[str, ...] = ()


def code_blocks(text: str) -> Iterator[Block]:
    """Yield a source's text in pieces; a piece with a line too long for code becomes a paragraph instead."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    if starts[-2] == len(text):
        starts.pop()
    lines = [text[start:end] if end - start < _LONG_LINE else "" for start, end in pairwise(starts)]
    for piece in _merged(_pieces(lines, starts), starts):
        span = visible_span(text, starts[piece.first], starts[piece.last])
        if span is not None:
            long = any(starts[line + 1] - starts[line] >= _LONG_LINE for line in range(piece.first, piece.last))
            yield Block(BlockKind.PARAGRAPH if long else BlockKind.CODE, *span, title="" if long else _title(piece))


def _title(piece: _CodePiece) -> str:
    names = list(dict.fromkeys(piece.names))
    return ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")


def _pieces(lines: Sequence[str], starts: Sequence[int]) -> Iterator[_CodePiece]:
    """Yield the lines in pieces that begin at definitions, within the limits if they can be divided."""
    found = _definitions(lines)
    begins = [0, *(line for line, _ in found if line), len(lines)]
    names = dict(found)
    for first, last in pairwise(begins):
        if last > first:
            name = names.get(first, "")
            yield from _cut(_CodePiece(first, last, (name,) if name else ()), lines, starts)


def _definitions(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return first line and qualified name of each definition, including comments and decorators above it."""
    found: list[tuple[int, str]] = []
    scope: list[tuple[int, str]] = []
    floor = 0
    for number, line in enumerate(lines):
        match = _defined(line)
        if match is None:
            continue
        indent = len(match[1].expandtabs(4))
        while scope and scope[-1][0] >= indent:
            scope.pop()
        scope.append((indent, match[2].rstrip(".:!?-") or match[2]))
        first = number
        while first > floor and _ABOVE.match(lines[first - 1]):
            first -= 1
        floor = number + 1
        found.append((first, ".".join(name for _, name in scope)))
    return found


def _defined(line: str) -> re.Match[str] | None:
    """Return a match with a line's indentation and the name that it defines as groups."""
    bare = line.rstrip("\n").rstrip()
    if not bare or len(bare) > 300 or _ABOVE.match(bare):
        return None
    match = _DEFINITION.match(bare) or _ASSIGNED.match(bare) or _SECTION.match(bare) or _TYPED.match(bare)
    if match is None or match[2].lower() in _NO_NAMES or bare.split(None, 1)[0].lower().strip("(") in _STATEMENTS:
        return None
    return match


def _cut(piece: _CodePiece, lines: Sequence[str], starts: Sequence[int]) -> Iterator[_CodePiece]:
    """Yield a piece in parts within the limits of lines and characters, divided at pauses of the code."""
    first = piece.first
    while not _fits(first, piece.last, starts):
        furthest = first + 1
        while furthest < piece.last and _fits(first, furthest + 1, starts):
            furthest += 1
        at = _pause(lines, first, furthest) if furthest < piece.last else furthest
        yield replace(piece, first=first, last=at)
        first = at
    if first < piece.last:
        yield replace(piece, first=first)


def _fits(first: int, last: int, starts: Sequence[int]) -> bool:
    return last - first <= _MOST_LINES and starts[last] - starts[first] <= _MOST_CHARACTERS


def _pause(lines: Sequence[str], first: int, furthest: int) -> int:
    """Return the best line for a division in the latter two thirds: after a blank line, with little indentation."""
    best, best_cost = furthest, 1000
    for number in range(furthest, first + max(1, (furthest - first) // 3), -1):
        line = lines[number]
        if not line.strip():
            continue
        cost = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip()) + (0 if not lines[number - 1].strip() else 6)
        if cost < best_cost:
            best, best_cost = number, cost
    return best


def _merged(pieces: Iterator[_CodePiece], starts: Sequence[int]) -> Iterator[_CodePiece]:
    """Yield the pieces with small adjacent ones merged."""
    waiting: _CodePiece | None = None
    for piece in pieces:
        if waiting is None:
            waiting = piece
        elif (
            starts[piece.last] - starts[waiting.first] <= _AIM_CHARACTERS and piece.last - waiting.first <= _MOST_LINES
        ):
            waiting = _CodePiece(waiting.first, piece.last, (*waiting.names, *piece.names))
        else:
            yield waiting
            waiting = piece
    if waiting is not None:
        yield waiting
