"""Item model of the requests in the network ledger, and the columns of their table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.language import mark, tr
from workbench.model.egress import NetworkRequest
from workbench.ui.network import request_wording
from workbench.ui.network.request_wording import spoken, tool_tip

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
REQUEST_ROLE = Qt.ItemDataRole.UserRole + 1
_NUMBER = attrgetter("id")


class RequestModel(QAbstractTableModel):
    """The newest rows are there at once, older ones as one scrolls: 100,000 of them would take 60 MB.

    Signals:
        more_wanted: The view has come to the oldest row that was read, and there are older ones.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # The oldest first, so that a new one is put at the end: the last of them is row 0.
        self._requests: list[NetworkRequest] = []
        self._older: int | None = None

    @property
    def older(self) -> int | None:
        """The number below which there are more requests; None where all were read."""
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
        """Return the request of a row; None for no row."""
        if not index.isValid() or not 0 <= index.row() < len(self._requests):
            return None
        return self._requests[-1 - index.row()]

    def canFetchMore(self, parent: AnyIndex = ROOT) -> bool:
        return not parent.isValid() and self._older is not None

    def fetchMore(self, parent: AnyIndex) -> None:
        if self.canFetchMore(parent):
            self.more_wanted.emit()

    def show(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Show these and no others.

        Args:
            requests: The newest first.
            older: Below which number there are more; None for none.
        """
        self.beginResetModel()
        self._requests = [*reversed(requests)]
        self._older = older
        self.endResetModel()

    def extend(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Show older ones below those that are shown, the newest of them first."""
        self._older = older
        if requests:
            first = len(self._requests)
            self.beginInsertRows(ROOT, first, first + len(requests) - 1)
            self._requests[:0] = reversed(requests)
            self.endInsertRows()

    def merge(self, requests: Sequence[NetworkRequest], older: int | None) -> None:
        """Show what the newest ones are now; what was read before stays below them.

        Args:
            requests: The newest that there are, the newest first.
            older: Below which number there are more than these.
        """
        newest = self._requests[-1].id if self._requests else 0
        if not requests or (older is not None and requests[-1].id > newest):
            # More have come than were read now: what lies between would be missing.
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
    """The columns, from left to right."""

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
    """How a column is headed, and what it says of a request.

    Attributes:
        title: Its heading, to be translated.
        longest: About the longest that it says, in letters of the usual width: what its own width is made of.
        is_number: Its texts stand at the right.
    """

    title: str
    text: Callable[[NetworkRequest], str]
    longest: int
    is_number: bool = False


KINDS: dict[RequestColumn, RequestColumnKind] = {
    RequestColumn.TIME: RequestColumnKind(mark("Time"), request_wording.moment_words, 11),
    RequestColumn.PURPOSE: RequestColumnKind(mark("What for"), request_wording.purpose_words, 17),
    RequestColumn.HOST: RequestColumnKind(mark("Where to"), request_wording.host_words, 17),
    RequestColumn.SENT: RequestColumnKind(mark("Sent"), request_wording.sent_words, 8, is_number=True),
    RequestColumn.RECEIVED: RequestColumnKind(mark("Received"), request_wording.received_words, 8, is_number=True),
    RequestColumn.OUTCOME: RequestColumnKind(mark("Outcome"), request_wording.outcome_words, 17),
    RequestColumn.DURATION: RequestColumnKind(mark("Took"), request_wording.duration_words, 6, is_number=True),
    RequestColumn.PASSAGES: RequestColumnKind(mark("Went with it"), request_wording.passages_words, 10),
}
LEFT_OUT = (RequestColumn.DURATION, RequestColumn.RECEIVED, RequestColumn.OUTCOME, RequestColumn.PURPOSE)
"""Which columns a narrow table goes without, the first of them first; icon and tool tip say the same."""
