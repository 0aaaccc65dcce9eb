"""The wire formats: OpenAI's, Cohere's second one, Baidu Qianfan's."""

import json
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.language import mark
from workbench.model.embedding_server import EmbeddingFormat, EmbeddingServer


class TextRole(StrEnum):
    """Role of texts: passages to be found, or questions."""

    DOCUMENT = "document"
    QUERY = "query"


class EmbeddingWire(Protocol):
    """Wire format of a server."""

    def url(self, server: EmbeddingServer) -> str:
        """Return the URL of the endpoint."""
        ...

    def body(self, server: EmbeddingServer, texts: Sequence[str], role: TextRole) -> Mapping[str, Any]:
        """Return the body of a request as JSON values."""
        ...

    def rows(self, answer: Any, count: int) -> NDArray[np.float64]:
        """Return the vectors, float64 [count, dim], in the order of the texts.

        Raises:
            ValueError: The answer is not in this format, leaves out a text, or holds a number that is not finite.
        """
        ...


def packed(body: Mapping[str, Any]) -> bytes:
    """Return a body as it is sent; a lone surrogate, which UTF-8 cannot encode, becomes a question mark."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class OpenAIWire:
    """/v1/embeddings of OpenAI, DashScope, Ollama, vLLM, LM Studio, llama.cpp and Text Embeddings Inference."""

    def url(self, server: EmbeddingServer) -> str:
        """Return the URL of the endpoint."""
        return f"{server.url}/embeddings"

    def body(self, server: EmbeddingServer, texts: Sequence[str], _role: TextRole) -> Mapping[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {"model": server.model, "input": list(texts)}
        if server.dimensions:
            body["dimensions"] = server.dimensions
        body["encoding_format"] = "float"
        return body

    def rows(self, answer: Any, count: int) -> NDArray[np.float64]:
        """Return the vectors by their index, in whatever order they come."""
        data = _field(answer, "data")
        _require_count(data, count)
        places: list[Any] = [item.get("index") if isinstance(item, dict) else None for item in data]
        if places == [None] * count:
            places = list(range(count))  # servers that state no index keep the order
        if not all(isinstance(place, int) and not isinstance(place, bool) for place in places):
            raise ValueError(mark("a vector has no index"))
        if sorted(places) != list(range(count)):
            raise ValueError(mark("two vectors have the same index"))
        ordered: list[Any] = [None] * count
        for place, item in zip(places, data, strict=True):
            ordered[place] = _field(item, "embedding")
        return _matrix(ordered)


class CohereWire:
    """/v2/embed of Cohere, which is told whether texts are passages or questions."""

    def url(self, server: EmbeddingServer) -> str:
        """Return the URL of the endpoint."""
        return f"{_root(server)}/v2/embed"

    def body(self, server: EmbeddingServer, texts: Sequence[str], role: TextRole) -> Mapping[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {
            "model": server.model,
            "input_type": "search_query" if role is TextRole.QUERY else "search_document",
            "texts": list(texts),
            "embedding_types": ["float"],
        }
        if server.dimensions:
            body["output_dimension"] = server.dimensions
        return body

    def rows(self, answer: Any, count: int) -> NDArray[np.float64]:
        """Return the vectors; the format has no index, they are in the order of the texts."""
        data = _field(_field(answer, "embeddings"), "float")
        _require_count(data, count)
        return _matrix(data)


class QianfanWire(OpenAIWire):
    """/v2/embeddings of Baidu Qianfan (Wenxin): OpenAI's format, without a choice of the width."""

    def url(self, server: EmbeddingServer) -> str:
        """Return the URL of the endpoint."""
        return f"{_root(server)}/v2/embeddings"

    def body(self, server: EmbeddingServer, texts: Sequence[str], _role: TextRole) -> Mapping[str, Any]:
        """Return the body of a request."""
        return {"model": server.model, "input": list(texts), "encoding_format": "float"}


WIRES: Mapping[EmbeddingFormat, EmbeddingWire] = {
    EmbeddingFormat.OPENAI: OpenAIWire(),
    EmbeddingFormat.COHERE: CohereWire(),
    EmbeddingFormat.QIANFAN: QianfanWire(),
}


def _root(server: EmbeddingServer) -> str:
    return server.url.removesuffix("/v1").removesuffix("/v2")


def _field(answer: Any, name: str) -> Any:
    if not isinstance(answer, dict) or name not in answer:
        raise ValueError(mark(f"it lacks “{name}”"))
    return answer[name]


def _require_count(data: Any, count: int) -> None:
    if not isinstance(data, list):
        raise ValueError(mark("it contains no list of vectors"))
    if len(data) != count:
        raise ValueError(mark(f"it contains {len(data)} vectors for {count} texts"))


def _matrix(vectors: Sequence[Any]) -> NDArray[np.float64]:
    for vector in vectors:
        if not isinstance(vector, list) or not vector or not all(_is_number(value) for value in vector):
            raise ValueError(mark("a vector is not a list of numbers"))
    if len({len(vector) for vector in vectors}) > 1:
        raise ValueError(mark("its vectors differ in length"))
    try:
        rows = np.array(vectors, np.float64)
    except OverflowError as error:  # integers in JSON may be larger than any float
        raise ValueError(mark("a number in a vector is not finite")) from error
    if not all(math.isfinite(total) for total in np.abs(rows).sum(axis=1)):
        raise ValueError(mark("a number in a vector is not finite"))
    if not rows.any(axis=1).all():
        raise ValueError(mark("a vector holds only zeros"))
    return rows


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
