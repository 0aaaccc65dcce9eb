"""Protocols and limits of fetching: addresses become files, queries become tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits for fetching one address.

    Attributes:
        megabytes: Maximum size of the body, decompressed.
        seconds: Timeout for the whole fetch with redirects; waiting for another page of the same host does not count.
        redirects: Maximum number of consecutive redirects.
        allow_private: True to allow machines of this network, and this machine itself.
    """

    megabytes: int = 50
    seconds: float = 60.0
    redirects: int = 5
    allow_private: bool = False

    @property
    def bytes(self) -> int:
        """Size limit in bytes."""
        return self.megabytes * 2**20


@dataclass(frozen=True, slots=True)
class Validators:
    """HTTP validators with which a server can state that a page has not changed; empty if it sent none."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class RequestPreferences:
    """Additional data of a request to a service.

    Attributes:
        headers: Sent to the server of the first address only: a key must not follow a redirect to another one.
        body: Sent with POST; None means GET. Redirects of a POST request are not followed.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """Fetched page.

    Attributes:
        address: Final address after redirects.
        file: The body; its file ending selects the parser.
        name: Title of the page, or the last part of its address.
        content_type: Type as sent by the server.
        validators: Validators for the next request.
    """

    address: str
    file: Path
    name: str
    content_type: str
    validators: Validators = Validators()


class Fetcher(Protocol):
    """Downloads the body at an address into a folder."""

    async def fetch(self, address: str, folder: Path, validators: Validators | None = None) -> Fetched | None:
        """Return the page, or None if the server reports that it is unchanged since the validators.

        Raises:
            AddressRefused: Requests to this address are not allowed.
            PageNotFetched: The server cannot be reached, refuses, is too slow, or sends too much.
            UnsupportedFormat: The content has no readable format.
        """
        ...


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Limits of a query: rows and characters to keep, and seconds to run."""

    rows: int = 10_000
    characters: int = 20_000_000
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Result of a query; truncated names the limit that was reached, empty if the result is complete."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    truncated: str = ""


class QueriedDatabase(Protocol):
    """Runs one read-only query; blocking, runs in a child process."""

    def __call__(self, connection: str, query: str, limits: QueryLimits) -> QueryResult:
        """Return the rows.

        Raises:
            QueryFailed: The database cannot be opened, refuses the query, or takes too long.
        """
        ...
