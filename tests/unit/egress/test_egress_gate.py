"""Egress gate: permitted requests, their record in the ledger before they are sent, and their outcome."""

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest
from gates import OFF, ON, ListLedger, kept_gate, nowhere_is_here

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest, carrying
from workbench.errors import LibraryError, NetworkClosed
from workbench.logs import keep_secret
from workbench.model.egress import (
    MODEL_PURPOSES,
    OFFLINE_MODE_HINT,
    PAGE_PURPOSES,
    AllowedHost,
    NetworkOutcome,
    NetworkRequest,
    OfflineMode,
    Purpose,
    is_here,
)

ASKED = PendingRequest(Purpose.ANSWER, "api.example.com", 443, "https://api.example.com/v1/responses")


@pytest.fixture
def shut() -> Iterator[tuple[EgressGate, ListLedger]]:
    with kept_gate(lambda: ON) as made:
        yield made


@pytest.fixture
def opened() -> Iterator[tuple[EgressGate, ListLedger]]:
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


def test_in_offline_mode_a_host_is_refused_with_a_sentence_and_written_down(
    shut: tuple[EgressGate, ListLedger],
) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed, match=r"Offline mode is on: “api\.example\.com” was not asked") as refused:
        gate.enter(ASKED)
    assert refused.value.hint == OFFLINE_MODE_HINT
    assert ledger.last.outcome is NetworkOutcome.REFUSED
    assert (ledger.last.sent, ledger.last.received, ledger.last.chunks) == (0, 0, ())


def test_check_refuses_before_a_name_is_looked_up(shut: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed):
        gate.check(Purpose.WEB_PAGE, "example.org")
    with pytest.raises(NetworkClosed):
        asyncio.run(gate.check_soon(Purpose.WEB_PAGE, "example.org"))
    assert [one.host for one in ledger.requests.values()] == ["example.org"] * 2


def test_loopback_is_let_through_in_offline_mode_and_written_down() -> None:
    with kept_gate(lambda: ON, is_here) as (gate, ledger):
        passage = gate.enter(PendingRequest(Purpose.ANSWER, "localhost", 11434, "http://localhost:11434/v1/models"))
        passage.done()
        gate.settle()
        assert (ledger.last.is_here, ledger.last.outcome) == (True, NetworkOutcome.DONE)


def test_the_default_gate_permits_only_loopback_requests() -> None:
    with pytest.raises(NetworkClosed):
        LOOPBACK_ONLY.enter(ASKED)
    with pytest.raises(NetworkClosed):
        LOOPBACK_ONLY.check(Purpose.ANSWER, "api.example.com")
    LOOPBACK_ONLY.enter(PendingRequest(Purpose.ANSWER, "127.0.0.1", 80)).done()
    assert LOOPBACK_ONLY.offline_mode() == ON
    assert [LOOPBACK_ONLY.is_here(host) for host in ("localhost", "api.example.com")] == [True, False]


def test_a_program_that_could_ask_anybody_is_refused_and_one_without_network_is_not(
    shut: tuple[EgressGate, ListLedger],
) -> None:
    gate, ledger = shut
    with pytest.raises(NetworkClosed, match="“uvx server” was not started"):
        gate.enter(PendingRequest(Purpose.TOOL_SERVER, "", address="uvx server", seen=False))
    gate.enter(PendingRequest(Purpose.TOOL_SERVER, "", address="uvx server", seen=False, confined=True)).done()
    gate.settle()
    assert (ledger.last.is_here, ledger.last.sent) == (True, None)


