"""Ledger of network requests: written before anything is sent, completed when the response is there."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.egress import (
    HostTotal,
    NetworkFilter,
    NetworkOutcome,
    NetworkPage,
    NetworkRequest,
    NetworkTotals,
    Purpose,
)
from workbench.model.memory import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.library_state import deletion_time
from workbench.store.stored_values import is_row_number, loaded_json, loaded_text, stored_json, stored_text

MOST_REQUESTS = 100_000
"""Maximum number of rows kept, the newest: some 20 MB."""
KEPT_DAYS = 90

EVERYTHING = NetworkFilter()
INTERRUPTED = mark("The program ended before the request did.")

_PIECE = 1000
_COLUMNS = (
    "n.id, n.at, n.purpose, n.host, n.port, n.is_here, n.address, n.outcome, n.status, n.sent, n.received,"
    " n.milliseconds, r.session, r.id, n.chunks, n.via, n.note"
)
_FROM = (
    "FROM network_requests n LEFT JOIN runs r ON r.id = n.run"
    " AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = r.session AND s.user = ?)"
)
"""The parameter is the user as stored: sessions and answers of other users are not returned."""


def _utc() -> datetime:
    return datetime.now(UTC)


class EgressLedger:
    """Ledger of requests that are added and completed; only the user removes one before its retention period ends.

    It covers all users of the library, because data that left the machine concerns them all.
    """

    def __init__(self, database: Database, user: str = DEFAULT_USER, *, clock: Callable[[], datetime] = _utc) -> None:
        """Create a ledger that links requests to the sessions of one user."""
        self._database = database
        self._user = stored_text(user)
        self._clock = clock

    def begin(self, request: NetworkRequest) -> int:
        """Store a request that is about to be sent, or was refused, and return its number."""
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO network_requests (at, purpose, host, port, is_here, address, outcome, status, sent,"
                " received, milliseconds, run, chunks, via, note)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?), ?, ?, ?)",
                (
                    request.at,
                    request.purpose.value,
                    stored_text(request.host),
                    request.port,
                    request.is_here,
                    stored_text(request.address),
                    *_end(request),
                    request.run,
                    stored_json(list(request.chunks)),
                    stored_text(request.via),
                    stored_text(request.note),
                ),
            ).lastrowid
        assert number is not None
        return number

    def end(self, request: NetworkRequest) -> None:
        """Store the outcome of a request; a request that the user has removed meanwhile is ignored."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE network_requests SET outcome = ?, status = ?, sent = ?, received = ?, milliseconds = ?,"
                " via = ?, note = ? WHERE id = ?",
                (*_end(request), stored_text(request.via), stored_text(request.note), request.id),
            )

    def page(self, wanted: NetworkFilter, *, before: int | None = None, limit: int = 200) -> NetworkPage:
        """Return the newest requests with totals, or the newest of those older than a number, without totals."""
        condition, values = _condition(wanted)
        older = " AND n.id < ?" if before is not None else ""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} {_FROM} WHERE {condition}{older} ORDER BY n.id DESC LIMIT ?",
                (self._user, *values, *([before] if before is not None else []), limit + 1),
            ).fetchall()
            totals = _totals(connection, condition, [self._user, *values]) if before is None else NetworkTotals()
        requests = tuple(_request_of(row) for row in rows[:limit])
        return NetworkPage(requests, requests[-1].id if len(rows) > limit else None, totals)

    def get(self, number: int) -> NetworkRequest:
        """Return a request.

        Raises:
            NotFound: There is no request of that number.
        """
        row = None
        if is_row_number(number):
            with self._database.read() as connection:
                row = connection.execute(f"SELECT {_COLUMNS} {_FROM} WHERE n.id = ?", (self._user, number)).fetchone()
        if row is None:
            raise NotFound(f"There is no network request {number}.", "“workbench network list” shows them.")
        return _request_of(row)

    def hosts(self) -> tuple[HostTotal, ...]:
        """Return the totals of each host, those with the most bytes sent first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT iif(host = '', address, host) AS name, is_here, COUNT(*), SUM(outcome = 'refused'),"
                " COALESCE(SUM(sent), 0) AS bytes, COALESCE(SUM(received), 0) FROM network_requests"
                " GROUP BY name, is_here ORDER BY is_here, bytes DESC, COUNT(*) DESC"
            ).fetchall()
        return tuple(
            HostTotal(loaded_text(host), bool(here), count, refused, sent, received)
            for host, here, count, refused, sent, received in rows
        )

    def all(self, wanted: NetworkFilter = EVERYTHING) -> Iterator[NetworkRequest]:
        """Yield the requests, oldest first, reading some at a time."""
        condition, values = _condition(wanted)
        last = 0
        while True:
            with self._database.read() as connection:
                rows = connection.execute(
                    f"SELECT {_COLUMNS} {_FROM} WHERE {condition} AND n.id > ? ORDER BY n.id LIMIT ?",
                    (self._user, *values, last, _PIECE),
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from map(_request_of, rows)

    def interrupt_unfinished(self) -> int:
        """Mark the requests that were interrupted by the end of the program as failed, and return their number."""
        with self._database.write() as connection:
            return connection.execute(
                "UPDATE network_requests SET outcome = 'failed', note = ? WHERE outcome = 'under_way'", (INTERRUPTED,)
            ).rowcount

    def clear(self) -> int:
        """Remove all requests and return their number."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM network_requests").rowcount

    def drop_old(self) -> None:
        """Remove requests older than KEPT_DAYS, and all but the newest MOST_REQUESTS."""
        # By a time confirmed by two readings of the clock: a clock that jumps ahead must not empty the ledger.
        now = deletion_time(self._database, self._clock)
        since = (now - timedelta(days=KEPT_DAYS)).isoformat(timespec="microseconds")
        with self._database.write() as connection:
            connection.execute("DELETE FROM network_requests WHERE at < ?", (since,))
            connection.execute(
                "DELETE FROM network_requests WHERE id <="
                " (SELECT id FROM network_requests ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (MOST_REQUESTS,),
            )


