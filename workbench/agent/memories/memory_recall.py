"""Recall of the memories most similar to a question, by embeddings and by words.

Embeddings are used only if the embedder supports the script of the question. The weights of words are computed from the
memories alone, without the documents.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.memory import Memory, RecalledMemory
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.question_words import QuestionWords, question_words, shorten_question, words_of

logger = logging.getLogger(__name__)

MOST = 5
"""Maximum number of memories in a prompt."""


def most_similar_memories(
    question: str,
    memories: Sequence[Memory],
    embedder: Embedder | None = None,
    vectors: Mapping[int, NDArray[np.float32]] | None = None,
) -> tuple[RecalledMemory, ...]:
    """Return the memories that are most similar to a question; of equally similar ones the newest first.

    Args:
        question: The question.
        memories: Memories, newest first.
        embedder: Embedder of the vectors.
        vectors: Vectors by number of the memory; a memory without one is compared by its words.
    """
    question = shorten_question(question)
    words = question_words(question, _Counts(memories))
    similarities = _similarities(question, embedder, vectors) if embedder is not None and vectors else {}
    recalled = [_recall(memory, words, similarities.get(memory.id, 0.0)) for memory in memories]
    recalled.sort(key=lambda one: one.similarity, reverse=True)
    return tuple(recalled[:MOST])


def _recall(memory: Memory, words: QuestionWords, meaning: float) -> RecalledMemory:
    return RecalledMemory(memory, round(max(words.share(words_of(memory.text)), meaning), 2))


def _similarities(question: str, embedder: Embedder, vectors: Mapping[int, NDArray[np.float32]]) -> dict[int, float]:
    """Return calibrated cosine similarities, 0 to 1, by number of the memory; empty if the script is not supported."""
    try:
        understanding = EmbedderProbe(embedder).understanding(question)
        if understanding.degree <= 0:
            return {}
        query_vector = embedder.embed_query(question)
    except EmbeddingError as error:
        logger.warning("Memories are compared by words only", exc_info=error)
        return {}
    return {
        number: understanding.degree * min(1.0, max(0.0, understanding.scaled(float(query_vector @ vector))))
        for number, vector in vectors.items()
    }


class _Counts:
    """Word counts over the memories."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._words = [words_of(memory.text) for memory in memories]

    @property
    def count(self) -> int:
        return len(self._words)

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return {term: sum(term in words for words in self._words) for term in terms}
