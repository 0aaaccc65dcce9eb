"""What may leave this machine: followed, switched, switched back; works without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.egress import AirGap, AirGapChoice, NetworkOutcome, NetworkRequest
from workbench.ui.bridge import Bridge
from workbench.ui.network.wording import opens_by_exceptions, switched_words
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


class AirGapPresenter(QObject):
    """The air gap of the open library.

    Attributes:
        state: The AirGap in force; None while it is not known.

    Signals:
        changed: The AirGap, or None.
        switched: Its setting is another one now.
        said: What the change means, and whether it can be undone.
        failed: An error and its details.
    """

    changed = Signal(object)
    switched = Signal()
    said = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: AirGap | None = None
        self._bridge = bridge
        self._library: Library | None = None
        self._watch: JobHandle[None] | None = None
        self._under_way: set[int] = set()
        self._before: AirGapChoice | None = None
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def is_on(self) -> bool:
        """Whether it is known that nothing may leave this machine but exceptions."""
        return self.state is not None and self.state.is_on

    @property
    def is_shut(self) -> bool:
        """Whether it is known that nothing at all may leave this machine."""
        return self.state is not None and self.state.is_shut

    @property
    def under_way(self) -> int:
        """How many requests are leaving this machine at the moment."""
        return len(self._under_way)

    def set_library(self, library: Library | None) -> None:
        """Follow another library, or none."""
        self._library, self._before = library, None
        self._under_way.clear()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if self.state is not None:
            self.state = None
            self.changed.emit(None)
        if library is not None:
            self._watch = self._bridge.submit(operations.watch_network(library), failed=self.failed.emit)
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Ask the library anew: something may have been set up, or is no more."""
        if self._library is not None:
            self._bridge.submit(operations.air_gap_state(self._library), done=self._take, failed=self.failed.emit)

    @Slot()
    def toggle(self) -> None:
        """Let nothing at all leave this machine; where nothing may, let what was set up leave it again."""
        if self.state is not None:
            self._put(other_choice(self.state))

    @Slot()
    def switch_off(self) -> None:
        """Let whatever is asked for use the network, whether it was set up or not."""
        if self.is_on:
            self._put(AirGapChoice.OFF)

    @Slot()
    def make_exceptions(self) -> None:
        """Let what was set up use the network, each for itself only."""
        self._put(AirGapChoice.AUTO)

    @Slot()
    def open_further(self) -> None:
        """Let what was set up use the network, and whatever is asked for only where that is so already."""
        if opens_by_exceptions(self.state):
            self.make_exceptions()
        else:
            self.switch_off()

    @Slot()
    def undo(self) -> None:
        """Take the last change back."""
        before, self._before = self._before, None
        if before is not None:
            self._put(before)

    def _put(self, choice: AirGapChoice) -> None:
        if self._library is not None:
            self._bridge.submit(
                operations.put_air_gap(self._library, choice), done=self._on_put, failed=self.failed.emit
            )

    def _on_put(self, state: AirGap) -> None:
        self._take(state)
        self.switched.emit()

    def _take(self, state: AirGap) -> None:
        before, self.state = self.state, state
        if before == state:
            return
        self.changed.emit(state)
        if before is not None and (before.is_on, before.exceptions) != (state.is_on, state.exceptions):
            self._before = _way_back(before, state)
            self.said.emit(switched_words(state, self.under_way), self._before is not None)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if not isinstance(event, NetworkRequest) or event.is_here:
            return
        if event.outcome is NetworkOutcome.UNDER_WAY:
            self._under_way.add(event.id)
        else:
            self._under_way.discard(event.id)


def other_choice(state: AirGap) -> AirGapChoice:
    """Return the setting of the switch: shut, or open for what was set up; off only where that would be nothing."""
    if not state.is_shut:
        return AirGapChoice.ON if state.needs else AirGapChoice.AUTO
    return AirGapChoice.AUTO if state.needs else AirGapChoice.OFF


def _way_back(before: AirGap, now: AirGap) -> AirGapChoice | None:
    """Return the setting that takes a change back; None where it came of what is set up, and nothing opened by it."""
    if before.choice is not now.choice:
        return before.choice
    return AirGapChoice.ON if set(now.exceptions) - set(before.exceptions) else None
