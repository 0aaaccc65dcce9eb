"""Ranking of the verbatim sentences that answer a question, and patterns for the type of answer it expects."""

import heapq
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.chunk import embedding_text
from workbench.retrieval.asked_rows import AskedRow
from workbench.retrieval.base import WordCounts
from workbench.retrieval.document_names import BY_TITLE, NamedDocuments, NameSource, naming
from workbench.retrieval.embedder_calibration import EmbedderCalibration, EmbedderProbe
from workbench.retrieval.question_words import QuestionWords, question_words, shorten_question, words_of
from workbench.retrieval.quotable_spans import QuotableSpan, quotables
from workbench.retrieval.relevance import (
    ANSWER_FLOOR,
    CLOSEST_FLOOR,
    PART_FLOOR,
    AnswerEvidence,
    RelevanceInputs,
    answer_certainty,
    answer_features,
)

if TYPE_CHECKING:  # faiss takes 0.1 to 0.4 s to import, and every command imports this module
    from workbench.retrieval.sentence_similarity import SentenceSimilarity

logger = logging.getLogger(__name__)

# Weights of the kinds of evidence in a sentence's score, added to the share of the question's words that it contains.
# Share of questions (xquad en / xquad zh / squad2) whose answer is in the best three sentences: with the sentence's own
# words alone 0.912 / 0.871 / 0.861, with all the evidence below 0.938 / 0.914 / 0.911.
BEFORE = 0.3
AROUND = 0.1
COSINE = 0.5
RIGHT_KIND = 0.1
# Sentences score higher in a passage that contains more of the question's words, and in a passage ranked earlier.
PASSAGE = 0.4
PLACE = 0.2

# Sentences are compared by the stored token vectors of their chunks (sentence_similarity.py), or embedded where those
# are missing: passages that no search found, and embedders without token vectors.

# Maximum number of sentences to compare for one question. To embed 60 takes 0.3 s of processor time with AVX2 alone, 24
# take 0.12 s. With this limit 184 of 186 questions to reports and manuals keep the same best sentence, 0.99 of the best
# three sentences are the same, and every answer keeps its level.
COMPARED = 24
# They are compared in batches of this size, until no sentence of the next batch could reach the best three even if its
# scaled cosine were _HIGH_COSINE. Of 221 questions to filings and reports, all keep the same best sentence as with all
# 24, and 0.98 of the best three are the same. On average 8.4 sentences of 3.8 passages are compared.
_BATCH = 8
_HIGH_COSINE = 0.7
_QUOTED = 3
# Cached sentence vectors, 1.5 KB each. The parts of a question and the following questions use the same sentences.
_MOST_VECTORS = 1024


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """Span text[start:end] of a passage with its score; scores are comparable within one question only.

    Attributes:
        header: For a table row: the row that names its columns.
        is_code: True for a whole fenced code block.
        cells: For a table row: (column name or "", cell content) pairs without Markdown marks.
        reads: Text without Markdown marks; empty if the text is displayed unchanged.
        unit: For a table row: unit of its values, such as "(in millions)".
        is_ended: False for prose of many words without an end mark; see QuotableSpan.
        is_asked_row: True for a table row whose name has the words of the question, without years, and no others.
    """

    number: int
    start: int
    end: int
    text: str
    score: float
    header: str = ""
    is_code: bool = False
    cells: tuple[tuple[str, str], ...] = ()
    reads: str = ""
    unit: str = ""
    is_ended: bool = True
    is_asked_row: bool = False


class AnswerLevel(Enum):
    """Level of an answer made of the best sentences: an answer, the closest passages, or nothing."""

    FOUND = "found"
    CLOSEST = "closest"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class Ranking:
    """Sentences of all passages, best first, with the certainty (0 to 1) that they answer the question.

    Attributes:
        features: Inputs of the certainty; see relevance.answer_features.
        names_document: True if the question names a document by its file name, overlaps with the best sentences, and
            has no name or number that is missing from the library.
    """

    sentences: tuple[RankedSentence, ...]
    certainty: float
    features: Mapping[str, float] = field(default_factory=dict)
    names_document: bool = False

    @property
    def answerable(self) -> bool:
        """True if the certainty suffices for one part of a question, or for one document of many."""
        return self.certainty >= PART_FLOOR

    @property
    def level(self) -> AnswerLevel:
        """Level at which the best sentences may be shown.

        A low certainty is not enough to report that a document named in the question contains no answer: of 34
        questions that annual reports answer, 4 were refused; each named its report, and the page was in the top three.
        """
        if not self.sentences or (self.certainty < CLOSEST_FLOOR and not self.names_document):
            return AnswerLevel.NOT_FOUND
        return AnswerLevel.FOUND if self.certainty >= ANSWER_FLOOR else AnswerLevel.CLOSEST


