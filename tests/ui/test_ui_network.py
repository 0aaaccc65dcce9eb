"""Network pane: listed and summed, updated live, searched, opened, exported and cleared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import clipped
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, FakeJob, fake_operations
from ui_network import FAR, ON, hosts, page, request
from ui_runs import hit

from workbench.model.egress import NetworkFilter, NetworkOutcome, NetworkRequest, Purpose
from workbench.ui.network.model import RequestColumn, RequestModel, passages_words, spoken, tool_tip
from workbench.ui.network.offline_mode import OfflineModePresenter
from workbench.ui.network.pane import NetworkPane
from workbench.ui.network.presenter import PAGE, NetworkPresenter, RequestScope
from workbench.ui.theme import Theme

HERE = request(1, host="127.0.0.1", port=11434, is_here=True, address="http://127.0.0.1:11434/v1", chunks=())
REFUSED = request(2, host="example.org", purpose=Purpose.WEB_PAGE, outcome=NetworkOutcome.REFUSED, sent=0, chunks=())
LEFT = request(3)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge) -> NetworkPresenter:
    made = NetworkPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    return made


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, presenter: NetworkPresenter) -> Iterator[NetworkPane]:
    offline_mode = OfflineModePresenter(bridge)  # type: ignore[arg-type]
    offline_mode.set_library(object())  # type: ignore[arg-type]
    bridge.last("offline_mode_state").succeed(ON)
    made = NetworkPane(presenter, offline_mode, Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(900, 420)
    made.show()
    presenter.see(True)
    yield made
    presenter.see(False)


def pages_asked(bridge: FakeBridge) -> list[FakeJob]:
    """Return the requested pages, without requests that need only the totals."""
    return [job for job in bridge.jobs if job.name == "list_network_requests" and job.kwargs["limit"] == PAGE]


def fill(bridge: FakeBridge, *requests: NetworkRequest, older: int | None = None) -> None:
    """Answer the last request with these network requests, newest first."""
    pages_asked(bridge)[-1].succeed(page(*requests, older=older))
    bridge.last("network_hosts").succeed(hosts(*requests))


def shown(presenter: NetworkPresenter) -> list[int]:
    model = presenter.model
    found = (model.request(model.index(row, 0)) for row in range(model.rowCount()))
    return [one.id for one in found if one is not None]


def test_the_ledger_is_not_read_while_it_is_not_shown(bridge: FakeBridge, presenter: NetworkPresenter) -> None:
    bridge.publish(LEFT)
    assert not bridge.jobs
    presenter.see(True)
    assert len(pages_asked(bridge)) == 1
    presenter.see(False)


def test_a_request_that_starts_or_ends_meanwhile_is_read_at_once_and_updates_only_its_row(
    qtbot: QtBot, bridge: FakeBridge, presenter: NetworkPresenter
) -> None:
    presenter.see(True)
    under_way = request(4, outcome=NetworkOutcome.UNDER_WAY, status=None)
    fill(bridge, under_way, LEFT)
    bridge.publish(request(4))
    with qtbot.waitSignal(presenter.model.dataChanged) as changed:
        qtbot.waitUntil(lambda: len(pages_asked(bridge)) == 2)
        fill(bridge, request(5), request(4), LEFT)
    assert changed.args[0].row() == changed.args[1].row() == 0
    assert shown(presenter) == [5, 4, 3]
    presenter.see(False)


def test_older_requests_are_read_as_one_scrolls_and_never_twice_at_a_time(
    bridge: FakeBridge, presenter: NetworkPresenter
) -> None:
    presenter.see(True)
    fill(bridge, request(9), request(8), older=8)
    assert presenter.model.canFetchMore()
    presenter.model.fetchMore(presenter.model.index(-1, 0))
    presenter.model.fetchMore(presenter.model.index(-1, 0))
    assert [job.kwargs["before"] for job in pages_asked(bridge)] == [None, 8]
    pages_asked(bridge)[-1].succeed(page(request(7), request(6)))
    assert shown(presenter) == [9, 8, 7, 6]
    assert not presenter.model.canFetchMore()


def test_when_more_came_than_a_page_holds_nothing_between_is_missing(
    bridge: FakeBridge, presenter: NetworkPresenter
) -> None:
    model = RequestModel()
    model.show([request(9), request(8)], None)
    model.merge([request(30), request(29)], 29)
    assert model.rowCount() == 2
    assert model.older == 29


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (RequestScope.AWAY, NetworkFilter(outside=True)),
        (RequestScope.HERE, NetworkFilter(outside=False)),
        (RequestScope.REFUSED, NetworkFilter(outcome=NetworkOutcome.REFUSED)),
    ],
)
def test_the_list_is_narrowed_and_the_sums_are_still_those_of_everything(
    bridge: FakeBridge, presenter: NetworkPresenter, where: RequestScope, wanted: NetworkFilter
) -> None:
    presenter.see(True)
    fill(bridge, LEFT, REFUSED, HERE)
    presenter.narrow(where)
    assert pages_asked(bridge)[-1].args == (wanted,)
    pages_asked(bridge)[-1].succeed(page(REFUSED))
    assert shown(presenter) == [2]
    assert presenter.totals.requests == 3


def test_an_answer_to_what_is_no_longer_asked_for_is_ignored(bridge: FakeBridge, presenter: NetworkPresenter) -> None:
    presenter.see(True)
    late = pages_asked(bridge)[-1]
    presenter.search("example.org")
    pages_asked(bridge)[-1].succeed(page(REFUSED))
    late.succeed(page(LEFT, REFUSED, HERE))
    assert shown(presenter) == [2]


def test_an_empty_ledger_shows_that_nothing_has_left_the_computer(bridge: FakeBridge, pane: NetworkPane) -> None:
    fill(bridge)
    assert pane.is_empty
    assert pane.text == "Nothing has left this computer"
    assert "Offline mode is on" in pane.bar.text


def test_the_totals_show_what_left_the_computer_and_what_did_not(bridge: FakeBridge, pane: NetworkPane) -> None:
    fill(bridge, HERE)
    assert pane.text.startswith("Nothing has left this computer 1 request stayed on this computer")
    fill(bridge, LEFT, REFUSED, HERE)
    assert pane.text.startswith("4.0 KB left this computer 1 request with 2 passages · 512 bytes received")
    assert "1 refused" in pane.text


def test_the_traffic_diagram_has_a_text_description_and_a_click_lists_the_requests_of_a_host(
    qtbot: QtBot, bridge: FakeBridge, pane: NetworkPane
) -> None:
    fill(bridge, LEFT, REFUSED, HERE)
    assert [one.host for one in pane.picture.hosts] == [FAR, "example.org", "127.0.0.1"]
    described = pane.picture.accessibleDescription()
    assert f"{FAR}: 1 request, 4.0 KB sent, 512 bytes received" in described
    assert "example.org: 1 request, 1 refused" in described
    ground = pane.picture._ground
    place = QPoint(round(ground.border) + 40, round(ground.middle(0)))
    for typed in (FAR, ""):
        qtbot.mouseClick(pane.picture, Qt.MouseButton.LeftButton, pos=place)
        assert pages_asked(bridge)[-1].args == (NetworkFilter(text=typed),)


def test_many_hosts_share_a_line(pane: NetworkPane) -> None:
    many = [request(number, host=f"host{number}.example.com", sent=number) for number in range(1, 12)]
    pane.picture.show_hosts(hosts(*many))
    assert [one.sent for one in pane.picture.hosts] == [11, 10, 9, 8, 7]
    assert pane.picture.accessibleDescription().endswith("and 6 more")


def test_one_click_and_one_key_open_what_went_with_a_request(
    qtbot: QtBot, bridge: FakeBridge, pane: NetworkPane, presenter: NetworkPresenter
) -> None:
    fill(bridge, LEFT, HERE)
    found: list[tuple[Any, ...]] = []
    presenter.passages_found.connect(lambda *args: found.append(args))
    table = pane.table
    cell = table.visualRect(presenter.model.index(0, RequestColumn.PASSAGES)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    jobs = [job for job in bridge.jobs if job.name == "passages_sent"]
    assert [job.args for job in jobs] == [(3,), (3,)]
    with qtbot.waitSignal(presenter.notified) as said:
        jobs[0].succeed((hit(1),))
    assert found == [(LEFT, (hit(1),))]
    assert said.args[0] == "1 passage sent is no longer in the library."
    table.setCurrentIndex(presenter.model.index(1, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert len([job for job in bridge.jobs if job.name == "passages_sent"]) == 2


def test_a_narrow_pane_leaves_out_columns_and_cuts_no_words(
    qtbot: QtBot, bridge: FakeBridge, pane: NetworkPane
) -> None:
    fill(bridge, LEFT, REFUSED, HERE)
    for width, hidden in (
        (1700, set()),
        (430, {RequestColumn.DURATION, RequestColumn.RECEIVED, RequestColumn.OUTCOME, RequestColumn.PURPOSE}),
    ):
        pane.resize(width, 420)
        qtbot.waitUntil(
            lambda hidden=hidden: {one for one in RequestColumn if pane.table.isColumnHidden(one)} == hidden
        )
        assert clipped(pane) == []
    assert nameless(pane) == []


def test_where_there_is_no_room_for_both_the_rows_are_seen_and_not_the_picture(
    qtbot: QtBot, bridge: FakeBridge, pane: NetworkPane
) -> None:
    def rows_begin() -> int:
        return pane.table.viewport().mapTo(pane, pane.table.viewport().rect().topLeft()).y()

    fill(bridge, LEFT, REFUSED, HERE)
    for height, seen in ((420, True), (260, False), (420, True)):
        pane.resize(430, height)
        qtbot.waitUntil(lambda seen=seen: pane.picture.isVisible() is seen)
        qtbot.waitUntil(lambda height=height: rows_begin() + 2 * pane.table.rowHeight(0) < height)


def test_of_a_hundred_thousand_requests_only_those_in_sight_are_asked_for(
    qtbot: QtBot, bridge: FakeBridge, pane: NetworkPane, presenter: NetworkPresenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bridge, LEFT)
    one = request()
    presenter.model.show([NetworkRequest(number, one.at, one.purpose, FAR) for number in range(100_000, 0, -1)], None)
    asked: set[int] = set()
    plain = RequestModel.request

    def counted(model: RequestModel, index: Any) -> NetworkRequest | None:
        asked.add(index.row())
        return plain(model, index)

    monkeypatch.setattr(RequestModel, "request", counted)
    pane.table.scrollToBottom()
    pane.table.repaint()
    assert 99_999 in asked
    assert len(asked) < 100


def test_clearing_asks_first_and_exporting_names_the_file_by_its_kind(
    bridge: FakeBridge, pane: NetworkPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bridge, LEFT)
    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "exec", lambda _box: answers.pop(0))
    csv, _jsonl, _line, clear = pane.menu().actions()
    clear.trigger()
    assert not bridge.has("clear_network_requests")
    clear.trigger()
    bridge.last("clear_network_requests").succeed(1)
    fill(bridge)
    assert pane.is_empty
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: ("/papers/ledger", ""))
    pane.search.setText(FAR)
    pane._on_typed()
    csv.trigger()
    exported = bridge.last("export_network_requests")
    assert exported.args == (Path("/papers/ledger.csv"),)
    assert exported.kwargs == {"wanted": NetworkFilter(text=FAR)}


def test_the_texts_of_a_request_row_include_all_its_details() -> None:
    failed = request(outcome=NetworkOutcome.FAILED, status=503, note="It was stopped.", via="proxy.example.com:3128")
    assert "Sent 4.0 KB, received 512 bytes" in tool_tip(failed)
    assert "Failed (503)" in tool_tip(failed)
    assert "Through the proxy proxy.example.com:3128" in tool_tip(failed)
    assert "this computer" in spoken(HERE)
    assert "Refused by offline mode" in spoken(REFUSED)
    program = request(host="", address="files --root", sent=None, received=None, chunks=())
    assert "cannot be measured" in tool_tip(program)
    assert passages_words(request(chunks=(1,))) == "1 passage"
