"""The embedder that asks a server: checks every answer, and averages the windows into which a long text is cut.

Texts are cut into windows that fit a model whose tokenizer is not known. Tokens are counted with the tokenizer of the
built-in model, which has one token for a Chinese character and for most English words, and with a margin unless the
model has the same vocabulary (ServerLimits.margin). What this tokenizer does not know, such as base64 or emoji, is
counted by its length.
"""

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.egress.gate import carried_chunks, carrying_only
from workbench.embedding.base import unit_rows
from workbench.embedding.sentence_transformer import built_in_tokenizer
from workbench.embedding.servers.client import IMPORTING, LOADING, SEARCHING, EmbeddingClient, Endpoint, Patience
from workbench.embedding.servers.known_models import Prompts, ServerLimits, limits_of, prompts_of
from workbench.embedding.servers.wire_formats import WIRES, TextRole, packed
from workbench.embedding.tokenizer import WINDOW_OVERLAP, ModelTokenizer
from workbench.errors import EmbedderUnreachable, EmbeddingError
from workbench.model.embedder import TokenCounter
from workbench.model.embedding_server import EmbeddingServer

logger = logging.getLogger(__name__)

REFERENCE_TEXT = "When the harbour froze in 1932, the ferry crossed the river by the northern channel."
"""Text whose vector identifies the model behind an address."""

_SAME_MODEL = 0.95
"""Minimum cosine of that vector to an earlier one. The same model gives 0.999 on other hardware; another, about 0."""

_PAUSE_SECONDS = 10.0
"""After a failure, searches do not ask the server again for this time: they would all wait for it."""

_MOST_QUESTIONS = 64

_LONGEST_WINDOW = 512
"""Maximum tokens of a window by the built-in tokenizer: the largest chunk size. Longer windows blur their contents."""

_SPECIAL = 2
_LONGEST_WORD = 16
"""The tokenizer has no longer tokens of ASCII letters except for what it does not know, at one for any length."""
_FEWEST = 16


@dataclass(frozen=True, slots=True)
class ModelReference:
    """Vector of REFERENCE_TEXT that was kept with the first vectors of an embedder.

    Attributes:
        load: Returns the vector of an embedder's id, float32 [dim]; None if there is none.
        store: Keeps it.
    """

    load: Callable[[str], NDArray[np.float32] | None] = lambda _id: None
    store: Callable[[str, NDArray[np.float32]], None] = lambda _id, _vector: None


