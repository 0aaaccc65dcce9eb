"""Embedding servers of a library: addresses, keys, embedders; set-up: plan, the user's consent, trial, waiting."""

import asyncio
import base64
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.agent.providers.base_url import normalise
from workbench.egress.gate import EgressGate
from workbench.errors import EmbedderUnreachable, EmbeddingError, ModelKeyRefused, SettingError
from workbench.model.document import DocumentStatus
from workbench.model.egress import EMBEDDING_PURPOSES, OfflineModeChoice
from workbench.model.embedding_server import (
    EmbeddingFormat,
    EmbeddingPlan,
    EmbeddingServer,
    EmbeddingTrial,
    embedding_server_of,
)
from workbench.model.profile import ModelProfile
from workbench.operations.library.credentials import load_key, store_secret
from workbench.operations.library.embedder_language import language_notice
from workbench.operations.library.trust import allow_server, allowed_hosts, is_server_allowed
from workbench.store.configuration import SettingStore
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from workbench.embedding.servers.client import EmbeddingClient
    from workbench.embedding.servers.server_embedder import ModelReference, ServerEmbedder
    from workbench.embedding.tokenizer import ModelTokenizer
    from workbench.operations.library.library import Library

_RETRY_SECONDS = 10.0
_KEY_SECONDS = 60.0

_CONTEXT_TOKENS = 8
"""Tokens of the heading that is embedded with a passage: on average 7.9 in annual reports, 6.9 in manuals."""

_READ = (DocumentStatus.INDEXED, DocumentStatus.READY)
"""Documents that were read; with an edited passage, a ready one may lack a vector."""

_FIRST_WAIT, _LONGEST_WAIT = 15.0, 300.0
"""Seconds between two questions to a server that did not answer; doubled each time."""

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


def _put_embedding_key(server: EmbeddingServer, key: str) -> bool:
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


def plan_embedding_server(
    library: "Library", model: str = "", *, price: float | None = None
) -> Operation[EmbeddingPlan | None]:
    """Return what a server would receive if it embedded the library; None for a model that runs in this program.

    Nothing is sent.

    Args:
        library: The open library.
        model: Value of the setting “embedder”; empty takes the setting.
        price: Price in US dollars per million tokens; None takes the known one.

    Raises:
        SettingError: The value names a server but is invalid.
    """

    async def operation(_context: JobContext) -> EmbeddingPlan | None:
        server = checked_server(model or library.settings.embedder)
        return None if server is None else await library.on_store(_plan, library, server, price)

    return operation


def allow_embedding_server(library: "Library", model: str) -> Operation[str]:
    """Store the user's consent to send the texts of the library to a server; return the value for the setting.

    Raises:
        SettingError: The value names no server, or is invalid.
        PluginError: The consent cannot be stored.
    """

    async def operation(_context: JobContext) -> str:
        server = _required(model)
        if not server.is_here:
            await library.on_store(allow_server, library.folder, server)
        return server.text

    return operation


def put_embedding_server_key(library: "Library", model: str, key: str) -> Operation[bool]:
    """Store the key of a server in the system's keyring; an empty one removes it.

    Returns:
        True if it is kept after the program ends; see store_secret.

    Raises:
        SettingError: The value names no server, or is invalid.
    """

    async def operation(_context: JobContext) -> bool:
        is_kept = await library.on_store(_put_embedding_key, _required(model), key)
        library.models.servers.forget_keys()
        return is_kept

    return operation


def try_embedding_server(library: "Library", model: str) -> Operation[EmbeddingTrial]:
    """Have a server embed a few test sentences, none of them from the library; needs no consent but that to try it.

    Without exceptions of offline mode, another machine is not asked.

    Raises:
        SettingError: The value names no server, or is invalid.
        EmbeddingError: The server cannot be used; the hint states what to change.
    """

    async def operation(_context: JobContext) -> EmbeddingTrial:
        server = _required(model)
        gate = await library.on_store(_gate_of_trial, library, server)
        servers = EmbeddingServers(library.folder, library.setting_values, gate, can_write=False)
        try:
            return await library.on_search(_try, library, servers, server)
        finally:
            # Also ends the request if the trial was cancelled.
            await finish_despite_cancel(asyncio.to_thread(servers.close))

    return operation


def wait_for_embedding_server(library: "Library") -> Operation[bool]:
    """Wait until the server that embeds the library answers again, if documents lack vectors; return whether it does.

    False at once if no document waits, or the embedder is no server, or it fails for a reason that does not pass.
    """

    async def operation(_context: JobContext) -> bool:
        wait = _FIRST_WAIT
        while await library.on_store(_documents_wait, library):
            await asyncio.sleep(wait)
            try:
                if await library.on_search(_answers, library):
                    return True
            except EmbeddingError:
                return False
            wait = min(2 * wait, _LONGEST_WAIT)
        return False

    return operation


def _required(model: str) -> EmbeddingServer:
    server = checked_server(model)
    if server is None:
        raise SettingError(
            f"“{model}” is not an embedding server.", "Write it like openai:http://127.0.0.1:11434/v1#nomic-embed-text."
        )
    return server


def _plan(library: "Library", server: EmbeddingServer, price: float | None) -> EmbeddingPlan:
    from workbench.embedding.servers.known_models import limits_of
    from workbench.embedding.servers.server_embedder import known_dim, server_embedder_id

    limits = limits_of(server)
    ids = library.embedders.names()
    dim = known_dim(server, ids)
    passages, tokens = library.embedders.size_without(server_embedder_id(server, dim))
    return EmbeddingPlan(
        model=server.text,
        name=server.name,
        host=server.host,
        leaves=not server.is_here,
        is_allowed=is_server_allowed(library.folder, server),
        passages=passages,
        tokens=round((tokens + _CONTEXT_TOKENS * passages) * limits.margin),
        price=limits.price if price is None else price,
    )


def _gate_of_trial(library: "Library", server: EmbeddingServer) -> EgressGate:
    if server.is_here or library.gate.offline_mode().choice is OfflineModeChoice.ON:
        return library.gate
    return library.gate.allowing(allowed_hosts([server.host], EMBEDDING_PURPOSES))


def _try(library: "Library", servers: EmbeddingServers, server: EmbeddingServer) -> EmbeddingTrial:
    embedder = servers.load_for_trial(server)
    began = time.perf_counter()
    embedder.ping()
    milliseconds = (time.perf_counter() - began) * 1000
    return EmbeddingTrial(embedder.dim, milliseconds, language_notice(library, embedder))


def _documents_wait(library: "Library") -> bool:
    from workbench.embedding.servers.server_embedder import ServerEmbedder

    embedder = library.models.embedder_if_loaded
    if embedder is None and checked_server(library.settings.embedder) is None:
        return False
    if embedder is not None and not isinstance(embedder, ServerEmbedder):
        return False
    return any(
        one.status in _READ and one.embedded < one.chunks and one.id not in library.active
        for one in library.documents.list()
    )


def _answers(library: "Library") -> bool:
    """Return whether the server of the library's embedder answers.

    Raises:
        EmbeddingError: It fails for a reason that does not pass by itself.
    """
    from workbench.embedding.servers.server_embedder import ServerEmbedder

    try:
        embedder = library.models.embedder()
        if isinstance(embedder, ServerEmbedder):
            embedder.ping()
    except EmbedderUnreachable:
        return False
    return True
