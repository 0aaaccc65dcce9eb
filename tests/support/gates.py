"""Network gates for tests: open, closed, and one that treats loopback servers as other machines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from workbench.egress.gate import EgressGate
from workbench.model.egress import NetworkRequest, OfflineMode, OfflineModeChoice
from workbench.operations import Library

ON = OfflineMode(OfflineModeChoice.ON)
OFF = OfflineMode(OfflineModeChoice.OFF)


class ListLedger:
    """A ledger in memory."""

    def __init__(self) -> None:
        self.requests: dict[int, NetworkRequest] = {}

    def begin(self, request: NetworkRequest) -> int:
        number = len(self.requests) + 1
        self.requests[number] = replace(request, id=number)
        return number

    def end(self, request: NetworkRequest) -> None:
        self.requests[request.id] = request

    @property
    def last(self) -> NetworkRequest:
        return self.requests[max(self.requests)]


def open_gate() -> EgressGate:
    """Return a gate that allows everything and records nothing."""
    return EgressGate(offline_mode=lambda: OFF)


def nowhere_is_here(_host: str) -> bool:
    """Treat every host as another machine, including loopback."""
    return False


@contextmanager
def kept_gate(
    gap: Callable[[], OfflineMode] = lambda: OFF, here: Callable[[str], bool] = nowhere_is_here
) -> Iterator[tuple[EgressGate, ListLedger]]:
    """Return a gate and its ledger."""
    ledger = ListLedger()
    gate = EgressGate(ledger, gap, here=here)
    try:
        yield gate, ledger
    finally:
        gate.close()


def requests_of(library: Library) -> list[NetworkRequest]:
    """Return the entries of a library's ledger, oldest first."""
    library.gate.settle()
    return list(library.network.all())


def nowhere_is_here_in(library: Library) -> None:
    """Treat every host as another machine for a library: loopback servers are reached only if allowed."""
    library.gate._here = nowhere_is_here


def shut_in(library: Library) -> None:
    """Switch offline mode on and treat every host as another machine: loopback servers must not be reached."""
    library.setting_values.put("offline_mode", "on")
    nowhere_is_here_in(library)
