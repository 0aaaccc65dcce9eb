"""The dock of exhaustive reading: below the chat, its content made when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.dock import Dock

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.operations import Library
    from workbench.ui.exhaustive.pane import ExhaustivePane
    from workbench.ui.exhaustive.presenter import ExhaustivePresenter
    from workbench.ui.shell import Shell

_SHARE = 0.62
"""Of the window's height at first: the chat above it keeps a line to be asked in."""


class ExhaustiveDock(QObject):
    """Made after the window's first paint.

    Attributes:
        dock: Hidden until it is asked for; not behind the inspector, which shows what is pressed in it.
        presenter: None until the pane is first shown; likewise the pane.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._library: Library | None = None
        self.presenter: ExhaustivePresenter | None = None
        self.pane: ExhaustivePane | None = None
        self._holder = QWidget()
        self._layout = QVBoxLayout(self._holder)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.dock = Dock(shell.theme, "reading", "Read everything", self._holder, raised=True)
        self.dock.setMinimumWidth(320)
        self.dock.visibilityChanged.connect(self._on_visible)
        self.dock.toggleViewAction().triggered.connect(self._on_toggled)
        shell.window.add_dock(self.dock, Qt.DockWidgetArea.BottomDockWidgetArea)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        if self.presenter is not None:
            self.presenter.set_library(library)

    @Slot()
    def reveal(self) -> None:
        """Show it and put the keyboard there."""
        first = self.dock.isHidden()
        self.dock.reveal()
        self._make()
        if first:
            QTimer.singleShot(0, self._give_room)
        if self.pane is not None:
            self.pane.focus()

    @Slot()
    def _give_room(self) -> None:
        """Give it most of the height, once it stands; the chat keeps what it needs at least."""
        window = self._shell.window
        middle = window.centralWidget()
        if middle is None or self.dock.isFloating():
            return
        most = middle.height() + self.dock.height() - middle.minimumSizeHint().height()
        window.resizeDocks([self.dock], [min(most, round(window.height() * _SHARE))], Qt.Orientation.Vertical)

    @Slot(bool)
    def _on_toggled(self, shown: bool) -> None:
        if shown:
            self.reveal()

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self._make()

    def _make(self) -> None:
        """Make the pane; imported here, because most sessions never need it."""
        if self.pane is not None:
            return
        from workbench.ui.exhaustive.pane import ExhaustivePane
        from workbench.ui.exhaustive.presenter import ExhaustivePresenter

        shell = self._shell
        self.presenter = presenter = ExhaustivePresenter(shell.bridge, self)
        presenter.preparing.knowledge_base = shell.documents.knowledge_base or None
        self.pane = ExhaustivePane(presenter, shell.theme)
        self._layout.addWidget(self.pane)
        presenter.said.connect(self._on_said)
        self.pane.citation_activated.connect(self._on_citation)
        shell.documents.knowledge_base_changed.connect(self._on_knowledge_base)
        shell.settings.profiles_changed.connect(presenter.refresh)
        shell.settings.settings_changed.connect(presenter.refresh)
        if self._library is not None:
            presenter.set_library(self._library)

    @Slot(str, bool)
    def _on_said(self, text: str, undoable: bool) -> None:
        undo = self.presenter.undo if undoable and self.presenter is not None else None
        self._shell.window.toast.say(text, action="Undo" if undoable else "", on_action=undo)

    @Slot(object)
    def _on_citation(self, citation: Citation) -> None:
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.show_citation(citation)

    @Slot(object)
    def _on_knowledge_base(self, name: str) -> None:
        if self.presenter is not None and self.pane is not None:
            self.presenter.preparing.knowledge_base = name or None
            self.pane.form.set_knowledge_base(name or None)
