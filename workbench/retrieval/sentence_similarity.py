"""Similarity of a question and the sentences of passages, by the token vectors that a library stores for its chunks.

The token vectors of a chunk are those of its sentences in context (Günther et al. 2024, "Late chunking"), so that no
sentence has to be embedded: half of the processor time of an offline answer. The similarity is the mean, over the
tokens of the question, of the similarity to the nearest token of the sentence, plus the mean similarity of the
question's vector to the sentence's tokens.

Compared with the cosine of the embedded sentence, 250 questions of squad2: the answer is in the best three sentences
for 0.936 / 0.928; area under the curve that separates 120 questions without an answer 0.684 / 0.669 (either part alone
0.649 and 0.667); of questions to reports 0.540 / 0.522.
"""

import re
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder, TokenEmbedder, Vocabulary, VocabularyEmbedder, embed_queries, words_alone
from workbench.model.chunk import embedding_text
from workbench.model.embedder import token_starts
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.retrieval.reranking.late_interaction import StoredTokens

_WORD = re.compile(r"[^\W_]+")

# In the context of a chunk, tokens are less similar to a question than in the separate sentences of the probe: scaled
# similarities of 14,000 sentences have the same quantiles as the scaled cosines if they are multiplied by 1.4 to 1.6.
# So an embedded sentence and a compared one have the same scale, and the certainty of an answer (relevance.py) is that
# of before: found / refused with cosines, and with these, of questions that reports answer 0.25 / 0.06, 0.21 / 0.10,
# squad2 0.59 / 0.01, 0.63 / 0.01, xquad en 0.82 / 0.01, 0.84 / 0.01; refused if the document is missing: reports 0.24,
# 0.33, squad2 0.66, 0.62, xquad en 0.59, 0.53.
_FACTOR, _OFFSET = 1.5, 0.03


class SentenceSimilarity:
    """Compares questions with sentences; blocking, safe to call from several threads."""

    def __init__(self, embedder: Embedder, stored: StoredTokens, recent: RecentChunks) -> None:
        """Store the sources; for an embedder without token vectors nothing can be compared.

        Args:
            embedder: Embedder of the library.
            stored: Its stored token vectors.
            recent: The chunks in which sentences are looked up.
        """
        self._tokens = embedder if isinstance(embedder, TokenEmbedder) and embedder.has_token_vectors else None
        self._vocabulary = embedder if isinstance(embedder, VocabularyEmbedder) else None
        self._embedder = embedder
        self._stored = stored
        self._recent = recent
        self._probe = TokenProbe(embedder)

    def compare(self, question: str, sentences: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the scaled similarity of each sentence: 0 is unrelated, 1 is an answer; None if it is unknown.

        It is unknown if no recent search found the passage, or its chunk has no token vectors, or not these words.

        Args:
            question: Question as searched.
            sentences: (text of the passage, text of a sentence in it), in the order of the passages.

        Raises:
            EmbeddingError: The model failed.
        """
        known = {
            text: chunk for text in dict.fromkeys(text for text, _ in sentences) if (chunk := self._recent.get(text))
        }
        if self._tokens is None or self._vocabulary is None or not known:
            return [None] * len(sentences)
        asked = self._tokens.question_tokens(question).vectors
        if not len(asked):
            return [None] * len(sentences)
        asked = np.concatenate([asked, np.asarray(self._embedder.embed_query(question))[np.newaxis]])
        similarities = self._stored.similarities(asked, [chunk.id for chunk in known.values()])
        tokenizer = self._vocabulary.tokenizer
        passages = {
            text: _PassageTokens(embedding_text(chunk.headings, chunk.text), similarities[chunk.id], tokenizer)
            for text, chunk in known.items()
            if chunk.id in similarities
        }
        calibration = self._probe.understanding(question)
        found = [
            passages[text].similarity(embedding_text((), sentence)) if text in passages else None
            for text, sentence in sentences
        ]
        return [_FACTOR * calibration.scaled(one) + _OFFSET if one is not None else None for one in found]


class _PassageTokens:
    """Similarities of the tokens of one passage, found by its words."""

    def __init__(self, text: str, similarities: NDArray[np.float32], tokenizer: Vocabulary) -> None:
        """Store the similarities, unless there is not one for each token.

        Args:
            text: Text of the chunk as it was embedded.
            similarities: float32 [words' tokens, asked tokens].
            tokenizer: Tokenizer of the embedder.
        """
        self._starts = _stored_starts(text, len(similarities), tokenizer)
        self._similarities = similarities
        self._spans = [match.span() for match in _WORD.finditer(text)]
        self._words = f" {' '.join(text[start:end] for start, end in self._spans)} "
        self._end = 0

    def similarity(self, sentence: str) -> float | None:
        """Return the similarity of a sentence, best asked for in the order of the text; None if it is not in it."""
        words = _WORD.findall(sentence)
        if not words or len(self._starts) != len(self._similarities):
            return None
        wanted = f" {' '.join(words)} "
        place = self._words.find(wanted, self._end)
        if place < 0:
            place = self._words.find(wanted)
        if place < 0:
            return None
        self._end = place + len(wanted) - 1
        first = self._words.count(" ", 0, place)
        begin, end = self._spans[first][0], self._spans[first + len(words) - 1][1]
        tokens = self._similarities[(self._starts >= begin) & (self._starts < end)]
        return _similarity(tokens) if len(tokens) else None


def _stored_starts(text: str, count: int, tokenizer: Vocabulary) -> NDArray[np.int64]:
    """Return the start of each token that has a stored vector, int64 [tokens].

    There are not `count` if the vectors are of another version of the text, or of a model with a prompt.
    """
    every = token_starts(tokenizer, text)
    starts = [start for start in every if text[start].isalnum()]  # other marks have no stored vector
    if len(starts) != count and len(windows := tokenizer.windows([text])[0]) > 1:
        # The vectors of a long text are those of its windows, which overlap.
        special = len(tokenizer.windows([""])[0][0])
        lengths = [len(window) - special for window in windows]
        overlap = (sum(lengths) - len(every)) // (len(windows) - 1)
        begins = accumulate(lengths[:-1], lambda begin, length: begin + length - overlap, initial=0)
        in_windows = [every[begin : begin + length] for begin, length in zip(begins, lengths, strict=True)]
        starts = [start for window in in_windows for start in window if text[start].isalnum()]
    return np.array(starts, np.int64)


class TokenProbe(EmbedderProbe):
    """Measures the similarities of this module for an embedder, as EmbedderProbe does for its cosines."""

    kind = "tokens"

    def _similarities(self, questions: Sequence[str], answers: Sequence[str]) -> NDArray[np.float32]:
        embedder = self._embedder
        assert isinstance(embedder, TokenEmbedder)
        _, words = embedder.embed_with_tokens(answers, words_alone)
        vectors = embed_queries(embedder, questions)
        asked = [
            np.concatenate([embedder.question_tokens(question).vectors, vector[np.newaxis]])
            for question, vector in zip(questions, vectors, strict=True)
        ]
        return np.array([[_similarity(of_answer @ one.T) for of_answer in words] for one in asked], np.float32)


def _similarity(tokens: NDArray[np.float32]) -> float:
    """Return the similarity of a sentence: float32 [words, asked tokens], with the question's own vector last."""
    return float(tokens[:, :-1].max(axis=0).mean() + tokens[:, -1].mean())
