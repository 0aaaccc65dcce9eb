"""Network operations: offline mode, the ledger of requests and its export as JSON lines or CSV, models to download."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

from workbench.errors import ExportError
from workbench.export.escaping import MARK, cell, row
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.egress import (
    MODEL_PURPOSES,
    HostTotal,
    NetworkFilter,
    NetworkPage,
    NetworkRequest,
    OfflineMode,
    OfflineModeChoice,
    SentChunk,
    hub_hosts,
)
from workbench.model.hit import Hit
from workbench.operations.library.library import Library
from workbench.operations.library.settings import put_setting
from workbench.operations.library.trust import allowed_hosts
from workbench.operations.questions.tool_documents import ChunkPlaces, layout_of, passage_of
from workbench.operations.sessions.atomic_write import atomic_file
from workbench.worker.job import JobContext, Operation

_COLUMNS = (
    *("id", "at", "purpose", "outcome", "host", "port", "is_here", "address", "via", "status", "sent", "received"),
    *("milliseconds", "session", "run", "chunks", "note"),
)
NetworkFormat = Callable[[Iterable[NetworkRequest]], Iterator[bytes]]
"""Generator of the pieces of a file from requests."""


def json_lines(requests: Iterable[NetworkRequest]) -> Iterator[bytes]:
    """Yield a line of JSON for each request."""
    for request in requests:
        fields = asdict(request)
        line = json.dumps({name: fields[name] for name in _COLUMNS}, ensure_ascii=False)
        yield f"{line}\n".encode("utf-8", "replace")


def table(requests: Iterable[NetworkRequest]) -> Iterator[bytes]:
    """Yield the rows of a CSV table, the first one with a byte order mark."""
    yield (MARK + row(_COLUMNS)).encode()
    for request in requests:
        fields = asdict(request) | {"chunks": " ".join(map(str, request.chunks))}
        yield row([_cell_text(fields[name]) for name in _COLUMNS]).encode("utf-8", "replace")


def _cell_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else cell(value) if isinstance(value, str) else str(value)


FORMATS: Mapping[str, NetworkFormat] = MappingProxyType({"jsonl": json_lines, "csv": table})
"""Formats by file name extension."""


EVERYTHING = NetworkFilter()


def offline_mode(library: Library) -> OfflineMode:
    """Return the state of offline mode: which requests may leave this machine, and why; blocking, some milliseconds."""
    return library.gate.offline_mode()


def offline_mode_state(library: Library) -> Operation[OfflineMode]:
    """Return the same as offline_mode."""

    async def operation(_context: JobContext) -> OfflineMode:
        return await library.on_store(offline_mode, library)

    return operation


def put_offline_mode(library: Library, choice: OfflineModeChoice) -> Operation[OfflineMode]:
    """Switch offline mode and return its new state.

    When it is switched on, requests in progress are completed, programs that may no longer use the network are ended,
    and no request begins any more.
    """

    async def operation(context: JobContext) -> OfflineMode:
        await put_setting(library, "offline_mode", choice.value)(context)
        return await library.on_store(offline_mode, library)

    return operation


def list_network_requests(
    library: Library, wanted: NetworkFilter = EVERYTHING, *, before: int | None = None, limit: int = 200
) -> Operation[NetworkPage]:
    """Return network requests, the newest first, with the totals of all that match.

    Args:
        library: The open library.
        wanted: Filter of the requests.
        before: Only requests older than this number: NetworkPage.older of the previous page; then without totals.
        limit: Maximum number of requests.
    """

    async def operation(_context: JobContext) -> NetworkPage:
        def listed() -> NetworkPage:
            library.gate.settle()
            return library.network.page(wanted, before=before, limit=limit)

        return await library.on_store(listed)

    return operation


def network_hosts(library: Library) -> Operation[tuple[HostTotal, ...]]:
    """Return the totals of requests by host: hosts outside this machine first, and the largest amount sent first."""

    async def operation(_context: JobContext) -> tuple[HostTotal, ...]:
        return await library.on_store(library.network.hosts)

    return operation


def watch_network(library: Library) -> Operation[None]:
    """Emit each NetworkRequest when it begins (UNDER_WAY, or REFUSED at once) and when it ends, under the same id.

    Runs until it is cancelled.
    """

    async def operation(context: JobContext) -> None:
        stop = library.gate.watch(context.emit)
        try:
            await asyncio.Event().wait()
        finally:
            stop()

    return operation


def chunks_sent(library: Library, request: int) -> Operation[list[SentChunk]]:
    """Return the chunks whose text was sent with a request; deleted chunks are included without their text.

    Raises:
        NotFound: There is no such request.
    """

    async def operation(_context: JobContext) -> list[SentChunk]:
        def looked_up() -> list[SentChunk]:
            chunks = library.network.get(request).chunks
            there = library.documents.chunks_by_id(chunks)
            return [_sent(number, there.get(number)) for number in chunks]

        return await library.on_store(looked_up)

    return operation


def export_network_requests(
    library: Library, path: Path, *, format: str = "", wanted: NetworkFilter = EVERYTHING
) -> Operation[int]:
    """Write the ledger as "jsonl" or "csv", the oldest first, and return the number of requests in the file.

    Args:
        library: The open library.
        path: Path of the file.
        format: Format of the file; by default from its suffix.
        wanted: Filter of the requests.

    Raises:
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(_context: JobContext) -> int:
        kind = format or path.suffix.lstrip(".").lower()
        if kind not in FORMATS:
            raise ExportError(f"The ledger of the network is not exported as “{kind}”.", "Choose jsonl or csv.")
        return await library.on_store(_write, library, path, FORMATS[kind], wanted)

    return operation


