"""What has to be known before a reading begins: who can read, what a filter lets through, what it would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.errors import WorkbenchError
from workbench.model.exhaustive import Price, ReadingInfo
from workbench.model.filter import ChunkFilter
from workbench.ui.bridge import Bridge
from workbench.ui.exhaustive.wording import problem_of
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.model.profile import ModelProfile
    from workbench.operations import Library
    from workbench.settings import Settings
    from workbench.worker.job import JobHandle


class ReadingPreparation(QObject):
    """Asks the library about what is typed in the form.

    Attributes:
        knowledge_base: The only one in which a new reading reads.

    Signals:
        profiles_listed: The model profiles, the name of the one in force, and the price that was last given for each.
        estimated: A ReadingEstimate.
        not_estimated: Why there is nothing to read; empty where that is told otherwise.
        filter_values_listed: What filters can be made of.
        filter_measured: A FilterExtent.
        failed: An error and its details.
    """

    profiles_listed = Signal(list, str, dict)
    estimated = Signal(object)
    not_estimated = Signal(str)
    filter_values_listed = Signal(object)
    filter_measured = Signal(object)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._estimating: JobHandle[Any] | None = None
        self._measuring: JobHandle[Any] | None = None
        self._profiles: list[ModelProfile] = []
        self._profile: str | None = None
        self._prices: dict[str, Price] = {}
        self.knowledge_base: str | None = None

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self._profile = None
        self._prices = {}

    @Slot()
    def refresh(self) -> None:
        """Ask the library anew for profiles and filters."""
        if self._library is not None:
            self._ask(operations.list_profiles(self._library), self._on_profiles)
        self.list_filter_values()

    @Slot()
    def list_filter_values(self) -> None:
        """Ask the library anew for what filters can be made of."""
        if self._library is not None:
            self._ask(operations.filter_values(self._library), self.filter_values_listed.emit)

    def learn_prices(self, readings: Sequence[ReadingInfo]) -> None:
        """Take the prices that were given last, from the readings, the newest first."""
        self._prices = {one.profile: one.price for one in reversed(readings) if one.price is not None}
        self._offer()

    def measure(self, chosen: ChunkFilter) -> None:
        """Ask how much a filter lets through."""
        if self._measuring is not None:
            self._measuring.cancel()
        if self._library is not None and chosen.where:
            whole = ChunkFilter(self.knowledge_base, chosen.where)
            self._measuring = self._bridge.submit(
                operations.filter_extent(self._library, whole), done=self.filter_measured.emit, failed=self._on_unknown
            )

    def estimate(self, question: str, chosen: ChunkFilter, profile: str, price: Price | None) -> None:
        """Ask what a reading would take."""
        if self._library is None:
            return
        if self._estimating is not None:
            self._estimating.cancel()
        estimating = operations.estimate_reading(
            self._library, question, knowledge_base=self.knowledge_base, filter=chosen, profile=profile, price=price
        )
        self._estimating = self._bridge.submit(
            estimating, done=self._on_estimated, failed=self._on_not_estimated, cancelled=_ignore
        )

    def _ask(self, operation: Any, done: Any) -> None:
        self._bridge.submit(operation, done=done, failed=self.failed.emit)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        self._profiles = profiles
        if self._library is not None:
            self._ask(operations.load_settings(self._library), self._on_settings)

    def _on_settings(self, settings: Settings) -> None:
        self._profile = settings.profile
        self._offer()

    def _offer(self) -> None:
        """Tell who can read, once that is known."""
        if self._profile is not None:
            self.profiles_listed.emit(self._profiles, self._profile, self._prices)

    def _on_estimated(self, estimate: object) -> None:
        self._estimating = None
        self.estimated.emit(estimate)

    def _on_not_estimated(self, error: BaseException, details: str) -> None:
        self._estimating = None
        # Also for what is no fault of the user's: the button has to come back.
        self.not_estimated.emit(problem_of(error) if isinstance(error, WorkbenchError) else "")
        if not isinstance(error, WorkbenchError):
            self.failed.emit(error, details)

    def _on_unknown(self, error: BaseException, _details: str) -> None:
        if isinstance(error, WorkbenchError):
            self.not_estimated.emit(problem_of(error))


def _ignore() -> None:
    """Another estimate was asked for."""
