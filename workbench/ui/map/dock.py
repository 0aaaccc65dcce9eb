"""The dock of the map: in its place from the start, its content made when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.dock import Dock

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.map.pane import MapPane
    from workbench.ui.map.presenter import MapPresenter
    from workbench.ui.shell import Shell

_SHARE = 0.46
"""Of the window's height, the first time."""


class MapDock(QObject):
    """Made after the window's first paint; most sessions never see more of it than a line of the menu.

    Attributes:
        dock: Below the chat, hidden until it is asked for: the answer above it and the inspector beside it stay seen.
        presenter: None until the pane is first shown; likewise the pane.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._library: Library | None = None
        self._run: Run | None = None
        self.presenter: MapPresenter | None = None
        self.pane: MapPane | None = None
        self._holder = QWidget()
        self._layout = QVBoxLayout(self._holder)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.dock = Dock(shell.theme, "map", "Map", self._holder, raised=True)
        self.dock.setMinimumHeight(180)
        self.dock.visibilityChanged.connect(self._on_visible)
        self.dock.toggleViewAction().triggered.connect(self._on_toggled)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)
        shell.chat.run_selected.connect(self._on_run_selected)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library, self._run = library, None
        if self.presenter is not None:
            self.presenter.set_library(library)

    @Slot()
    def reveal(self) -> None:
        """Show it and put the keyboard there."""
        self.dock.reveal()
        self._make()
        if self.pane is not None:
            self.pane.focus()

    @Slot(bool)
    def _on_toggled(self, shown: bool) -> None:
        if shown:
            self.reveal()

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self._make()
        if self.presenter is not None:
            self.presenter.see(visible)

    def _make(self) -> None:
        """Make the pane; imported here: with numpy it takes 0.1 s, which most sessions never need."""
        if self.pane is not None:
            return
        from workbench.ui.map.pane import MapPane
        from workbench.ui.map.presenter import MapPresenter

        window = self._shell.window
        if not self.dock.isFloating():
            window.resizeDocks([self.dock], [round(_SHARE * window.height())], Qt.Orientation.Vertical)
        self.presenter = MapPresenter(self._shell.bridge, self)
        self.pane = MapPane(self.presenter, self._shell.bridge, self._shell.theme)
        self._layout.addWidget(self.pane)
        self.presenter.opened.connect(self._on_opened)
        self.presenter.noticed.connect(self._on_noticed)
        if self._library is not None:
            self.presenter.set_library(self._library)
        if self._run is not None:
            self.presenter.show_run(self._run)
        self.presenter.see(self.dock.isVisible())

    @Slot(object)
    def _on_opened(self, citation: Citation) -> None:
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.show_citation(citation)

    @Slot(str)
    def _on_noticed(self, text: str) -> None:
        self._shell.window.toast.say(text)

    @Slot(object)
    def _on_run_selected(self, run: Run) -> None:
        self._run = run
        if self.presenter is not None:
            self.presenter.show_run(run)
