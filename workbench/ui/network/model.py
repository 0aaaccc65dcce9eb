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
    RequestColumn.TIME: RequestColumnKind(mark("Time"), request_wording.moment_words, 11),
    RequestColumn.PURPOSE: RequestColumnKind(mark("Purpose"), request_wording.purpose_words, 17),
    RequestColumn.HOST: RequestColumnKind(mark("Destination"), request_wording.host_words, 17),
    RequestColumn.SENT: RequestColumnKind(mark("Sent"), request_wording.sent_words, 8, is_number=True),
    RequestColumn.RECEIVED: RequestColumnKind(mark("Received"), request_wording.received_words, 8, is_number=True),
    RequestColumn.OUTCOME: RequestColumnKind(mark("Result"), request_wording.outcome_words, 17),
    RequestColumn.DURATION: RequestColumnKind(mark("Duration"), request_wording.duration_words, 6, is_number=True),
    RequestColumn.PASSAGES: RequestColumnKind(mark("Passages"), request_wording.passages_words, 10),
}
LEFT_OUT = (RequestColumn.DURATION, RequestColumn.RECEIVED, RequestColumn.OUTCOME, RequestColumn.PURPOSE)
"""Columns that a narrow table hides, in this order; icon and tool tip contain the same information."""
