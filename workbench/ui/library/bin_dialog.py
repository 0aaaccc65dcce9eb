"""Dialog of the bin: removed documents, which can be restored or deleted for good."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr, trn
from workbench.model.knowledge_base import BinnedDocument, Removal
from workbench.ui.controls import bring_up, button, label
from workbench.ui.dialog import Dialog, agrees
from workbench.ui.library.linked_folders_dialog import LinkedPresenter
from workbench.ui.localisation import ago, days_left
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

NUMBER = Qt.ItemDataRole.UserRole


class BinDialog(Dialog):
    """Dialog that lists the bin, the latest first."""

    def __init__(
        self, presenter: LinkedPresenter, settings: SettingsPresenter, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._settings = settings
        self._theme = theme
        self.setWindowTitle(tr("Bin"))
        self.resize(600, 460)
        self._list = QListWidget()
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._list.setAccessibleName(tr("Removed documents"))
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setSpacing(2)
        nothing = label(tr("The bin is empty."), "muted")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(nothing)
        self._stack.addWidget(self._list)
        self._restore = button(tr("Restore"), "primary", self._on_restore)
        self._delete = button(tr("Delete permanently…"), "secondary", self._on_delete)
        self._empty = button(tr("Empty bin…"), "ghost", self._on_empty)
        self._lay_out()
        QShortcut(QKeySequence("Del"), self._list).activated.connect(self._on_delete)
        self._list.itemSelectionChanged.connect(self._on_selected)
        self._list.itemActivated.connect(self._on_restore)
        presenter.bin_changed.connect(self._on_bin)
        self._on_bin(presenter.binned)

    def begin(self) -> None:
        """Load and show the current content of the bin."""
        self._presenter.refresh_bin()
        bring_up(self)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for one in (self._restore, self._delete, self._empty):
            buttons.addWidget(one)
        buttons.addStretch(1)
        buttons.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(label(tr("Bin"), "heading"))
        text = tr("Removed documents are not searched. You can restore them with all their data.")
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
        was_empty = self._stack.currentWidget() is not self._list
        self._stack.setCurrentIndex(int(bool(binned)))
        if binned and was_empty:
            # The documents may come after the dialog has given the focus to “Close”.
            self._list.setFocus(Qt.FocusReason.OtherFocusReason)
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
        if numbers and self._confirm_deletion(len(numbers)):
            self._presenter.delete(numbers)

    @Slot()
    def _on_empty(self) -> None:
        if self._confirm_deletion(self._list.count()):
            self._presenter.delete()

    def _confirm_deletion(self, number: int) -> bool:
        question = trn(
            "Permanently delete {n:,} document? The library's copies of the files are deleted, too.",
            "Permanently delete {n:,} documents? The library's copies of the files are deleted, too.",
            number,
        )
        return agrees(self, tr("Delete permanently"), question)


def why(one: BinnedDocument, days: int) -> str:
    """Return when and why a document was moved to the bin, and how long it is kept."""
    since = ago(one.removed_at)
    with_file = one.removal is Removal.WITH_FILE
    reason = tr("Its file was deleted {ago}", ago=since) if with_file else tr("Removed {ago}", ago=since)
    left = trn("deleted in {n:,} day", "deleted in {n:,} days", days_left(one.removed_at, days))
    return f"{reason} · {left}"