@dataclass(slots=True)
class _Candidate:
    """Quotable span with its evidence, as shares of the total weight of the question's words."""

    number: int
    place: int
    span: QuotableSpan
    own: float
    before: float
    passage: float
    kind: float
    is_asked_row: bool = False
    cosine: float = 0.0

    @property
    def score(self) -> float:
        around = self.passage - self.own - self.before
        return (
            self.own
            + BEFORE * self.before
            + AROUND * around
            + COSINE * self.cosine
            + RIGHT_KIND * self.kind
            + PASSAGE * self.passage
            + PLACE / (1 + self.place)
        )


_score = attrgetter("score")


class SentenceRanker:
    """Ranks sentences for questions; without an embedder, by words alone."""

    def __init__(
        self,
        embedder: Embedder | None,
        keywords: WordCounts,
        names: NameSource | None = None,
        similarity: "SentenceSimilarity | None" = None,
        turn: AbstractContextManager[object] | None = None,
    ) -> None:
        """Store the sources of evidence.

        Args:
            embedder: Embeds the sentences that have no stored similarity.
            keywords: Word counts of the library.
            names: Names of documents; without them, no document is recognised in a question.
            similarity: Compares sentences by stored token vectors; without it, sentences are embedded.
            turn: Held during a ranking; see models.turn_of().
        """
        self._turn = turn or nullcontext()
        self._embedder = embedder
        self._similarity = similarity
        self._keywords = keywords
        self._names = names
        self._probe = EmbedderProbe(embedder) if embedder is not None else None
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def share_in(self, question: str) -> Callable[[str], float]:
        """Return a function for the share of a question's weight, without names of documents, that a text has."""
        question = shorten_question(question)
        named = self._find_named_documents(question)
        words = question_words((named.rest if named is not None else "") or question, self._keywords)
        return lambda text: words.share(words_of(text))

    def best(
        self,
        question: str,
        passages: Sequence[tuple[int, str]],
        *,
        limit: int,
        headings: Mapping[int, str] | None = None,
    ) -> list[RankedSentence]:
        """Return at most limit best sentences; empty if they are too uncertain to answer the question.

        Args:
            question: The user's question.
            passages: (number, text), best passage first.
            limit: Maximum number of sentences.
            headings: Passage number -> headings above it; their words count as text just before the sentence.
        """
        ranking = self.rank(question, passages, headings=headings)
        return list(ranking.sentences[:limit]) if ranking.answerable else []

    def rank(
        self,
        question: str,
        passages: Sequence[tuple[int, str]],
        *,
        headings: Mapping[int, str] | None = None,
        documents: Mapping[int, str] | None = None,
        paths: Mapping[int, str] | None = None,
    ) -> Ranking:
        """Return all quotable sentences, best first, with the certainty that the best one answers the question.

        If the question names documents, sentences of other documents are left out, and the remaining ones are compared
        with the rest of the question: otherwise a similar sentence about another company's inventories could win.
        Passages that mention the name stay: "Why was the harbour closed?" does not mean harbour.md alone.

        Args:
            question: The user's question.
            passages: (number, text), best passage first.
            headings: As in best().
            documents: Passage number -> file name of its document; without it, all passages are ranked.
            paths: Passage number -> its heading path, which names the columns of a part of a table; see quotables().
        """
        with self._turn:
            return self._rank(shorten_question(question), passages, headings or {}, documents or {}, paths or {})

    def _rank(
        self,
        question: str,
        passages: Sequence[tuple[int, str]],
        headings: Mapping[int, str],
        files: Mapping[int, str],
        paths: Mapping[int, str],
    ) -> Ranking:
        named = self._find_named_documents(question)
        words = rest_words = question_words(question, self._keywords)
        rest = question
        own = {number for number, _ in passages if named is not None and named.means(files.get(number, ""))}
        if named is not None and own:
            # Compare with the rest of the question: the word "Corning" does not distinguish sentences of Corning.
            passages = [one for one in passages if one[0] in own or named.is_mentioned_in(words_of(one[1]))]
            rest = named.rest or question
            rest_words = question_words(rest, self._keywords)
        candidates = _collect_candidates(question, rest_words, passages, headings, paths)
        degree = self._compare(rest, candidates, dict(passages))
        candidates.sort(key=_score, reverse=True)
        if not candidates or not words.weights:
            return Ranking((), 0.0)
        best = candidates[0]
        evidence = AnswerEvidence(
            own=best.own,
            before=best.before,
            passage=best.passage,
            cosine=best.cosine,
            best_cosine=max(candidate.cosine for candidate in candidates),
            words=len(words.weights),
            # Of the rest: the name of a file, such as GENERALMILLS_2020_10K, need not occur in any text.
            asks_for_stranger=rest_words.asks_for_stranger,
            is_row=bool(best.span.cells),
        )
        features = answer_features(
            evidence, RelevanceInputs(degree=degree, pairs=words.pairs, chunks=self._keywords.count)
        )
        # Without a shared word or a similar meaning there is no answer, no matter how small the library is.
        certainty = answer_certainty(features) if evidence.has_overlap else 0.0
        names_document = evidence.has_overlap and not rest_words.asks_for_stranger and named is not None
        return Ranking(
            tuple(_to_ranked_sentence(candidate) for candidate in candidates), certainty, features, names_document
        )

    def _find_named_documents(self, question: str) -> NamedDocuments | None:
        """Return the documents whose file names the question contains; file names are more reliable than titles."""
        named = naming(question, self._names) if self._names is not None else None
        return named if named is not None and max(named.strengths.values()) > BY_TITLE else None

    def _compare(self, question: str, candidates: list[_Candidate], passages: Mapping[int, str]) -> float:
        """Set the candidates' cosines; return the reliability of cosines for the question, 0 to 1."""
        if self._embedder is None or self._probe is None or not candidates:
            return 0.0
        try:
            understanding = self._probe.understanding(question)
            if understanding.degree > 0:
                self._set_similarities(self._embedder, understanding, question, candidates, passages)
        except EmbeddingError:
            # Ranking by words still works; the search itself has reported the embedder's failure to the user.
            logger.exception("Sentences are ranked by words only")
            return 0.0
        return understanding.degree

    def _set_similarities(
        self,
        embedder: Embedder,
        understanding: EmbedderCalibration,
        question: str,
        candidates: list[_Candidate],
        passages: Mapping[int, str],
    ) -> None:
        """Compare candidates in descending order of other evidence until no remaining one could be among the best."""
        chosen = sorted(candidates, key=_score, reverse=True)[:COMPARED]
        highest = COSINE * understanding.degree * _HIGH_COSINE
        # In the order of the scores: a set of texts has another order in each process, and products other last digits.
        texts_compared = dict.fromkeys(passages[one.number] for one in chosen)
        stored = self._similarity.comparison(question, texts_compared) if self._similarity else None
        for start in range(0, len(chosen), _BATCH):
            batch = chosen[start : start + _BATCH]
            if start and batch[0].score + highest < heapq.nlargest(_QUOTED, map(_score, chosen[:start]))[-1]:
                break
            known = [
                stored.similarity(passages[one.number], one.span.start, one.span.end) if stored else None
                for one in batch
            ]
            unknown = [one for one, similarity in zip(batch, known, strict=True) if similarity is None]
            texts = [embedding_text((), one.span.text) for one in unknown]
            cosines = self._embed_sentences(embedder, texts) @ embedder.embed_query(question) if texts else ()
            embedded = iter(map(understanding.scaled, map(float, cosines)))
            for one, similarity in zip(batch, known, strict=True):
                one.cosine = understanding.degree * (next(embedded) if similarity is None else similarity)

    def _embed_sentences(self, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the sentences' vectors, float32 [n, dim]; safe to call from several threads."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embedder.embed_documents(new), strict=True))
        with self._lock:
            for text, vector in known.items():
                self._vectors[text] = vector
                self._vectors.move_to_end(text)
            while len(self._vectors) > _MOST_VECTORS:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts])


