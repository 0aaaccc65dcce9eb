"""Presenter of the network ledger: lists, follows and exports requests; works without a window."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.language import mark, tr, trn
from workbench.model.egress import NetworkFilter, NetworkOutcome, NetworkPage, NetworkRequest, NetworkTotals
from workbench.ui.bridge import Bridge
from workbench.ui.network.model import RequestModel

if TYPE_CHECKING:
    from workbench.model.egress import HostTotal
    from workbench.model.hit import Hit
    from workbench.operations import Library

PAGE = 200
"""Number of requests that are read from the ledger at a time."""
SOON_MS = 300
"""Milliseconds after a request began or ended: a model's answer makes one request, a page's pictures make fifty."""
_PAUSE = 4
"""Pause before the next update, as a multiple of the last duration: summing 100,000 requests takes part of a second."""


class RequestScope(StrEnum):
    """Filter of the listed requests."""

    ALL = mark("All requests")
    AWAY = mark("To other computers")
    HERE = mark("Within this computer")
    REFUSED = mark("Refused by offline mode")


_NARROWED = {
    RequestScope.ALL: NetworkFilter(),
    RequestScope.AWAY: NetworkFilter(outside=True),
    RequestScope.HERE: NetworkFilter(outside=False),
    RequestScope.REFUSED: NetworkFilter(outcome=NetworkOutcome.REFUSED),
}


class NetworkPresenter(QObject):
    """Presenter that reads the ledger page by page, and updates the newest page while the pane is visible.

    Attributes:
        model: The item model of the rows.
        totals: The sums of the whole ledger.
        hosts: The sums of each host, as HostTotal, other machines first.
        matching: The number of requests that pass the filter.

    Signals:
        listed: The rows match the filter now.
        summed: The totals and the hosts of the whole ledger were updated.
        passages_found: A NetworkRequest, and the Hits of the passages that were sent with it.
        notified: A message, and whether it can be undone.
        failed: An error and its details.
    """

    listed = Signal()
    summed = Signal()
    passages_found = Signal(object, object)
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self.model = RequestModel(self)
        self.totals = NetworkTotals()
        self.hosts: tuple[HostTotal, ...] = ()
        self.matching = 0
        self._where, self._text = RequestScope.ALL, ""
        self._is_visible = False
        self._is_reading = False
        self._turn = 0
        self._began = 0.0
        self._update_timer = QTimer(self)
        self._update_timer.setSingleShot(True)
        self._update_timer.setInterval(SOON_MS)
        self._update_timer.timeout.connect(self._read_newest)
        self.model.more_wanted.connect(self._on_more_wanted)
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def is_narrowed(self) -> bool:
        """True if a filter is set."""
        return self._where is not RequestScope.ALL or bool(self._text)

    def set_library(self, library: Library | None) -> None:
        """Show the ledger of another library, or none."""
        self._library = library
        self._update_timer.stop()
        self._forget()
        if self._is_visible:
            self.refresh()

    def see(self, seen: bool) -> None:
        """Set whether the pane is visible; the ledger is not read while it is hidden."""
        was_seen, self._is_visible = self._is_visible, seen
        if seen and not was_seen:
            self.refresh()

    def narrow(self, where: RequestScope) -> None:
        """List only the requests of a scope."""
        if where is not self._where:
            self._where = where
            self.refresh()

    @Slot(str)
    def search(self, text: str) -> None:
        """List only requests with a text in their host, address or note."""
        if text.strip() != self._text:
            self._text = text.strip()
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the newest page again; older ones are read again on scrolling."""
        self._turn += 1
        self._is_reading = False
        self._read(self._on_first)
        self._sum_up()

    def show_passages(self, request: NetworkRequest) -> None:
        """Request the passages that were sent with a request."""
        if self._library is not None and request.chunks:
            self._bridge.submit(
                operations.passages_sent(self._library, request.id),
                done=partial(self._on_passages, request),
                failed=self.failed.emit,
            )

    def export(self, path: Path) -> None:
        """Write all requests that pass the filter to a file, in the format of its suffix."""
        if self._library is not None:
            self._bridge.submit(
                operations.export_network_requests(self._library, path, wanted=_make_filter(self._where, self._text)),
                done=partial(self._on_exported, path),
                failed=self.failed.emit,
            )

    def clear(self) -> None:
        """Remove every request from the ledger; this cannot be undone."""
        if self._library is not None:
            self._bridge.submit(
                operations.clear_network_requests(self._library), done=self._on_cleared, failed=self.failed.emit
            )

    def _forget(self) -> None:
        self._turn += 1
        self.model.show((), None)
        self.matching = 0
        self.totals, self.hosts = NetworkTotals(), ()
        self.listed.emit()
        self.summed.emit()

    def _read(self, done: Callable[[int, NetworkPage], None], before: int | None = None) -> None:
        """Read a page; a change of the filter meanwhile discards it."""
        if self._library is not None:
            wanted = _make_filter(self._where, self._text)
            reading = operations.list_network_requests(self._library, wanted, before=before, limit=PAGE)
            self._bridge.submit(reading, done=partial(done, self._turn), failed=self.failed.emit)

    def _sum_up(self) -> None:
        """Read the sums of the whole ledger; without a filter its totals come with the page of the list."""
        if self._library is None:
            return
        self._began = time.perf_counter()
        readings: list[tuple[Any, Callable[[int, Any], None]]] = [
            (operations.network_hosts(self._library), self._on_hosts)
        ]
        if self.is_narrowed:
            readings.append((operations.list_network_requests(self._library, limit=1), self._on_totals))
        for reading, done in readings:
            self._bridge.submit(reading, done=partial(done, self._turn), failed=self.failed.emit)

    def _on_first(self, turn: int, page: NetworkPage) -> None:
        if turn == self._turn:
            self.model.show(page.requests, page.older)
            self._take(page)

    def _on_newest(self, turn: int, page: NetworkPage) -> None:
        if turn == self._turn:
            self.model.merge(page.requests, page.older)
            self._take(page)

    def _on_older(self, turn: int, page: NetworkPage) -> None:
        if turn == self._turn:
            self._is_reading = False
            self.model.extend(page.requests, page.older)

    def _take(self, page: NetworkPage) -> None:
        self.matching = page.totals.requests
        self.listed.emit()
        if not self.is_narrowed:
            self._on_totals(self._turn, page)

    def _on_totals(self, turn: int, page: NetworkPage) -> None:
        if turn == self._turn:
            self.totals = page.totals
            self.summed.emit()

    def _on_hosts(self, turn: int, hosts: tuple[HostTotal, ...]) -> None:
        if turn == self._turn:
            self.hosts = hosts
            self._update_timer.setInterval(max(SOON_MS, round(_PAUSE * 1000 * (time.perf_counter() - self._began))))
            self.summed.emit()

    def _on_passages(self, request: NetworkRequest, hits: tuple[Hit, ...]) -> None:
        missing = len(request.chunks) - len(hits)
        if hits:
            self.passages_found.emit(request, hits)
        if missing:
            sentence = trn(
                "{n:,} passage sent is no longer in the library.",
                "{n:,} passages sent are no longer in the library.",
                missing,
            )
            self.notified.emit(sentence, False)

    def _on_exported(self, path: Path, number: int) -> None:
        requests = trn("{n:,} request", "{n:,} requests", number)
        self.notified.emit(tr("Exported {requests} to {path}", requests=requests, path=path), False)

    def _on_cleared(self, number: int) -> None:
        self.refresh()
        self.notified.emit(
            trn("{n:,} request removed from the list.", "{n:,} requests removed from the list.", number), False
        )

    @Slot()
    def _on_more_wanted(self) -> None:
        # Once per page: the view requests more for every row that it comes near.
        if not self._is_reading:
            self._is_reading = True
            self._read(self._on_older, before=self.model.older)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, NetworkRequest) and self._is_visible and not self._update_timer.isActive():
            self._update_timer.start()

    @Slot()
    def _read_newest(self) -> None:
        if self._is_visible:
            self._read(self._on_newest)
            self._sum_up()


def _make_filter(where: RequestScope, text: str) -> NetworkFilter:
    return replace(_NARROWED[where], text=text)
