"""Dock with a quiet title bar, and the lazy dock whose content is created when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import IconButton, label
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController


class Dock(QDockWidget):
    """Movable, floatable, closable dock; its name identifies it in the saved layout.

    Signals:
        revealed: The dock was brought to the front because its content is wanted.
    """

    revealed = Signal()

    def __init__(
        self,
        theme: Theme,
        name: str,
        title: str,
        content: QWidget,
        *buttons: QWidget,
        raised: bool = False,
        permanent: bool = False,
    ) -> None:
        """Create a dock.

        Args:
            theme: Theme of the icons.
            name: Name in the saved layout.
            title: Title that is shown.
            content: The content.
            buttons: Buttons beside the title.
            raised: True for the background of the panes that show documents.
            permanent: True for a dock that is hidden by the View menu only, unless it floats: it has no button for
                that, so that nobody loses it by a slip.
        """
        super().__init__(title)
        self.setObjectName(name)
        self.setAllowedAreas(Qt.DockWidgetArea.AllDockWidgetAreas)
        bar = QWidget()
        bar.setProperty("role", "dock-title")
        bar.setProperty("raised", raised)
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 8, 2)
        row.setSpacing(2)
        row.addWidget(label(title, "section"))
        row.addStretch(1)
        for button in buttons:
            row.addWidget(button)
        close = IconButton(theme, "close", tr("Hide {name}", name=title), self.close)
        row.addWidget(close)
        if permanent:
            close.hide()
            self.topLevelChanged.connect(close.setVisible)
        self.setTitleBarWidget(bar)
        self.setWidget(content)

    def reveal(self) -> None:
        """Show the dock in front of docks tabbed with it."""
        self.revealed.emit()
        self.show()
        self.raise_()


class LazyDock(QObject):
    """Dock that is created after the window's first paint, and its content when it is first shown.

    In most runs only its menu entry is ever seen.

    Attributes:
        dock: The dock widget; the subclass adds it to the window, hidden at first.
        presenter: None until the pane is first shown; likewise the pane.
    """

    def __init__(self, shell: AppController, name: str, title: str) -> None:
        super().__init__(shell)
        self._shell = shell
        self._library: Library | None = None
        self.presenter: Any = None
        self.pane: Any = None
        self._holder = QWidget()
        self._layout = QVBoxLayout(self._holder)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.dock = Dock(shell.theme, name, title, self._holder, raised=True)
        self.dock.visibilityChanged.connect(self._on_visible)
        self.dock.toggleViewAction().triggered.connect(self._on_toggled)

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None."""
        self._library = library
        if self.presenter is not None:
            self.presenter.set_library(library)

    @Slot()
    def reveal(self) -> None:
        """Show the dock and focus its pane."""
        self.dock.reveal()
        self._make()
        self.pane.focus()

    def _made(self) -> tuple[Any, Any]:
        """Return the presenter and the pane, connected; their modules are imported here."""
        raise NotImplementedError

    def _make(self) -> None:
        """Create the content, once."""
        if self.pane is not None:
            return
        self.presenter, self.pane = self._made()
        self._layout.addWidget(self.pane)
        if self._library is not None:
            self.presenter.set_library(self._library)

    @Slot(bool)
    def _on_toggled(self, shown: bool) -> None:
        # Shown without being raised, it might remain a tab behind another dock.
        if shown:
            self.reveal()

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self._make()

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        undo = self.presenter.undo if undoable else None
        self._shell.window.toast.show_message(text, action=tr("Undo") if undoable else "", on_action=undo)

    @Slot(object)
    def _on_citation(self, citation: Citation) -> None:
        self._shell.window.inspector_dock.reveal()
        self._shell.inspector.show_citation(citation)
