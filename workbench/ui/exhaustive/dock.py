"""The dock of exhaustive reading: below the chat, its content made when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot

from workbench.language import tr
from workbench.ui.late_dock import LateDock

if TYPE_CHECKING:
    from workbench.ui.exhaustive.pane import ExhaustivePane
    from workbench.ui.exhaustive.presenter import ExhaustivePresenter
    from workbench.ui.shell import Shell

_SHARE = 0.62
"""Of the window's height at first: the chat above it keeps a line to be asked in."""


class ExhaustiveDock(LateDock):
    """Below the chat; not behind the inspector, which shows what is pressed in it."""

    presenter: ExhaustivePresenter | None
    pane: ExhaustivePane | None

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, "reading", tr("Read everything"))
        self.dock.setMinimumWidth(320)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)

    @Slot()
    def reveal(self) -> None:
        """Show it and put the keyboard there."""
        first = self.dock.isHidden()
        super().reveal()
        if first:
            QTimer.singleShot(0, self._give_room)

    @Slot()
    def _give_room(self) -> None:
        """Give it most of the height, once it stands; the chat keeps what it needs at least."""
        window = self._shell.window
        middle = window.centralWidget()
        if middle is None or self.dock.isFloating():
            return
        most = middle.height() + self.dock.height() - middle.minimumSizeHint().height()
        window.resizeDocks([self.dock], [min(most, round(window.height() * _SHARE))], Qt.Orientation.Vertical)

    def _made(self) -> tuple[ExhaustivePresenter, ExhaustivePane]:
        from workbench.ui.exhaustive.pane import ExhaustivePane
        from workbench.ui.exhaustive.presenter import ExhaustivePresenter

        shell = self._shell
        presenter = ExhaustivePresenter(shell.bridge, self)
        presenter.preparing.knowledge_base = shell.documents.knowledge_base or None
        pane = ExhaustivePane(presenter, shell.theme)
        presenter.said.connect(self._on_said)
        pane.citation_activated.connect(self._on_citation)
        shell.documents.knowledge_base_changed.connect(self._on_knowledge_base)
        shell.settings.profiles_changed.connect(presenter.refresh)
        shell.settings.settings_changed.connect(presenter.refresh)
        return presenter, pane

    @Slot(object)
    def _on_knowledge_base(self, name: str) -> None:
        if self.presenter is not None and self.pane is not None:
            self.presenter.preparing.knowledge_base = name or None
            self.pane.form.set_knowledge_base(name or None)
