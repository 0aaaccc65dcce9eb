"""Dialogs and editor for the details and custom metadata of documents."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.errors import MetadataError
from workbench.language import mark, tr
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.document import Document, Origin
from workbench.model.metadata import CustomFields, checked_fields, checked_tags
from workbench.ui.controls import ElidedLabel, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.library.document_wording import chunks, format_words, join_with_commas, pages
from workbench.ui.localisation import day_and_time
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

_FIELDS = (
    ("title", mark("Title"), mark("Title of the document")),
    ("author", mark("Author"), mark("Author of the document")),
    ("created", mark("Created"), mark("2024, 2024-05 or 2024-05-31")),
    ("modified", mark("Modified"), mark("2024, 2024-05 or 2024-05-31")),
    ("keywords", mark("Keywords"), mark("Separated by commas")),
    ("language", mark("Language"), "en, de, zh …"),
)
_ORIGINS = {
    Origin.FILE: mark("File"),
    Origin.URL: mark("Web page"),
    Origin.QUERY: mark("Database query"),
    Origin.NOTE: mark("Note"),
}
Save = Callable[[dict[str, object], tuple[str, ...], tuple[str, ...], dict[str, object]], None]
"""Callback that receives the changed fields, the added tags, the removed tags, and the metadata; None removes a key."""


class DetailsDialog(Dialog):
    """Dialog for the details of a document; fields edited by the user are marked, and only changes are saved."""

    def __init__(self, document: Document, theme: Theme, save: Save, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Details of {name}", name=document.name))
        self.resize(560, 0)
        self._document = document
        self._save = save
        self._banner = Banner(theme)
        self._before = {name: _to_text(getattr(document.metadata, name)) for name, _title, _hint in _FIELDS}
        self._fields = {name: self._field(name, tr(title), tr(hint)) for name, title, hint in _FIELDS}
        self._tags = QLineEdit(", ".join(document.tags))
        self._tags.setPlaceholderText(tr("Separated by commas"))
        self._tags.setAccessibleName(tr("Tags"))
        self._metadata = MetadataBox([document.custom])
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, title, _hint in _FIELDS:
            form.addRow(self._field_label(tr(title), yours=name in document.edited), self._fields[name])
        form.addRow(label(tr("Tags"), "muted"), self._tags)
        form.addRow(label(tr("Metadata"), "muted"), self._metadata)
        form.addRow(frame("divider"))
        for title, value in facts(document):
            shown = ElidedLabel()
            shown.set_whole_text(value)
            form.addRow(label(title, "muted"), shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 14)
        layout.setSpacing(12)
        layout.addWidget(self._banner)
        layout.addLayout(form)
        layout.addLayout(self._foot())
        self._fields["title"].setFocus()

    def changes(self) -> dict[str, object]:
        """Return the fields whose text was changed."""
        return {name: box.text() for name, box in self._fields.items() if box.text().strip() != self._before[name]}

    def accept(self) -> None:
        """Save and close; an invalid value is reported in the dialog, and nothing is saved."""
        changes = self.changes()
        try:
            checked_fields(changes)
            tags = checked_tags(part for part in self._tags.text().split(",") if part.strip())
            metadata = self._metadata.changes()
        except MetadataError as error:
            self._banner.show_error(error)
            return
        before = self._document.tags
        added, removed = tuple(t for t in tags if t not in before), tuple(t for t in before if t not in tags)
        self._save(changes, added, removed, metadata)
        super().accept()

    def _field(self, name: str, title: str, hint: str) -> QLineEdit:
        box = QLineEdit(self._before[name])
        box.setPlaceholderText(hint)
        box.setAccessibleName(title)
        box.setCursorPosition(0)
        return box

    def _field_label(self, title: str, *, yours: bool) -> QLabel:
        widget = label(tr("{field} (edited)", field=title) if yours else title, "muted", tone="accent" if yours else "")
        if yours:
            widget.setToolTip(tr("You edited this. Reading the file again does not change it."))
        return widget

    def _foot(self) -> QHBoxLayout:
        save = button(tr("Save"), "primary", self.accept)
        save.setDefault(True)
        return dialog_foot(button(tr("Cancel"), "secondary", self.reject), save)


def facts(document: Document) -> list[tuple[str, str]]:
    """Return the details of a document that cannot be edited."""
    size = QLocale(QLocale.Language.English).formattedDataSize(
        document.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat
    )
    parts = [pages(document.pages, document.page_kind)] if document.pages else []
    parts.append(chunks(document.chunks))
    found = [
        (_origin_words(document.origin), document.path),
        (tr("Folder"), document.folder),
        (tr("Knowledge base"), document.knowledge_base),
        (tr("Format"), join_with_commas([format_words(document.format), size])),
        (tr("Length"), join_with_commas(parts)),
        (tr("Added"), day_and_time(document.added)),
        (tr("Content"), f"SHA-256 {document.sha256[:16]}…" if document.sha256 else ""),
    ]
    return [(title, value) for title, value in found if value]


def _origin_words(origin: Origin) -> str:
    return tr("Archive", "a file that holds others") if origin is Origin.ARCHIVE else tr(_ORIGINS[origin])


def _to_text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


Give = Callable[[Mapping[str, object]], None]
"""Callback that receives the metadata to set; None removes a key."""

_LINES = 4
_WIDTH = 460


class MetadataBox(QPlainTextEdit):
    """Editor with a line “key = value” for each key; a key with different values is marked, and kept unless changed."""

    def __init__(self, held: Sequence[CustomFields]) -> None:
        """Set the metadata of each document."""
        super().__init__()
        self._before = _lines(held)
        self.setPlainText("\n".join(self._before))
        self.setPlaceholderText(tr("key = value, e.g. dept = hr"))
        self.setAccessibleName(tr("Custom metadata"))
        self.setToolTip(
            tr(
                "One key per line. Values are text, numbers, dates such as 2025-06-01, or several of "
                "these separated by “;”."
            )
        )
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + 18)

    def changes(self) -> dict[str, object]:
        """Return the metadata to set; None for a key to remove.

        Raises:
            MetadataError: A line is not “key = value”, or a key or a value is invalid.
        """
        lines = [line.strip() for line in self.toPlainText().splitlines() if line.strip()]
        new_pairs = typed_pairs(line for line in lines if line not in self._before)
        removed = typed_pairs(line for line in self._before if line not in lines)
        changed = {**dict.fromkeys(removed), **{key.strip().casefold(): value for key, value in new_pairs.items()}}
        checked_metadata(changed)
        return changed


class MetadataDialog(Dialog):
    """Dialog for the metadata of several documents, changed together, or of a linked folder."""

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
        """Create the dialog from a title, the metadata of each document, and an additional explanation."""
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
        filtering = tr("Filter with dept:hr, due<2025-06 or budget>=100.")
        for text in filter(None, (about, filtering)):
            layout.addWidget(label(text, "caption", wrap=True))
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), save))
        self._box.setFocus()
        self.resize(_WIDTH, 0)
        self.grow()

    def accept(self) -> None:
        """Save and close; invalid metadata are reported in the dialog, and nothing is saved."""
        try:
            changes = self._box.changes()
        except MetadataError as error:
            self._banner.show_error(error)
            self.grow()
            return
        self._give(changes)
        super().accept()


def _lines(held: Sequence[CustomFields]) -> list[str]:
    texts = [{field.key: field.written for field in one} for one in held]
    keys = sorted({key for one in texts for key in one})
    lines = []
    for key in keys:
        values = {one.get(key) for one in texts}
        value = next(iter(values)) if len(values) == 1 else tr("(different values)")
        lines.append(f"{key} = {value}")
    return lines
