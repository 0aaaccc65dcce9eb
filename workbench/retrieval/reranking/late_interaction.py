"""Reranking by late interaction of token vectors: computed for a passage and cached, or stored and compressed.

A passage's one vector says what it is about; this also says whether it holds each thing that is asked for, in words of
its own ("car" near "automobile"). It takes the embedding model's own token vectors, so that nothing is downloaded.
The letters of the words (lexical_overlap.py) count on top, which helps where the embedder does not know the script.

nDCG@10 of 600 questions each: the search alone / with letters / with tokens / with both: xquad en 0.976 / 0.978 / 0.981
/ 0.982, squad2 0.939 / 0.944 / 0.954 / 0.954, the pages of xquad's PDFs 0.986 / 0.988 / 0.988 / 0.990; hotpot, whose
second passage has little of the question, 0.831 / 0.826 / 0.823 / 0.828. Chinese is left to the letters by this model.
What each part counts stands in ranking.json: of 1,000 questions, squad2 gains 0.011 with half of the tokens' weight,
0.018 with it, 0.021 with twice as much; hotpot loses 0.009, 0.008, 0.019.
"""

import dataclasses
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import Embedder, QuestionTokens, TokenEmbedder
from workbench.errors import EmbeddingError, RerankingError
from workbench.indexing.token_codec import TokenCodec
from workbench.retrieval.base import WordPlaces
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.question_words import question_words, words_of
from workbench.retrieval.ranking import ranking_weights
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.lexical_overlap import LexicalReranker, by_topic, raise_scores

# 200 tokens of 384 in half precision are 0.15 MB.
_MOST_BYTES = 16_000_000


class PassageVectors:
    """Embeds passages, and keeps them up to a limit; safe to call from several threads at once."""

    def __init__(self, embedder: TokenEmbedder, *, most_bytes: int = _MOST_BYTES) -> None:
        self._embedder = embedder
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one matrix a text, float32 [tokens, width].

        Raises:
            EmbeddingError: The model failed.
        """
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            vectors = [one.astype(np.float16) for one in self._embedder.token_vectors(missing)]
            found.update(zip(missing, vectors, strict=True))
            self._keep({text: found[text] for text in missing})
        return [found[text].astype(np.float32) for text in texts]

    def _keep(self, new: dict[str, NDArray[np.float16]]) -> None:
        with self._lock:
            for text, vectors in new.items():
                if text not in self._kept:
                    self._kept[text] = vectors
                    self._bytes += vectors.nbytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes


GetCodes: TypeAlias = Callable[[Sequence[int]], tuple[tuple[NDArray[np.int64], NDArray[np.float32]], list[bytes]]]
"""Chunk ids -> those that have codes, with their vectors; and their codes."""


class StoredTokens:
    """Reader of the token codes of a library; safe to call from several threads at once."""

    def __init__(self, codec: Callable[[], TokenCodec | None], get: GetCodes) -> None:
        """Take what reads them.

        Args:
            codec: Returns the codec that made the codes; None while there are none.
            get: Reads codes from the library.
        """
        self._codec = codec
        self._get = get

    def nearest(self, asked: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return for each chunk that has codes float32 [asked]: each asked token's similarity to its nearest token.

        Args:
            asked: float32 [asked, width], rows of length 1.
            chunks: Ids; one without codes, or without a single word, is left out.
        """
        codec = self._codec()
        if codec is None or not len(asked):
            return {}
        (ids, vectors), packed = self._get(chunks)
        read = [codec.read(one) for one in packed]
        held = [(place, codes) for place, codes in enumerate(read) if codes is not None and len(codes.codes)]
        if not held:
            return {}
        places = [place for place, _ in held]
        rows = codec.nearest(asked, vectors[places], [codes for _, codes in held])
        return dict(zip(ids[places].tolist(), rows, strict=True))


# Below this the embedder does not know the question's script, and its tokens neither: they would take 0.05 from xquad
# zh. The passages are not even embedded then.
_LEAST_DEGREE = 0.5

# Of those without stored tokens that the letters put first: 10 passages of 200 tokens take 0.1 s on two cores; with 16
# no set has more, with 5 squad2 has 0.002 less.
_MOST_EMBEDDED = 10

# A passage this far behind the best one is not compared. Of 120 with stored tokens, hotpot at 0.3 / 0.5 / all 0.830 /
# 0.828 / 0.826, xquad en the same. Where ten are embedded instead, squad2 has 4.9 left, xquad en 2.4; where only one is
# left, nothing is embedded.
_REACH = 0.3

_WORD = re.compile(r"\w+")


