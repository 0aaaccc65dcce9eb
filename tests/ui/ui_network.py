"""Hand-made network requests and ledgers."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from workbench.model.egress import (
    HostTotal,
    NetworkNeed,
    NetworkOutcome,
    NetworkPage,
    NetworkRequest,
    NetworkTotals,
    NetworkUse,
    OfflineMode,
    OfflineModeChoice,
    Purpose,
)

FAR = "api.example.com"
ON = OfflineMode()
KEPT_ON = OfflineMode(OfflineModeChoice.ON)
PROFILE = NetworkNeed(NetworkUse.PROFILE, "far", FAR, 443)
BUT_PROFILE = OfflineMode(needs=(PROFILE,))
OFF = OfflineMode(OfflineModeChoice.OFF, (PROFILE,))


def request(number: int = 1, **changes: Any) -> NetworkRequest:
    """Return a successful request to a remote model."""
    made = NetworkRequest(
        number,
        datetime.now(UTC).isoformat(timespec="microseconds"),
        Purpose.ANSWER,
        FAR,
        443,
        address=f"https://{FAR}/v1/responses",
        outcome=NetworkOutcome.DONE,
        status=200,
        sent=4096,
        received=512,
        milliseconds=1200.0,
        chunks=(11, 12),
    )
    return replace(made, **changes)


def page(*requests: NetworkRequest, older: int | None = None, **totals: Any) -> NetworkPage:
    """Return a page of requests, newest first, with computed totals unless given."""
    left = [one for one in requests if not one.is_here and one.outcome is not NetworkOutcome.REFUSED]
    summed = NetworkTotals(
        len(requests),
        len(left),
        sum(one.outcome is NetworkOutcome.REFUSED for one in requests),
        sum(one.sent or 0 for one in left),
        sum(one.received or 0 for one in left),
        len({chunk for one in left for chunk in one.chunks}),
        requests[-1].at if requests else "",
    )
    return NetworkPage(requests, older, replace(summed, **totals))


def hosts(*requests: NetworkRequest) -> tuple[HostTotal, ...]:
    """Return the totals of requests by host."""
    found = dict.fromkeys((one.host, one.is_here) for one in requests)
    return tuple(
        HostTotal(
            host,
            here,
            sum(one.host == host for one in requests),
            sum(one.host == host and one.outcome is NetworkOutcome.REFUSED for one in requests),
            sum(one.sent or 0 for one in requests if one.host == host),
            sum(one.received or 0 for one in requests if one.host == host),
        )
        for host, here in found
    )
