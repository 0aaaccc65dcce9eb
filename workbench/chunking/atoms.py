"""Atomic blocks far longer than the embedder sees: cut between lines, and lines too long as prose is cut.

A table's row may hold a whole book, a listing may be a data file. What is left whole is shown and embedded as one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from workbench.chunking.introductions import LONGEST_NAME
from workbench.chunking.ruler import TokenRuler
from workbench.chunking.runs import Atom
from workbench.chunking.units import Cut, Unit, fit, prose_units, weight
from workbench.model.document import BlockKind

Headings = tuple[str, ...]

MOST_WINDOWS = 128
"""Of the embedder, in a block that is kept whole: 28,000 tokens, some 2,000 lines of code. Its vector is their mean.

Whole blocks are what people want to see, but no model reads a chunk of 5 MB, nor does a list show one. How often a
question finds the block that answers it among the first 10 of 240, where the block has 2 / 4 / 8 / 16 / 32 windows:
1.00 / 0.88 / 0.79 / 0.55 / 0.48; from there on it is keywords that find it.
"""

_RULER = re.compile(r"[|:\-+=\s]+")
_PIPE = re.compile(r"(?<!\\)\|")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Part:
    """Units that are packed by themselves, into chunks of at most so many tokens."""

    units: tuple[Unit, ...]
    limit: int


def atom_parts(text: str, atom: Atom, ruler: TokenRuler, limit_under: Callable[[Headings], int]) -> Iterator[Part]:
    """Yield an atomic block in parts: lines together, and each line that is too long by itself.

    What is cut off a table stands under its head as under a heading, what is cut off a row under its first cell too.

    Args:
        text: The whole document's.
        atom: The block.
        ruler: Counts its tokens.
        limit_under: How many tokens a chunk may have under these headings.
    """
    lines = [match.span() for match in _LINE.finditer(text, atom.block.start, atom.block.end) if match.group().strip()]
    head = _head(text, lines) if atom.block.kind is BlockKind.TABLE else ""
    under = (*atom.headings, head) if head else atom.headings
    limit = limit_under(under)
    short: list[Unit] = []
    for number, (start, end) in enumerate(lines):
        line = Unit(start, end, weight(start, end, ruler), under if number > 1 else atom.headings, Cut.PARAGRAPH)
        if line.tokens <= limit:
            short.append(line)
            continue
        if short:
            yield Part(tuple(short), limit)
            short = []
        key = _key(text[start:end]) if head else ""
        yield _pieces(text, line, ruler, limit_under, (*under, key) if key else under)
    if short:
        yield Part(tuple(short), limit)


def _pieces(text: str, line: Unit, ruler: TokenRuler, limit_under: Callable[[Headings], int], under: Headings) -> Part:
    limit = limit_under(under)
    sentences = prose_units(text, line.start, line.end, under, ruler, last=Cut.SECTION)
    first, *rest = [piece for unit in sentences for piece in fit(unit, text, ruler, limit=limit)]
    return Part((replace(first, headings=line.headings), *rest), limit)


def _head(text: str, lines: list[tuple[int, int]]) -> str:
    """Return the names of a table's columns, or nothing where no ruler stands below the first line.

    Of very many columns the first ones: a name that is cut would be another one.
    """
    if len(lines) < 3 or not _RULER.fullmatch(text[slice(*lines[1])]):
        return ""
    line = text[slice(*lines[0])].strip().strip("|")
    return _name(line) or _name(line[:LONGEST_NAME].rpartition("|")[0])


def _key(row: str) -> str:
    return _name(_PIPE.split(row.strip().removeprefix("|"), maxsplit=1)[0])


def _name(text: str) -> str:
    """Return a text on one line where it is short enough to be a name."""
    line = " ".join(text[: 2 * LONGEST_NAME].split())
    return line if len(line) <= LONGEST_NAME else ""
