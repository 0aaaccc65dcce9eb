"""What was asked of the network -> JSON lines, or a table for spreadsheets; addresses stand there without queries."""

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
"""Requests -> pieces of the file."""


def json_lines(requests: Iterable[NetworkRequest]) -> Iterator[bytes]:
    """Yield a line of JSON for each request."""
    for request in requests:
        fields = asdict(request)
        said = json.dumps({name: fields[name] for name in _COLUMNS}, ensure_ascii=False)
        yield f"{said}\n".encode("utf-8", "replace")


def table(requests: Iterable[NetworkRequest]) -> Iterator[bytes]:
    """Yield the rows of a table, with the mark by which spreadsheets know UTF-8."""
    yield (MARK + row(_COLUMNS)).encode()
    for request in requests:
        fields = asdict(request) | {"chunks": " ".join(map(str, request.chunks))}
        yield row([_said(fields[name]) for name in _COLUMNS]).encode("utf-8", "replace")


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else cell(value) if isinstance(value, str) else str(value)


def _row(values: Iterable[str]) -> bytes:
    return row(values).encode("utf-8", "replace")


FORMATS: Mapping[str, NetworkFormat] = MappingProxyType({"jsonl": json_lines, "csv": table})
"""By the ending of the file."""