def _collect_candidates(
    question: str,
    words: QuestionWords,
    passages: Sequence[tuple[int, str]],
    headings: Mapping[int, str],
    paths: Mapping[int, str],
) -> list[_Candidate]:
    kind = answer_pattern(question)
    asked_row = AskedRow(words, words_of(question))
    found: list[_Candidate] = []
    for place, (number, text) in enumerate(passages):
        above = words_of(headings.get(number, ""))
        passage = words.share(above | words_of(text))
        introduction = above
        for span in quotables(text, paths.get(number, "")):
            span_words = words_of(span.text)
            if span.is_statement:
                own = words.share(span_words)
                found.append(
                    _Candidate(
                        number=number,
                        place=place,
                        span=span,
                        own=own,
                        before=words.share(span_words | introduction | words_of(f"{span.header} {span.above}")) - own,
                        passage=passage,
                        kind=float(kind is None or kind.search(span.text) is not None),
                        is_asked_row=asked_row.is_named([value for _, value in span.cells]),
                    )
                )
                introduction = above | span_words
            else:
                introduction = introduction | span_words
    return found


def _to_ranked_sentence(candidate: _Candidate) -> RankedSentence:
    span = candidate.span
    return RankedSentence(
        candidate.number,
        span.start,
        span.end,
        span.text,
        candidate.score,
        span.header,
        span.is_code,
        span.cells,
        span.reads,
        span.unit,
        span.is_ended,
        candidate.is_asked_row,
    )


