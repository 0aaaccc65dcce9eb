"""The dialog for links: one or many lines, said at once which of them lead nowhere we go."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.ui.controls import button, dialog_foot, label, redress
from workbench.ui.library.links import is_link, words_of
from workbench.ui.library.wording import count

SCRIPTS = "Let the page's scripts run first"
SCRIPTS_HELP = (
    "For pages that show nothing without them. An installed Chromium or Chrome opens the page without a window; it may "
    "load what the page asks for, from other servers too, but nothing of this machine or its network."
)


class AddLinkDialog(QDialog):
    """Takes links.

    Signals:
        links_given: The links, and whether their pages' scripts are to be run.
    """

    links_given = Signal(list, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add link")
        self.setMinimumWidth(520)
        self._links = QPlainTextEdit()
        self._links.setPlaceholderText("https://example.org/report.html")
        self._links.setAccessibleName("Links, one a line")
        self._links.setTabChangesFocus(True)
        self._links.setFixedHeight(120)
        self._links.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._scripts = QCheckBox(SCRIPTS)
        self._scripts.setAccessibleDescription(SCRIPTS_HELP)
        self._said = label("", "caption", wrap=True)
        self._add = button("Add", "primary", self._on_add)
        self._add.setDefault(True)
        self._lay_out()
        self._links.textChanged.connect(self._on_changed)
        self._on_changed()

    def begin(self, links: list[str]) -> None:
        """Show the dialog with these links in it."""
        self._links.setPlainText("\n".join(links))
        self.show()
        self.raise_()
        self._links.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label("Add pages of the web", "heading"))
        layout.addWidget(
            label("Each page is fetched once, now. Its pictures and its links are not.", "muted", wrap=True)
        )
        layout.addWidget(self._links)
        layout.addWidget(self._said)
        layout.addWidget(self._scripts)
        layout.addWidget(label(SCRIPTS_HELP, "caption", wrap=True))
        layout.addSpacing(6)
        layout.addLayout(dialog_foot(button("Cancel", "secondary", self.reject), self._add))

    @Slot()
    def _on_changed(self) -> None:
        words = words_of(self._links.toPlainText())
        wrong = [word for word in words if not is_link(word)]
        self._add.setEnabled(bool(words) and not wrong)
        if wrong:
            shown = wrong[0] if len(wrong[0]) <= 40 else wrong[0][:39] + "…"
            self._said.setText(f"“{shown}” is not a link.")
        else:
            self._said.setText(count(len(words), "link") if words else "One link a line.")
        redress(self._said, tone="danger" if wrong else "")

    @Slot()
    def _on_add(self) -> None:
        links = words_of(self._links.toPlainText())
        self.accept()
        self._links.clear()
        self.links_given.emit(links, self._scripts.isChecked())
