"""Metadata of one's own, of documents or of a linked folder: a line a key, to be written, changed and taken away."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.errors import MetadataError
from workbench.language import tr
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.metadata import CustomFields
from workbench.ui.controls import ElidedLabel, button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

Give = Callable[[Mapping[str, object]], None]
"""Told what is to be given; None takes a key away."""

_LINES = 4
_WIDTH = 460


class MetadataBox(QPlainTextEdit):
    """A line “key = value” for each key; where documents differ the line says so, and stays unless it is changed."""

    def __init__(self, held: Sequence[CustomFields]) -> None:
        """Take what each document has."""
        super().__init__()
        self._before = _lines(held)
        self.setPlainText("\n".join(self._before))
        self.setPlaceholderText(tr("key = value, for example dept = hr"))
        self.setAccessibleName(tr("Metadata of your own"))
        self.setToolTip(tr("A line a key: a text, a number, a date like 2025-06-01, or several with “;” between."))
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + 18)

    def changes(self) -> dict[str, object]:
        """Return what is to be given; None for a key that is to be taken away.

        Raises:
            MetadataError: A line is no “key = value”, or a key or a value cannot be.
        """
        lines = [line.strip() for line in self.toPlainText().splitlines() if line.strip()]
        given = typed_pairs(line for line in lines if line not in self._before)
        gone = typed_pairs(line for line in self._before if line not in lines)
        changed = {**dict.fromkeys(gone), **{key.strip().casefold(): value for key, value in given.items()}}
        checked_metadata(changed)
        return changed


class MetadataDialog(Dialog):
    """The metadata of several documents, changed together, or those that a linked folder gives to its own."""

    def __init__(
        self,
        name: str,
        held: Sequence[CustomFields],
        theme: Theme,
        give: Give,
        parent: QWidget | None = None,
        *,
        about: str = "",
    ) -> None:
        """Take a title, what each of those it is about has, and what else is to be said."""
        super().__init__(parent)
        self.setWindowTitle(tr("Metadata"))
        self._give = give
        self._banner = Banner(theme)
        self._box = MetadataBox(held)
        save = button(tr("Save"), "primary", self.accept)
        save.setDefault(True)
        title = ElidedLabel()
        title.setProperty("role", "title")
        title.set_whole_text(name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(10)
        layout.addWidget(title)
        layout.addWidget(self._banner)
        layout.addWidget(self._box)
        filtering = tr("In a filter, dept:hr finds what has “hr” under “dept”; due<2025-06 and budget>=100 compare.")
        for text in filter(None, (about, filtering)):
            layout.addWidget(label(text, "caption", wrap=True))
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save))
        self._box.setFocus()
        self.resize(_WIDTH, 0)
        self.grow()

    def accept(self) -> None:
        """Save and close; what cannot be is said here, and nothing is saved."""
        try:
            changes = self._box.changes()
        except MetadataError as error:
            self._banner.show_error(error)
            self.grow()
            return
        self._give(changes)
        super().accept()


def _lines(held: Sequence[CustomFields]) -> list[str]:
    written = [{field.key: field.written for field in one} for one in held]
    keys = sorted({key for one in written for key in one})
    lines = []
    for key in keys:
        values = {one.get(key) for one in written}
        value = next(iter(values)) if len(values) == 1 else tr("(different values)")
        lines.append(f"{key} = {value}")
    return lines