_ASKS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:year|date|day|month|century|decade)\b"
    r"|什么时候|什麼時候|何时|何時|哪一?年|几月|幾月|哪一?天|哪个世纪|年份|日期"
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|fast|deep|wide)\b"
    r"|\bwhat (?:percentage|percent|number|proportion|fraction|population)\b"
    r"|多少|[几幾][个個人次年天名岁歲]|多[长長大高远遠久]|百分"
)
_ASKS_PERSON = re.compile(r"\bwho(?:m|se)?\b|谁|誰")

_TIME = re.compile(
    r"\b\d{3,4}s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|century|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today)\b|\d\s*[年月日]|世[纪紀]|年",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion"
    r"|half|third|quarter|once|twice|first|second)\b|[一二三四五六七八九十百千万萬亿億两兩]",
    re.IGNORECASE,
)
# A capitalised word inside a sentence. Chinese names are not marked, except for the dot in foreign names.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|·|[\u4e00-\u9fff]{2}")

_ASKS_REASON = re.compile(
    r"^why\b|\bwhy (?:is|are|was|were|do|does|did|has|have|must|should|can)\b|为什么|為什麼|为何|為何|原因"
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|so that|in order to|as a result|therefore|thus|reasons?|caused?|prevents?)\b"
    r"|由于|由於|因为|因為|因此|所以|以便|以免|为了|為了|导致|導致|原因|为的是|是因",
    re.IGNORECASE,
)
_ASKS_MONEY = re.compile(
    r"\bhow much (?:money|does .{1,80} cost|did .{1,80} (?:cost|pay)|was .{1,80} (?:paid|sold))|\b(?:price|cost) of\b"
    r"|多少[钱錢]|价格|價格|费用|費用"
)
_MONEY = re.compile(
    r"[$€£¥￥]|\b(?:dollars?|euros?|pounds?|yuan|USD|EUR|cents?)\b|[元块塊](?!素)|美金|[欧歐]元|英[镑鎊]", re.IGNORECASE
)
_ASKS_SHARE = re.compile(r"\bwhat (?:percentage|percent|proportion|share|fraction)\b|百分之几|百分之幾|百分比|比例")
_DIGIT = re.compile(r"\d")
_SHARE = re.compile(r"%|％|\b(?:percent|per cent|half|third|quarter|thirds|quarters)\b|百分之|成|分之", re.IGNORECASE)
_ASKS_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|state)\b|哪里|哪裡|哪儿|何处|何處|在哪|什么地方"
)
_PLACE = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Oo]n|[Ff]rom|[Tt]o)\s+(?:the\s+)?[A-Z]|\blocated\b|位于|位於|[在从從][^，。]{2}|[省市县縣区區]"
)
_ASKS_MANNER = re.compile(r"\bhow (?:is|are|was|were|do|does|did|can|could|should|to)\b|怎么|怎麼|怎样|怎樣|如何")
_MANNER = re.compile(r"\b(?:by|using|through|via|by means of)\b|通过|通過|使用|利用|采用|採用|[以用]", re.IGNORECASE)

