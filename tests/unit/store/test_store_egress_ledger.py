"""Network ledger: every request stored, found, summed up, and deleted after its retention time."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.errors import NotFound
from workbench.model.egress import NetworkFilter, NetworkOutcome, NetworkRequest, Purpose
from workbench.store import egress_ledger
from workbench.store.database import Database
from workbench.store.egress_ledger import KEPT_DAYS, EgressLedger
from workbench.store.sessions import SessionMaintenance, SessionStore

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
REQUEST = NetworkRequest(
    0,
    NOW.isoformat(timespec="microseconds"),
    Purpose.ANSWER,
    "api.example.com",
    443,
    address="https://api.example.com/v1/responses",
    chunks=(5, 7),
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path / "library")
    yield database
    database.close()


@pytest.fixture
def ledger(database: Database) -> EgressLedger:
    return EgressLedger(database, clock=lambda: NOW)


def ended(ledger: EgressLedger, request: NetworkRequest, **values: object) -> NetworkRequest:
    """Store a request and its end."""
    kept = replace(request, id=ledger.begin(request))
    done = replace(kept, outcome=NetworkOutcome.DONE, **values)  # type: ignore[arg-type]
    ledger.end(done)
    return done


def test_a_request_comes_back_as_it_was_kept(ledger: EgressLedger) -> None:
    done = ended(
        ledger, REQUEST, status=200, sent=900, received=12_000, milliseconds=812.5, note="ok", via="proxy:3128"
    )
    assert ledger.get(done.id) == done
    assert ledger.page(NetworkFilter()).requests == (done,)


def test_one_that_never_ended_stays_under_way(ledger: EgressLedger) -> None:
    assert ledger.get(ledger.begin(REQUEST)).outcome is NetworkOutcome.UNDER_WAY


def test_the_session_of_a_request_is_found_by_its_run_and_cleared_once_it_is_deleted(
    database: Database, ledger: EgressLedger
) -> None:
    sessions = SessionStore(database)
    session = sessions.create("A question").id
    run = sessions.start_run(session, "A question", profile="remote", mode="Model")
    number = ledger.begin(replace(REQUEST, run=run))
    assert (ledger.get(number).session, ledger.get(number).run) == (session, run)
    sessions.mark_removed(session)
    SessionMaintenance(database).purge_removed()
    assert (ledger.get(number).session, ledger.get(number).run) == (None, None)


def test_a_run_that_is_not_there_is_not_kept_with_the_request(ledger: EgressLedger) -> None:
    assert ledger.get(ledger.begin(replace(REQUEST, run=99))).run is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (NetworkFilter(), [4, 3, 2, 1]),
        (NetworkFilter(outside=True), [3, 1]),
        (NetworkFilter(outside=False), [2]),
        (NetworkFilter(outcome=NetworkOutcome.REFUSED), [4]),
        (NetworkFilter(purpose=Purpose.WEB_PAGE), [4, 3]),
        (NetworkFilter(host="localhost"), [2]),
        (NetworkFilter(text="HARBOUR"), [4, 3]),
        (NetworkFilter(text="Häfen"), [3]),
        (NetworkFilter(run=1), []),
    ],
)
def test_requests_are_found_by_what_is_wanted(ledger: EgressLedger, wanted: NetworkFilter, found: list[int]) -> None:
    page = replace(REQUEST, purpose=Purpose.WEB_PAGE, host="harbour.example", address="http://harbour.example/häfen")
    ended(ledger, REQUEST)
    ended(ledger, replace(REQUEST, host="localhost", is_here=True))
    ended(ledger, page)
    ledger.begin(replace(page, address="http://harbour.example/", outcome=NetworkOutcome.REFUSED))
    assert [one.id for one in ledger.page(wanted).requests] == found
    assert [one.id for one in ledger.all(wanted)] == found[::-1]


def test_totals_are_of_what_left_this_machine(ledger: EgressLedger) -> None:
    ended(ledger, REQUEST, sent=100, received=1000)
    ended(ledger, replace(REQUEST, chunks=(7, 9)), sent=50, received=None)
    ended(ledger, replace(REQUEST, is_here=True, chunks=(1, 2, 3)), sent=10_000, received=10_000)
    ledger.begin(replace(REQUEST, outcome=NetworkOutcome.REFUSED, chunks=()))
    totals = ledger.page(NetworkFilter()).totals
    assert (totals.requests, totals.outside, totals.refused) == (4, 2, 1)
    assert (totals.sent, totals.received, totals.chunks) == (150, 1000, 3)
    assert totals.since == REQUEST.at


def test_hosts_are_added_up_with_those_that_left_first(ledger: EgressLedger) -> None:
    ended(ledger, replace(REQUEST, host="localhost", is_here=True), sent=9_999)
    ended(ledger, REQUEST, sent=10, received=20)
    ended(ledger, replace(REQUEST, host="rerank.example"), sent=500)
    ended(ledger, replace(REQUEST, host="", address="uvx server", sent=None, received=None), sent=None, received=None)
    assert [(one.host, one.sent) for one in ledger.hosts()] == [
        ("rerank.example", 500),
        ("api.example.com", 10),
        ("uvx server", 0),
        ("localhost", 9_999),
    ]


def test_a_long_ledger_is_read_page_by_page(ledger: EgressLedger) -> None:
    for _ in range(7):
        ledger.begin(REQUEST)
    first = ledger.page(NetworkFilter(), limit=3)
    second = ledger.page(NetworkFilter(), limit=3, before=first.older)
    third = ledger.page(NetworkFilter(), limit=3, before=second.older)
    assert [[one.id for one in page.requests] for page in (first, second, third)] == [[7, 6, 5], [4, 3, 2], [1]]
    assert third.older is None
    assert (first.totals.requests, second.totals.requests) == (7, 0)


def test_requests_past_the_retention_time_are_deleted_automatically(database: Database, ledger: EgressLedger) -> None:
    for days in (KEPT_DAYS + 1, KEPT_DAYS - 2):
        ledger.begin(replace(REQUEST, at=(NOW - timedelta(days=days)).isoformat(timespec="microseconds")))
    ledger.drop_old()
    assert [one.id for one in ledger.all()] == [1, 2], "a clock counts only when it says so at a second look"
    later = EgressLedger(database, clock=lambda: NOW + timedelta(days=1, minutes=1))
    later.drop_old()
    assert [one.id for one in ledger.all()] == [2]


def test_requests_over_the_limit_are_deleted_automatically_the_oldest_first(
    ledger: EgressLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress_ledger, "MOST_REQUESTS", 3)
    for _ in range(5):
        ledger.begin(REQUEST)
    ledger.drop_old()
    assert [one.id for one in ledger.all()] == [3, 4, 5]


def test_clearing_forgets_everything_and_an_end_that_comes_later(ledger: EgressLedger) -> None:
    kept = replace(REQUEST, id=ledger.begin(REQUEST))
    assert ledger.clear() == 1
    ledger.end(replace(kept, outcome=NetworkOutcome.DONE))
    assert list(ledger.all()) == []
    with pytest.raises(NotFound):
        ledger.get(kept.id)
