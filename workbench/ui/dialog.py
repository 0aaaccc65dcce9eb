"""A dialog: Tab goes through it as one reads, also through what is made anew in it after it was shown."""

from PySide6.QtWidgets import QDialog

from workbench.ui.reading_order import follow


class Dialog(QDialog):
    """What every dialog of the program is built on."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return follow(self, forward=forward) or super().focusNextPrevChild(forward)

    def grow(self) -> None:
        """Take the height that the lines need at this width: those that wrap say no more of it than of one."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
