"""What is fetched, and under which limits: addresses become files, queries become tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What fetching one address may cost, and where it may go.

    Attributes:
        megabytes: Size of the body, decompressed.
        seconds: For everything, redirects included; waiting for another page of the same host does not count.
        redirects: How many in a row.
        allow_private: Ask machines of this network, and this machine itself.
    """

    megabytes: int = 50
    seconds: float = 60.0
    redirects: int = 5
    allow_private: bool = False

    @property
    def bytes(self) -> int:
        """The size limit in bytes."""
        return self.megabytes * 2**20


@dataclass(frozen=True, slots=True)
class Validators:
    """By what a server tells whether a page is still the one we have; empty where it said nothing."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class RequestPreferences:
    """What a service wants to be asked with, besides its address.

    Attributes:
        headers: Sent to the server of the first address only: a key must not follow a redirect to another one.
        body: Sent with POST; None asks with GET. What it answers is not looked for elsewhere: no redirect is followed.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came.

    Attributes:
        address: Where it was found in the end, after redirects.
        file: The body; the ending of its name says which parser reads it.
        name: Its title, or the last part of its address.
        content_type: As the server said.
        validators: To ask for it again.
    """

    address: str
    file: Path
    name: str
    content_type: str
    validators: Validators = Validators()


class Fetcher(Protocol):
    """Brings the body behind an address into a folder."""

    async def fetch(self, address: str, folder: Path, validators: Validators | None = None) -> Fetched | None:
        """Return what is there, or None when the server says that it is still what the validators were given for.

        Raises:
            AddressRefused: We do not go there.
            PageNotFetched: The server cannot be reached, refuses, is too slow, or sends too much.
            UnsupportedFormat: What is there is nothing that can be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What a query may cost: rows and characters that are kept, seconds that it may run."""

    rows: int = 10_000
    characters: int = 20_000_000
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query found; truncated says which limit cut it off, empty when all is there."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    truncated: str = ""


class QueriedDatabase(Protocol):
    """Runs one query that cannot change anything; blocking, runs in a child process."""

    def __call__(self, connection: str, query: str, limits: QueryLimits) -> QueryResult:
        """Return the rows.

        Raises:
            QueryFailed: The database cannot be opened, or refuses the query, or takes too long.
        """
        ...
