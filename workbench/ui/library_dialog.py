"""What the windows share that show something of the open library and ask it anew each time they are opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.controls import label
from workbench.ui.dialog import Dialog
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

if TYPE_CHECKING:
    from workbench.operations import Library


class LibraryDialog(Dialog):
    """A heading, a banner for errors, and a column for the rest."""

    def __init__(
        self, title: str, ask: Callable[[Library | None], None], theme: Theme, parent: QWidget | None = None
    ) -> None:
        """Take the title, and what asks a library for what is shown."""
        super().__init__(parent)
        self._ask = ask
        self.setWindowTitle(title)
        self._banner = Banner(theme)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 20, 24, 16)
        self._column.setSpacing(12)
        self._column.addWidget(label(title, "heading"))

    def begin(self, library: Library | None) -> None:
        """Show the dialog as the library stands now."""
        self._banner.hide()
        self._ask(library)
        self.show()
        self.raise_()
