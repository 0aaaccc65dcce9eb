"""One question for all documents that need a password."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QListWidget, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.model.document import Document, DocumentStatus
from workbench.ui.controls import IconLabel, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

ROWS = 6
"""Names that are seen without scrolling."""


class PasswordPrompt(Dialog):
    """Tries one password on every locked document; stays open while some are locked, and never holds up the queue."""

    def __init__(self, presenter: LibraryPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._locked: list[Document] = []
        self.setWindowTitle(tr("Locked documents"))
        self.setMinimumWidth(440)
        self._title = label("", "heading", wrap=True)
        self._names = QListWidget()
        self._names.setAccessibleName(tr("Locked documents"))
        self._names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._names.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._field = QLineEdit()
        self._field.setEchoMode(QLineEdit.EchoMode.Password)
        self._field.setAccessibleName(tr("Password"))
        self._field.setPlaceholderText(tr("Password"))
        self._remember = QCheckBox(tr("Remember it in the system's keyring, for this library"))
        self._said = label("", "muted", wrap=True)
        self._try = button(tr("Try on all"), "primary", self._on_try)
        self._try.setDefault(True)
        self._later = button(tr("Not now"), "secondary", self.reject)
        self._lay_out(theme)
        self._field.textChanged.connect(self._on_typed)
        presenter.queue.unlocked.connect(self._on_unlocked)
        presenter.queue.failed.connect(self._on_failed)

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._title.text()} {self._said.text()}".strip()

    def ask(self, documents: Sequence[Document]) -> None:
        """Show which documents are locked and wait for a password."""
        self._show(documents)
        self._said.setText(tr("It is tried on every locked document. Nothing else waits for it."))
        self._field.clear()
        self._set_busy(False)
        self.open()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self, theme: Theme) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(IconLabel(theme, "lock", colour="warn", size=24), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self._names)
        layout.addWidget(self._field)
        layout.addWidget(self._remember)
        layout.addWidget(self._said)
        layout.addLayout(dialog_foot(self._later, self._try))

    def _show(self, documents: Sequence[Document]) -> None:
        self._locked = list(documents)
        number = len(self._locked)
        self._title.setText(trn("{n:,} document needs a password", "{n:,} documents need a password", number))
        self._try.setText(tr("Unlock") if number == 1 else tr("Try on all"))
        self._names.clear()
        self._names.addItems([document.name for document in self._locked])
        height = self._names.sizeHintForRow(0) * min(max(number, 1), ROWS) + 2 * self._names.frameWidth() + 8
        self._names.setFixedHeight(height)

    def _set_busy(self, busy: bool) -> None:
        for widget in (self._field, self._remember):
            widget.setEnabled(not busy)
        self._try.setEnabled(not busy and bool(self._field.text()))

    @Slot()
    def _on_typed(self) -> None:
        self._try.setEnabled(bool(self._field.text()))

    @Slot()
    def _on_try(self) -> None:
        self._set_busy(True)
        self._said.setText(tr("Trying…"))
        self._presenter.queue.unlock(self._field.text(), remember=self._remember.isChecked())

    @Slot(int, int)
    def _on_unlocked(self, opened: int, locked: int) -> None:
        if not self.isVisible():
            return
        self._presenter.flush()
        if not locked:
            self._field.clear()
            self.accept()
            return
        self._show(self._presenter.with_status(DocumentStatus.LOCKED))
        self._said.setText(_outcome(opened, locked))
        self._set_busy(False)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_failed(self) -> None:
        self._set_busy(False)


def _outcome(opened: int, locked: int) -> str:
    left = trn("{n:,} is still locked. Another one?", "{n:,} are still locked. Another one?", locked)
    if not opened:
        return tr("That password opens none of them: {left}", left=left)
    return trn("It opened {n:,} document; {left}", "It opened {n:,} documents; {left}", opened, left=left)
