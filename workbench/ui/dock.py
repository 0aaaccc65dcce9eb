"""A dock with a quiet title bar: its name, its own buttons, and close."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import IconButton, label
from workbench.ui.theme import Theme


class Dock(QDockWidget):
    """Movable, floatable, closable; remembered by its name."""

    def __init__(
        self, theme: Theme, name: str, title: str, content: QWidget, *buttons: QWidget, raised: bool = False
    ) -> None:
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
        row.addWidget(IconButton(theme, "close", tr("Hide {name}", name=title), self.close))
        self.setTitleBarWidget(bar)
        self.setWidget(content)

    def reveal(self) -> None:
        """Show it, in front of what it shares its place with."""
        self.show()
        self.raise_()
