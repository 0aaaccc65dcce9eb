"""The passage reader without a model: it selects sentences.

It ranks sentences as the offline answerer does. If no sentence reaches a threshold (relevance.PART_FLOOR), the document
counts as not related to the question. The reader cannot distinguish yes from no: every result is a yes.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Sequence

from workbench.agent.exhaustive.passage_batches import Batch, PassageReadingResult, PassageToRead
from workbench.agent.offline.quotes import choose_sentences
from workbench.language import mark
from workbench.model.exhaustive import PassageVerdict
from workbench.retrieval.answer_sentences import RankedSentence, SentenceRanker

MODE = mark("Quotes from your documents, no model. It finds passages, but cannot answer yes or no.")

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
