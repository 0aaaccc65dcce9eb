"""Embedding servers of a library: their addresses, their keys, and their embedders."""

import base64
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.agent.providers.base_url import normalise
from workbench.egress.gate import EgressGate
from workbench.errors import EmbedderUnreachable, EmbeddingError, ModelKeyRefused, SettingError
from workbench.model.embedding_server import EmbeddingFormat, EmbeddingServer, embedding_server_of
from workbench.model.profile import ModelProfile
from workbench.operations.library.credentials import load_key, store_secret
from workbench.operations.library.trust import is_server_allowed
from workbench.store.configuration import SettingStore

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.servers.client import EmbeddingClient
    from workbench.embedding.servers.server_embedder import ModelReference, ServerEmbedder
    from workbench.embedding.tokenizer import ModelTokenizer

_RETRY_SECONDS = 10.0
_KEY_SECONDS = 60.0

_REFERENCE = "embedding reference "
"""Beginning of the keys under which the state of a library keeps the vectors that identify its models."""


def checked_server(text: str) -> EmbeddingServer | None:
    """Return the server that a value of the setting “embedder” names, with a normalised address; None for no server.

    Raises:
        SettingError: The value is invalid.
    """
    server = embedding_server_of(text)
    if server is None:
        return None
    url = normalise(server.url)
    if server.format is not EmbeddingFormat.OPENAI:
        url = url.removesuffix("/v1").removesuffix("/v2")
    return EmbeddingServer(server.format, url, server.model, server.dimensions, server.tokens, server.batch)


def embedding_key_name(server: EmbeddingServer) -> str:
    """Return the keyring entry of a server's key; it contains the host, so that the key is sent to no other."""
    return f"embedding at {server.host}"


def put_embedding_key(server: EmbeddingServer, key: str) -> bool:
    """Store the key of a server as store_secret does; an empty one removes it."""
    return store_secret(embedding_key_name(server), key.strip())


class EmbeddingServers:
    """Embedding servers of one library; thread-safe."""

    def __init__(self, folder: Path, values: SettingStore, gate: EgressGate, *, can_write: bool) -> None:
        """Use the library's folder, its state, and the gate for all requests."""
        self._folder = folder
        self._values = values
        self._gate = gate
        self._can_write = can_write
        self._client: EmbeddingClient | None = None
        self._making = threading.Lock()
        self._failed: dict[str, tuple[float, EmbeddingError]] = {}
        self._keys: dict[tuple[str, str], tuple[float, str]] = {}

    @property
    def client(self) -> "EmbeddingClient":
        """The HTTP client; nothing is started before its first request."""
        from workbench.embedding.servers.client import EmbeddingClient

        with self._making:
            if self._client is None:
                self._client = EmbeddingClient(self._gate)
            return self._client

    def load(self, server: EmbeddingServer, dim: int) -> "ServerEmbedder":
        """Return the embedder of a server; it asks the server only if the width of its vectors is unknown (0).

        After a failure the server is not asked again for a while, so that not every document waits for it.

        Raises:
            EmbeddingError: The server was to be asked and failed, or the user did not allow it.
        """
        from workbench.embedding.servers.client import IMPORTING
        from workbench.embedding.servers.server_embedder import ServerEmbedder

        until, failure = self._failed.get(server.text, (0.0, None))
        if failure is not None and not dim and time.monotonic() < until:
            raise failure
        try:
            return ServerEmbedder(
                server,
                self.client,
                key=lambda: self._key(server),
                permit=lambda: self._require_allowed(server),
                reference=self._reference(),
                dim=dim,
                patience=IMPORTING,
            )
        except EmbedderUnreachable as error:
            self._failed[server.text] = (time.monotonic() + _RETRY_SECONDS, error)
            raise

    def load_for_trial(self, server: EmbeddingServer) -> "ServerEmbedder":
        """Return the embedder of a server that need not be allowed, for sentences that are not from the library.

        Raises:
            EmbeddingError: The server failed.
        """
        from workbench.embedding.servers.client import TRYING
        from workbench.embedding.servers.server_embedder import ServerEmbedder

        return ServerEmbedder(server, self.client, key=lambda: self._key(server), first=TRYING)

    def tokenizer(self, server: EmbeddingServer) -> "ModelTokenizer":
        """Return the tokenizer by which passages are cut for a server; sends nothing."""
        from workbench.embedding.servers.server_embedder import server_tokenizer

        return server_tokenizer(server)

    def abort(self, owner: object = None) -> None:
        """Give up the running requests of an owner at once, or all; see client.requests_of."""
        if self._client is not None:
            self._client.abort(owner)

    def close(self) -> None:
        """Give up all requests and close the connections."""
        if self._client is not None:
            self._client.close()

    def forget_keys(self) -> None:
        """Read the keys again for the next requests, after one was stored."""
        self._keys.clear()

    def _key(self, server: EmbeddingServer) -> str:
        """Return the key of a server; it is read once a minute, not for each of the requests of an import."""
        name, variable = embedding_key_name(server), self._values.load().embedder_key_env
        until, key = self._keys.get((name, variable), (0.0, ""))
        if time.monotonic() >= until:
            try:
                key = load_key(ModelProfile(name, key_env=variable)).strip()
            except (ModelKeyRefused, SettingError) as error:
                raise EmbeddingError(error.message, error.hint) from error
            self._keys[name, variable] = (time.monotonic() + _KEY_SECONDS, key)
        return key

    def _require_allowed(self, server: EmbeddingServer) -> None:
        if not is_server_allowed(self._folder, server):
            raise EmbeddingError(
                f"Passages may not be sent to {server.host} yet.",
                "Confirm it in the settings, or with: workbench embedder change",
            )

    def _reference(self) -> "ModelReference":
        from workbench.embedding.servers.server_embedder import ModelReference

        store: Callable[[str, NDArray[np.float32]], None] = self._keep_reference
        return ModelReference(self._kept_reference, store if self._can_write else lambda _id, _vector: None)

    def _kept_reference(self, id: str) -> "NDArray[np.float32] | None":
        import numpy as np

        try:
            vector = np.frombuffer(base64.b64decode(self._values.state(_REFERENCE + id)), "<f4")
        except ValueError:
            return None
        return vector if vector.size else None

    def _keep_reference(self, id: str, vector: "NDArray[np.float32]") -> None:
        self._values.set_state(_REFERENCE + id, base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii"))
