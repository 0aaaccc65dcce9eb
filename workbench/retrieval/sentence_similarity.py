"""Similarity of a question and the sentences of passages, by the token vectors that a library stores for its chunks.

The token vectors of a chunk are those of its sentences in context (Günther et al. 2024, "Late chunking"), so that no
sentence has to be embedded: half of the processor time of an offline answer. The similarity is the mean, over the
tokens of the question, of the similarity to the nearest token of the sentence, plus the mean similarity of the
question's vector to the sentence's tokens.

Answer in the quotes with it / with the cosine of the embedded sentence, 150 questions each: squad2 0.900 / 0.867,
xquad en 0.927 / 0.913, zh 0.927 / 0.913, drcd 0.900 / 0.900, cmrc 0.853 / 0.840, hotpot 0.390 / 0.380. Area under the
curve that separates 250 questions of squad2 from 120 without an answer 0.684 / 0.669 (either part alone 0.649, 0.667).
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder, TokenEmbedder, Vocabulary, VocabularyEmbedder, embed_queries, words_alone
from workbench.model.chunk import Chunk, embedding_text
from workbench.retrieval.embedder_calibration import EmbedderCalibration, EmbedderProbe
from workbench.retrieval.recent_chunks import RecentChunks
from workbench.retrieval.reranking.late_interaction import StoredTokens

_WORD = re.compile(r"[^\W_]+")

# In the context of a chunk, tokens are less similar to a question than in the separate sentences of the probe: scaled
# similarities of 14,000 sentences have the quantiles of the scaled cosines if they are multiplied by 1.4 to 1.6. So a
# compared sentence and an embedded one have the same scale.
_FACTOR = 1.6


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

    def comparison(self, question: str, passages: Collection[str]) -> "QuestionComparison | None":
        """Return the comparison of a question with the sentences of passages; None if none of them can be compared.

        Args:
            question: Question as searched.
            passages: Texts of passages; one that no recent search found is unknown.

        Raises:
            EmbeddingError: The model failed.
        """
        chunks = {text: chunk for text in passages if (chunk := self._recent.get(text)) is not None}
        if self._tokens is None or self._vocabulary is None or not chunks:
            return None
        asked = self._tokens.question_tokens(question).vectors
        if not len(asked):
            return None
        asked = np.concatenate([asked, np.asarray(self._embedder.embed_query(question))[np.newaxis]])
        stored = self._stored.similarities(asked, [chunk.id for chunk in chunks.values()])
        known = {text: (chunk, stored[chunk.id]) for text, chunk in chunks.items() if chunk.id in stored}
        return QuestionComparison(known, self._vocabulary.tokenizer, self._probe.understanding(question))


class QuestionComparison:
    """Similarities of one question to the sentences of passages; for one thread."""

    def __init__(
        self,
        known: Mapping[str, tuple[Chunk, NDArray[np.float32]]],
        tokenizer: Vocabulary,
        calibration: EmbedderCalibration,
    ) -> None:
        """Store the stored similarities.

        Args:
            known: Text of a passage -> its chunk, and float32 [words' tokens, asked tokens].
            tokenizer: Tokenizer of the embedder.
            calibration: Calibration of the similarities for the question.
        """
        self._known = known
        self._tokenizer = tokenizer
        self._calibration = calibration
        self._read: dict[str, _PassageTokens] = {}

    def similarity(self, passage: str, start: int, end: int) -> float | None:
        """Return the scaled similarity of the sentence passage[start:end]: 0 is unrelated, 1 is an answer.

        None if it is unknown: no recent search found the passage, its chunk has no token vectors, or the sentence has
        no words.
        """
        if passage not in self._known:
            return None
        if passage not in self._read:
            self._read[passage] = _PassageTokens(*self._known[passage], self._tokenizer)
        found = self._read[passage].similarity(start, end)
        return None if found is None else _FACTOR * self._calibration.scaled(found)


class _PassageTokens:
    """Similarities of the tokens of one passage, found by the position of its words."""

    def __init__(self, chunk: Chunk, similarities: NDArray[np.float32], tokenizer: Vocabulary) -> None:
        text = embedding_text(chunk.headings, chunk.text)
        self._starts = tokenizer.word_starts(text, len(similarities))
        # The vectors are of another version of the text if their number differs.
        self._similarities = similarities if len(similarities) == len(self._starts) else None
        self._begins = [match.start() for match in _WORD.finditer(text)] + [len(text)]
        self._words = [match.start() for match in _WORD.finditer(chunk.text)]
        words = _WORD.findall("".join(chunk.headings[-1:])) + _WORD.findall(chunk.text)
        self._places = _places_among(_WORD.findall(text), words)[-len(self._words) - 1 :]

    def similarity(self, start: int, end: int) -> float | None:
        """Return the similarity of the words that begin in a span of the chunk's text; None if it is unknown."""
        if self._similarities is None:
            return None
        first, last = bisect_left(self._words, start), bisect_left(self._words, end)
        begin, stop = self._begins[self._places[first]], self._begins[self._places[last]]
        tokens = self._similarities[(self._starts >= begin) & (self._starts < stop)]
        return _similarity(tokens) if len(tokens) else None


def _places_among(embedded: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return, for each word of a chunk and for its end, how many embedded words precede it.

    embedding_text() removes words, and joins others: the parts of a divided word, "US" and "million" in "US$5 million".
    """
    places: list[int] = []
    place, part = 0, ""
    for word in words:
        places.append(place)
        wanted = embedded[place] if place < len(embedded) else ""
        if wanted.startswith(part + word):
            part += word
        elif wanted.startswith(word):
            part = word
        elif not word.isdecimal():  # an amount can be missing inside a joined word
            part = ""
        if part and part == wanted:
            place, part = place + 1, ""
    return [*places, place]


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
