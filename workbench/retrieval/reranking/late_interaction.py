"""Reranking by late interaction of token vectors: computed for a passage and cached, or stored and compressed.

The single vector of a passage represents its topic; token vectors also show whether it contains each thing in question,
even in other words ("car" near "automobile"). They come from the embedding model itself, so nothing is downloaded. The
letters of the words (lexical_overlap.py) count in addition, which helps if the embedder does not know the script.

nDCG@10 of 600 questions each: the search alone / with letters / with tokens / with both: xquad en 0.976 / 0.978 / 0.981
/ 0.982, squad2 0.939 / 0.944 / 0.954 / 0.954, the pages of xquad's PDFs 0.986 / 0.988 / 0.988 / 0.990; hotpot, whose
second passage shares little with the question, 0.831 / 0.826 / 0.823 / 0.828. This model leaves Chinese to the letters.
The weights of the parts are in ranking.json: of 1,000 questions, with half / the whole / twice the weight of the
tokens, squad2 gains 0.011 / 0.018 / 0.021, and hotpot loses 0.009 / 0.008 / 0.019.
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
from workbench.indexing.token_codec import TokenCodec, TokenCodes
from workbench.retrieval.base import WordPlaces
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.question_words import question_words, words_of
from workbench.retrieval.ranking import ranking_weights
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.lexical_overlap import LexicalReranker, by_topic, raise_scores

# 200 tokens of width 384 in half precision take 0.15 MB.
_MOST_BYTES = 16_000_000


class PassageVectors:
    """Embeds passages and caches them up to a limit; safe to call from several threads."""

    def __init__(self, embedder: TokenEmbedder, *, most_bytes: int = _MOST_BYTES) -> None:
        self._embedder = embedder
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return one matrix per text, float32 [tokens, width].

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
"""Returns, for chunk ids, those that have codes, with their vectors, and the codes."""


_Codes: TypeAlias = tuple[list[int], NDArray[np.float32], list[TokenCodes]]
"""Chunk ids, their vectors, and their codes."""
_NOTHING: _Codes = [], np.empty((0, 0), np.float32), []


class StoredTokens:
    """Reader of a library's token codes; safe to call from several threads."""

    def __init__(self, codec: Callable[[], TokenCodec | None], get: GetCodes) -> None:
        """Store the readers.

        Args:
            codec: Returns the codec that made the codes; None if there are none yet.
            get: Reads codes from the library.
        """
        self._codec = codec
        self._get = get

    def nearest(self, asked: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return for each chunk float32 [asked]: the similarity of each question token to its nearest chunk token.

        Args:
            asked: float32 [asked, width], rows of length 1.
            chunks: Ids; chunks without codes, or without a word, are left out.
        """
        codec = self._codec()
        ids, vectors, codes = self._read(codec, chunks) if len(asked) else _NOTHING
        if codec is None or not codes:
            return {}
        return dict(zip(ids, codec.nearest(asked, vectors, codes), strict=True))

    def similarities(self, asked: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return for each chunk float32 [words, asked]: the similarity of each of its words' tokens to each asked one.

        Args:
            asked: float32 [asked, width], rows of length 1.
            chunks: Ids; chunks without codes, or without a word, are left out.
        """
        codec = self._codec()
        ids, vectors, codes = self._read(codec, chunks)
        if codec is None or not codes:
            return {}
        return dict(zip(ids, codec.similarities(asked, vectors, codes), strict=True))

    def _read(self, codec: TokenCodec | None, chunks: Sequence[int]) -> _Codes:
        """Return the ids, vectors and codes of the chunks that have codes with at least one word."""
        if codec is None:
            return _NOTHING
        (ids, vectors), packed = self._get(chunks)
        read = [codec.read(one) for one in packed]
        held = [(place, codes) for place, codes in enumerate(read) if codes is not None and len(codes.codes)]
        places = [place for place, _ in held]
        return ids[places].tolist(), vectors[places], [codes for _, codes in held]


# Below this the embedder does not know the question's script, and its tokens would lose 0.05 for xquad zh. The passages
# are then not embedded.
_LEAST_DEGREE = 0.5

# Maximum number of passages without stored tokens to embed, the best by letters: 10 passages of 200 tokens take 0.1 s
# on two cores; with 16 no set improves, with 5 squad2 loses 0.002.
_MOST_EMBEDDED = 10

# A passage with a score this far below the best one is not compared. With 120 stored passages, hotpot with 0.3 / 0.5 /
# no limit has 0.830 / 0.828 / 0.826; xquad en does not change. If ten are embedded instead, on average 4.9 remain for
# squad2 and 2.4 for xquad en; if only one remains, nothing is embedded.
_REACH = 0.3

_WORD = re.compile(r"\w+")


class LateInteraction:
    """Reranks by token vectors; for an embedder without them, or a script that it does not know, by letters.

    Attributes of the class:
        most: Maximum number of candidates with stored tokens that it compares. With 100, no figure of the filings and
            reports of tests/benchmarks/README.md changes, and a search takes 2 to 3 ms more.
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
        """Return the search's scores, raised by the similarity of each passage's tokens and letters to the question's.

        Letters, topics and neighbours are compared only for the best by tokens; the others follow, with the smallest
        gain among those.

        Raises:
            RerankingError: The embedding model failed.
        """
        scores = self._score_by_stored_tokens(question, candidates)
        by_tokens = scores if scores is not None else [one.score for one in candidates]
        order = sorted(range(len(candidates)), key=lambda index: -by_tokens[index])
        first = [
            dataclasses.replace(candidates[index], score=by_tokens[index]) for index in order[: self._letters.most]
        ]
        changed = self._letters.scores(question, first)
        if scores is None:
            changed = self._score_by_embedding(question, first, changed)
        changed = raise_scores(by_topic(question, changed, first, self._keywords), first)
        least = min((new - one.score for new, one in zip(changed, first, strict=True)), default=0.0)
        final = [score + least for score in by_tokens]
        for index, score in zip(order, changed, strict=False):
            final[index] = score
        return final

    def _score_by_stored_tokens(self, question: str, candidates: Sequence[Candidate]) -> list[float] | None:
        """Return the scores plus the similarities of stored tokens; None if nothing is stored or comparable.

        A passage without stored tokens gets the mean of the others' similarities; one out of reach gets the lowest.
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
        """Return the mean similarity of the question's tokens to the nearest stored tokens, by chunk.

        Tokens have the weights of their words in the keyword search; the less the embedder understands, the lower.

        Args:
            question: Question as searched.
            chunks: Ids of chunks; those without stored tokens are left out.

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
        weights = self._token_weights(question, asked)
        counted = weights > 0
        nearest = self._stored.nearest(asked.vectors[counted], chunks)
        if not nearest:
            return {}
        weights = degree * weights[counted] / weights.sum()
        return {chunk: float(similarities @ weights) for chunk, similarities in nearest.items()}

    def _score_by_embedding(self, question: str, candidates: Sequence[Candidate], scores: list[float]) -> list[float]:
        """Return the scores plus the similarities of the best passages, whose tokens are embedded now."""
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
        weights = self._token_weights(question, asked)
        weight = degree * ranking_weights().reranking["tokens"]
        added = [weight * similarity(asked.vectors, weights, passage) for passage in passages]
        # Those out of reach get the lowest gain, to stay on the same scale.
        by_index = dict(zip(compared, added, strict=True))
        return [score + by_index.get(index, min(added)) for index, score in enumerate(scores)]

    def _token_weights(self, question: str, asked: QuestionTokens) -> NDArray[np.float32]:
        """Return the weight of each token, which is that of its word in the keyword search (higher if it is rare).

        A token of an ignored word ("who", "of") has weight 0: with a minimum of 0.5, squad2 gains 0.001, evidence loses
        0.002, and twice as many tokens are compared.
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
    """Return the weighted mean of the similarities of each question token to its nearest token in the passage."""
    total = float(weights.sum())
    if not total or not len(passage):
        return 0.0
    nearest: NDArray[np.float32] = (asked @ passage.T).max(axis=1)
    return float(nearest @ weights) / total
