"""Claim checker: splits an answer into claims and gives each a verdict from its evidence.

The weights were fitted on half of squad2, cmrc and drcd. Claims per question: the sentence with the answer, and a
sentence made from question and answer; both with another answer in its place; both compared with another paragraph.

Precision / recall of "unsupported" on 300 questions from each of the other halves, and from xquad, which was not used
for fitting: squad2 0.97 / 0.84, xquad en 0.98 / 0.87, xquad zh 0.96 / 0.72, cmrc 0.99 / 0.67, drcd 0.97 / 0.62. Recall
is 0.99 for claims compared with another paragraph, 0.98 for exchanged numbers (cmrc 0.91), 0.88 for exchanged English
names. Missed claims are mostly true sentences with a few plain words exchanged, and mostly get "weak". True sentences
that get "unsupported" are those whose question has other words than the paragraph: 0.10 of squad2's, none of the
verbatim ones.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.agent.claims.evidence import CitedGrounds, Evidence, evidence_for, grounds_of, is_other_language
from workbench.agent.markers import Marker, blank_markers, find_markers
from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.claim import Claim, Doubt, Support, Verdict
from workbench.model.hit import NumberedHit
from workbench.retrieval.base import WordCounts
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.question_words import question_words
from workbench.retrieval.quotable_spans import QuotableSpan, quotables
from workbench.retrieval.relevance import logistic

_BLOCK_END = re.compile(r"\n[^\S\n]*\n|\n(?=[^\S\n]*(?:[-*+•·▪‣|>#]|\d{1,3}[.)])[^\S\n]*\S)")
_ITEM = re.compile(r"(?:[-*+•·▪‣>]\s+|\(?\d{1,3}[.)、]\s+|\(?[a-z]\)\s+|#{1,6}\s+)+")
_LEAD_IN = re.compile(r"[:：][*_\s]*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_QUESTION = re.compile(r"[?？][\"'”’」』）)*_\s]*$")
_WORD = re.compile(r"[^\W_]")
# Space that a removed marker leaves before punctuation.
_LOOSE_END = re.compile(r"(?<!\s)\s++(?=[.,;:!?。，；：！？])")
# Statements of an answerer about itself, the user or its sources, rather than about the subject.
_ASIDE = re.compile(
    r"[\s*_>\"“-]*(?:I |I'|I’|let me\b|please\b|sorry\b|here (?:is|are)\b|if you (?:need|want|would|have)\b|hope\b"
    r"|抱歉|对不起|對不起|希望|如果您|如需|如有|请|請|我)",
    re.IGNORECASE,
)
_NOT_IN_SOURCES = re.compile(
    r"\b(?:documents?|passages?|sources?|texts?|excerpts?|references?|knowledge base|information|context)\b[^.]{0,60}"
    r"\b(?:does not|do not|doesn['’]t|don['’]t|did not|not|hold nothing|no)\b[^.]{0,30}"
    r"\b(?:mention|say|state|contain|hold|provide|specify|include|cover|give|about|information)"
    r"|\b(?:no|not any) (?:information|mention|details?)\b"
    r"|(?:文档|文檔|文件|资料|資料|段落|知识库|原文|文中).{0,12}(?:没有|沒有|未|并未|並未|无|無)"
    r"|(?:没有|沒有|未|无法|無法|暂无|暫無).{0,8}(?:找到|提到|提及|说明|說明|相关|相關|信息|資訊)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClaimStatement:
    """A claim, answer[start:end].

    Attributes:
        text: The text without citation markers and Markdown marks.
        numbers: Numbers of the passages that it rests on: its own markers, else those of its paragraph; may be empty.
    """

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    text: str
    block: int
    is_statement: bool
    numbers: tuple[int, ...] = ()


def statements(answer: str) -> list[ClaimStatement]:
    """Return the claims of an answer; headings, code, questions, lead-ins and asides are not claims."""
    bare = blank_markers(answer)
    sentences = _assign_numbers(list(_sentences(bare)), find_markers(answer), bare)
    found = []
    for index, sentence in enumerate(sentences):
        if _is_claim(sentence):
            numbers = sentence.numbers or _inherit_numbers(sentences, index)
            found.append(ClaimStatement(sentence.start, sentence.end, sentence.text, numbers))
    return found


def _sentences(bare: str) -> Iterator[_Sentence]:
    ends = [match.end() for match in _BLOCK_END.finditer(bare)]
    block = 0
    for span in quotables(bare):
        while block < len(ends) and ends[block] <= span.start:
            block += 1
        start = span.start
        if item := _ITEM.match(span.text):
            start += item.end()
        text = _strip_marks(span, bare[start : span.end])
        if start < span.end and not span.is_code:
            is_heading = _HEADING.match(bare, bare.rfind("\n", 0, span.start) + 1) is not None
            yield _Sentence(start, span.end, text, block, span.is_statement and not is_heading)


def _strip_marks(span: QuotableSpan, text: str) -> str:
    """Return the text of a sentence without Markdown marks; for a row of a table its cells with the column names."""
    if span.cells:
        return "; ".join(f"{name}: {value}" if name else value for name, value in span.cells if value)
    plain = span.reads or text
    item = _ITEM.match(plain)
    return " ".join(_LOOSE_END.sub("", plain[item.end() if item else 0 :].replace("**", "")).split())


def _assign_numbers(sentences: list[_Sentence], markers: Sequence[Marker], bare: str) -> list[_Sentence]:
    """Return the sentences with the numbers of their own markers; a marker belongs to the sentence that it closes."""
    own: dict[int, list[int]] = {}
    for marker in markers:
        before = [index for index, one in enumerate(sentences) if one.start <= marker.start]
        last = before[-1] if before else None
        if last is None or (_BLOCK_END.search(bare, sentences[last].end, marker.start) and last + 1 < len(sentences)):
            last = 0 if last is None else last + 1
        own.setdefault(last, []).append(marker.number)
    return [replace(one, numbers=tuple(dict.fromkeys(own.get(index, ())))) for index, one in enumerate(sentences)]


def _inherit_numbers(sentences: Sequence[_Sentence], index: int) -> tuple[int, ...]:
    """Return the numbers for a sentence without markers: those of the next in its paragraph, else of an earlier one.

    A list without any markers has the numbers of the line that introduces it.
    """
    block = sentences[index].block
    neighbours = [*sentences[index + 1 :], *reversed(sentences[:index])]
    for other in neighbours:
        if other.block == block and other.numbers:
            return other.numbers
    for other in reversed(sentences[:index]):
        if other.block != block and _LEAD_IN.search(other.text):
            return other.numbers
    return ()


def _is_claim(sentence: _Sentence) -> bool:
    text = sentence.text
    if not _WORD.search(text) or _QUESTION.search(text) or _NOT_IN_SOURCES.search(text):
        return False
    if sentence.numbers:
        return not _LEAD_IN.search(text)
    return sentence.is_statement and not _LEAD_IN.search(text) and not _ASIDE.match(text)


logger = logging.getLogger(__name__)

# A claim with at least this share of its words in one sentence is judged by words alone.
_SURE_BY_WORDS = 0.95
# Maximum number of texts to embed for one answer, 3 ms each: the first claims are compared by meaning, the remaining
# claims of a very long answer by words.
_EMBEDDED = 60
_MOST_CLAIMS = 200
# Characters of each passage from which its language is detected.
_SAMPLE = 600


def never() -> bool:
    """Return False, so that a check is never stopped."""
    return False


class ClaimChecker:
    """Checks answers; without an embedder by words alone. Blocking; safe to call from several threads."""

    def __init__(self, embedder: Embedder | None, counts: WordCounts) -> None:
        self._embedder = embedder
        self._counts = counts
        self._probe = EmbedderProbe(embedder) if embedder is not None else None

    def check(
        self,
        known: str,
        answer: str,
        references: Mapping[int, NumberedHit],
        *,
        stop: Callable[[], bool] = never,
    ) -> tuple[Claim, ...]:
        """Return the claims of an answer in order; in a run without references all of them are unsupported.

        Args:
            known: The question and the results of tools, whose names and numbers the answer may use.
            answer: The answer in Markdown.
            references: Hits of the run by number.
            stop: Returns True if the result is no longer needed; no claims are returned then.
        """
        found = statements(answer)[:_MOST_CLAIMS]
        if not references:
            return tuple(_make_unfounded_claim(statement) for statement in found)
        cited = {number for statement in found for number in statement.numbers if number in references}
        grounds: dict[tuple[int, ...], CitedGrounds] = {}
        judged: list[tuple[ClaimStatement, Evidence | None]] = []
        for statement in found:
            if stop():
                return ()
            numbers = _select_references(statement, cited, references)
            if numbers not in grounds:
                grounds[numbers] = grounds_of([references[number] for number in numbers], known)
            judged.append((statement, self._find_evidence(statement.text, grounds[numbers])))
        self._compare([(one.text, evidence) for one, evidence in judged if evidence], stop)
        return tuple(_make_claim(*one, references) for one in judged)

    def _find_evidence(self, claim: str, grounds: CitedGrounds) -> Evidence | None:
        """Return the evidence for a claim; None if claim and passages are in different languages."""
        if is_other_language(claim, "\n".join(one.hit.chunk.text[:_SAMPLE] for one in grounds.hits)):
            return None
        return evidence_for(claim, question_words(claim, self._counts), grounds)

    def _compare(self, claims: Sequence[tuple[str, Evidence]], stop: Callable[[], bool]) -> None:
        """Set the cosines of the claims that words do not settle, as far as the embedder understands them."""
        if self._embedder is None or self._probe is None:
            return
        try:
            chosen: list[tuple[str, Evidence]] = []
            texts: dict[str, int] = {}
            for claim, evidence in claims:
                windows = [window.text for _, window in evidence.best]
                if evidence.own < _SURE_BY_WORDS and windows and len(texts) + len(windows) < _EMBEDDED:
                    evidence.degree = self._probe.understanding(claim).degree
                    if evidence.degree > 0:
                        chosen.append((claim, evidence))
                        for text in (claim, *windows):
                            texts.setdefault(text, len(texts))
            if not chosen or stop():
                return
            vectors = self._embedder.embed_documents(list(texts))
            for claim, evidence in chosen:
                own = vectors[texts[claim]]
                best = max(float(own @ vectors[texts[window.text]]) for _, window in evidence.best)
                evidence.cosine = self._probe.understanding(claim).scaled(best)
        except EmbeddingError as error:
            logger.warning("Claims are checked by words only", exc_info=error)
            for _, evidence in claims:
                evidence.degree = 0.0


def _select_references(
    statement: ClaimStatement, cited: set[int], references: Mapping[int, NumberedHit]
) -> tuple[int, ...]:
    """Return the numbers of the passages for a claim: those that it cites, else all that the answer cites, else all."""
    own = tuple(sorted(number for number in statement.numbers if number in references))
    return own or tuple(sorted(cited)) or tuple(sorted(references))


def _make_claim(statement: ClaimStatement, evidence: Evidence | None, references: Mapping[int, NumberedHit]) -> Claim:
    uncited = _check_markers(statement, references)
    claim = Claim(statement.start, statement.end, statement.text, Verdict.NOT_CHECKED, numbers=statement.numbers)
    if evidence is None:
        return replace(claim, doubts=(*uncited, Doubt.OTHER_LANGUAGE))
    sure = certainty(evidence)
    verdict, doubts = judge(evidence, sure)
    if uncited and verdict is Verdict.SUPPORTED:
        verdict = Verdict.WEAK
    return replace(
        claim,
        verdict=verdict,
        doubts=(*uncited, *doubts),
        missing=(*evidence.figures, *evidence.names),
        certainty=round(sure, 3),
        support=_find_support(evidence),
        differences=evidence.differences,
    )


def _make_unfounded_claim(statement: ClaimStatement) -> Claim:
    doubts = _check_markers(statement, {})
    return Claim(
        statement.start, statement.end, statement.text, Verdict.UNSUPPORTED, numbers=statement.numbers, doubts=doubts
    )


def _check_markers(statement: ClaimStatement, references: Mapping[int, NumberedHit]) -> tuple[Doubt, ...]:
    if not statement.numbers:
        return (Doubt.MISSING_CITATION,)
    return () if all(number in references for number in statement.numbers) else (Doubt.INVALID_CITATION,)


def _find_support(evidence: Evidence) -> Support | None:
    if not evidence.best or not evidence.own:
        return None
    numbered, window = evidence.best[0]
    chunk = numbered.hit.chunk
    document = None if numbered.hit.is_outside else chunk.document
    return Support(numbered.number, document, chunk.id, *chunk.span(window.start, window.end), window.text)


# Weights of the shares in the best window and in all passages, and the constant: for words, for pairs of characters.
_SPACED = (2.9, 2.8, -4.3)
_PAIRS = (2.0, 3.2, -2.65)
# The same for use with the cosine, as far as the embedder understands the claim.
_BY_MEANING = (2.0, 2.2, -4.9)
_COSINE = 1.6
_HIGHEST_COSINE = 1.5

_UNSUPPORTED, _SUPPORTED = 0.3, 0.55
# A gap of this many consecutive words that occur nowhere is more than a paraphrase; fewer are enough if the rest of the
# claim occurs word for word.
_GAP, _GAP_OF_PAIRS = 3, 5
_WORD_FOR_WORD = 0.8
_GAP_VERBATIM, _GAP_OF_PAIRS_VERBATIM = 2, 3


def certainty(evidence: Evidence) -> float:
    """Return the certainty from 0 to 1 that the passages support a claim, regardless of numbers, names and negation."""
    pairs = evidence.pairs
    own, whole, constant = (
        (1 - pairs) * spaced + pairs * paired for spaced, paired in zip(_SPACED, _PAIRS, strict=True)
    )
    by_words = own * evidence.own + whole * evidence.whole + constant
    own, whole, constant = _BY_MEANING
    cosine = min(max(evidence.cosine, 0.0), _HIGHEST_COSINE)
    by_meaning = own * evidence.own + whole * evidence.whole + _COSINE * cosine + constant
    return logistic((1 - evidence.degree) * by_words + evidence.degree * by_meaning)


def judge(evidence: Evidence, sure: float) -> tuple[Verdict, tuple[Doubt, ...]]:
    """Return the verdict on a claim and the reasons, the most serious first.

    Args:
        evidence: Evidence for the claim.
        sure: See certainty().
    """
    doubts = []
    if evidence.differences:
        doubts.append(Doubt.SAYS_OTHERWISE)
    if evidence.figures:
        doubts.append(Doubt.NUMBER_NOT_IN_PASSAGE)
    if evidence.names:
        doubts.append(Doubt.NAME_NOT_IN_PASSAGE)
    if evidence.negation_differs and not evidence.differences:
        doubts.append(Doubt.NEGATION_DIFFERS)
    if not doubts and (sure < _SUPPORTED or _has_gap(evidence)):
        doubts.append(Doubt.LITTLE_IN_PASSAGE)
    if evidence.differences or evidence.figures or evidence.names or sure < _UNSUPPORTED:
        return Verdict.UNSUPPORTED, tuple(doubts)
    return (Verdict.WEAK if doubts else Verdict.SUPPORTED), tuple(doubts)


def _has_gap(evidence: Evidence) -> bool:
    is_verbatim = evidence.own >= _WORD_FOR_WORD
    words, pairs = (_GAP_VERBATIM, _GAP_OF_PAIRS_VERBATIM) if is_verbatim else (_GAP, _GAP_OF_PAIRS)
    return evidence.gap >= words + round((pairs - words) * evidence.pairs)
