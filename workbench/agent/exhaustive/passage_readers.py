"""Passage readers: one asks a model, checks its quotes and asks again, the other selects sentences without a model.

It ranks sentences as the offline answerer does. If no sentence reaches a threshold (relevance.PART_FLOOR), the document
counts as not related to the question. The reader cannot distinguish yes from no: every result is a yes.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

from workbench.agent.base import ModelProvider
from workbench.agent.exhaustive.passage_batches import (
    Batch,
    CallCapacity,
    PassageReadingResult,
    PassageToRead,
    Span,
    batch_request,
    pieces_of,
    repair_request,
)
from workbench.agent.exhaustive.reader_answers import PassageAnswer, find_quote, read_answer
from workbench.agent.providers.offline_quotes import choose_sentences
from workbench.agent.token_budget import TokenEstimate
from workbench.egress.gate import carrying
from workbench.errors import ModelStreamCut
from workbench.language import mark
from workbench.model.exhaustive import PassageVerdict
from workbench.model.message import ModelEvent, ModelRequest, TextDelta, TurnEnd, Usage
from workbench.retrieval.answer_sentences import RankedSentence, SentenceRanker

NO_ANSWER = mark("The model gave no answer for this passage that could be read.")
NO_QUOTE = mark("The model found something, but gave no quote that stands in the passage.")
_NO_ANSWER = "nothing was said of it that can be read"
_NO_QUOTE = "none of its quotes stands in it word for word"
_MOST_QUOTES = 3


class TokenSpending:
    """Counts the tokens of calls: the server's counts, or an estimate if it reports none."""

    def __init__(self) -> None:
        self.estimate = TokenEstimate()

    def of(self, request: ModelRequest, said: str, usage: Usage) -> tuple[int, int]:
        """Return the numbers of tokens that a call read and wrote."""
        self.estimate.learn(request, usage.input_tokens)
        read = usage.input_tokens
        written = usage.output_tokens
        return (
            read if read is not None else round(self.estimate.count_request(request)),
            written if written is not None else round(self.estimate.count(said)),
        )


async def spoken(provider: ModelProvider, request: ModelRequest) -> tuple[str, Usage]:
    """Return a model's answer; if the connection ends before the first token, the request is repeated once.

    Raises:
        ModelError: The request failed, or the answer was cut off.
    """
    try:
        return await _collect_text(provider, request)
    except _EmptyStreamCut:
        return await _collect_text(provider, request)


class _EmptyStreamCut(ModelStreamCut):
    """The connection ended before the first token."""


async def _collect_text(provider: ModelProvider, request: ModelRequest) -> tuple[str, Usage]:
    parts: list[str] = []
    try:
        stream = cast(AsyncGenerator[ModelEvent, None], provider.stream(request))
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    parts.append(event.text)
                elif isinstance(event, TurnEnd):
                    return "".join(parts), event.usage
    except ModelStreamCut as error:
        if parts:
            raise
        raise _EmptyStreamCut(error.message, error.hint) from error
    raise ModelStreamCut("The model stopped before its answer was complete.", "Continue to ask again.")


