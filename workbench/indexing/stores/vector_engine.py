"""The interface of a vector database: the protocol of an adapter, and the location of its vectors."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

import numpy as np
from numpy.typing import NDArray

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest, PermittedRequest
from workbench.errors import IndexUnavailable, NetworkClosed, StoreUnreachable
from workbench.language import mark
from workbench.logs import masked
from workbench.model.egress import Purpose
from workbench.model.vector_store import AddressUse

Ids = NDArray[np.int64]
Rows = NDArray[np.float32]

REBUILT = mark("The program rebuilds the vector store from the library.")
"""Hint of errors after which a store is rebuilt."""
_LONGEST_WORDS = 300
_REFUSED_STATUSES = (401, 403)
_REFUSED_CODES = ("UNAUTHENTICATED", "PERMISSION_DENIED")
_MOST_CAUSES = 5
"""Maximum number of causes of an error that are examined; a gRPC error may be its own cause."""

_MOST_RANGES = 200
"""Maximum number of ranges in a filter."""
_MANY_IDS = 4
"""Number of ids per range from which ranges are used; a range is two comparisons, an id of a list is one."""


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """Location of the vectors of one embedder.

    Attributes:
        folder: The folder of the index in the library. It contains the manifest and the data of an embedded database.
        url: Address of the server; empty for an embedded database.
        key: Password or API key of the server; empty for none.
        gate: The gate that permits connections to the server.
        collection: Name of the table or collection; set when the store is opened.
    """

    folder: Path
    url: str = ""
    key: str = ""
    gate: EgressGate = LOOPBACK_ONLY
    collection: str = ""

    @property
    def data(self) -> Path:
        """The path for the data of an embedded database."""
        return self.folder / "data"

    @property
    def address(self) -> SplitResult:
        """The parts of the address.

        Raises:
            StoreUnreachable: The address is not a valid URL.
        """
        try:
            parts = urlsplit(self.url if "://" in self.url else f"http://{self.url}")
            _ = parts.port
        except ValueError as error:
            raise StoreUnreachable(
                "The address of the vector store is not a valid URL.", "Enter it like http://localhost:6333."
            ) from error
        return parts

    def request(self, port: int) -> PendingRequest:
        """Return the request for the gate; port is the default of the database."""
        parts = self.address
        return PendingRequest(
            Purpose.VECTOR_STORE, parts.hostname or "localhost", parts.port or port, self.url, seen=False
        )

    def enter(self, port: int) -> PermittedRequest:
        """Record a connection in the ledger before it is opened; done() records its end.

        Raises:
            StoreUnreachable: Offline mode is on and the server is on another machine.
        """
        try:
            return self.gate.enter(self.request(port))
        except NetworkClosed as error:
            raise StoreUnreachable(error.message, error.hint) from error

    def require_open(self, port: int) -> None:
        """Raise an error if the gate does not permit requests now: offline mode may be switched on at any time.

        Raises:
            StoreUnreachable: As enter().
        """
        request = self.request(port)
        try:
            self.gate.check(request.purpose, request.host, port=request.port, address=request.address)
        except NetworkClosed as error:
            raise StoreUnreachable(error.message, error.hint) from error


@dataclass(frozen=True, slots=True)
class IdFilter:
    """Ids that a search may find, in two equivalent forms; an engine uses the one that its database serves better.

    Passages of one document have consecutive ids, so that a knowledge base, a format or a date usually is a few ranges,
    where the list would be too long for a database: Qdrant and Milvus time out with a million ids
    (https://github.com/qdrant/qdrant/issues/5733, https://github.com/milvus-io/milvus/issues/16115).

    Attributes:
        ids: int64 [n], ascending, all of them in the store.
        ranges: First and last id of each range, int64 [m, 2], ascending; all ids of the store between them are allowed.
    """

    ids: Ids
    ranges: Ids

    @classmethod
    def of(cls, allowed: Ids, held: Ids) -> "IdFilter":
        """Return the filter of allowed ids; both are ascending, and the store holds all that are allowed."""
        places = np.searchsorted(held, allowed)
        is_first = np.append(True, places[1:] != places[:-1] + 1)
        is_last = np.append(is_first[1:], True)
        return cls(allowed, np.stack([allowed[is_first], allowed[is_last]], axis=1))

    @property
    def has_few_ranges(self) -> bool:
        """True if the ranges are a much shorter filter than the ids."""
        return len(self.ranges) <= _MOST_RANGES and len(self.ids) > _MANY_IDS * len(self.ranges)


class VectorEngine(Protocol):
    """Interface of an open table or collection of unit vectors with int64 ids.

    EngineStore is a VectorStore on top of it, which checks arguments, keeps the set of ids and translates errors. An
    engine may raise any exception.

    Attributes:
        uses_ranges: Whether nearest() uses the ranges of a filter, and not only its ids.
    """

    uses_ranges: bool

    def ids(self) -> Ids:
        """Return all ids, in any order."""
        ...

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that exist, in any order, and their vectors float32 [n, dim]; at most 1,000 are requested."""
        ...

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors float32 [n, dim], n at most 1,000, without duplicate ids.

        A search that runs at the same time finds either the old vector or the new one.
        """
        ...

    def delete(self, ids: Ids) -> None:
        """Delete up to 1,000 ids, all of which exist."""
        ...

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest, best first; the recall may be below 1.

        If it returns fewer than k, EngineStore compares the query with all allowed vectors.

        Args:
            query: float32 [dim], unit length.
            k: From 1 to the number of vectors that may be found.
            allowed: The ids that may be found, at least one; None means all.
        """
        ...

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Compact files and build indexes if that is useful; called in idle time."""
        ...

    def flush(self) -> None:
        """Write all changes to the disk; called before the generation of the library is recorded."""
        ...

    def drop(self) -> None:
        """Delete the table or collection, and nothing else on the server."""
        ...

    def close(self) -> None:
        """Close connections and files; called once."""
        ...


class StoreProvider(Protocol):
    """Interface of a kind of vector store; one provider is registered under each name.

    Attributes:
        title: Display name.
        address_use: Whether it runs on a server.
        port: Default port of the server; 0 for an embedded database.
        is_concurrent: Whether several threads may call an engine at the same time.
    """

    title: str
    address_use: AddressUse
    port: int
    is_concurrent: bool

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the table or collection, or create it if it does not exist.

        Raises:
            StoreUnreachable: The package is not installed, the server is down or refuses the credentials.
            IndexUnavailable: The existing data cannot be used: another width or schema, damaged files.
        """
        ...


def missing_package(title: str, extra: str) -> StoreUnreachable:
    """Return the error of a vector store whose package is not installed.

    Args:
        title: Display name of the store.
        extra: The optional extra of this program that installs it.
    """
    return StoreUnreachable(
        f"The vector store {title} needs a package that is not installed.",
        f"Install it: pip install “knowledge-workbench[{extra}]”, or choose another vector store.",
    )


def other_schema(title: str) -> IndexUnavailable:
    """Return the error of a table or collection that has another width, metric or column type."""
    return IndexUnavailable(f"The data of {title} has another schema.", REBUILT)


def failure(title: str, error: BaseException) -> StoreUnreachable:
    """Return the error of a database that failed, without keys or passwords."""
    if _is_refusal(error):
        return refused_key(title)
    words = masked(" ".join(_words(error).split()) or type(error).__name__).rstrip(".")[:_LONGEST_WORDS]
    return StoreUnreachable(
        f"The vector store {title} failed: {words}.", "Check that it is running. The vectors are safe in the library."
    )


def _is_refusal(error: BaseException) -> bool:
    """Return whether a server refused the credentials: by an HTTP or gRPC status, also of the cause of an error.

    The client of Milvus, for one, says of wrong credentials only that it could not connect.
    """
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            return False
        code = getattr(cause, "code", None)
        if getattr(cause, "status_code", None) in _REFUSED_STATUSES:
            return True
        if callable(code) and getattr(code(), "name", "") in _REFUSED_CODES:
            return True
        cause = cause.__cause__
    return False


def _words(error: BaseException) -> str:
    """Return the message of an error of a client, without the names and codes that surround it."""
    details, message = getattr(error, "details", None), getattr(error, "message", None)
    if callable(details) and isinstance(words := details(), str):
        return words
    return message if isinstance(message, str) and message else str(error)


def refused_key(title: str) -> StoreUnreachable:
    """Return the error of a server that does not accept the name, password or API key."""
    return StoreUnreachable(
        f"{title} refused the name, password or key.", "Enter it again: workbench store key. Nothing is lost."
    )


@contextlib.contextmanager
def opening_files(title: str) -> Iterator[None]:
    """Translate any exception of an embedded database during opening into the error of damaged files.

    Raises:
        IndexUnavailable: The files cannot be used.
    """
    try:
        yield
    except IndexUnavailable:
        raise
    except Exception as error:
        raise IndexUnavailable(f"The files of {title} cannot be read.", REBUILT) from error


@contextlib.contextmanager
def connecting(title: str, location: StoreLocation, port: int) -> Iterator[PermittedRequest]:
    """Record a connection at the gate, and translate any exception of the client into the error of a server.

    The caller ends the request when it closes the connection.

    Raises:
        StoreUnreachable: Offline mode is on, or the server cannot be used.
    """
    passage = location.enter(port)
    try:
        yield passage
    except IndexUnavailable as error:
        passage.failed(error)
        raise
    except Exception as error:
        passage.failed(error)
        raise failure(title, error) from error
