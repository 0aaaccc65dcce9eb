"""Two columns in a narrow window: the chat, and the docks of one side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QMainWindow
from shiboken6 import isValid

from workbench.ui.dock import Dock
from workbench.ui.theme import Theme

NARROW = 1150
"""Width in pixels, at the usual size of the text, below which a page and the chat beside the library are too small."""
_PAGE_SHARE = 0.44
"""Share of a narrow window's width for the docks on the right, which show pages."""
_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea


class TwoColumns(QObject):
    """Hides the docks of one side while the window is narrow, and shows them again when it is wide.

    In a narrow window a dock that is shown takes the place of those on the other side, for example the inspector that
    of the library when a citation is opened; when it is hidden, they return. Floating docks are left alone.

    Attributes:
        is_paused: True while the docks are hidden for another reason.
    """

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._docks: list[Dock] = []
        self._hidden_docks: list[Dock] = []
        self._widths: dict[Dock, int] = {}
        self._last_side = _LEFT
        self._is_narrow = False
        self._is_moving = False
        self.is_paused = False
        # The size of the text may have changed.
        theme.changed.connect(self.fit)

    @property
    def hidden_docks(self) -> tuple[str, ...]:
        """Names of the docks that return when the window is wide."""
        return tuple(dock.objectName() for dock in self._hidden_docks)

    def restore(self, names: Sequence[str]) -> None:
        """Regard the named docks, hidden in a restored layout, as hidden because the window was narrow."""
        self._hidden_docks = [dock for dock in self._docks if dock.objectName() in names and dock.isHidden()]
        self._is_narrow = bool(self._hidden_docks)

    def follow(self, dock: Dock) -> None:
        """Manage a dock."""
        self._docks.append(dock)
        dock.revealed.connect(self._on_revealed)
        dock.visibilityChanged.connect(self._on_visibility_changed)
        if self._is_narrow and not dock.isHidden():
            self._make_room(self._last_side)

    @Slot()
    def fit(self) -> None:
        """Hide or show docks for the current width of the window and the current size of the text."""
        was_narrow, self._is_narrow = self._is_narrow, self._window.width() < self._theme.scaled(NARROW)
        if self.is_paused or was_narrow == self._is_narrow:
            return
        if not self._is_narrow:
            self._bring_back(self._hidden_docks)
        elif self._shown(_LEFT) and self._shown(_RIGHT):
            self._make_room(self._last_side)

    def holds_back(self, dock: Dock) -> bool:
        """Return whether a dock is not to be shown by itself now: the other side has its place.

        It is shown when the window is wide.
        """
        side = self._window.dockWidgetArea(dock)
        if not self._is_narrow or dock.isFloating() or not self._shown(_opposite(side)):
            return False
        if self._shown(side):
            return False
        self._hidden_docks.append(dock)
        return True

    def _shown(self, side: Qt.DockWidgetArea) -> list[Dock]:
        at_side = (dock for dock in self._docks if self._window.dockWidgetArea(dock) == side)
        return [dock for dock in at_side if not dock.isHidden() and not dock.isFloating()]

    def _make_room(self, side: Qt.DockWidgetArea) -> None:
        """Hide the docks of the other side, and show those of this one that were hidden for it."""
        others = self._shown(_opposite(side))
        self._is_moving = True
        for dock in others:
            self._widths[dock] = dock.width()
            dock.hide()
        self._is_moving = False
        self._hidden_docks += others
        self._bring_back([dock for dock in self._hidden_docks if self._window.dockWidgetArea(dock) == side])
        if side == _RIGHT:
            # Qt gives the room of the hidden docks to the chat, after this call.
            QTimer.singleShot(0, self, self._widen_pages)

    @Slot()
    def _widen_pages(self) -> None:
        shown = self._shown(_RIGHT)
        if self._is_narrow and shown:
            widths = [round(_PAGE_SHARE * self._window.width())] * len(shown)
            self._window.resizeDocks(shown, widths, Qt.Orientation.Horizontal)

    def _bring_back(self, docks: Iterable[Dock]) -> None:
        docks = list(docks)
        self._hidden_docks = [dock for dock in self._hidden_docks if dock not in docks]
        self._is_moving = True
        for dock in docks:
            dock.show()
        self._is_moving = False
        known = [dock for dock in docks if dock in self._widths]
        self._window.resizeDocks(known, [self._widths[dock] for dock in known], Qt.Orientation.Horizontal)

    @Slot()
    def _on_revealed(self) -> None:
        dock = self.sender()
        if not isinstance(dock, Dock) or dock.isFloating():
            return
        self._last_side = self._window.dockWidgetArea(dock)
        if self._is_narrow and not self.is_paused and self._last_side in (_LEFT, _RIGHT):
            self._make_room(self._last_side)

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        dock = self.sender()
        # Docks are hidden as well when Qt deletes them after their window.
        if self._is_moving or self.is_paused or not isValid(self._window):
            return
        if not isinstance(dock, Dock) or dock.isFloating():
            return
        side = self._window.dockWidgetArea(dock)
        if visible and dock in self._hidden_docks:
            self._hidden_docks.remove(dock)
        if not self._is_narrow or side not in (_LEFT, _RIGHT):
            return
        if visible:
            self._last_side = side
            self._make_room(side)
        elif dock.isHidden() and not self._shown(side):
            self._make_room(_opposite(side))


def _opposite(side: Qt.DockWidgetArea) -> Qt.DockWidgetArea:
    return _RIGHT if side == _LEFT else _LEFT
