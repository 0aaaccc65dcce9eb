"""Which paragraphs are headings, and of which level: by the outline, else by size and weight."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from workbench.model.document import BlockKind
from workbench.parsing.pdf_paragraphs import Paragraph

_LARGER = 1.12
_LONGEST = 200
_MOST_LINES = 4
_DEEPEST = 6
_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.|第[一二三四五六七八九十百\d]+[章节篇部])\s*\S")
_LETTER = re.compile(r"[^\W\d_]")
_NOT_LETTERS = re.compile(r"[\W_]+")

Style = tuple[float, bool]


def mark_headings(paragraphs: Sequence[Paragraph], outline: Sequence[tuple[int, str, int]]) -> None:
    """Set kind and level of each heading.

    Args:
        paragraphs: Of the whole document, in order.
        outline: Level, title and page of each entry.
    """
    body = _body_size(paragraphs)
    if not body:
        return
    listed: dict[tuple[int, str], int] = {(page, _folded(title)): level for level, title, page in outline}
    levels_of_style: dict[Style, Counter[int]] = defaultdict(Counter)
    candidates: list[Paragraph] = []
    for paragraph in paragraphs:
        if paragraph.kind in (BlockKind.TABLE, BlockKind.CODE) or len(paragraph.lines) > _MOST_LINES:
            continue
        level = _listed_level(paragraph, listed) if listed else None
        if level is not None:
            paragraph.kind, paragraph.level = BlockKind.HEADING, min(level, _DEEPEST)
            levels_of_style[_style(paragraph)][paragraph.level] += 1
        elif _looks_like_heading(paragraph, body):
            candidates.append(paragraph)
    levels = _levels(candidates, levels_of_style)
    for paragraph in candidates:
        paragraph.kind, paragraph.level = BlockKind.HEADING, levels[_style(paragraph)]


def _body_size(paragraphs: Sequence[Paragraph]) -> float:
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        if paragraph.kind is not BlockKind.TABLE:
            sizes[round(paragraph.size * 2) / 2] += len(paragraph.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _style(paragraph: Paragraph) -> Style:
    return round(paragraph.size * 2) / 2, paragraph.bold


def _folded(title: str) -> str:
    return _NOT_LETTERS.sub("", title).casefold()


def _listed_level(paragraph: Paragraph, listed: dict[tuple[int, str], int]) -> int | None:
    if len(paragraph.text) > _LONGEST:
        return None
    folded = _folded(paragraph.text)
    # Outlines often leave the section's number out.
    bare = _folded(re.sub(r"^[\dIVX.]+\s+", "", paragraph.text))
    for page in (paragraph.page, paragraph.page - 1, paragraph.page + 1):
        for title in (folded, bare):
            if title and (page, title) in listed:
                return listed[page, title]
    return None


def _looks_like_heading(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    if len(text) > _LONGEST or not _LETTER.search(text) or text[-1] in ",;，；、" or "...." in text:
        return False
    if paragraph.size >= _LARGER * body:
        return text[-1] not in ".。" or len(text) < 60
    if not paragraph.bold or paragraph.size < 0.95 * body or len(paragraph.lines) > 2:
        return False
    if paragraph.kind is BlockKind.LIST and not _NUMBERED.match(text):
        return False
    return len(text) < 100 and text[-1] not in ".。:："


def _levels(candidates: Sequence[Paragraph], known: dict[Style, Counter[int]]) -> dict[Style, int]:
    """Return the level of each style: as the outline has it, else by rank of size, bold before regular."""
    styles = sorted({_style(paragraph) for paragraph in candidates} | set(known), reverse=True)
    levels: dict[Style, int] = {}
    level = 0
    for style in styles:
        level = known[style].most_common(1)[0][0] if style in known else min(level + 1, _DEEPEST)
        levels[style] = level
    return levels
