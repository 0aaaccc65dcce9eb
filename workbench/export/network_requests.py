"""Export of the network ledger as JSON lines or CSV; addresses contain no queries."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType

from workbench.export.escaping import MARK, cell, row
from workbench.model.egress import NetworkRequest

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
