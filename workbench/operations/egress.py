"""The network: whether anything may leave this machine, and what did, request by request."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.errors import ExportError
from workbench.export.network_requests import FORMATS, NetworkFormat
from workbench.model.chunk import Chunk
from workbench.model.document import Document
from workbench.model.egress import (
    AirGap,
    AirGapChoice,
    HostTotal,
    NetworkFilter,
    NetworkPage,
    NetworkRequest,
    SentChunk,
)
from workbench.operations.library import Library
from workbench.operations.settings import put_setting
from workbench.operations.whole_file import whole
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
    requests = _Counted(library.network.all(wanted))
    with whole(path, library.unfinished) as partial, partial.open("wb") as file:
        file.writelines(written(requests))
    return requests.number


class _Counted:
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