class ServerEmbedder:
    """Embedder on a server; implements RemoteEmbedder.

    A search waits a few seconds at most; for _PAUSE_SECONDS after a failure, further ones fail at once.
    """

    def __init__(
        self,
        server: EmbeddingServer,
        client: EmbeddingClient,
        *,
        key: Callable[[], str] = lambda: "",
        permit: Callable[[], None] = lambda: None,
        reference: ModelReference | None = None,
        dim: int = 0,
        patience: Patience = IMPORTING,
        first: Patience = LOADING,
    ) -> None:
        """Load nothing if the width of a vector is known; otherwise ask the server for one vector.

        Args:
            server: The server and its model.
            client: The HTTP client.
            key: Returns the key, empty for none; called for each request, so that a new key is used at once.
            permit: Raises EmbeddingError unless the user allowed the server to receive texts; called likewise.
            reference: Where the vector is kept that identifies the model.
            dim: Width of the vectors that the library has from it; 0 if it has none.
            patience: How long passages may take.
            first: How long the first request may take, if there is one.

        Raises:
            EmbedderUnreachable: The server cannot be reached.
            EmbeddingError: It refused the request, or its answer is invalid.
        """
        self._server = server
        self._client = client
        self._key = key
        self._permit = permit
        self._reference = reference or ModelReference()
        self._patience = patience
        self._limits = limits_of(server)
        self._prompts: Prompts = prompts_of(server)
        self._window = window_tokens(self._limits, max(self._prompts.query, self._prompts.document, key=len))
        self.tokenizer: ModelTokenizer = server_tokenizer(server)
        self._questions: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self._failures: dict[TextRole, tuple[float, EmbedderUnreachable]] = {}
        self._is_same_model = False
        self.dim = dim
        if not dim:
            self._require_same_model(first)

    @property
    def id(self) -> str:
        """Model and host, width, a hash of all that changes its vectors, and "server"."""
        return server_embedder_id(self._server, self.dim)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, with the patience of a search.

        Raises:
            EmbeddingError: As embed_for_import().
        """
        return self._embed(texts, TextRole.DOCUMENT, SEARCHING)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question; the last ones are kept.

        Raises:
            EmbeddingError: As embed_for_import().
        """
        vector: NDArray[np.float32] = self.embed_queries([text])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of questions, float32 [n, dim], with the patience of a search.

        Raises:
            EmbeddingError: As embed_for_import().
        """
        with self._lock:
            known = {text: self._questions[text] for text in texts if text in self._questions}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, self._embed(new, TextRole.QUERY, SEARCHING), strict=True))
        with self._lock:
            for text in new:
                self._questions[text] = known[text]
            while len(self._questions) > _MOST_QUESTIONS:
                self._questions.popitem(last=False)
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, self.dim), np.float32)

    def embed_for_import(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, float32 [n, dim], with the patience of an import.

        Raises:
            EmbedderUnreachable: The server cannot be reached or is too busy, also after some attempts.
            EmbeddingError: It refused the request, is another model than before, or its answer is invalid.
        """
        return self._embed(texts, TextRole.DOCUMENT, self._patience)

    def ping(self) -> None:
        """Ask the server for one vector.

        Raises:
            EmbeddingError: As embed_for_import().
        """
        self._failures.clear()
        self._vectors([REFERENCE_TEXT], TextRole.DOCUMENT, SEARCHING)

    def _embed(self, texts: Sequence[str], role: TextRole, patience: Patience) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        is_search = patience is SEARCHING
        if is_search:
            self._raise_recent_failure(role)
        try:
            self._require_same_model(patience)
            vectors = self._embed_windows(texts, role, patience)
        except EmbedderUnreachable as error:
            if is_search:
                # Texts compared for an answer are many and may take too long where a question does not.
                for one in TextRole if role is TextRole.QUERY else (role,):
                    self._failures[one] = (time.monotonic() + _PAUSE_SECONDS, error)
            raise
        self._failures.pop(role, None)
        return vectors

    def _raise_recent_failure(self, role: TextRole) -> None:
        until, error = self._failures.get(role, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise EmbedderUnreachable(error.message, error.hint, error.seconds) from error

    def _embed_windows(self, texts: Sequence[str], role: TextRole, patience: Patience) -> NDArray[np.float32]:
        """Return the vectors of texts: for a long one the mean of its windows, weighted by their lengths."""
        pieces = [windows(self.tokenizer, text, self._window, self._limits.characters) for text in texts]
        owners = np.repeat(np.arange(len(texts)), [len(found) for found in pieces])
        flat = [piece for found in pieces for piece in found]
        chunks = carried_chunks()
        rows = np.zeros((len(flat), self.dim), np.float32)
        for batch in batches([weight for _, weight in flat], self._limits):
            sent = {chunks[int(owners[number])] for number in batch} if len(chunks) == len(texts) else chunks
            with carrying_only(sent):
                rows[batch.start : batch.stop] = self._vectors([flat[number][0] for number in batch], role, patience)
        summed = np.zeros((len(texts), self.dim), np.float32)
        np.add.at(summed, owners, rows * np.array([[weight] for _, weight in flat], np.float32))
        return unit_rows(summed)

    def _vectors(self, texts: Sequence[str], role: TextRole, patience: Patience) -> NDArray[np.float32]:
        prompt = self._prompts.query if role is TextRole.QUERY else self._prompts.document
        rows = self._rows([prompt + text for text in texts], role, patience)
        width = rows.shape[1]
        if self._server.dimensions not in (0, width):
            raise EmbeddingError(
                f"{self._server.host} was asked for {self._server.dimensions} dimensions but returned {width}.",
                f"Leave “dimensions” out: the model “{self._server.model}” has a fixed width.",
            )
        if self.dim not in (0, width):
            raise EmbeddingError(
                f"{self._server.host} now returns vectors of {width} dimensions, not {self.dim} as before.",
                f"Is “{self._server.model}” still the same model? If you want this one, choose it again.",
            )
        return rows

    def _rows(self, texts: Sequence[str], role: TextRole, patience: Patience) -> NDArray[np.float32]:
        """Send one request and return its vectors, float32 [n, width], rows of length 1."""
        self._permit()
        server, wire = self._server, WIRES[self._server.format]
        endpoint = Endpoint(wire.url(server), server.model, by_proxy=not server.is_here, key=self._key())
        answer = self._client.send(endpoint, packed(wire.body(server, texts, role)), patience)
        try:
            rows = wire.rows(answer, len(texts))
        except ValueError as error:
            raise EmbeddingError(
                f"The response from {server.host} cannot be used: {error}.",
                "Check the format and the name of the model; the response was discarded.",
            ) from error
        # Divided by the largest number first: the square of a very large one is not finite.
        scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
        return unit_rows(scaled.astype(np.float32))

    def _require_same_model(self, patience: Patience) -> None:
        """Compare the model with the one that made the earlier vectors; servers may load another under its name."""
        if self._is_same_model:
            return
        vector = self._vectors([REFERENCE_TEXT], TextRole.DOCUMENT, patience)[0]
        self.dim = len(vector)
        before = self._reference.load(self.id)
        if before is None or len(before) != self.dim:
            self._reference.store(self.id, vector)
        elif float(before @ vector) < _SAME_MODEL:
            raise EmbeddingError(
                f"{self._server.host} has another model under the name “{self._server.model}” now.",
                "Its vectors do not fit those of the library. Load the earlier model, or choose another one.",
            )
        self._is_same_model = True


def _texts(prompts: Prompts) -> tuple[str, str]:
    return prompts.query, prompts.document


def server_embedder_id(server: EmbeddingServer, dim: int) -> str:
    """Return the id of the embedder of a server whose vectors have this width."""
    facts = (server.format.value, server.url, server.model, str(server.dimensions), *_texts(prompts_of(server)))
    revision = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
    return f"{server.name}/{dim}/{revision}/server"


def known_dim(server: EmbeddingServer, ids: Collection[str]) -> int:
    """Return the width of a server's vectors if its embedder is among these ids; 0 if it is not."""
    widths = (int(id.split("/")[-3]) for id in ids if id.endswith("/server") and id.split("/")[-3].isdecimal())
    return next((width for width in widths if server_embedder_id(server, width) in ids), 0)


def server_tokenizer(server: EmbeddingServer) -> ModelTokenizer:
    """Return the tokenizer by which passages are cut for a server's model; sends nothing."""
    prompts = prompts_of(server)
    return counting_tokenizer(window_tokens(limits_of(server), max(_texts(prompts), key=len)) + 2)


@lru_cache(maxsize=4)
def counting_tokenizer(max_tokens: int) -> ModelTokenizer:
    """Return the built-in tokenizer, for a model that reads this many of its tokens, special ones included."""
    return ModelTokenizer(built_in_tokenizer(), max_tokens=max_tokens)


def window_tokens(limits: ServerLimits, prompt: str = "") -> int:
    """Return the number of tokens, by the built-in tokenizer and without special ones, that fit a server's model."""
    prefix = counting_tokenizer(_LONGEST_WINDOW).count(prompt)
    fitting = int((limits.tokens - _SPECIAL) / limits.margin) - prefix
    return max(_FEWEST, min(fitting, _LONGEST_WINDOW - _SPECIAL))


def weighed(tokenizer: TokenCounter, text: str) -> list[tuple[int, int]]:
    """Return the start of each token of a text and its weight: the tokens that another tokenizer may need for it."""
    return [(start, _weight(text[start:end])) for start, end in tokenizer.offsets(text) if end > start]


def _weight(token: str) -> int:
    if token.isascii():
        return 1 if len(token) <= _LONGEST_WORD else len(token)
    return max(1, len(token.encode("utf-8", "replace")) // 2 if len(token) > 1 or not token.isalpha() else 1)


def windows(tokenizer: TokenCounter, text: str, limit: int, characters: int = 0) -> list[tuple[str, int]]:
    """Return the pieces of a text that are embedded separately, each with its weight; one for most texts.

    Args:
        tokenizer: The built-in tokenizer.
        text: The text.
        limit: Maximum weight of a piece.
        characters: Maximum number of characters of a piece; 0 for no limit.
    """
    text = text.strip() or "."  # most servers refuse an empty text
    longest = characters or len(text)
    tokens = weighed(tokenizer, text)
    total = sum(weight for _, weight in tokens)
    if total <= limit and len(text) <= longest:
        return [(text, total)]
    return list(_cut(text, tokens, limit, longest))


def _cut(text: str, tokens: Sequence[tuple[int, int]], limit: int, longest: int) -> Iterator[tuple[str, int]]:
    """Yield pieces that begin some tokens before the end of the previous one, as far as these fit."""
    tokens = _without_giants(text, tokens, min(limit, longest))
    first = 0
    while first < len(tokens):
        end, weight = first, 0
        while end < len(tokens) and (
            end == first or (weight + tokens[end][1] <= limit and _end(text, tokens, end) - tokens[first][0] <= longest)
        ):
            weight += tokens[end][1]
            end += 1
        piece = text[tokens[first][0] : _end(text, tokens, end - 1)].strip()
        if piece:
            yield piece, weight
        if end == len(tokens):
            return
        first = max(first + 1, end - _overlap([weight for _, weight in tokens[first:end]], limit // 4))


def _overlap(weights: Sequence[int], most: int) -> int:
    """Return the number of tokens at the end of a piece that the next one repeats."""
    count = total = 0
    while count < min(WINDOW_OVERLAP, len(weights)) and total + weights[-1 - count] <= most:
        total += weights[-1 - count]
        count += 1
    return count


def _without_giants(text: str, tokens: Sequence[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """Return the tokens with those divided that are alone too long for a piece."""
    whole: list[tuple[int, int]] = []
    for number, (start, weight) in enumerate(tokens):
        size = _end(text, tokens, number) - start
        if weight <= limit and size <= limit:
            whole.append((start, weight))
            continue
        step = max(1, limit // 4)  # a character has up to 4 bytes, each perhaps a token
        parts = ((start + at, text[start + at : start + min(at + step, size)]) for at in range(0, size, step))
        whole += [(at, len(part.encode("utf-8", "replace"))) for at, part in parts]
    return whole


def _end(text: str, tokens: Sequence[tuple[int, int]], number: int) -> int:
    return tokens[number + 1][0] if number + 1 < len(tokens) else len(text)


def batches(weights: Sequence[int], limits: ServerLimits) -> Iterator[range]:
    """Yield ranges of texts that fit a request, by their number and their tokens; a text alone always fits."""
    most, first, total = int(limits.batch_tokens / limits.margin), 0, 0
    for number, weight in enumerate(weights):
        if number > first and (number - first >= limits.batch or total + weight > most):
            yield range(first, number)
            first, total = number, 0
        total += weight
    if first < len(weights):
        yield range(first, len(weights))
