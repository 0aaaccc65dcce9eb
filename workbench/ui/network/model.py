"""Item model of the requests in the network ledger, the columns of their table, and the wording of requests."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.language import mark, tr, translate, trn
from workbench.model.egress import (
    OUTCOMES,
    PURPOSES,
    NetworkNeed,
    NetworkOutcome,
    NetworkRequest,
    NetworkTotals,
    NetworkUse,
    OfflineMode,
    OfflineModeChoice,
)
from workbench.model.visible import visible_name
from workbench.ui.chat.run_wording import milliseconds
from workbench.ui.library.document_wording import join_with_commas, size_words
from workbench.ui.localisation import day_and_time, time_to_the_second

_UNSEEN = "–"
"""Text for bytes that cannot be counted: those of a program that is started, or of a database driver."""
_BAD_STATUS = 400
NOTHING_LEFT = mark("Nothing has left this computer")
NOTHING_LEFT_ABOUT = mark(
    "Everything this program sends over the network is listed here: when, where, how much, and with which passages."
)


def purpose_words(request: NetworkRequest) -> str:
    """Return the purpose of a request."""
    return tr(PURPOSES[request.purpose])


def moment_words(request: NetworkRequest) -> str:
    """Return the start of a request: the time of today, else also the day."""
    today = datetime.now(UTC).astimezone().date()
    began = datetime.fromisoformat(request.at).astimezone()
    return time_to_the_second(began) if began.date() == today else day_and_time(began, year=began.year != today.year)


def host_words(request: NetworkRequest) -> str:
    """Return the target of a request: a host, with its port if it is this machine, or a program."""
    if request.is_program:
        return visible_name(request.address)
    host = visible_name(request.host)
    return f"{host}:{request.port}" if request.is_here and request.port else host


def bytes_words(size: int | None) -> str:
    """Return a rounded number of bytes; a dash if it is unknown."""
    if size is None:
        return _UNSEEN
    return size_words(size) if size else "0"


def sent_words(request: NetworkRequest) -> str:
    """Return the amount that was sent; empty if the request was refused."""
    return "" if request.outcome is NetworkOutcome.REFUSED else bytes_words(request.sent)


def received_words(request: NetworkRequest) -> str:
    """Return the amount that was received; empty if the request was refused."""
    return "" if request.outcome is NetworkOutcome.REFUSED else bytes_words(request.received)


def outcome_words(request: NetworkRequest) -> str:
    """Return the outcome of a request, with the status code of the server if it is an error."""
    words = tr(OUTCOMES[request.outcome])
    if request.status is not None and request.status >= _BAD_STATUS:
        return f"{words} ({request.status})"
    return words


def duration_words(request: NetworkRequest) -> str:
    """Return the duration of a request; empty while it is running."""
    return milliseconds(request.milliseconds) if request.milliseconds else ""


def passages_words(request: NetworkRequest) -> str:
    """Return the number of passages that were sent with a request; empty for none."""
    number = len(request.chunks)
    return trn("{n:,} passage", "{n:,} passages", number) if number else ""


def tool_tip(request: NetworkRequest) -> str:
    """Return all details of a request, one per line."""
    lines = [f"{purpose_words(request)} · {day_and_time(request.at)}", visible_name(request.address)]
    if request.outcome is not NetworkOutcome.REFUSED and request.sent is not None:
        sent, received = bytes_words(request.sent), bytes_words(request.received)
        lines.append(tr("Sent {sent}, received {received}", sent=sent, received=received))
    elif request.sent is None:
        lines.append(tr("Its traffic cannot be measured."))
    lines.append(
        join_with_commas([outcome_words(request), *filter(None, [duration_words(request), passages_words(request)])])
    )
    if request.via:
        lines.append(tr("Through the proxy {proxy}", proxy=request.via))
    return "\n".join(filter(None, [*lines, translate(request.note)]))


def spoken(request: NetworkRequest) -> str:
    """Return the text of a row for screen readers."""
    where = tr("this computer") if request.is_here else host_words(request)
    sent = tr("{size} sent", size=sent_words(request)) if request.sent else ""
    parts = [moment_words(request), purpose_words(request), where, outcome_words(request), sent]
    return join_with_commas(filter(None, [*parts, passages_words(request)]))


def headline(totals: NetworkTotals) -> str:
    """Return a line on the amount that has left this machine."""
    if not totals.outside:
        return tr(NOTHING_LEFT)
    return tr("{size} left this computer", size=size_words(totals.sent))


def totals_words(totals: NetworkTotals) -> str:
    """Return the line with the sums below the headline."""
    parts = []
    if totals.outside:
        requests = trn("{n:,} request", "{n:,} requests", totals.outside)
        passages = trn("{n:,} passage", "{n:,} passages", totals.chunks)
        with_passages = tr("{requests} with {passages}", requests=requests, passages=passages)
        parts += [with_passages if totals.chunks else requests]
        parts += [tr("{size} received", size=bytes_words(totals.received))]
    here = totals.requests - totals.outside - totals.refused
    if here:
        parts.append(trn("{n:,} request stayed on this computer", "{n:,} requests stayed on this computer", here))
    if totals.refused:
        parts.append(tr("{n:,} refused", n=totals.refused))
    return " · ".join(parts)


def state_words(state: OfflineMode) -> str:
    """Return a short description of the state of offline mode."""
    if state.is_shut:
        return tr("Offline mode is on")
    return tr("Offline mode is on, with exceptions") if state.is_on else tr("Offline mode is off")


def switch_words(state: OfflineMode) -> tuple[str, str]:
    """Return the text of the offline mode switch, and the one for screen readers."""
    if not state.is_on:
        return tr("Turn on"), tr("Turn on offline mode")
    if state.exceptions:
        return tr("Block everything"), tr("Turn on offline mode without exceptions")
    if opens_by_exceptions(state):
        return opening_words(state), tr("Make exceptions to offline mode for the services you set up")
    return tr("Turn off"), tr("Turn off offline mode")


def opens_by_exceptions(state: OfflineMode | None) -> bool:
    """Return whether the next step that opens offline mode is to allow what was set up."""
    return state is not None and state.is_shut and bool(state.needs)


def opening_words(state: OfflineMode | None) -> str:
    """Return the text of a button that opens offline mode further."""
    return tr("Allow these services") if opens_by_exceptions(state) else tr("Turn off offline mode")


def why_words(state: OfflineMode) -> str:
    """Return the reason why offline mode is on, or the list of what may leave."""
    if not state.is_shut:
        return where_words(state)
    if state.choice is OfflineModeChoice.ON:
        return tr("Nothing leaves this computer.")
    if not state.at_home:
        return _new_here_words(state.needs)
    return tr("Nothing that needs the network is set up.")


def where_words(state: OfflineMode) -> str:
    """Return a sentence on what may leave this machine, and where to."""
    ways = _describe_needs(state.needs)
    if state.is_on:
        return tr("Allowed to leave: {ways}. Nothing else.", ways=ways)
    if not ways:
        return tr("Web pages and models are downloaded when you ask for them. Nothing else is set up to be sent.")
    return tr("Allowed to leave: {ways}, and whatever you ask for.", ways=ways)


def _new_here_words(needs: Iterable[NetworkNeed]) -> str:
    ways = _describe_needs(needs)
    if not ways:
        return tr("This library is new on this computer and needs no network.")
    return tr("This library is new on this computer. It would like to send: {ways}.", ways=ways)


def _describe_needs(needs: Iterable[NetworkNeed]) -> str:
    return join_with_commas(dict.fromkeys(map(_describe_need, needs)))


def _describe_need(need: NetworkNeed) -> str:
    match need.use:
        case NetworkUse.PROFILE:
            return tr("questions and found passages to {host}", host=need.host or need.name)
        case NetworkUse.RERANKING:
            return tr("passages for reranking to {host}", host=need.host)
        case NetworkUse.VECTOR_STORE:
            return tr("vectors of passages and questions to {host}", host=need.host)
        case NetworkUse.SHARED_LIBRARY:
            return tr(
                "questions and documents of the shared library “{name}” to {host}", name=need.name, host=need.host
            )
        case NetworkUse.EMBEDDING:
            return tr("passages and questions to be embedded to {host}", host=need.host)
        case NetworkUse.WEB_SEARCH:
            return tr("search terms of tools to {host}", host=need.host)
        case NetworkUse.TOOL_SERVER if need.program:
            return tr("anything the tool server program “{name}” sends (not recorded)", name=need.name)
        case NetworkUse.TOOL_SERVER:
            return tr("requests to the tool server “{name}” at {host}", name=need.name, host=need.host)
        case NetworkUse.TOOLS:
            return tr("requests from tools")
        case NetworkUse.RELEASE_FEED:
            return tr("one request a day for the newest version to {host}", host=need.host)


def switched_words(state: OfflineMode, under_way: int) -> str:
    """Return the effect of switching offline mode: on running requests, or on what may leave now."""
    if not state.is_shut:
        return tr("{first} {second}", first=translate(state.sentence), second=where_words(state))
    if not under_way:
        return translate(state.sentence)
    still = trn(
        "{n:,} running request will finish; no new ones will start.",
        "{n:,} running requests will finish; no new ones will start.",
        under_way,
    )
    return tr("{first} {second}", first=translate(state.sentence), second=still)


AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
REQUEST_ROLE = Qt.ItemDataRole.UserRole + 1
_NUMBER = attrgetter("id")


class RequestModel(QAbstractTableModel):
    """Item model that loads older rows on scrolling: 100,000 of them would take 60 MB.

    Signals:
        more_wanted: The view reached the oldest row that was read, and there are older ones.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Oldest first, so that a new request is appended: the last one is row 0.
        self._requests: list[NetworkRequest] = []
        self._older: int | None = None

    @property
    def older(self) -> int | None:
        """Identifier below which there are more requests; None if all were read."""
        return self._older

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._requests)

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(RequestColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        kind = KINDS[RequestColumn(section)]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return tr(kind.title)
            case Qt.ItemDataRole.TextAlignmentRole if kind.is_number:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        request = self.request(index)
        if request is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return KINDS[RequestColumn(index.column())].text(request)
            case Qt.ItemDataRole.ToolTipRole:
                return tool_tip(request)
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(request) if index.column() == 0 else KINDS[RequestColumn(index.column())].text(request)
            case _ if role == REQUEST_ROLE:
                return request
        return None

    def request(self, index: AnyIndex) -> NetworkRequest | None:
        """Return the request of a row; None for an invalid index."""
        if not index.isValid() or not 0 <= index.row() < len(self._requests):
            return None
        return self._requests[-1 - index.row()]

    def canFetchMore(self, parent: AnyIndex = ROOT) -> bool:
        return not parent.isValid() and self._older is not None

    def fetchMore(self, parent: AnyIndex) -> None:
        if self.canFetchMore(parent):
            self.more_wanted.emit()

    def show(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Replace all rows.

        Args:
            requests: The requests, newest first.
            older: The identifier below which there are more; None for none.
        """
        self.beginResetModel()
        self._requests = [*reversed(requests)]
        self._older = older
        self.endResetModel()

    def extend(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Add older requests below the present ones, newest first."""
        self._older = older
        if requests:
            first = len(self._requests)
            self.beginInsertRows(ROOT, first, first + len(requests) - 1)
            self._requests[:0] = reversed(requests)
            self.endInsertRows()

    def merge(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Update the newest requests, and keep those that were read before below them.

        Args:
            requests: The newest requests in the ledger, newest first.
            older: The identifier below which there are more than these.
        """
        newest = self._requests[-1].id if self._requests else 0
        if not requests or (older is not None and requests[-1].id > newest):
            # There are more new requests than were read: those between would be missing.
            self.show(requests, older)
            return
        new = [request for request in requests if request.id > newest]
        for request in requests[len(new) :]:
            self._change(request)
        if new:
            self.beginInsertRows(ROOT, 0, len(new) - 1)
            self._requests += reversed(new)
            self.endInsertRows()

    def _change(self, request: NetworkRequest) -> None:
        place = bisect_left(self._requests, request.id, key=_NUMBER)
        known = self._requests[place] if place < len(self._requests) else None
        if known is not None and known.id == request.id and known != request:
            self._requests[place] = request
            row = len(self._requests) - 1 - place
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(RequestColumn) - 1))


class RequestColumn(IntEnum):
    """Columns of the table from left to right."""

    TIME = 0
    PURPOSE = 1
    HOST = 2
    SENT = 3
    RECEIVED = 4
    OUTCOME = 5
    DURATION = 6
    PASSAGES = 7


@dataclass(frozen=True, slots=True)
class RequestColumnKind:
    """Heading and text of a column.

    Attributes:
        title: Heading, marked for translation.
        longest: Approximate length of its longest text in average letters, from which its width is computed.
        is_number: Whether its texts are right-aligned.
    """

    title: str
    text: Callable[[NetworkRequest], str]
    longest: int
    is_number: bool = False


KINDS: dict[RequestColumn, RequestColumnKind] = {
    RequestColumn.TIME: RequestColumnKind(mark("Time"), moment_words, 11),
    RequestColumn.PURPOSE: RequestColumnKind(mark("Purpose"), purpose_words, 17),
    RequestColumn.HOST: RequestColumnKind(mark("Destination"), host_words, 17),
    RequestColumn.SENT: RequestColumnKind(mark("Sent"), sent_words, 8, is_number=True),
    RequestColumn.RECEIVED: RequestColumnKind(mark("Received"), received_words, 8, is_number=True),
    RequestColumn.OUTCOME: RequestColumnKind(mark("Result"), outcome_words, 17),
    RequestColumn.DURATION: RequestColumnKind(mark("Duration"), duration_words, 6, is_number=True),
    RequestColumn.PASSAGES: RequestColumnKind(mark("Passages"), passages_words, 10),
}
LEFT_OUT = (RequestColumn.DURATION, RequestColumn.RECEIVED, RequestColumn.OUTCOME, RequestColumn.PURPOSE)
"""Columns that a narrow table hides, in this order; icon and tool tip contain the same information."""
