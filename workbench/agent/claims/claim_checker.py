"""Claim checker: splits an answer into claims and gives each a verdict from its evidence.

Fitted on half of squad2, cmrc and drcd: of each question the sentence that holds the answer, and question and answer
put together to a sentence; the same with another answer in its place; the same beside another paragraph. On 300
questions each of the other halves, and of xquad, on which nothing was fitted, precision / recall of "unsupported":
squad2 0.97 / 0.84, xquad en 0.98 / 0.87, xquad zh 0.96 / 0.72, cmrc 0.99 / 0.67, drcd 0.97 / 0.62. Of claims beside
another paragraph it finds 0.99, of exchanged numbers 0.98 (cmrc 0.91), of exchanged English names 0.88; what it misses,
mostly a few plain words exchanged in a true sentence, it mostly calls "weak". True sentences that it calls
"unsupported" are those whose question has other words than the paragraph: 0.10 of squad2's, none of the verbatim ones.
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
# A marker stood before it.
_LOOSE_END = re.compile(r"(?<!\s)\s++(?=[.,;:!?。，；：！？])")
# What an answerer says about itself, the user or what it was given, rather than about the subject.
_ASIDE = re.compile(
    r"[\s*_>\"“-]*(?:I |I'|I’|let me\b|please\b|sorry\b|here (?:is|are)\b|if you (?:need|want|would|have)\b|hope\b"
    r"|抱歉|对不起|對不起|希望|如果您|如需|如有|请|請|我)",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
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
    """answer[start:end], which claims something.

    Attributes:
        text: As it reads, without markers and the marks around it.
        numbers: Of the passages that it rests on: its own markers, else those of its paragraph; none where there are
            none.
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
    """Return what an answer claims; headings, code, questions, lead-ins and asides claim nothing."""
    bare = blank_markers(answer)
    sentences = _with_numbers(list(_sentences(bare)), find_markers(answer), bare)
    found = []
    for index, sentence in enumerate(sentences):
        if _claims(sentence):
            numbers = sentence.numbers or _inherited(sentences, index)
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
        text = _reads(span, bare[start : span.end])
        if start < span.end and not span.is_code:
            is_heading = _HEADING.match(bare, bare.rfind("\n", 0, span.start) + 1) is not None
            yield _Sentence(start, span.end, text, block, span.is_statement and not is_heading)


def _reads(span: QuotableSpan, text: str) -> str:
    """Return what a sentence says without marks; of a table's row the cells with the names of their columns."""
    if span.cells:
        return "; ".join(f"{name}: {value}" if name else value for name, value in span.cells if value)
    plain = span.reads or text
    item = _ITEM.match(plain)
    return " ".join(_LOOSE_END.sub("", plain[item.end() if item else 0 :].replace("**", "")).split())


def _with_numbers(sentences: list[_Sentence], markers: Sequence[Marker], bare: str) -> list[_Sentence]:
    """Return the sentences with the numbers of their own markers: each belongs to the sentence that it closes."""
    own: dict[int, list[int]] = {}
    for marker in markers:
        before = [index for index, one in enumerate(sentences) if one.start <= marker.start]
        last = before[-1] if before else None
        if last is None or (_BLOCK_END.search(bare, sentences[last].end, marker.start) and last + 1 < len(sentences)):
            last = 0 if last is None else last + 1
        own.setdefault(last, []).append(marker.number)
    return [replace(one, numbers=tuple(dict.fromkeys(own.get(index, ())))) for index, one in enumerate(sentences)]


def _inherited(sentences: Sequence[_Sentence], index: int) -> tuple[int, ...]:
    """Return the numbers that a sentence without its own rests on: the next in its paragraph, else those before.

    A list without any rests on those of the line that introduces it.
    """
    block = sentences[index].block
    beside = [*sentences[index + 1 :], *reversed(sentences[:index])]
    for other in beside:
        if other.block == block and other.numbers:
            return other.numbers
    for other in reversed(sentences[:index]):
        if other.block != block and _LEAD_IN.search(other.text):
            return other.numbers
    return ()


def _claims(sentence: _Sentence) -> bool:
    text = sentence.text
    if not _WORD.search(text) or _QUESTION.search(text) or _SAYS_NOTHING.search(text):
        return False
    if sentence.numbers:
        return not _LEAD_IN.search(text)
    return sentence.is_statement and not _LEAD_IN.search(text) and not _ASIDE.match(text)


logger = logging.getLogger(__name__)