def _totals(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> NetworkTotals:
    asked, outside, refused, sent, received, since = connection.execute(
        "SELECT COUNT(*), COALESCE(SUM(n.is_here = 0 AND n.outcome <> 'refused'), 0),"
        " COALESCE(SUM(n.outcome = 'refused'), 0),"
        " COALESCE(SUM(iif(n.is_here = 0, n.sent, 0)), 0),"
        " COALESCE(SUM(iif(n.is_here = 0, n.received, 0)), 0),"
        f" COALESCE(MIN(n.at), '') {_FROM} WHERE {condition}",
        values,
    ).fetchone()
    # Most rows have no chunks, and parsing JSON is slow: 0.5 s for 100,000 rows.
    (chunks,) = connection.execute(
        f"SELECT COUNT(DISTINCT c.value) {_FROM}, json_each(n.chunks) c"
        f" WHERE n.chunks <> '[]' AND n.is_here = 0 AND n.outcome <> 'refused' AND {condition}",
        values,
    ).fetchone()
    return NetworkTotals(asked, outside, refused, sent, received, chunks, since)


def _end(request: NetworkRequest) -> tuple[str, int | None, int | None, int | None, float]:
    return request.outcome.value, request.status, request.sent, request.received, request.milliseconds


def _condition(wanted: NetworkFilter) -> tuple[str, list[Any]]:
    conditions = ["1"]
    values: list[Any] = []
    exact: Sequence[tuple[str, Any]] = (
        ("n.purpose", wanted.purpose),
        ("n.outcome", wanted.outcome),
        ("r.session", wanted.session),
        ("r.id", wanted.run),
        ("n.host", stored_text(wanted.host) if wanted.host else None),
    )
    for column, value in exact:
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    if wanted.outside is not None:
        conditions.append("n.is_here = 0 AND n.outcome <> 'refused'" if wanted.outside else "n.is_here = 1")
    if text := wanted.text.strip().casefold():
        conditions.append("instr(folded(n.host || ' ' || n.address || ' ' || n.via || ' ' || n.note), ?) > 0")
        values.append(stored_text(text))
    return " AND ".join(conditions), values


def _request_of(row: tuple[Any, ...]) -> NetworkRequest:
    number, at, purpose, host, port, here, address, outcome, status, sent, received, milliseconds, *rest = row
    session, run, chunks, via, note = rest
    return NetworkRequest(
        number,
        at,
        Purpose(purpose),
        loaded_text(host),
        port,
        bool(here),
        loaded_text(address),
        NetworkOutcome(outcome),
        status,
        sent,
        received,
        milliseconds,
        session,
        run,
        tuple(loaded_json(chunks)),
        loaded_text(via),
        loaded_text(note),
    )