def test_a_request_is_recorded_in_the_ledger_before_it_is_permitted(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    passage = gate.enter(ASKED)
    assert ledger.last.outcome is NetworkOutcome.UNDER_WAY
    assert (ledger.last.sent, ledger.last.received) == (0, 0)
    passage.sent, passage.received, passage.status = 120, 4500, 200
    passage.done()
    gate.settle()
    assert (ledger.last.sent, ledger.last.received, ledger.last.status) == (120, 4500, 200)
    assert ledger.last.outcome is NetworkOutcome.DONE


def test_a_request_that_cannot_be_recorded_is_not_permitted() -> None:
    class Full(ListLedger):
        def begin(self, request: NetworkRequest) -> int:
            raise LibraryError("The disk is full.")

    gate = EgressGate(Full(), lambda: OFF, here=nowhere_is_here)
    with pytest.raises(LibraryError, match="full"):
        asyncio.run(gate.enter_soon(ASKED))
    gate.close()


def test_only_the_first_end_of_a_request_counts(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    passage = gate.enter(ASKED)
    passage.failed(OSError("reset by peer"))
    passage.done()
    gate.settle()
    assert (ledger.last.outcome, ledger.last.note) == (NetworkOutcome.FAILED, "reset by peer")


def test_a_stopped_request_is_recorded_as_stopped(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    gate.enter(ASKED).failed(asyncio.CancelledError())
    gate.settle()
    assert ledger.last.note == "It was stopped."


def test_one_that_is_stopped_before_it_was_let_through_is_not_under_way_for_ever(
    opened: tuple[EgressGate, ListLedger],
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


def test_the_ledger_keeps_neither_query_nor_password_nor_key(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    keep_secret("hunter2hunter2")
    gate.enter(
        PendingRequest(Purpose.WEB_PAGE, "example.org", 443, "https://me:pass@example.org/a?q=secret#top")
    ).done()
    assert ledger.last.address == "https://example.org/a"
    gate.enter(PendingRequest(Purpose.TOOL_SERVER, "", address="serve hunter2hunter2", seen=False)).failed(
        "hunter2hunter2"
    )
    gate.settle()
    assert "hunter2" not in ledger.last.address + ledger.last.note


def test_the_run_and_chunks_sent_with_a_request_are_declared_in_the_surrounding_block(
    opened: tuple[EgressGate, ListLedger],
) -> None:
    gate, ledger = opened
    with carrying(run=7), carrying(chunks=(3, 1)), carrying(chunks=(1, 2)):
        gate.enter(ASKED).done()
    assert (ledger.last.run, ledger.last.chunks) == (7, (3, 1, 2))
    gate.enter(ASKED).done()
    assert (ledger.last.run, ledger.last.chunks) == (None, ())


def test_watchers_are_notified_of_the_start_and_end_of_a_request_under_one_number(
    opened: tuple[EgressGate, ListLedger],
) -> None:
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


def test_offline_mode_is_checked_again_for_every_request() -> None:
    gap: list[OfflineMode] = [OFF]
    with kept_gate(lambda: gap[0]) as (gate, ledger):
        gate.enter(ASKED).done()
        gap[0] = ON
        with pytest.raises(NetworkClosed):
            gate.enter(ASKED)
        assert len(ledger.requests) == 2


def test_many_threads_at_once_leave_a_row_each(opened: tuple[EgressGate, ListLedger]) -> None:
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


def test_a_host_that_may_be_asked_is_not_written_down_when_it_is_checked(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    gate.check(Purpose.WEB_PAGE, "example.org")
    asyncio.run(gate.check_soon(Purpose.WEB_PAGE, "example.org"))
    gate.settle()
    assert not ledger.requests


def test_this_machine_may_be_checked_in_offline_mode() -> None:
    with kept_gate(lambda: ON, is_here) as (gate, ledger):
        gate.check(Purpose.WEB_PAGE, "localhost")
        asyncio.run(gate.check_soon(Purpose.WEB_PAGE, "localhost"))
        gate.settle()
        assert not ledger.requests


def test_a_refusal_records_the_requested_address_and_a_check_records_only_known_details(
    shut: tuple[EgressGate, ListLedger],
) -> None:
    gate, ledger = shut
    for check in (gate.check, lambda *what, **more: asyncio.run(gate.check_soon(*what, **more))):
        with pytest.raises(NetworkClosed):
            check(Purpose.WEB_PAGE, "Example.org", port=81, address="http://example.org:81/a?q")
        last = ledger.last
        assert (last.purpose, last.host, last.port) == (Purpose.WEB_PAGE, "example.org", 81)
        assert last.address == "http://example.org:81/a"
        with pytest.raises(NetworkClosed):
            check(Purpose.WEB_PAGE, "example.org")
        assert (ledger.last.port, ledger.last.address, ledger.last.via, ledger.last.note) == (0, "", "", "")


@pytest.mark.logs_warnings
def test_a_refused_request_stays_refused_when_the_refusal_cannot_be_recorded() -> None:
    class Full(ListLedger):
        def begin(self, request: NetworkRequest) -> int:
            raise LibraryError("The disk is full.")

    gate = EgressGate(Full(), lambda: ON, here=nowhere_is_here)
    for enter in (lambda: gate.enter(ASKED), lambda: asyncio.run(gate.enter_soon(ASKED))):
        with pytest.raises(NetworkClosed):
            enter()
    gate.close()


@pytest.mark.logs_warnings
def test_a_request_that_stays_on_this_machine_is_permitted_when_it_cannot_be_recorded() -> None:
    class Full(ListLedger):
        def begin(self, request: NetworkRequest) -> int:
            raise LibraryError("The disk is full.")

    gate = EgressGate(Full(), lambda: ON, here=is_here)
    assert not gate.enter(PendingRequest(Purpose.ANSWER, "localhost", 80)).leaves
    with pytest.raises(NetworkClosed):
        gate.enter(ASKED)
    gate.close()


@pytest.mark.parametrize(
    ("asked", "leaves"),
    [
        (PendingRequest(Purpose.ANSWER, "localhost"), False),
        (PendingRequest(Purpose.ANSWER, "example.org"), True),
        (PendingRequest(Purpose.ANSWER, "localhost", via="proxy.example.org:3128"), True),
        (PendingRequest(Purpose.ANSWER, "localhost", connected="93.184.216.34"), True),
        (PendingRequest(Purpose.ANSWER, "example.org", connected="127.0.0.1"), False),
        (PendingRequest(Purpose.TOOL_SERVER, "", address="serve"), True),
        (PendingRequest(Purpose.TOOL_SERVER, "", address="serve", confined=True), False),
    ],
)
def test_whether_a_request_leaves_this_machine_depends_on_the_address_it_connects_to(
    asked: PendingRequest, leaves: bool
) -> None:
    with kept_gate(here=is_here) as (gate, ledger):
        for enter in (gate.enter, lambda asked: asyncio.run(gate.enter_soon(asked))):
            passage = enter(asked)
            passage.done()
            gate.settle()
            assert (passage.leaves, ledger.last.is_here, ledger.last.via) == (leaves, not leaves, asked.via)


def test_enter_soon_permits_no_request_before_it_is_in_the_ledger_nor_in_offline_mode(
    opened: tuple[EgressGate, ListLedger], shut: tuple[EgressGate, ListLedger]
) -> None:
    gate, ledger = opened

    async def entered() -> NetworkOutcome:
        passage = await gate.enter_soon(ASKED)
        outcome = ledger.last.outcome
        passage.done()
        return outcome

    assert asyncio.run(entered()) is NetworkOutcome.UNDER_WAY
    with pytest.raises(NetworkClosed):
        asyncio.run(shut[0].enter_soon(ASKED))


def test_a_passage_ends_with_its_block_however_that_ends(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    with gate.enter(ASKED) as passage:
        passage.sent = 5
    gate.settle()
    assert (ledger.last.outcome, ledger.last.sent, ledger.last.note) == (NetworkOutcome.DONE, 5, "")
    with pytest.raises(TimeoutError), gate.enter(ASKED):
        raise TimeoutError
    gate.settle()
    assert (ledger.last.outcome, ledger.last.note) == (NetworkOutcome.FAILED, "TimeoutError")


def test_a_stream_that_is_no_longer_read_is_recorded_as_stopped(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    gate.enter(ASKED).failed(GeneratorExit())
    gate.settle()
    assert ledger.last.note == "It was stopped."


def test_a_note_is_one_line_and_both_it_and_an_address_are_cut_off(opened: tuple[EgressGate, ListLedger]) -> None:
    gate, ledger = opened
    gate.enter(PendingRequest(Purpose.WEB_PAGE, "example.org", address="https://example.org/" + "a" * 900)).done(
        note="two\n lines " + "b" * 900
    )
    gate.settle()
    assert ledger.last.note.startswith("two lines bbb")
    assert (len(ledger.last.note), len(ledger.last.address)) == (300, 500)


def test_bytes_that_cannot_be_seen_are_not_counted_and_no_network_is_noted(
    opened: tuple[EgressGate, ListLedger],
) -> None:
    gate, ledger = opened
    for confined, note in ((True, "It has no network."), (False, "It runs outside offline mode")):
        gate.enter(PendingRequest(Purpose.TOOL_SERVER, "", address="serve", seen=False, confined=confined)).done()
        gate.settle()
        assert (ledger.last.sent, ledger.last.received) == (None, None)
        assert ledger.last.note.startswith(note)
        assert (ledger.last.host, ledger.last.port, ledger.last.via) == ("", 0, "")
    gate.enter(ASKED).done()
    gate.settle()
    assert (ledger.last.sent, ledger.last.received, ledger.last.status) == (0, 0, None)


def test_how_long_a_request_took_is_written_in_milliseconds(
    opened: tuple[EgressGate, ListLedger], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, ledger = opened
    passage = gate.enter(ASKED)
    began = passage._began
    monkeypatch.setattr(time, "perf_counter", lambda: began + 1.23456)
    passage.done()
    gate.settle()
    assert ledger.last.milliseconds == pytest.approx(1234.6)


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("HTTPS://me@Example.org:8443/a;b?c#d", "https://Example.org:8443/a;b"),
        ("https://a@b@example.org/", "https://example.org/"),
        ("https://[broken/?secret", ""),
        ("serve --at https://example.org?x", "serve --at https://example.org?x"),
    ],
)
def test_an_address_is_kept_without_what_may_be_secret_and_a_command_as_it_is(
    opened: tuple[EgressGate, ListLedger], address: str, kept: str
) -> None:
    gate, ledger = opened
    gate.enter(PendingRequest(Purpose.WEB_PAGE, "example.org", address=address)).done()
    assert ledger.last.address == kept


def test_a_request_that_stays_on_this_machine_does_not_wait_for_the_ledger() -> None:
    may_go_on = threading.Event()

    class Slow(ListLedger):
        def begin(self, request: NetworkRequest) -> int:
            may_go_on.wait(60)
            return super().begin(request)

    async def entered(gate: EgressGate) -> None:
        (await gate.enter_soon(PendingRequest(Purpose.ANSWER, "localhost", 80))).done()
        await gate.check_soon(Purpose.ANSWER, "localhost")

    ledger = Slow()
    gate = EgressGate(ledger, here=is_here)
    asyncio.run(asyncio.wait_for(entered(gate), 10))
    assert not ledger.requests
    may_go_on.set()
    gate.close()
    assert ledger.last.outcome is NetworkOutcome.DONE


@pytest.mark.parametrize(
    ("allowed", "host", "port", "covered"),
    [
        (AllowedHost(PAGE_PURPOSES, "example.org"), "Example.org.", 443, True),
        (AllowedHost(PAGE_PURPOSES, "example.org"), "example.org", 80, True),
        (AllowedHost(PAGE_PURPOSES, "example.org"), "example.org", 8080, False),
        (AllowedHost(PAGE_PURPOSES, "example.org"), "www.example.org", 443, False),
        (AllowedHost(PAGE_PURPOSES, "example.org", 8080), "example.org", 443, False),
        (AllowedHost(PAGE_PURPOSES, "*.example.org"), "a.b.example.org", 443, True),
        (AllowedHost(PAGE_PURPOSES, "*.example.org"), "example.org", 443, False),
        (AllowedHost(PAGE_PURPOSES, "*.example.org"), "evilexample.org", 443, False),
        (AllowedHost(MODEL_PURPOSES, "example.org"), "example.org", 443, False),
    ],
)
def test_a_host_that_is_allowed_once_is_that_host_for_that_purpose(
    allowed: AllowedHost, host: str, port: int, covered: bool
) -> None:
    with kept_gate(lambda: ON) as (gate, _ledger):
        asked = PendingRequest(Purpose.WEB_PAGE, host, port)
        assert gate.allowing([allowed]).allows(asked) is gate.allowing([allowed]).allows_once(asked) is covered
        assert not gate.allowing([allowed]).allows(PendingRequest(Purpose.ANSWER, host, port))
        assert not gate.allows(PendingRequest(Purpose.WEB_PAGE, host, port))


def test_no_program_has_the_network_because_a_host_is_allowed_once() -> None:
    with kept_gate(lambda: ON) as (gate, _ledger):
        opened = gate.allowing([AllowedHost(PAGE_PURPOSES, "example.org")])
        assert not opened.allows(PendingRequest(Purpose.BROWSER, "", address="chromium"))


def test_a_one_time_permission_is_revoked_when_all_exceptions_are_revoked() -> None:
    gap = OfflineMode()
    with kept_gate(lambda: gap) as (gate, _ledger):
        opened = gate.allowing([AllowedHost(PAGE_PURPOSES, "example.org")])
        asked = PendingRequest(Purpose.WEB_PAGE, "example.org", 443)
        assert opened.allows(asked)
        gap = ON
        assert not opened.allows(asked)


def test_that_a_request_was_allowed_once_stays_in_the_ledger_where_it_fails() -> None:
    with kept_gate(lambda: ON) as (gate, ledger):
        passage = gate.allowing([AllowedHost(PAGE_PURPOSES, "example.org")]).enter(
            PendingRequest(Purpose.WEB_PAGE, "example.org", 443)
        )
        passage.failed("It broke off.")
        gate.settle()
        assert ledger.last.note == "It broke off. You allowed this host once."


def test_only_running_programs_that_are_no_longer_permitted_are_ended() -> None:
    gap, ended = OFF, []
    here = PendingRequest(Purpose.BROWSER, "localhost")
    with kept_gate(lambda: gap, here=is_here) as (gate, _ledger):
        with gate.running(here, lambda: ended.append("here")), gate.running(ASKED, lambda: ended.append("elsewhere")):
            gate.enforce()
            assert ended == []
            gap = ON
            gate.enforce()
            assert ended == ["elsewhere"]
        gate.enforce()
    assert ended == ["elsewhere"]
