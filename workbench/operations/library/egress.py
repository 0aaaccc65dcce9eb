"""Network operations: offline mode, the ledger of requests and their passages, and downloads of models."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from workbench.errors import ExportError
from workbench.export.network_requests import FORMATS, NetworkFormat
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.egress import (
    MODEL_PURPOSES,
    AirGap,
    AirGapChoice,
    HostTotal,
    NetworkFilter,
    NetworkPage,
    NetworkRequest,
    SentChunk,
    hub_hosts,
)
from workbench.model.hit import Hit
from workbench.operations.library.library import Library
from workbench.operations.library.settings import put_setting
from workbench.operations.library.trust import allowed_hosts
from workbench.operations.questions.tool_documents import ChunkPlaces, layout_of, passage_of
from workbench.operations.sessions.atomic_write import whole
from workbench.worker.job import JobContext, Operation

EVERYTHING = NetworkFilter()


def air_gap(library: Library) -> AirGap:
    """Return what may leave this machine, and why; blocking, some milliseconds."""
    return library.gate.air_gap()


def air_gap_state(library: Library) -> Operation[AirGap]:
    """Return the same as air_gap."""

    async def operation(_context: JobContext) -> AirGap:
        return await library.on_store(air_gap, library)

    return operation


def put_air_gap(library: Library, choice: AirGapChoice) -> Operation[AirGap]:
    """Switch the air gap and return what holds now.

    A request that is under way when it is switched on ends by itself, a program that may no longer have the network is
    ended; nothing begins any more.
    """

    async def operation(context: JobContext) -> AirGap:
        await put_setting(library, "air_gap", choice.value)(context)
        return await library.on_store(air_gap, library)

    return operation


def list_network_requests(
    library: Library, wanted: NetworkFilter = EVERYTHING, *, before: int | None = None, limit: int = 200
) -> Operation[NetworkPage]:
    """Return what was asked of the network, the newest first, with the totals of all that match.

    Args:
        library: The open library.
        wanted: Which requests.
        before: Only those older than this number: NetworkPage.older of the page before; these come without totals.
        limit: How many at most.
    """

    async def operation(_context: JobContext) -> NetworkPage:
        def listed() -> NetworkPage:
            library.gate.settle()
            return library.network.page(wanted, before=before, limit=limit)

        return await library.on_store(listed)

    return operation


def network_hosts(library: Library) -> Operation[tuple[HostTotal, ...]]:
    """Return what the requests to each host add up to: those that left first, of these the most sent first."""

    async def operation(_context: JobContext) -> tuple[HostTotal, ...]:
        return await library.on_store(library.network.hosts)

    return operation


def watch_network(library: Library) -> Operation[None]:
    """Emit each NetworkRequest when it begins (UNDER_WAY, or REFUSED at once) and when it ends, under the same id.

    Ends when it is cancelled.
    """

    async def operation(context: JobContext) -> None:
        stop = library.gate.watch(context.emit)
        try:
            await asyncio.Event().wait()
        finally:
            stop()

    return operation


def chunks_sent(library: Library, request: int) -> Operation[list[SentChunk]]:
    """Return the chunks whose text went with a request, those that are gone without their text.

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
    """Write the ledger as "jsonl" or "csv", the oldest first, and return how many requests there are in the file.

    Args:
        library: The open library.
        path: Of the file.
        format: What to write; by the file's ending unless given.
        wanted: Which requests.

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
    """Remove all requests from the ledger and return how many there were; there is no way back."""

    async def operation(_context: JobContext) -> int:
        def cleared() -> int:
            library.gate.settle()
            return library.network.clear()

        return await library.on_store(cleared)

    return operation


def _write(library: Library, path: Path, written: NetworkFormat, wanted: NetworkFilter) -> int:
    library.gate.settle()
    requests = _RequestCounter(library.network.all(wanted))
    with whole(path, library.unfinished) as partial, partial.open("wb") as file:
        file.writelines(written(requests))
    return requests.number


class _RequestCounter:
    """Requests on their way, counted."""

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
    """Return the passages whose text went with a request, in the order in which they were sent.

    What was removed since, or cut anew, is not among them (chunks_sent names it).

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
    """Download a model, unless it is on this machine: who loads it by its name then asks nobody.

    Args:
        library: The open library; its setting “model_hub” says where models come from.
        name: As on the hub, “organisation/model”; a folder, and nothing, are on this machine.
        allow_hosts: Hosts that may be asked although the air gap is on, for this download, as allowed_hosts takes
            them. With the hub's own those are meant, too, that it has its files at (hub_hosts).

    Raises:
        NetworkClosed: The air gap is on, and another host would have to be asked; the error names it.
        DownloadFailed: There is no such model, or it cannot be had.
        SettingError: One of allow_hosts is no host.
    """

    async def operation(_context: JobContext) -> None:
        if not name or Path(name).expanduser().is_dir():
            return
        own, *files = hub_hosts((await library.on_store(library.setting_values.load)).model_hub)
        named = [*allow_hosts, *files] if own in allow_hosts else allow_hosts
        gate = await library.on_store(library.gate.allowing, allowed_hosts(named, MODEL_PURPOSES))
        await library.on_embedding(library.hub(gate).model, name)

    return operation
