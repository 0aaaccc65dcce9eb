"""Setting up an embedding server: what it would receive, the user's consent, its key, a trial, and waiting for it."""

import asyncio
import time

from workbench.egress.gate import EgressGate
from workbench.errors import EmbedderUnreachable, EmbeddingError, SettingError
from workbench.model.document import DocumentStatus
from workbench.model.egress import EMBEDDING_PURPOSES, AirGapChoice
from workbench.model.embedding_server import EmbeddingPlan, EmbeddingServer, EmbeddingTrial
from workbench.operations.library.embedder_language import language_notice
from workbench.operations.library.embedding_servers import EmbeddingServers, checked_server, put_embedding_key
from workbench.operations.library.library import Library
from workbench.operations.library.trust import allow_server, allowed_hosts, is_server_allowed
from workbench.worker.job import JobContext, Operation

_CONTEXT_TOKENS = 8
"""Tokens of the heading that is embedded with a passage: on average 7.9 in annual reports, 6.9 in manuals."""

_READ = (DocumentStatus.INDEXED, DocumentStatus.READY)
"""Documents that were read; with an edited passage, a ready one may lack a vector."""

_FIRST_WAIT, _LONGEST_WAIT = 15.0, 300.0
"""Seconds between two questions to a server that did not answer; doubled each time."""


def plan_embedding_server(
    library: Library, model: str = "", *, price: float | None = None
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


def allow_embedding_server(library: Library, model: str) -> Operation[str]:
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


def put_embedding_server_key(library: Library, model: str, key: str) -> Operation[bool]:
    """Store the key of a server in the system's keyring; an empty one removes it.

    Returns:
        True if it is kept after the program ends; see store_secret.

    Raises:
        SettingError: The value names no server, or is invalid.
    """

    async def operation(_context: JobContext) -> bool:
        is_kept = await library.on_store(put_embedding_key, _required(model), key)
        library.models.servers.forget_keys()
        return is_kept

    return operation


def try_embedding_server(library: Library, model: str) -> Operation[EmbeddingTrial]:
    """Have a server embed a few test sentences, none of them from the library; needs no consent but that to try it.

    Without exceptions of the air gap, another machine is not asked.

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
            await asyncio.to_thread(servers.close)  # also ends the request if the trial was cancelled

    return operation


def wait_for_embedding_server(library: Library) -> Operation[bool]:
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


def _plan(library: Library, server: EmbeddingServer, price: float | None) -> EmbeddingPlan:
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


def _gate_of_trial(library: Library, server: EmbeddingServer) -> EgressGate:
    if server.is_here or library.gate.air_gap().choice is AirGapChoice.ON:
        return library.gate
    return library.gate.allowing(allowed_hosts([server.host], EMBEDDING_PURPOSES))


def _try(library: Library, servers: EmbeddingServers, server: EmbeddingServer) -> EmbeddingTrial:
    embedder = servers.load_for_trial(server)
    began = time.perf_counter()
    embedder.ping()
    milliseconds = (time.perf_counter() - began) * 1000
    return EmbeddingTrial(embedder.dim, milliseconds, language_notice(library, embedder))


def _documents_wait(library: Library) -> bool:
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


def _answers(library: Library) -> bool:
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
