"""What the parts of an evaluation share: they ask the library, and say what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.operations import Library
    from workbench.worker.job import Operation

T = TypeVar("T")


class Part(QObject):
    """One part; it has a library, or none to ask.

    Signals:
        said: A sentence for a toast, and whether it can be undone.
        failed: An error and its details.
    """

    said = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None

    def _ask(self, operation: Operation[T], done: Callable[[T], None]) -> None:
        """Let the library do something; a failure is told."""
        self._bridge.submit(operation, done=done, failed=self._on_failed)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)
