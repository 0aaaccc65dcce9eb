"""Explanation of a search: the fate of each chunk, the weights of the question's words, and words that find a passage.

Nothing is estimated: the explanation uses the results and candidates of the search itself, and both lists in full.
"""

import dataclasses
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Document, place
from workbench.model.explanation import (
    Account,
    Advice,
    AdviceKind,
    ListKind,
    ListPlace,
    QuestionWord,
    Stage,
    StandIn,
    WordStanding,
)
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.hit import Hit, SearchMode, SearchResult
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.retrieval.answer_sentences import AnswerLevel, SentenceRanker
from workbench.retrieval.base import ChunkSource, WordCounts
from workbench.retrieval.deduplication import fold_passage
from workbench.retrieval.filters.text_syntax import text_of
from workbench.retrieval.hybrid_search import CompleteLists, get_list_depth
from workbench.retrieval.question_words import QuestionWords, is_unspaced, shorten_question, words_of
from workbench.retrieval.relevance import CLOSEST_FLOOR
from workbench.retrieval.retriever import Retriever
from workbench.store.keywords import terms
from workbench.store.ranks import CompleteRanking

# Maximum number of accounts: for a whole document, the chunks that came furthest are described.
_MOST_ACCOUNTS = 8
# Numbers of words that are added to a question to find a passage, tried in this order.
_WORDS_MORE = (2, 4)
# Maximum of the setting.
_MOST_PASSAGES = 50
_WITH_WORDS = (
    mark("It is found if you add “{0}” to the question."),
    mark("It is found if you add “{0}” and “{1}” to the question."),
    mark("It is found if you add “{0}”, “{1}” and “{2}” to the question."),
    mark("It is found if you add “{0}”, “{1}”, “{2}” and “{3}” to the question."),
)
"""Advice for each number of words, marked for translation."""


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """Search to explain, with the arguments of Retriever.search."""

    question: str
    wanted: int = 10
    filter: ChunkFilter = EVERYTHING
    configuration: SearchConfiguration = DEFAULT_SEARCH

    @property
    def mode(self) -> SearchMode:
        """Lists that were searched."""
        return self.configuration.mode

    @property
    def without_reranking(self) -> "ExplanationRequest":
        """Same request without reranking."""
        return dataclasses.replace(self, configuration=dataclasses.replace(self.configuration, reranking="none"))


@dataclass(frozen=True, slots=True)
class Findings:
    """Explanation: the accounts, the one that came furthest first, and the result of the search."""

    accounts: tuple[Account, ...]
    result: SearchResult


@dataclass(frozen=True, slots=True)
class _ListRecord:
    """Excerpt of one list: its head, and the scores and ranks of the chunks in question or among the hits."""

    size: int
    head: dict[int, float]
    scores: dict[int, float]
    ranks: dict[int, int]

    @classmethod
    def of(cls, whole: CompleteRanking, depth: int, chunks: Collection[int]) -> "_ListRecord":
        return cls(whole.size, whole.head(depth), whole.scores_of(chunks), whole.ranks_of(chunks))


@dataclass(frozen=True, slots=True)
class _SearchRecord:
    """All data of a search that the accounts of its chunks need."""

    inquiry: ExplanationRequest
    result: SearchResult
    whole: CompleteLists
    candidates: tuple[Hit, ...]
    keyword: _ListRecord
    dense: _ListRecord

    @property
    def compared(self) -> int:
        """Number of chunks compared: the heads of both lists."""
        return len({*self.keyword.head, *self.dense.head})

    @property
    def given(self) -> dict[int, Hit]:
        """Hits of the search by chunk."""
        return {hit.chunk.id: hit for hit in self.result.hits}


