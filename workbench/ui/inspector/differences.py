"""Which texts are wanted side by side -> how one became the other, compared on the worker."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from workbench.model.text_diff import Stretch
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations


class Differences(QObject):
    """Asks once for each pair. A passage of 800 characters takes 20 ms, long ones up to a second.

    Signals:
        compared: A difference that was asked for is there.
    """

    compared = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._kept: dict[tuple[str, str], Sequence[Stretch] | None] = {}

    def of(self, before: str, after: str) -> Sequence[Stretch] | None:
        """Return how one text became the other; None while that is found out."""
        pair = (before, after)
        if pair not in self._kept:
            self._kept[pair] = None

            def done(stretches: Sequence[Stretch]) -> None:
                if pair in self._kept:
                    self._kept[pair] = stretches
                    self.compared.emit()

            self._bridge.submit(operations.compare_texts(before, after), done=done)
        return self._kept[pair]

    def forget(self) -> None:
        """Let go of all that was compared: something else is shown."""
        self._kept.clear()