class LateInteraction:
    """Needs an embedder that gives token vectors; without one, or for a script it does not know, letters decide.

    Attributes of the class:
        most: How many candidates it compares, those of which the library has the tokens stored.
    """

    most = 60

    def __init__(self, embedder: Embedder, keywords: WordPlaces, stored: StoredTokens | None = None) -> None:
        self.id = f"late-interaction/{embedder.id}"
        self._embedder = embedder if isinstance(embedder, TokenEmbedder) and embedder.has_token_vectors else None
        self._passages = PassageVectors(self._embedder) if self._embedder else None
        self._stored = stored
        self._keywords = keywords
        self._probe = EmbedderProbe(embedder)
        self._letters = LexicalReranker(keywords)

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the search's scores, raised by how near each passage's tokens and letters come to the question's.

        Letters, topics and neighbours are looked at for the best by their tokens only; the others follow with the least
        of what those got.

        Raises:
            RerankingError: The embedding model failed.
        """
        scores = self._by_stored_tokens(question, candidates)
        by_tokens = scores if scores is not None else [one.score for one in candidates]
        order = sorted(range(len(candidates)), key=lambda index: -by_tokens[index])
        first = [
            dataclasses.replace(candidates[index], score=by_tokens[index]) for index in order[: self._letters.most]
        ]
        changed = self._letters.scores(question, first)
        if scores is None:
            changed = self._by_embedding(question, first, changed)
        changed = raise_scores(by_topic(question, changed, first, self._keywords), first)
        least = min((new - one.score for new, one in zip(changed, first, strict=True)), default=0.0)
        final = [score + least for score in by_tokens]
        for index, score in zip(order, changed, strict=False):
            final[index] = score
        return final

    def _by_stored_tokens(self, question: str, candidates: Sequence[Candidate]) -> list[float] | None:
        """Return the scores with what the stored tokens say; None where nothing is stored, or they say nothing.

        A passage without stored tokens gets what those of the others say on average, one out of reach the least of it.
        """
        if len(candidates) < 2:
            return None
        reach = max(one.score for one in candidates) - _REACH
        compared = {one.chunk for one in candidates if one.score >= reach}
        found = self.similarities(question, sorted(compared))
        if not found:
            return None
        usual, least = sum(found.values()) / len(found), min(found.values())
        added = [found.get(one.chunk, usual if one.chunk in compared else least) for one in candidates]
        weight = ranking_weights().reranking["tokens"]
        return [one.score + weight * more for one, more in zip(candidates, added, strict=True)]

    def similarities(self, question: str, chunks: Sequence[int]) -> dict[int, float]:
        """Return the mean similarity of the question's tokens to the nearest stored ones, of chunks that have such.

        Tokens count as their words do in the keyword search, and all the less the less the embedder understands.

        Args:
            question: As searched.
            chunks: Ids.

        Raises:
            RerankingError: The embedding model failed.
        """
        if self._embedder is None or self._stored is None:
            return {}
        try:
            degree = self._probe.understanding(question).degree
            if degree < _LEAST_DEGREE:
                return {}
            asked = self._embedder.question_tokens(question)
        except EmbeddingError as error:
            raise RerankingError(error.message, error.hint) from error
        weights = self._weights(question, asked)
        counted = weights > 0
        nearest = self._stored.nearest(asked.vectors[counted], chunks)
        if not nearest:
            return {}
        weights = degree * weights[counted] / weights.sum()
        return {chunk: float(similarities @ weights) for chunk, similarities in nearest.items()}

    def _by_embedding(self, question: str, candidates: Sequence[Candidate], scores: list[float]) -> list[float]:
        """Return the scores with what the tokens of the best passages say, which are embedded for it."""
        reach = max(scores, default=0.0) - _REACH
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[:_MOST_EMBEDDED]
        compared = [index for index in best if scores[index] >= reach]
        if self._embedder is None or self._passages is None or len(compared) < 2:
            return scores
        try:
            degree = self._probe.understanding(question).degree
            if degree < _LEAST_DEGREE:
                return scores
            asked = self._embedder.question_tokens(question)
            passages = self._passages.of([candidates[index].embedded for index in compared])
        except EmbeddingError as error:
            raise RerankingError(error.message, error.hint) from error
        weights = self._weights(question, asked)
        weight = degree * ranking_weights().reranking["tokens"]
        added = [weight * similarity(asked.vectors, weights, passage) for passage in passages]
        # Those out of reach stay behind, on the same scale.
        by_index = dict(zip(compared, added, strict=True))
        return [score + by_index.get(index, min(added)) for index, score in enumerate(scores)]

    def _weights(self, question: str, asked: QuestionTokens) -> NDArray[np.float32]:
        """Return what each token counts: as much as its word in the keyword search, where that is rare much.

        One whose word is left out there ("who", "of") counts nothing: with a least weight of 0.5 squad2 has 0.001 more
        and evidence 0.002 less, and twice as many tokens are compared.
        """
        words = question_words(question, self._keywords).weights
        weights = np.zeros(len(asked.spans), np.float32)
        for match in _WORD.finditer(question):
            weight = max((words.get(word, 0.0) for word in words_of(match.group())), default=0.0)
            for index, (start, end) in enumerate(asked.spans):
                if start < match.end() and end > match.start():
                    weights[index] = weight
        return weights


def similarity(asked: NDArray[np.float32], weights: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """Return the mean, by weight, of each asked token's similarity to its nearest token of the passage."""
    total = float(weights.sum())
    if not total or not len(passage):
        return 0.0
    nearest: NDArray[np.float32] = (asked @ passage.T).max(axis=1)
    return float(nearest @ weights) / total