# Beginning of a defining sentence: "In Rust, ownership (…) is a set of", "所有权（ownership）是".
_DEFINES = (
    r"(?:[\w’'-]+[,\s]+){{0,3}}(?:an?\s+|the\s+)?[`\"“*_]*{thing}\w{{0,2}}[`\"”*_]*\s*(?:\([^)]*\)\s*)?,?\s*"
    r"(?:is|are|was|were|means?|refers? to|describes?|denotes?)"
    r"\s+(?!(?:not|also|used|different|similar|like|unlike)\b)",
    r".{{0,8}}?{thing}[”」*_]*\s*(?:[（(][^）)]*[）)])?\s*(?:就?是|系|為|为|指的?是?|即|意为|意味)",
)
_WHAT_IS = re.compile(
    r"^what\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?(?P<thing>[^?,.]{2,40}?)\s*\?*$"
    r"|^(?:please )?define\s+(?P<other>[^?,.]{2,40}?)\s*[?.]*$"
)
_WHAT_IS_ZH = re.compile(
    r"^什[么麼]是(?P<thing>[^？?，。的]{1,16})[？?]*$|^(?P<other>[^？?，。的]{1,16})是什[么麼](?:意思)?[？?]*$"
)
# "What is the range of an i8?" asks for a value, not for a definition.
_OF = re.compile(r"\b(?:of|in|for|between|name|number|difference)\b")

_PLURAL = r"[\w-]+(?:[^s\W]s|ies)"
_SEVERAL = re.compile(
    r"^(?:please\s+)?(?:(?:list|enumerate)\b|(?:name|give)\s+(?!(?:an?|one|the\s+\w+\s+of)\b))"
    r"|\bwhat\s+(?:other|kinds?|types?|sorts?)\b|^what\s+(?:are|were)\s+(?:the|some|all)\b"
    rf"|\bwhat\s+{_PLURAL}\s+(?:are|were|do|have|can|must|should)\b"
    rf"|\bwhich\s+(?:[\w-]+\s+){{0,2}}?{_PLURAL}\s+(?:are|were|do|does|did|have|has|can|must|should|may)\b"
    r"|哪些|哪几|哪幾|列出|列举|列舉|分别是|分別是|包括什|几种|幾種|应注意什|應注意什|什[么麼](?:情况|條件|条件|情況)"
)


def answer_pattern(question: str) -> re.Pattern[str] | None:
    """Return a pattern that an answer must match; None if the expected type of answer is unknown."""
    lowered = question.lower()
    for asks, pattern in ((_ASKS_TIME, _TIME), (_ASKS_NUMBER, _NUMBER), (_ASKS_PERSON, _NAME)):
        if asks.search(lowered):
            return pattern
    return None


def preferred_pattern(question: str) -> re.Pattern[str] | None:
    """Return a pattern that breaks near ties between two sentences; it is finer than answer_pattern()."""
    lowered = question.lower().strip()
    for asks, pattern in (
        (_ASKS_MONEY, _MONEY),
        (_ASKS_SHARE, _SHARE),
        (_ASKS_REASON, _REASON),
        (_ASKS_PLACE, _PLACE),
        (_ASKS_MANNER, _MANNER),
    ):
        if asks.search(lowered):
            return pattern
    return defining_pattern(lowered) or answer_pattern(question)


_YEAR = re.compile(r"(?<!\d)(?:FY|fiscal|fiscal year)?[ ’']?((?:19|20)\d\d)(?!\d)", re.IGNORECASE)
_VALUES = (None, _NUMBER, _MONEY, _SHARE)


def asked_years(question: str) -> frozenset[str]:
    """Return the years in a question that a value can answer; empty if it asks for a reason, a person or similar."""
    return frozenset(_YEAR.findall(question)) if preferred_pattern(question) in _VALUES else frozenset()


def has_value_of(sentence: RankedSentence, years: frozenset[str]) -> bool:
    """Return whether a sentence is a table row with a number in the column of one of these years."""
    return any(years & set(_YEAR.findall(name)) and _DIGIT.search(value) for name, value in sentence.cells)


def defining_pattern(question: str) -> re.Pattern[str] | None:
    """Return a pattern for the beginning of a sentence that defines the subject of the question."""
    for asks, defines in zip((_WHAT_IS, _WHAT_IS_ZH), _DEFINES, strict=True):
        if match := asks.search(question.lower().strip()):
            thing = (match["thing"] or match["other"]).strip(' `"“”')
            if thing and not _OF.search(thing):
                return re.compile(r"[\W_]*" + defines.format(thing=re.escape(thing)), re.IGNORECASE)
    return None


def asks_for_several(question: str) -> bool:
    """Return True if a question expects a list: "What are the …?", "Which rules are …?", "有哪些"."""
    return _SEVERAL.search(question.lower().strip()) is not None
