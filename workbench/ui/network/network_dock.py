"""Dock of the network below the chat; its content is created when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot

from workbench.language import tr
from workbench.ui.dock import LazyDock

if TYPE_CHECKING:
    from workbench.model.egress import NetworkRequest
    from workbench.model.hit import Hit
    from workbench.ui.app_controller import AppController
    from workbench.ui.network.pane import NetworkPane
    from workbench.ui.network.presenter import NetworkPresenter

_SHARE = 0.55
"""Share of the window's height when the dock is first shown."""
_OF_OTHERS = 370
"""Pixels of the height that are reserved for the chat and the bars of the window."""


class NetworkDock(LazyDock):
    """Dock below the chat; not tabbed with the inspector, which shows the passages that are opened from it."""

    presenter: NetworkPresenter | None
    pane: NetworkPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "network", tr("Network"))
        self.dock.setMinimumHeight(180)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if self.presenter is not None:
            self.presenter.see(visible)

    def _make(self) -> None:
        is_first = self.pane is None
        super()._make()
        if is_first and self.presenter is not None:
            self.presenter.see(self.dock.isVisible())

    def _made(self) -> tuple[NetworkPresenter, NetworkPane]:
        from workbench.ui.network.pane import NetworkPane
        from workbench.ui.network.presenter import NetworkPresenter

        shell = self._shell
        if not self.dock.isFloating():
            whole = shell.window.height()
            height = min(round(_SHARE * whole), whole - _OF_OTHERS)
            shell.window.resizeDocks([self.dock], [height], Qt.Orientation.Vertical)
        presenter = NetworkPresenter(shell.bridge, self)
        presenter.notified.connect(self._on_notified)
        presenter.passages_found.connect(self._on_passages)
        pane = NetworkPane(presenter, shell.settings.air_gap, shell.theme)
        pane.session_asked.connect(shell.sessions.open)
        return presenter, pane

    @Slot(object, object)
    def _on_passages(self, request: NetworkRequest, hits: tuple[Hit, ...]) -> None:
        from workbench.ui.network.request_wording import host_words, moment_words

        self._shell.window.inspector_dock.reveal()
        title = tr("Sent to {host}", host=host_words(request))
        self._shell.inspector.show_hits(title, moment_words(request), hits)