def clear_network_requests(library: Library) -> Operation[int]:
    """Delete all requests from the ledger and return their number; this cannot be undone."""

    async def operation(_context: JobContext) -> int:
        def cleared() -> int:
            library.gate.settle()
            return library.network.clear()

        return await library.on_store(cleared)

    return operation


def _write(library: Library, path: Path, written: NetworkFormat, wanted: NetworkFilter) -> int:
    library.gate.settle()
    requests = _RequestCounter(library.network.all(wanted))
    with atomic_file(path, library.unfinished) as partial, partial.open("wb") as file:
        file.writelines(written(requests))
    return requests.number


class _RequestCounter:
    """Iterator over requests that counts them."""

    def __init__(self, requests: Iterable[NetworkRequest]) -> None:
        self._requests = requests
        self.number = 0

    def __iter__(self) -> Iterator[NetworkRequest]:
        for one in self._requests:
            self.number += 1
            yield one


def _sent(number: int, found: tuple[Chunk, Document] | None) -> SentChunk:
    if found is None:
        return SentChunk(number, None, "", "", is_there=False)
    chunk, document = found
    return SentChunk(number, document.id, document.name, chunk.text, is_there=True)


def passages_sent(library: Library, request: int) -> Operation[tuple[Hit, ...]]:
    """Return the passages whose text was sent with a request, in the order in which they were sent.

    Passages that were removed or chunked again since are not included (chunks_sent lists them).

    Raises:
        NotFound: There is no such request.
    """

    def passages() -> tuple[Hit, ...]:
        chunks = library.network.get(request).chunks
        found = library.documents.chunks_by_id(chunks)
        layouts: dict[int, ChunkPlaces] = {}
        hits: list[Hit] = []
        for chunk, document in (found[number] for number in chunks if number in found):
            if document.id not in layouts:
                layouts[document.id] = layout_of(library.documents, document.id)
            hits.append(passage_of(document, chunk, layouts[document.id], len(hits) + 1))
        return tuple(hits)

    async def operation(_context: JobContext) -> tuple[Hit, ...]:
        return await library.on_store(passages)

    return operation


def download_model(library: Library, name: str, *, allow_hosts: Sequence[str] = ()) -> Operation[None]:
    """Download a model, unless it is on this machine; loading it by name then needs no network.

    Args:
        library: The open library; its setting “model_hub” is the source of models.
        name: Name on the hub, “organisation/model”; does nothing for a folder or an empty name.
        allow_hosts: Hosts that are allowed for this download although offline mode is on, in the form of
            allowed_hosts. The hub's own host includes the hosts of its files (hub_hosts).

    Raises:
        NetworkClosed: Offline mode is on, and a request to another host would be necessary; the error names it.
        DownloadFailed: There is no such model, or the download failed.
        SettingError: One of allow_hosts is not a host.
    """

    async def operation(_context: JobContext) -> None:
        if not name or Path(name).expanduser().is_dir():
            return
        own, *files = hub_hosts((await library.on_store(library.setting_values.load)).model_hub)
        named = [*allow_hosts, *files] if own in allow_hosts else allow_hosts
        gate = await library.on_store(library.gate.allowing, allowed_hosts(named, MODEL_PURPOSES))
        await library.on_embedding(library.models.hub(gate).model, name)

    return operation
