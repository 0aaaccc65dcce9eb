"""Reranks by late interaction: each token of the question looks for the token of the passage that is nearest to it.

A passage's one vector says what it is about; this also says whether it holds each thing that is asked for, in words of
its own ("car" near "automobile"). It takes the embedding model's own token vectors, so that nothing is downloaded.
The letters of the words (letters.py) count on top, which helps where the embedder does not know the script.

nDCG@10 of 600 questions each: the search alone / with letters / with tokens / with both: xquad en 0.976 / 0.978 / 0.981
/ 0.982, squad2 0.939 / 0.944 / 0.954 / 0.954, the pages of xquad's PDFs 0.986 / 0.988 / 0.988 / 0.990; hotpot, whose
second passage has little of the question, 0.831 / 0.826 / 0.823 / 0.828. Chinese is left to the letters by this model.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder
from workbench.embedding.token_vectors import QuestionTokens, TokenEmbedder
from workbench.errors import EmbeddingError, RerankingError
from workbench.retrieval.base import WordPlaces
from workbench.retrieval.question import question_words, words_of
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.letters import LetterReranker
from workbench.retrieval.reranking.neighbours import raised
from workbench.retrieval.reranking.passage_vectors import PassageVectors
from workbench.retrieval.reranking.topics import by_topic
from workbench.retrieval.understanding import EmbedderProbe

# What the mean similarity of the tokens adds to the search's score. Of 1,000 questions, squad2 gains 0.011 with half of
# it, 0.018 with it, 0.021 with twice as much; hotpot loses 0.009, 0.008, 0.019.
_WEIGHT = 1.0

# What a token counts at least whose word the keyword search leaves out ("who", "of"): 0 to 2 differ by 0.002.
_LEAST_WEIGHT = 0.5

# Below this the embedder does not know the question's script, and its tokens neither: they would take 0.05 from xquad
# zh. The passages are not even embedded then.
_LEAST_DEGREE = 0.5

# Of those that the letters put first: 10 passages of 200 tokens take 0.1 s on two cores; with 16 no set has more, with
# 5 squad2 has 0.002 less.
_MOST_COMPARED = 10

# A passage this far behind the best one is not compared: no set loses by it (0.2 to 0.5 are alike, hotpot gains 0.004),
# and squad2 has 4.9 passages left to embed, xquad en 2.4. Where only one is left, nothing is.
_REACH = 0.3

_WORD = re.compile(r"\w+")


class LateInteraction:
    """Needs an embedder that gives token vectors; without one, or for a script it does not know, letters decide."""

    most = LetterReranker.most

    def __init__(self, embedder: Embedder, keywords: WordPlaces) -> None:
        self.id = f"late-interaction/{embedder.id}"
        self._embedder = embedder if isinstance(embedder, TokenEmbedder) and embedder.has_token_vectors else None
        self._passages = PassageVectors(self._embedder) if self._embedder else None
        self._keywords = keywords
        self._probe = EmbedderProbe(embedder)
        self._letters = LetterReranker(keywords)

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the search's scores, raised by how near each passage's tokens and letters come to the question's.

        Raises:
            RerankingError: The embedding model failed.
        """
        scores = by_topic(question, self._scores(question, candidates), candidates, self._keywords)
        return raised(scores, candidates)

    def _scores(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        scores = self._letters.scores(question, candidates)
        reach = max(scores, default=0.0) - _REACH
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[:_MOST_COMPARED]
        compared = [index for index in best if scores[index] >= reach]
        if self._embedder is None or self._passages is None or len(compared) < 2:
            return scores
        try:
            degree = self._probe.understanding(question).degree
            if degree < _LEAST_DEGREE:
                return scores
            asked = self._embedder.question_tokens(question)
            passages = self._passages.of([candidates[index].in_context for index in compared])
        except EmbeddingError as error:
            raise RerankingError(error.message, error.hint) from error
        weights = self._weights(question, asked)
        added = [_WEIGHT * degree * similarity(asked.vectors, weights, passage) for passage in passages]
        # Those out of reach stay behind, on the same scale.
        by_index = dict(zip(compared, added, strict=True))
        return [score + by_index.get(index, min(added)) for index, score in enumerate(scores)]

    def _weights(self, question: str, asked: QuestionTokens) -> NDArray[np.float32]:
        """Return what each token counts: as much as its word in the keyword search, where that is rare much."""
        words = question_words(question, self._keywords).weights
        weights = np.zeros(len(asked.spans), np.float32)
        for match in _WORD.finditer(question):
            weight = max((words.get(word, 0.0) for word in words_of(match.group())), default=0.0)
            for index, (start, end) in enumerate(asked.spans):
                if start < match.end() and end > match.start():
                    weights[index] = max(weight, _LEAST_WEIGHT)
        return weights


def similarity(asked: NDArray[np.float32], weights: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """Return the mean, by weight, of each asked token's similarity to its nearest token of the passage."""
    total = float(weights.sum())
    if not total or not len(passage):
        return 0.0
    nearest: NDArray[np.float32] = (asked @ passage.T).max(axis=1)
    return float(nearest @ weights) / total
