"""Citations of an answer.

Each marker is checked against the references of the run and matched to its supporting sentence.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter

from workbench.agent.markers import Marker, blank_markers, find_markers
from workbench.chunking.sentences import sentence_spans
from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.model.hit import Citation, NumberedHit
from workbench.retrieval.markdown_stripping import plain_cells, strip_markdown
from workbench.retrieval.quotable_spans import quotables

Span = tuple[int, int]

MOST_CELLS = 12
"""Number of cells of a table row that are quoted one by one: nobody reads wider rows in full."""

_QUOTED = re.compile(r"“([^”\n]+)”|\"([^\"\n]+)\"|「([^」\n]+)」|『([^』\n]+)』|^>\s*(.+)$", re.MULTILINE)
_OPENING = ("“", '"', "「", "『")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&#(\d{1,6});")
_ELISION = re.compile(r"\[(?:…|\.\.\.)\]")
_TABLE_ROW = re.compile(r"\s*\|[^\n]*\|\s*")
_FENCES = ("```", "~~~")
# Latin words, numbers with their inner signs, and pairs of CJK characters.
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|s)$")
_SHORTEST_QUOTE = 12
_SHORTEST_CJK_QUOTE = 4
_NUMBER_WEIGHT = 2.0
_STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "have", "in", "is", "it", "its", "of", "on",
    "or", "that", "the", "this", "to", "was", "were", "which", "with", "的", "是", "在", "了",
})  # fmt: skip
# A neighbouring sentence is included if it adds at least this share of the claim's weight to that of the best sentence.
_WORTH_A_NEIGHBOUR = 0.25


def supporting_span(claim: str, chunk: Chunk) -> Span:
    """Return (start, end) within the chunk's text; the span of the whole chunk if no part of it matches the claim."""
    return _verbatim(claim, chunk.text) or _overlapping(claim, chunk) or (0, len(chunk.text))


def is_row(line: str) -> bool:
    """Return whether a line, up to its marker, is a row of a Markdown table."""
    return _TABLE_ROW.fullmatch(line) is not None


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: match[1] or chr(int(match[2])), text)


def _verbatim(claim: str, text: str) -> Span | None:
    """Find the words that the claim quotes, or the sentences that contain the claim itself."""
    if claim.startswith(_FENCES):
        return _find(claim, text)  # code contains no escapes
    written, claim = claim, _unescaped(claim)
    bare = claim.strip().lstrip("-*> ")
    if bare[:1] in _OPENING and (span := _find(bare, text)):
        return span  # the whole claim is one quotation, which may contain others
    if is_row(written):
        cells = [_unescaped(cell) for cell in plain_cells(written) if cell]
        if row := _row(cells[:MOST_CELLS], text):
            return row
    quotes = ["".join(match.groups(default="")) for match in _QUOTED.finditer(claim)]
    if quotes and (row := _row(quotes, text)):
        return row
    for quote in sorted(quotes, key=len, reverse=True):
        span = _find(quote, text)
        if span:
            return span
    for said in (claim, re.sub(r"[*_`]", "", claim).lstrip("-> ")):
        span = _find(said, text)
        if span:
            around = [
                sentence for sentence in _passage_sentences(text) if sentence[0] < span[1] and sentence[1] > span[0]
            ]
            return (min(span[0], around[0][0]), max(span[1], around[-1][1])) if around else span
    return None


def _row(quotes: list[str], text: str) -> Span | None:
    """Find the table row that consists of these cells, or begins with them: a long last cell is not quoted with it."""
    for start, end in _lines(text):
        line = text[start:end]
        if line.count("|") < max(1, len(quotes) - 1):
            continue
        cells = [cell for cell in plain_cells(line) if cell]
        first, row = start + len(line) - len(line.lstrip("| \t")), line.rstrip("| \t")
        if cells[:MOST_CELLS] == quotes:
            return first, start + len(row)
        if len(quotes) > 1 and cells[:-1] == quotes:
            return first, start + len(row[: row.rfind("|")].rstrip())
    return None


def _find(quote: str, text: str) -> Span | None:
    """Find words in the text unchanged, or in the text without Markdown markup."""
    if span := _find_words(quote, text):
        return span
    plain = strip_markdown(text)
    found = _find_words(quote, plain.text) if plain.text != text else None
    return plain.span(*found) if found else None


def _find_words(quote: str, text: str) -> Span | None:
    """Find words in the text, ignoring white space, case, and a full stop that the quotation added."""
    quote = quote.strip().strip('“”"「」『』').strip()
    if len(quote) < (_SHORTEST_CJK_QUOTE if _CJK.search(quote) else _SHORTEST_QUOTE):
        return None
    for wanted in (quote, quote.rstrip(".。,，;；:：… ")):
        # In a compressed passage a model may quote across the ellipsis that marks an omission.
        parts = [part.split() for part in _ELISION.split(wanted)]
        if span := _in_order([words for words in parts if words], text):
            return span
    return None


def _in_order(parts: list[list[str]], text: str) -> Span | None:
    """Find several sequences of words in order; the returned span covers all of them."""
    squeezed, runs = _squeezed(text)
    first: int | None = None
    last = 0
    for words in parts:
        wanted = _folded(" ".join(words))
        found = squeezed.find(wanted, last)
        if found < 0:
            return None
        first = found if first is None else first
        last = found + len(wanted)
    return None if first is None else (_source_offset(runs, first), _source_offset(runs, last - 1) + 1)


_SPACE = re.compile(r"\s+")
_SPACES = re.compile(r"\s{2,}")


