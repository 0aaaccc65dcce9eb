"""Menu of options for the next question, and a chip for each option that is in force."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from workbench.language import tr
from workbench.ui.actions import command, key_of
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.controls import IconButton, button, set_icon
from workbench.ui.theme import Theme

_ICON = 12


class QuestionOptions(IconButton):
    """Button with the menu of the options.

    Attributes:
        filter: Restricts the search; checked while the filter line is open, which takes the place of a chip.
        curation: Lets the user choose passages before the answer.
        chips: Row with a chip for each option that is in force; pressing it switches the option off.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "plus", tr("Options for the question"))
        self._chips: dict[QAction, QPushButton] = {}
        self.chips = QWidget()
        self._row = FlowLayout(self.chips, spacing=6)
        self.chips.hide()
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # The key is only shown, not set: the window has it, and Qt runs neither of two actions with one key.
        self.filter = menu.addAction(f"{tr('Search only part of the library')}\t{key_of('filter')}")
        self.filter.setCheckable(True)
        self.curation = QAction(command("curate").title, self)
        self.curation.setCheckable(True)
        self.add(self.curation)
        theme.changed.connect(self._paint_chips)

    def add(self, option: QAction) -> None:
        """Add a checkable option with its chip."""
        self.menu().addAction(option)
        name = tr("Switch off: {option}", option=option.text())
        chip = button(option.text(), "chip", option.trigger)
        chip.setAccessibleName(name)
        chip.setToolTip(name)
        # The cross is at the end.
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._chips[option] = chip
        self._row.addWidget(chip)
        option.changed.connect(self._show_chips)
        self._show_chips()
        self._paint_chips()

    @Slot()
    def _show_chips(self) -> None:
        in_force = [option for option in self._chips if option.isVisible() and option.isChecked()]
        for option, chip in self._chips.items():
            chip.setVisible(option in in_force)
        self.chips.setVisible(bool(in_force))

    @Slot()
    def _paint_chips(self) -> None:
        for chip in self._chips.values():
            set_icon(chip, self._theme, "close", self._theme.tokens().accent, _ICON)
