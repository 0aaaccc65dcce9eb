"""The wire formats of reranking servers: what is sent where, and which score belongs to which passage."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.language import mark


class RerankFormat(StrEnum):
    """Formats of servers: Cohere's second interface; Jina, vLLM, Infinity and llama.cpp; Text Embeddings Inference."""

    COHERE = "cohere"
    JINA = "jina"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class Wire:
    """One format.

    Attributes:
        path: Of the endpoint.
        texts: What the field of the passages is called.
        score: What the field of a result's score is called.
        most: How many passages a request may hold.
    """

    path: str
    texts: str
    score: str
    most: int
    extra: Mapping[str, Any]

    def request(self, model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {"query": _sendable(question), self.texts: list(map(_sendable, texts)), **self.extra}
        if model:
            body["model"] = model
        return body

    def scores(self, answer: object, count: int) -> list[float]:
        """Return the scores in the order of the passages.

        Raises:
            ValueError: The answer is not of this format, or leaves a passage out.
        """
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list):
            raise ValueError(mark("it holds no list of results"))
        scores = [math.nan] * count
        for result in results:
            index, score = (result.get("index"), result.get(self.score)) if isinstance(result, dict) else (None, None)
            if not isinstance(index, int) or not 0 <= index < count or not isinstance(score, int | float):
                raise ValueError(mark("a result has no place or no score"))
            scores[index] = _finite(score)
        if not all(map(math.isfinite, scores)):
            raise ValueError(mark("it leaves out a passage"))
        return scores


def _finite(score: float) -> float:
    try:
        return float(score)
    except OverflowError:  # JSON has whole numbers without end
        return math.nan


def _sendable(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 has no bytes for."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


# Both hosted services take thousands; TEI takes 32 unless it was started with more. Every score is wanted, not the best
# few, and no text back. TEI refuses a text that is longer than its model sees unless it may cut it.
WIRES: Mapping[RerankFormat, Wire] = {
    RerankFormat.COHERE: Wire("/v2/rerank", "documents", "relevance_score", 100, {}),
    RerankFormat.JINA: Wire("/v1/rerank", "documents", "relevance_score", 100, {"return_documents": False}),
    RerankFormat.TEI: Wire("/rerank", "texts", "score", 32, {"truncate": True, "return_text": False}),
}
