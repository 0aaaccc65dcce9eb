"""The gate: what may leave, that it stands in the ledger before it does, and what becomes of it."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from gates import OFF, ON, ListLedger, kept_gate, nowhere_is_here

from workbench.egress.gate import LOOPBACK_ONLY, Asked, Gate, carrying
from workbench.errors import LibraryError, NetworkClosed
from workbench.logs import keep_secret
from workbench.model.egress import AIR_GAP_HINT, AirGap, NetworkOutcome, NetworkRequest, Purpose, is_here

ASKED = Asked(Purpose.ANSWER, "api.example.com", 443, "https://api.example.com/v1/responses")


@pytest.fixture
def shut() -> Iterator[tuple[Gate, ListLedger]]:
    with kept_gate(lambda: ON) as made:
        yield made


@pytest.fixture
def opened() -> Iterator[tuple[Gate, ListLedger]]:
    with kept_gate() as made:
        yield made


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LocalHost", "a.localhost"])
def test_loopback_is_this_machine(host: str) -> None:
    assert is_here(host)


@pytest.mark.parametrize(
    "host", ["", "example.com", "10.0.0.1", "192.168.1.2", "0.0.0.0", "localhost.example.com", "127.0.0.1.nip.io", "1"]
)
def test_any_other_name_or_address_is_not(host: str) -> None:
    assert not is_here(host)


def test_under_the_air_gap_a_host_is_refused_with_a_sentence_and_written_down(
    shut: tuple[Gate, ListLedger],
) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed, match=r"The air gap is on: “api\.example\.com” was not asked") as refused:
        gate.enter(ASKED)
    assert refused.value.hint == AIR_GAP_HINT
    assert ledger.last.outcome is NetworkOutcome.REFUSED
    assert (ledger.last.sent, ledger.last.received, ledger.last.chunks) == (0, 0, ())


def test_check_refuses_before_a_name_is_looked_up(shut: tuple[Gate, ListLedger]) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed):
        gate.check(Purpose.WEB_PAGE, "example.org")
    with pytest.raises(NetworkClosed):
        asyncio.run(gate.check_soon(Purpose.WEB_PAGE, "example.org"))
    assert [one.host for one in ledger.requests.values()] == ["example.org"] * 2


def test_loopback_is_let_through_under_the_air_gap_and_written_down() -> None:
    with kept_gate(lambda: ON, is_here) as (gate, ledger):
        passage = gate.enter(Asked(Purpose.ANSWER, "localhost", 11434, "http://localhost:11434/v1/models"))
        passage.done()
        gate.settle()
        assert (ledger.last.is_here, ledger.last.outcome) == (True, NetworkOutcome.DONE)


def test_a_gate_that_nobody_was_handed_lets_only_loopback_through() -> None:
    with pytest.raises(NetworkClosed):
        LOOPBACK_ONLY.enter(ASKED)
    LOOPBACK_ONLY.enter(Asked(Purpose.ANSWER, "127.0.0.1", 80)).done()


def test_a_program_that_could_ask_anybody_is_refused_and_one_without_network_is_not(
    shut: tuple[Gate, ListLedger],
) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed, match="“uvx server” was not started"):
        gate.enter(Asked(Purpose.TOOL_SERVER, "", address="uvx server", seen=False))
    gate.enter(Asked(Purpose.TOOL_SERVER, "", address="uvx server", seen=False, confined=True)).done()
    gate.settle()
    assert (ledger.last.is_here, ledger.last.sent) == (True, None)


def test_a_request_stands_in_the_ledger_before_it_is_let_through(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    passage = gate.enter(ASKED)
    assert ledger.last.outcome is NetworkOutcome.UNDER_WAY
    passage.sent, passage.received, passage.status = 120, 4500, 200
    passage.done()
    gate.settle()
    assert (ledger.last.sent, ledger.last.received, ledger.last.status) == (120, 4500, 200)
    assert ledger.last.outcome is NetworkOutcome.DONE


def test_what_cannot_be_written_down_is_not_let_through() -> None:
    class Full(ListLedger):
        def begin(self, request: NetworkRequest) -> int:
            raise LibraryError("The disk is full.")

    gate = Gate(Full(), lambda: OFF, here=nowhere_is_here)
    with pytest.raises(LibraryError, match="full"):
        asyncio.run(gate.enter_soon(ASKED))
    gate.close()


def test_only_the_first_end_of_a_request_counts(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    passage = gate.enter(ASKED)
    passage.failed(OSError("reset by peer"))
    passage.done()
    gate.settle()
    assert (ledger.last.outcome, ledger.last.note) == (NetworkOutcome.FAILED, "reset by peer")


def test_a_request_that_was_stopped_says_so(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    gate.enter(ASKED).failed(asyncio.CancelledError())
    gate.settle()
    assert ledger.last.note == "It was stopped."


def test_one_that_is_stopped_before_it_was_let_through_is_not_under_way_for_ever(
    opened: tuple[Gate, ListLedger],
) -> None:
    gate, ledger = opened

    async def stopped() -> None:
        entering = asyncio.create_task(gate.enter_soon(ASKED))
        await asyncio.sleep(0)
        entering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await entering

    asyncio.run(stopped())
    gate.settle()
    assert ledger.last.outcome is NetworkOutcome.FAILED


def test_the_ledger_keeps_neither_query_nor_password_nor_key(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    keep_secret("hunter2hunter2")
    gate.enter(Asked(Purpose.WEB_PAGE, "example.org", 443, "https://me:pass@example.org/a?q=secret#top")).done()
    assert ledger.last.address == "https://example.org/a"
    gate.enter(Asked(Purpose.TOOL_SERVER, "", address="serve hunter2hunter2", seen=False)).failed("hunter2hunter2")
    gate.settle()
    assert "hunter2" not in ledger.last.address + ledger.last.note


def test_what_goes_with_a_request_is_said_around_it(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    with carrying(run=7), carrying(chunks=(3, 1)), carrying(chunks=(1, 2)):
        gate.enter(ASKED).done()
    assert (ledger.last.run, ledger.last.chunks) == (7, (3, 1, 2))
    gate.enter(ASKED).done()
    assert (ledger.last.run, ledger.last.chunks) == (None, ())


def test_whoever_watches_is_told_of_beginning_and_end_under_one_number(opened: tuple[Gate, ListLedger]) -> None:
    gate, _ledger = opened
    told: list[NetworkRequest] = []
    stop = gate.watch(told.append)
    gate.enter(ASKED).done()
    gate.settle()
    stop()
    gate.enter(ASKED).done()
    gate.settle()
    assert [one.outcome for one in told] == [NetworkOutcome.UNDER_WAY, NetworkOutcome.DONE]
    assert told[0].id == told[1].id


def test_the_air_gap_is_asked_anew_for_every_request() -> None:
    gap: list[AirGap] = [OFF]
    with kept_gate(lambda: gap[0]) as (gate, ledger):
        gate.enter(ASKED).done()
        gap[0] = ON
        with pytest.raises(NetworkClosed):
            gate.enter(ASKED)
        assert len(ledger.requests) == 2


def test_many_threads_at_once_leave_a_row_each(opened: tuple[Gate, ListLedger]) -> None:
    gate, ledger = opened
    threads = [threading.Thread(target=lambda: gate.enter(ASKED).done()) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gate.settle()
    assert [one.outcome for one in ledger.requests.values()] == [NetworkOutcome.DONE] * 20


def test_behind_a_closed_gate_nothing_goes_through() -> None:
    with kept_gate() as (gate, ledger):
        gate.close()
        with pytest.raises(LibraryError, match="closed"):
            gate.enter(ASKED)
        assert not ledger.requests
