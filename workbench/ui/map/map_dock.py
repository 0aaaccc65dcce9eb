"""Dock of the map below the chat; its content is created when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot

from workbench.language import tr
from workbench.ui.dock import LazyDock

if TYPE_CHECKING:
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController
    from workbench.ui.map.pane import MapPane
    from workbench.ui.map.presenter import MapPresenter

_SHARE = 0.46
"""Share of the window's height when the dock is first shown."""


class MapDock(LazyDock):
    """Dock below the chat, so that the answer and the inspector remain visible."""

    presenter: MapPresenter | None
    pane: MapPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "map", tr("Map"))
        self._run: Run | None = None
        self.dock.setMinimumHeight(180)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)
        shell.chat.run_selected.connect(self._on_run_selected)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self._run = None
        super().set_library(library)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if self.presenter is not None:
            self.presenter.see(visible)

    def _made(self) -> tuple[MapPresenter, MapPane]:
        # Importing and creating it with numpy takes 0.1 s, and most sessions never need it.
        from workbench.ui.map.pane import MapPane
        from workbench.ui.map.presenter import MapPresenter, MapScope

        window = self._shell.window
        if not self.dock.isFloating():
            window.resizeDocks([self.dock], [round(_SHARE * window.height())], Qt.Orientation.Vertical)
        presenter = MapPresenter(self._shell.bridge, self)
        presenter.show_within(MapScope(self._shell.documents.knowledge_base))
        self._shell.documents.knowledge_base_changed.connect(self._on_knowledge_base)
        presenter.opened.connect(self._on_citation)
        presenter.noticed.connect(self._on_noticed)
        return presenter, MapPane(presenter, self._shell.bridge, self._shell.theme)

    def _make(self) -> None:
        is_first = self.pane is None
        super()._make()
        if is_first and self.presenter is not None:
            if self._run is not None:
                self.presenter.show_run(self._run)
            self.presenter.see(self.dock.isVisible())

    @Slot(str)
    def _on_knowledge_base(self, name: str) -> None:
        from workbench.ui.map.presenter import MapScope

        if self.presenter is not None:
            self.presenter.show_within(MapScope(name))

    @Slot(str)
    def _on_noticed(self, text: str) -> None:
        self._shell.window.toast.show_message(text)

    @Slot(object)
    def _on_run_selected(self, run: Run) -> None:
        self._run = run
        if self.presenter is not None:
            self.presenter.show_run(run)
