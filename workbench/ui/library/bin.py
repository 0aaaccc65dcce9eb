"""The dialog of the bin: what was removed, to be brought back or deleted for good."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.model.bin import BinnedDocument, Removal
from workbench.ui.controls import button, label
from workbench.ui.library.linked_presenter import LinkedPresenter
from workbench.ui.library.times import ago, days_left
from workbench.ui.library.wording import count
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

NUMBER = Qt.ItemDataRole.UserRole


class BinDialog(QDialog):
    """Lists the bin, the latest first."""

    def __init__(
        self, presenter: LinkedPresenter, settings: SettingsPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._settings = settings
        self._theme = theme
        self.setWindowTitle("Bin")
        self.resize(600, 460)
        self._list = QListWidget()
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._list.setAccessibleName("Removed documents")
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setSpacing(2)
        nothing = label("The bin is empty.", "muted")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(nothing)
        self._stack.addWidget(self._list)
        self._restore = button("Bring back", "primary", self._on_restore)
        self._delete = button("Delete for good…", "secondary", self._on_delete)
        self._empty = button("Empty the bin…", "ghost", self._on_empty)
        self._lay_out()
        QShortcut(QKeySequence("Del"), self._list).activated.connect(self._on_delete)
        self._list.itemSelectionChanged.connect(self._on_selected)
        self._list.itemActivated.connect(self._on_restore)
        presenter.bin_changed.connect(self._on_bin)
        self._on_bin(presenter.binned)

    def begin(self) -> None:
        """Show the bin as it is now."""
        self._presenter.refresh_bin()
        self.show()
        self.raise_()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for one in (self._restore, self._delete, self._empty):
            buttons.addWidget(one)
        buttons.addStretch(1)
        buttons.addWidget(button("Close", "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label("Bin", "heading"))
        text = "Removed documents are not searched. They can be brought back with everything the library knows of them."
        layout.addWidget(label(text, "muted", wrap=True))
        layout.addWidget(self._stack, 1)
        layout.addLayout(buttons)

    @Slot(list)
    def _on_bin(self, binned: list[BinnedDocument]) -> None:
        self._list.clear()
        days = self._settings.settings.bin_days
        icon = self._theme.icon("document")
        for one in binned:
            item = QListWidgetItem(icon, f"{one.document.name}\n{why(one, days)}")
            item.setData(NUMBER, one.document.id)
            item.setToolTip(one.document.path)
            self._list.addItem(item)
        self._stack.setCurrentIndex(int(bool(binned)))
        self._empty.setEnabled(bool(binned))
        self._on_selected()

    def _selected(self) -> list[int]:
        return [item.data(NUMBER) for item in self._list.selectedItems()]

    @Slot()
    def _on_selected(self) -> None:
        for one in (self._restore, self._delete):
            one.setEnabled(bool(self._list.selectedItems()))

    @Slot()
    def _on_restore(self) -> None:
        if numbers := self._selected():
            self._presenter.restore(numbers)

    @Slot()
    def _on_delete(self) -> None:
        numbers = self._selected()
        if numbers and self._is_sure(len(numbers)):
            self._presenter.delete(numbers)

    @Slot()
    def _on_empty(self) -> None:
        if self._is_sure(self._list.count()):
            self._presenter.delete()

    def _is_sure(self, number: int) -> bool:
        answer = QMessageBox.question(
            self,
            "Delete for good",
            f"Delete {count(number, 'document')} for good? The library's copies of their files go too.",
            QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel,
            QMessageBox.StandardButton.Cancel,
        )
        return answer == QMessageBox.StandardButton.Yes


def why(one: BinnedDocument, days: int) -> str:
    """Return since when and why a document is in the bin, and for how long."""
    reason = "Its file was deleted" if one.removal is Removal.WITH_FILE else "Removed"
    left = days_left(one.removed_at, days)
    return f"{reason} {ago(one.removed_at)} · kept for {count(left, 'more day', 'more days')}"