class Explainer:
    """Explains why chunks were found or not. Blocking; safe to call from several threads."""

    def __init__(
        self, retriever: Retriever, documents: ChunkSource, keywords: WordCounts, ranker: SentenceRanker
    ) -> None:
        """Store the retriever whose searches are explained, and the layers below it."""
        self._retriever = retriever
        self._documents = documents
        self._keywords = keywords
        self._ranker = ranker

    def explain(self, inquiry: ExplanationRequest, chunks: Sequence[int]) -> Findings:
        """Return an account for each of these chunks, at most eight; takes the time of three searches.

        Raises:
            RetrievalError: The question is empty, or the search failed.
            NotFound: The filter names an unknown knowledge base.
        """
        if not inquiry.question.strip():
            raise RetrievalError("The question is empty.", "Type what you wanted to find.")
        stored = self._documents.chunks_by_id(chunks)
        admitted = self._filter_admitted(inquiry.filter, list(stored))
        result = self._run_search(inquiry)
        whole = self._retriever.whole_lists(inquiry.question, mode=inquiry.mode, filter=inquiry.filter)
        given = {hit.chunk.id for hit in result.hits}
        candidates = self._collect_compared(inquiry, whole, [chunk for chunk in stored if chunk in admitted - given])
        places = {hit.chunk.id: hit.rank for hit in (*candidates, *result.hits)}
        nearest = sorted(stored, key=lambda chunk: (chunk not in admitted, places.get(chunk, sys.maxsize)))
        nearest = nearest[:_MOST_ACCOUNTS]
        records = (
            _ListRecord.of(one, get_list_depth(inquiry.wanted), {*nearest, *given})
            for one in (whole.keyword, whole.dense)
        )
        search = _SearchRecord(inquiry, result, whole, candidates, *records)
        accounts = [self._make_account(search, *stored[chunk], chunk in admitted) for chunk in nearest]
        accounts.sort(key=_progress, reverse=True)
        return Findings(tuple(accounts), search.result)

    def better_question(self, inquiry: ExplanationRequest, account: Account) -> Advice | None:
        """Return the advice to add words of the passage to the question; None if a trial search does not find it."""
        words = discriminating_words(account.chunk.text, inquiry.question, self._keywords)
        for number in _WORDS_MORE:
            more = words[:number]
            longer_request = dataclasses.replace(inquiry, question=" ".join((inquiry.question, *more)))
            if more and self._place(longer_request, account.chunk.id) is not None:
                named = " and ".join(f"“{word}”" for word in more)
                return Advice(
                    AdviceKind.ASK_WITH, f"Ask with {named} as well: then it is found.", longer_request.question
                )
        return None

    def enough_passages(self, inquiry: ExplanationRequest, account: Account) -> Advice | None:
        """Return the advice to request more passages; verified by searches, since a larger one also compares more."""
        if inquiry.wanted >= _MOST_PASSAGES:
            return None
        place = self._place(dataclasses.replace(inquiry, wanted=_MOST_PASSAGES), account.chunk.id)
        for enough in (-(-place // 10) * 10, _MOST_PASSAGES) if place is not None else ():
            if self._place(dataclasses.replace(inquiry, wanted=enough), account.chunk.id) is not None:
                text = mark(f"Raise “Passages per search” in the settings to {enough}: then it is among them.")
                return Advice(AdviceKind.MORE, text)
        return None

    def _place(self, inquiry: ExplanationRequest, chunk: int) -> int | None:
        reranker_matters = self._retriever.reranks_beyond(inquiry.wanted, inquiry.configuration)
        hits = self._run_search(inquiry if reranker_matters else inquiry.without_reranking).hits
        return next((hit.rank for hit in hits if hit.chunk.id == chunk), None)

    def _run_search(self, inquiry: ExplanationRequest) -> SearchResult:
        return self._retriever.search(
            inquiry.question, k=inquiry.wanted, filter=inquiry.filter, configuration=inquiry.configuration
        )

    def _collect_compared(
        self, inquiry: ExplanationRequest, whole: CompleteLists, chunks: Sequence[int]
    ) -> tuple[Hit, ...]:
        """Return all chunks that the search compared, including these; empty if there are none."""
        if not chunks:
            return ()
        scores = whole.keyword.scores_of(chunks)
        candidates = self._retriever.candidates(
            inquiry.question,
            k=inquiry.wanted,
            filter=inquiry.filter,
            configuration=inquiry.configuration,
            also={chunk: scores.get(chunk, 0.0) for chunk in chunks},
        )
        return tuple(candidates)

    def _failed_conditions(self, chosen: ChunkFilter, chunk: int) -> tuple[str, ...]:
        """Return the conditions that a chunk does not meet; each is tested separately."""
        alone = {f"“{text_of(one)}”": one for one in (ChunkFilter(where=(each,)) for each in chosen.where)}
        if chosen.knowledge_base is not None:
            alone = {mark(f"the knowledge base “{chosen.knowledge_base}”"): ChunkFilter(chosen.knowledge_base)} | alone
        return tuple(words for words, one in alone.items() if not self._filter_admitted(one, [chunk]))

    def _filter_admitted(self, chosen: ChunkFilter, chunks: Sequence[int]) -> set[int]:
        allowed = self._documents.searchable_chunks(chosen)
        return set(chunks) if allowed is None else set(allowed[np.isin(allowed, chunks)].tolist())

    def _make_account(self, search: _SearchRecord, chunk: Chunk, document: Document, is_admitted: bool) -> Account:
        ocr = bool(document.ocr_pages(chunk.page, chunk.page))
        account = Account(
            chunk,
            place(document.page_kind, chunk.page, ocr=ocr),
            Stage.FILTERED,
            words=self._weigh_words(search, chunk, document),
            floor=CLOSEST_FLOOR,
        )
        if not is_admitted:
            return dataclasses.replace(account, left_out_by=self._failed_conditions(search.inquiry.filter, chunk.id))
        account = dataclasses.replace(account, lists=tuple(_list_places(search, chunk.id)))
        given = search.given.get(chunk.id)
        if given is not None:
            return self._account_of_hit(search, _add_scores(account, search, given), document)
        compared = next((hit for hit in search.candidates if hit.chunk.id == chunk.id), None)
        if compared is not None:
            has_vector = chunk.id in search.dense.ranks
            lacks = search.whole.understanding is not None and not has_vector
            return dataclasses.replace(
                _add_scores(account, search, compared), stage=Stage.NO_VECTOR if lacks else Stage.BEYOND
            )
        twin = _find_same_text(search, chunk)
        return dataclasses.replace(account, stage=Stage.FOLDED if twin else Stage.BEYOND, same_as=twin)

    def _account_of_hit(self, search: _SearchRecord, account: Account, document: Document) -> Account:
        """Return the account of a hit: FOUND, unless no hit, or no sentence in this one, is relevant enough."""
        chunk = account.chunk
        if not search.result.is_relevant:
            return dataclasses.replace(account, stage=Stage.BELOW_FLOOR, floor=search.result.floor)
        above = {1: " ".join((document.metadata.title, *chunk.headings))}
        ranking = self._ranker.rank(search.inquiry.question, [(1, chunk.text)], headings=above)
        stage = Stage.BELOW_FLOOR if ranking.level is AnswerLevel.NOT_FOUND else Stage.FOUND
        return dataclasses.replace(account, stage=stage, certainty=ranking.certainty)

    def _weigh_words(self, search: _SearchRecord, chunk: Chunk, document: Document) -> tuple[QuestionWord, ...]:
        words = search.whole.words
        return question_term_weights(
            shorten_question(search.inquiry.question),
            words,
            self._keywords.document_frequency(words.weights),
            text=words_of(chunk.text),
            above=words_of(" ".join((document.metadata.title, *chunk.headings))),
        )


def _list_places(search: _SearchRecord, chunk: int) -> list[ListPlace]:
    """Return the place of a chunk in each list that was searched."""
    whole, mode = search.whole, search.inquiry.mode
    made = []
    if mode is not SearchMode.KEYWORD and whole.understanding is not None:
        made.append(_place(ListKind.MEANING, search, chunk, search.dense, whole.weight))
    if mode is not SearchMode.DENSE:
        made.append(_place(ListKind.WORDS, search, chunk, search.keyword, 1 - whole.weight))
    return made


def _place(kind: ListKind, search: _SearchRecord, chunk: int, told: _ListRecord, weight: float) -> ListPlace:
    scores = list(told.head.values())
    return ListPlace(
        kind,
        told.ranks.get(chunk),
        size=told.size,
        looked_at=len(scores),
        given=tuple(sorted(told.ranks[one] for one in search.given if one in told.ranks)),
        score=told.scores.get(chunk),
        best=scores[0] if scores else None,
        last=scores[-1] if scores else None,
        weight=weight,
    )


def _add_scores(account: Account, search: _SearchRecord, hit: Hit) -> Account:
    """Return the account with the scores of its chunk."""
    given = [one.scores for one in search.result.hits]
    reranked = [scores.rerank for scores in given if scores.rerank is not None]
    return dataclasses.replace(
        account,
        place=hit.place,
        rank=hit.rank,
        compared=max(search.compared, hit.rank),
        fused=hit.scores.fused,
        fused_last=min((scores.fused for scores in given), default=None),
        relevance=hit.scores.relevance,
        rerank=hit.scores.rerank,
        rerank_rank=hit.scores.rerank_rank,
        rerank_last=min(reranked, default=None),
        named=hit.scores.named,
    )


def _find_same_text(search: _SearchRecord, chunk: Chunk) -> StandIn | None:
    """Return the passage that was compared in place of a chunk with the same text."""
    text = fold_passage(chunk.text)
    for hit in (*search.result.hits, *search.candidates):
        if fold_passage(hit.chunk.text) == text:
            given = search.given.get(hit.chunk.id)
            return StandIn(hit.chunk.id, hit.document_name, hit.place, given.rank if given else None)
    return None


def _progress(account: Account) -> tuple[int, float]:
    """Return a sort key for how far a chunk came: its stage, then its rank."""
    return list(Stage).index(account.stage), -(account.rank or sys.maxsize)


_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(slots=True)
class _Chip:
    """Index words that a reader perceives as one word, or as one run of characters."""

    text: str
    weight: float
    chunks: int
    standing: WordStanding
    is_run: bool


def question_term_weights(
    question: str, words: QuestionWords, frequencies: Mapping[str, int], *, text: Set[str], above: Set[str]
) -> tuple[QuestionWord, ...]:
    """Return the words of a question, in its order, with their weights and occurrence in a passage.

    Args:
        question: Question as searched.
        words: Its words with their weights.
        frequencies: Number of chunks that contain each of them.
        text: Words of the passage.
        above: Words of its title and headings.
    """
    written = _spellings(question)
    chips: list[_Chip] = []
    for word, weight in words.weights.items():
        standing = WordStanding.IN_TEXT if _contains(text, word) else WordStanding.MISSING
        if standing is WordStanding.MISSING and _contains(above, word):
            standing = WordStanding.ABOVE
        chip = _Chip(written.get(word, word), weight, frequencies.get(word, 0), standing, is_unspaced(word))
        if not (chips and _merge_chip(chips[-1], chip)):
            chips.append(chip)
    total = words.total or 1.0
    return tuple(
        QuestionWord(_chip_text(chips, index).rstrip("*"), one.weight / total, one.chunks, one.standing)
        for index, one in enumerate(chips)
    )


def _merge_chip(before: _Chip, chip: _Chip) -> bool:
    """Merge a chip into the one before it if both are pieces of one word; return True if it was merged."""
    if before.standing is not chip.standing or before.is_run is not chip.is_run:
        return False
    if chip.is_run:
        if before.text[-1] != chip.text[0] or len(chip.text) < 2:
            return False
        before.text += chip.text[1:]
    elif before.text != chip.text:
        return False
    before.weight += chip.weight
    before.chunks = min(before.chunks, chip.chunks)
    return True


def _chip_text(chips: Sequence[_Chip], index: int) -> str:
    """Return the text of a chip; a missing run omits characters that a neighbouring chip shows."""
    chip = chips[index]
    if not chip.is_run or chip.standing is not WordStanding.MISSING:
        return chip.text
    before = chips[index - 1] if index else None
    after = chips[index + 1] if index + 1 < len(chips) else None
    start = int(before is not None and before.is_run and before.text[-1] == chip.text[0])
    end = len(chip.text) - int(after is not None and after.is_run and after.text[0] == chip.text[-1])
    return chip.text[start:end] or chip.text


def _spellings(question: str) -> dict[str, str]:
    """Return index word -> the word of the question that it comes from; pairs of characters are left out."""
    written: dict[str, str] = {}
    for piece in question.split():
        for word in terms(piece):
            if not is_unspaced(word):
                written.setdefault(word, _EDGES.sub("", piece) or piece)
    return written


def _contains(held: Set[str], word: str) -> bool:
    """Return True if a word is in the set; a word that ends in "*" matches every word with that prefix."""
    if word.endswith("*"):
        return any(one.startswith(word[:-1]) for one in held)
    return word in held


# Words after a backslash are excluded: commands of a formula are not words.
_WRITTEN = re.compile(r"(?<![\\\w])[^\W\d_]{4,}")
# Maximum number of words of a passage that are looked up: each word is one access to the index.
_LOOKED_AT = 300


def discriminating_words(text: str, question: str, counts: WordCounts) -> list[str]:
    """Return words of a passage that few others contain and the question lacks, the rarest first.

    Words that occur in this passage alone come last, because most of them are typing or OCR errors. For a script
    without spaces, runs of characters whose pairs all recur are returned: a single pair may span two words.
    """
    asked = set(terms(question))
    pieces = _WRITTEN.findall(text)[:_LOOKED_AT]
    words = {word: piece for piece in reversed(pieces) for word in terms(piece) if not word.endswith("*")}
    frequencies = counts.document_frequency(words.keys() - asked)
    most = max(2, counts.count // 20)
    known = {word: frequency for word, frequency in frequencies.items() if 0 < frequency <= most}
    found = {words[word]: frequency for word, frequency in known.items() if not is_unspaced(word)}
    found |= {run: rarest for piece in pieces for run, rarest in _recurring_runs(piece, known)}
    return sorted(found, key=lambda word: (found[word] == 1, found[word], text.find(word)))


def _recurring_runs(piece: str, known: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield each longest run of at least three characters whose pairs are known and recur, with the lowest count."""
    pairs = [piece[place : place + 2] for place in range(len(piece) - 1)]
    recurring = [is_unspaced(pair) and known.get(pair, 0) > 1 for pair in pairs]
    for is_run, places in groupby(range(len(pairs)), key=recurring.__getitem__):
        run = list(places)
        if is_run and len(run) > 1:
            yield piece[run[0] : run[-1] + 2], min(known[pairs[place]] for place in run)
