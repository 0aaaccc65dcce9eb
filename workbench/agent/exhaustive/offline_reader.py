"""The reader that needs no model: of each batch the sentences that answer best, word for word, or none.

It ranks sentences as the offline answerer does; a document in which nothing reaches a floor (relevance.PART_FLOOR) is
held not to speak of the question. It cannot tell yes from no: what it finds is found.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Sequence

from workbench.agent.exhaustive.passage_batches import Batch, PassageReadingResult, PassageToRead
from workbench.agent.providers.offline_quotes import choose_sentences
from workbench.language import mark
from workbench.model.exhaustive import Says
from workbench.retrieval.answer_sentences import RankedSentence, SentenceRanker

MODE = mark("Offline: quotes from your documents, no model; it finds or does not find, and cannot tell yes from no.")

BATCH = 48
"""Passages that are ranked together: 300 sentences, of which the 60 that share most words are compared by meaning.

Of 24 questions to two books of xquad en, beside three other PDFs, something is found in the right one for 0.96, with
the page of the answer among its best three, and in none of the 96 others; zh 0.92 and 0.03. With 12, 24 and 48 alike;
a passage takes 11, 7 and 4 ms on one core.
"""


class OfflineReader:
    """PassageReader by words and meaning; one batch at a time, off the event loop."""

    def __init__(self, ranker: SentenceRanker) -> None:
        self._ranker = ranker
        self._lock = threading.Lock()

    @property
    def mode(self) -> str:
        return MODE

    async def read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        """Return which passages hold sentences that answer."""
        return await asyncio.to_thread(self._read, question, passages)

    def _read(self, question: str, passages: Sequence[PassageToRead]) -> Batch:
        texts = [(one.chunk.id, one.chunk.text) for one in passages]
        above = {one.chunk.id: f"{one.name} {' '.join(one.chunk.headings)}" for one in passages}
        with self._lock:  # the ranker keeps the vectors of the last question
            ranking = self._ranker.rank(question, texts, headings=above)
        quoted = choose_sentences(question, ranking) if ranking.answerable else []
        by_chunk: dict[int, list[RankedSentence]] = defaultdict(list)
        for sentence in quoted:
            by_chunk[sentence.number].append(sentence)
        best = max((one.score for one in quoted), default=0.0)
        return Batch(tuple(_found(one, by_chunk[one.chunk.id], ranking.certainty, best) for one in passages))


def _found(
    passage: PassageToRead, sentences: Sequence[RankedSentence], certainty: float, best: float
) -> PassageReadingResult:
    if not sentences:
        return PassageReadingResult(passage.chunk.id, Says.NOTHING)
    spans = tuple((one.start, one.end) for one in sentences)
    # How sure it is of the best sentence, and as much less as the passage's own lies below that.
    score = certainty * max(one.score for one in sentences) / best if best > 0 else certainty
    return PassageReadingResult(passage.chunk.id, Says.YES, spans=spans, score=round(min(1.0, max(0.0, score)), 4))
