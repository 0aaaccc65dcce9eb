"""Markers of an answer -> citations, each checked against what this run has found."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter

from workbench.agent.markers import Marker, blanked, find_markers
from workbench.agent.passage import Span, is_row, supporting_span
from workbench.chunking.sentences import sentence_spans
from workbench.model.chunk import Chunk
from workbench.model.hit import Citation, NumberedHit

_LONGEST_CLAIM = 1500
"""Characters; of a longer “sentence” those before the marker count, and half as many more at most."""


def find_citations(answer: str, references: Mapping[int, NumberedHit]) -> tuple[Citation, ...]:
    """Return one citation per number of each marker, in order; a number nobody was given is flagged as not valid.

    Args:
        answer: The answer's Markdown.
        references: The run's hits under their numbers.
    """
    markers = find_markers(answer)
    claims = blanked(answer) if markers else ""
    # Markers that follow one another stand for one claim, which is looked for once.
    span_of = lru_cache(maxsize=1024)(supporting_span)
    return tuple(_citation(marker, references.get(marker.number), claims, span_of) for marker in markers)


def _citation(
    marker: Marker, numbered: NumberedHit | None, claims: str, span_of: Callable[[str, Chunk], Span]
) -> Citation:
    if numbered is None:
        return Citation(marker.number, valid=False, answer_start=marker.start, answer_end=marker.end)
    hit = numbered.hit
    chunk = hit.chunk
    start, end = span_of(claim_before(claims, marker.start), chunk)
    first, last = chunk.span(start, end)
    page = hit.page_at(first)
    return Citation(
        marker=marker.number,
        valid=True,
        document=None if hit.is_outside else chunk.document,
        document_name=hit.document_name,
        path=hit.path,
        page=page,
        chunk=chunk.id,
        chunk_ordinal=None if hit.is_outside else chunk.ordinal,
        start=first,
        end=last,
        quote=chunk.text[start:end],
        sha256=chunk.sha256,
        answer_start=marker.start,
        answer_end=marker.end,
        headings=hit.headings_of(first, last),
        page_kind=hit.page_kind,
        page_label=hit.label_of(page),
        ocr=page in hit.ocr_pages,
        origin=hit.origin,
        edited=chunk.is_edited,
    )


def claim_before(claims: str, position: int) -> str:
    """Return the sentence that a marker at position stands for: the one it closes, stands in, or opens.

    Args:
        claims: The answer with its markers blanked.
        position: Where the marker begins.
    """
    last_character = len(claims[:position].rstrip()) - 1
    if block := _code_before(claims[: last_character + 1]):
        return block[:_LONGEST_CLAIM]
    line_start = claims.rfind("\n", 0, last_character + 1) + 1
    line_end = claims.find("\n", max(position, last_character))
    line = claims[line_start : line_end if line_end >= 0 else len(claims)]
    said = line[: last_character + 1 - line_start]
    if _CELLS.fullmatch(said) or is_row(said):
        return said
    spans = _sentences(line)
    before = bisect_right(spans, last_character - line_start, key=itemgetter(0))
    start, end = spans[max(0, before - 1)] if spans else (0, len(line))
    far = max(0, last_character + 1 - line_start - _LONGEST_CLAIM)
    # In steps: markers close to one another have one claim, which is looked for once. One “sentence” of 14 KB with a
    # marker at nine of ten words took 0.9 s, so 0.08 s.
    far -= far % (_LONGEST_CLAIM // 2)
    opening = opening_quote(line[far : last_character + 1 - line_start])
    start = start if opening is None else min(start, far + opening)
    return line[max(start, far) : min(end, far + 2 * _LONGEST_CLAIM)].strip()


def _code_before(text: str) -> str:
    """Return the fenced block that text ends with, or nothing."""
    fence = text[-3:]
    closing = text.rfind("\n") + 1
    if fence not in ("```", "~~~") or text[closing:].strip(fence[0] + " "):
        return ""
    opening = text.rfind(f"\n{fence}", 0, closing - 1)
    return text[opening + 1 :] if opening >= 0 else ""


@lru_cache(maxsize=64)
def _sentences(line: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(line))


# A table's row as the offline answerer says it: Region: “North. Coast”; Sales: “12”.
_CELLS = re.compile(r"- (?:[^“”\n]{0,300}“[^“”\n]*”(?:; |$))+")
_CLOSING = {"”": "“", "」": "「", "』": "『", '"': '"'}


def opening_quote(text: str) -> int | None:
    """Return where the quotation that text ends with begins: it may hold several sentences and other quotations."""
    closing = text[-1:]
    opening = _CLOSING.get(closing)
    if opening is None:
        return None
    if opening == closing:
        position = text.rfind(opening, 0, -1)
        return position if position >= 0 else None
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == closing) - (text[position] == opening)
        if depth == 0:
            return position
    return None
