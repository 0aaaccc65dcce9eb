"""Settings back to their defaults, and the way back from there; works without a window."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import said, tr, trn
from workbench.settings import Settings, declaration
from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations


class Resetting(QObject):
    """Resets settings of the open library.

    Signals:
        changed: The Settings in force.
        said: A sentence on what was reset, which can be undone.
        failed: An error and its details.
    """

    changed = Signal(object)
    said = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._before: dict[str, Any] = {}
        self._left = 0

    def set_library(self, library: "operations.Library | None") -> None:
        """Take another library; what was reset in the one before stays so."""
        self._library = library
        self._before, self._left = {}, 0

    def reset(self, keys: Sequence[str], settings: Settings) -> None:
        """Give settings their defaults; those are left out that have them in settings."""
        changed = {key: getattr(settings, key) for key in keys if getattr(settings, key) != declaration(key).default}
        if self._library is None or not changed:
            return
        self._before, self._left = changed, len(changed)
        for key in changed:
            resetting = operations.reset_setting(self._library, key)
            self._bridge.submit(resetting, done=self._on_reset, failed=self.failed.emit)

    @Slot()
    def undo(self) -> None:
        """Give the settings that were reset last the values that they had."""
        before, self._before = self._before, {}
        if self._library is not None:
            for key, value in before.items():
                putting = operations.put_setting(self._library, key, value)
                self._bridge.submit(putting, done=self.changed.emit, failed=self.failed.emit)

    def _on_reset(self, settings: Settings) -> None:
        self.changed.emit(settings)
        self._left -= 1
        if self._left == 0 and self._before:
            self.said.emit(_words(tuple(self._before)))


def _words(keys: tuple[str, ...]) -> str:
    if len(keys) == 1:
        return tr("“{title}” has its default again.", title=said(declaration(keys[0]).title))
    return trn("{n:,} setting has its default again.", "{n:,} settings have their defaults again.", len(keys))