class ModelReader:
    """PassageReader that asks a model; several batches may be read concurrently.

    Args:
        provider: The model's provider.
        room: Passages and tokens that fit into one call.
        spending: Counts the tokens of the calls.
        mode: Sentence that describes the reader; empty for that of the provider.
        asks_again: True to ask a second time about the passages for which the answer cannot be used.
    """

    def __init__(
        self,
        provider: ModelProvider,
        room: CallCapacity,
        spending: TokenSpending,
        *,
        mode: str = "",
        asks_again: bool = True,
    ) -> None:
        self._mode = mode
        self._asks_again = asks_again
        self._provider = provider
        self._room = room
        self._spending = spending

    @property
    def mode(self) -> str:
        return self._mode or self._provider.mode

    async def read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        """Return the result for each passage; a single passage that does not fit into a call is read in pieces."""
        count = self._spending.estimate.count
        if len(passages) != 1 or len(pieces := pieces_of(passages[0], self._room, count)) == 1:
            return await self._read(question, passages)
        batches = [(start, await self._read(question, [piece])) for start, piece in pieces]
        found = _join_pieces(passages[0], [_shift(batch.found[0], start) for start, batch in batches])
        return Batch(
            (found,),
            sum(batch.calls for _, batch in batches),
            sum(batch.input_tokens for _, batch in batches),
            sum(batch.output_tokens for _, batch in batches),
        )

    async def _read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        with carrying(chunks=(passage.chunk.id for passage in passages)):
            return await self._read_at_once(question, passages)

    async def _read_at_once(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        request = batch_request(question, passages)
        numbered = dict(enumerate(passages, start=1))
        answer, read, written = await self._ask(request)
        results = {number: _check(one, numbered[number]) for number, one in read_answer(answer, numbered).items()}
        problems = _describe(numbered, results)
        calls = 1
        if problems and self._asks_again:
            again = repair_request(request, answer, problems)
            repaired, more_read, more_written = await self._ask(again)
            calls, read, written = 2, read + more_read, written + more_written
            for number, one in read_answer(repaired, problems).items():
                results[number] = _replace_result(results.get(number), _check(one, numbered[number]))
        found = tuple(results.get(number) or _make_unreadable(one) for number, one in numbered.items())
        return Batch(tuple(_reject_unproven(one) for one in found), calls, read, written)

    async def _ask(self, request: ModelRequest) -> tuple[str, int, int]:
        answer, usage = await spoken(self._provider, request)
        return answer, *self._spending.of(request, answer, usage)


def _check(answered: PassageAnswer, passage: PassageToRead) -> PassageReadingResult:
    """Return the answer on a passage with the quotes that occur in it; the others are counted."""
    if answered.says is PassageVerdict.NOTHING:
        return PassageReadingResult(passage.chunk.id, PassageVerdict.NOTHING)
    found = [find_quote(quote, passage.chunk.text) for quote in answered.quotes]
    spans = _remove_nested([span for span in found if span is not None])
    thrown_out = sum(span is None for span in found)
    return PassageReadingResult(passage.chunk.id, answered.says, answered.finding, spans[:_MOST_QUOTES], thrown_out)


def _remove_nested(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans without those that lie within another."""
    distinct = list(dict.fromkeys(spans))
    return tuple(one for one in distinct if not any(o != one and o[0] <= one[0] and one[1] <= o[1] for o in distinct))


def _describe(numbered: Mapping[int, PassageToRead], results: Mapping[int, PassageReadingResult]) -> dict[int, str]:
    missing = {number: _NO_ANSWER for number in numbered if number not in results}
    return missing | {number: _NO_QUOTE for number, one in results.items() if _is_unproven(one)}


def _is_unproven(found: PassageReadingResult) -> bool:
    return found.says in (PassageVerdict.YES, PassageVerdict.NO) and not found.spans


def _replace_result(before: PassageReadingResult | None, now: PassageReadingResult) -> PassageReadingResult:
    thrown_out = now.thrown_out + (before.thrown_out if before else 0)
    return PassageReadingResult(now.chunk, now.says, now.finding, now.spans, thrown_out)


def _make_unreadable(passage: PassageToRead) -> PassageReadingResult:
    return PassageReadingResult(passage.chunk.id, PassageVerdict.UNREADABLE, problem=NO_ANSWER)


def _reject_unproven(found: PassageReadingResult) -> PassageReadingResult:
    """Return a finding without a quote as unreadable, since nobody can check it."""
    if not _is_unproven(found):
        return found
    return PassageReadingResult(found.chunk, PassageVerdict.UNREADABLE, thrown_out=found.thrown_out, problem=NO_QUOTE)


def _shift(found: PassageReadingResult, by: int) -> PassageReadingResult:
    spans = tuple((start + by, end + by) for start, end in found.spans)
    return PassageReadingResult(found.chunk, found.says, found.finding, spans, found.thrown_out, found.problem)


def _join_pieces(passage: PassageToRead, pieces: Sequence[PassageReadingResult]) -> PassageReadingResult:
    """Return the combined result of the pieces of one passage: yes before no, and no before unreadable."""
    thrown_out = sum(one.thrown_out for one in pieces)
    for says in (PassageVerdict.YES, PassageVerdict.NO, PassageVerdict.UNREADABLE):
        alike = [one for one in pieces if one.says is says]
        if alike:
            spans = tuple(span for one in alike for span in one.spans)[:_MOST_QUOTES]
            return PassageReadingResult(passage.chunk.id, says, alike[0].finding, spans, thrown_out, alike[0].problem)
    return PassageReadingResult(passage.chunk.id, PassageVerdict.NOTHING, thrown_out=thrown_out)


MODE = mark("Offline: quotes from your documents, no model; it finds or does not find, and cannot tell yes from no.")

BATCH = 48
"""Passages that are ranked together: 300 sentences; the 60 with the most shared words are compared by meaning.

Measured with 24 questions to two books of xquad en, next to three other PDFs: the right book has a result for 0.96 of
the questions, with the page of the answer among its best three, and none of the 96 others has one; zh 0.92 and 0.03.
Batches of 12, 24 and 48 passages give the same result; a passage takes 11, 7 and 4 ms on one core.
"""


class OfflineReader:
    """PassageReader that ranks sentences by words and meaning; reads one batch at a time, off the event loop."""

    def __init__(self, ranker: SentenceRanker) -> None:
        self._ranker = ranker
        self._lock = threading.Lock()

    @property
    def mode(self) -> str:
        return MODE

    async def read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        """Return the result for each passage: the spans of its answering sentences, or nothing."""
        return await asyncio.to_thread(self._read, question, passages)

    def _read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        texts = [(one.chunk.id, one.chunk.text) for one in passages]
        above = {one.chunk.id: f"{one.name} {' '.join(one.chunk.headings)}" for one in passages}
        with self._lock:  # the ranker caches the vectors of the last question
            ranking = self._ranker.rank(question, texts, headings=above)
        quoted = choose_sentences(question, ranking) if ranking.answerable else []
        by_chunk: dict[int, list[RankedSentence]] = defaultdict(list)
        for sentence in quoted:
            by_chunk[sentence.number].append(sentence)
        best = max((one.score for one in quoted), default=0.0)
        return Batch(tuple(_make_result(one, by_chunk[one.chunk.id], ranking.certainty, best) for one in passages))


def _make_result(
    passage: PassageToRead, sentences: Sequence[RankedSentence], certainty: float, best: float
) -> PassageReadingResult:
    if not sentences:
        return PassageReadingResult(passage.chunk.id, PassageVerdict.NOTHING)
    spans = tuple((one.start, one.end) for one in sentences)
    # The certainty applies to the best sentence; a lower score of the passage's own reduces it in proportion.
    score = certainty * max(one.score for one in sentences) / best if best > 0 else certainty
    certain = round(min(1.0, max(0.0, score)), 4)
    return PassageReadingResult(passage.chunk.id, PassageVerdict.YES, spans=spans, score=certain)