# Of which so much stands in one sentence is borne out or not by words alone.
_SURE_BY_WORDS = 0.95
# Texts to embed for one answer, 3 ms each: the first claims are compared by meaning, the rest of a very long answer by
# words.
_EMBEDDED = 60
_MOST_CLAIMS = 200
# What of the passages tells their language.
_SAMPLE = 600


def never() -> bool:
    """Do not stop."""
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
        """Return the claims of an answer in order; where nothing was found that they could rest on, none is supported.

        Args:
            known: The question and what tools have said: names and numbers of these are not invented.
            answer: Its Markdown.
            references: The run's hits under their numbers.
            stop: Whether nobody waits any more; the rest is left out then.
        """
        found = statements(answer)[:_MOST_CLAIMS]
        if not references:
            return tuple(_unfounded(statement) for statement in found)
        cited = {number for statement in found for number in statement.numbers if number in references}
        grounds: dict[tuple[int, ...], CitedGrounds] = {}
        judged: list[tuple[ClaimStatement, Evidence | None]] = []
        for statement in found:
            if stop():
                return ()
            numbers = _rests_on(statement, cited, references)
            if numbers not in grounds:
                grounds[numbers] = grounds_of([references[number] for number in numbers], known)
            judged.append((statement, self._evidence(statement.text, grounds[numbers])))
        self._compare([(one.text, evidence) for one, evidence in judged if evidence], stop)
        return tuple(_claim(*one, references) for one in judged)

    def _evidence(self, claim: str, grounds: CitedGrounds) -> Evidence | None:
        """Return what of a claim stands in its grounds; None where the two cannot be compared."""
        if is_other_language(claim, "\n".join(one.hit.chunk.text[:_SAMPLE] for one in grounds.hits)):
            return None
        return evidence_for(claim, question_words(claim, self._counts), grounds)

    def _compare(self, claims: Sequence[tuple[str, Evidence]], stop: Callable[[], bool]) -> None:
        """Set the cosines of those claims that words do not settle, as far as the embedder understands them."""
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


def _rests_on(statement: ClaimStatement, cited: set[int], references: Mapping[int, NumberedHit]) -> tuple[int, ...]:
    """Return the numbers of what a claim rests on: what it cites, else whatever the answer cites, else all."""
    own = tuple(sorted(number for number in statement.numbers if number in references))
    return own or tuple(sorted(cited)) or tuple(sorted(references))


def _claim(statement: ClaimStatement, evidence: Evidence | None, references: Mapping[int, NumberedHit]) -> Claim:
    uncited = _uncited(statement, references)
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
        support=_support(evidence),
        differences=evidence.differences,
    )


def _unfounded(statement: ClaimStatement) -> Claim:
    doubts = _uncited(statement, {})
    return Claim(
        statement.start, statement.end, statement.text, Verdict.UNSUPPORTED, numbers=statement.numbers, doubts=doubts
    )


def _uncited(statement: ClaimStatement, references: Mapping[int, NumberedHit]) -> tuple[Doubt, ...]:
    if not statement.numbers:
        return (Doubt.MISSING_CITATION,)
    return () if all(number in references for number in statement.numbers) else (Doubt.INVALID_CITATION,)


def _support(evidence: Evidence) -> Support | None:
    if not evidence.best or not evidence.own:
        return None
    numbered, window = evidence.best[0]
    chunk = numbered.hit.chunk
    document = None if numbered.hit.is_outside else chunk.document
    return Support(numbered.number, document, chunk.id, *chunk.span(window.start, window.end), window.text)


# Share in the best window, share in all of the passages, and what is added to them.
_SPACED = (2.9, 2.8, -4.3)
_PAIRS = (2.0, 3.2, -2.65)
# The same together with the cosine, where the embedder understands.
_BY_MEANING = (2.0, 2.2, -4.9)
_COSINE = 1.6
_HIGHEST_COSINE = 1.5

_UNSUPPORTED, _SUPPORTED = 0.3, 0.55
# So many words one after another that stand nowhere are more than another way to say it; fewer where the rest of it
# stands there word for word.
_GAP, _GAP_OF_PAIRS = 3, 5
_WORD_FOR_WORD = 0.8
_GAP_THERE, _GAP_OF_PAIRS_THERE = 2, 3


def certainty(evidence: Evidence) -> float:
    """Return how sure it is that the passages bear a claim out, numbers, names and negation aside."""
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
    """Return the verdict on a claim and why, the gravest reason first.

    Args:
        evidence: What of it stands in its grounds.
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
    there = evidence.own >= _WORD_FOR_WORD
    words, pairs = (_GAP_THERE, _GAP_OF_PAIRS_THERE) if there else (_GAP, _GAP_OF_PAIRS)
    return evidence.gap >= words + round((pairs - words) * evidence.pairs)