# A plain search of the text: compiling a regular expression for each claim took 10 ms, and 65,000 characters of claims
# took a minute.
@lru_cache(maxsize=64)
def _squeezed(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return a text in lower case with runs of white space reduced to one space, and its longer runs.

    Each run has the offset of the character after its space, and the number of characters left out up to there.
    """
    runs: list[tuple[int, int]] = []
    left_out = 0
    for spaces in _SPACES.finditer(text):
        left_out += len(spaces.group()) - 1
        runs.append((spaces.end() - left_out, left_out))
    return _folded(_SPACE.sub(" ", text)), tuple(runs)


def _source_offset(runs: Sequence[tuple[int, int]], offset: int) -> int:
    """Return the offset in the text of a character of the squeezed text."""
    before = bisect_right(runs, offset, key=itemgetter(0))
    return offset + (runs[before - 1][1] if before else 0)


def _folded(text: str) -> str:
    """Return the text in lower case, at the same length."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one if len(one) == 1 else character for character in text for one in [character.lower()])


def _overlapping(claim: str, chunk: Chunk) -> Span | None:
    spans = _candidates(chunk)
    wanted = _terms(claim)
    if not spans or not wanted:
        return None
    held = [_terms(chunk.text[start:end]) for start, end in spans]
    # A word that occurs in every sentence does not distinguish them.
    spread = Counter(term for terms in held for term in terms)
    weight = {term: _weight(term) / spread[term] for term in wanted if term in spread}
    if not weight:
        return None
    gains = [sum(weight.get(term, 0.0) for term in terms & wanted) for terms in held]
    # If the gains are equal, the shorter sentence is more specific.
    best = max(range(len(spans)), key=lambda index: (gains[index], spans[index][0] - spans[index][1]))
    first = last = best
    for neighbour in (best - 1, best + 1):
        if 0 <= neighbour < len(spans):
            new = sum(weight[term] for term in (held[neighbour] & weight.keys()) - held[best])
            if new >= _WORTH_A_NEIGHBOUR * sum(weight.values()) and new >= gains[best] / 2:
                first, last = min(first, neighbour), max(last, neighbour)
    return spans[first][0], spans[last][1]


def _candidates(chunk: Chunk) -> tuple[Span, ...]:
    """Return the sentences of prose, the rows of a table without those that only name others, or the lines of code."""
    if chunk.kind in (BlockKind.TABLE, BlockKind.PARAGRAPH) and "|" in chunk.text:
        spans = quotables(chunk.text)
        if any(one.cells for one in spans) and (stated := [one for one in spans if one.is_statement]):
            return tuple((one.start, one.end) for one in stated)
    return _lines(chunk.text) if chunk.kind.is_atomic else _passage_sentences(chunk.text)


# An answer cites a few chunks many times, and Stop waits for its citations: without the caches 60 citations took 0.2 s.
@lru_cache(maxsize=64)
def _passage_sentences(text: str) -> tuple[Span, ...]:
    return tuple(sentence_spans(text))


@lru_cache(maxsize=64)
def _lines(text: str) -> tuple[Span, ...]:
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", text))


@lru_cache(maxsize=2048)
def _terms(text: str) -> frozenset[str]:
    terms: set[str] = set()
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match.group()
        if _CJK.search(word):
            terms.update(word[index : index + 2] for index in range(max(1, len(word) - 1)))
        elif word[0].isdigit():
            terms.add(word.replace(",", ""))
        elif word not in _STOP_WORDS:
            terms.add(_ENDINGS.sub("", word))
    return frozenset(terms)


def _weight(term: str) -> float:
    return _NUMBER_WEIGHT if term[0].isdigit() else 1.0


_LONGEST_CLAIM = 1500
"""Characters. Of a longer “sentence” only those before the marker are used, and at most half as many after it."""


def find_citations(answer: str, references: Mapping[int, NumberedHit]) -> tuple[Citation, ...]:
    """Return one citation for each number of each marker, in order; those of unknown numbers are not valid.

    Args:
        answer: The answer's Markdown.
        references: The run's hits under their numbers.
    """
    markers = find_markers(answer)
    claims = blank_markers(answer) if markers else ""
    # Consecutive markers belong to one claim, which is searched for once.
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
        lines=hit.lines_of(first, last),
    )


def claim_before(claims: str, position: int) -> str:
    """Return the sentence that a marker at position supports: the one that it ends, is inside of, or begins.

    Args:
        claims: The answer with its markers blanked.
        position: Start offset of the marker.
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
    # In steps: markers that are close together share one claim, which is searched for once. For one “sentence” of 14 KB
    # with a marker at nine of ten words this reduced the time from 0.9 s to 0.08 s.
    far -= far % (_LONGEST_CLAIM // 2)
    opening = opening_quote(line[far : last_character + 1 - line_start])
    start = start if opening is None else min(start, far + opening)
    return line[max(start, far) : min(end, far + 2 * _LONGEST_CLAIM)].strip()


def _code_before(text: str) -> str:
    """Return the fenced code block at the end of text, or an empty string."""
    fence = text[-3:]
    closing = text.rfind("\n") + 1
    if fence not in ("```", "~~~") or text[closing:].strip(fence[0] + " "):
        return ""
    opening = text.rfind(f"\n{fence}", 0, closing - 1)
    return text[opening + 1 :] if opening >= 0 else ""


@lru_cache(maxsize=64)
def _sentences(line: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(line))


# A table row in the format of the offline answerer: Region: “North. Coast”; Sales: “12” (in millions).
_CELLS = re.compile(r"- (?:[^“”\n]{0,300}“[^“”\n]*”(?:; |$))+|- (?:[^“”\n]{0,300}“[^“”\n]*”(?:; )?)+ [^“”\n]{1,80}")
_CLOSING = {"”": "“", "」": "「", "』": "『", '"': '"'}


def opening_quote(text: str) -> int | None:
    """Return the start of the quotation that ends the text; it may contain sentences and nested quotations."""
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
