"""Dialog with all edits of the passages of a document, each with its undo, and the button that opens it."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.language import mark, tr, translate, trn
from workbench.model.chunk import ChunkEdit, EditKind
from workbench.model.text_diff import DiffKind, DiffStretch
from workbench.ui.controls import ElidedLabel, button, dialog_foot, empty, label, write_markup
from workbench.ui.dialog import Dialog
from workbench.ui.inspector.chunk_edit_presenter import ChunkEditPresenter
from workbench.ui.localisation import day_and_time
from workbench.ui.theme import Theme, Tokens

NONE = mark("No passage of this document was edited.")
LOST = mark("Could not be applied again: the file no longer contains this text.")
LATER = mark("Undo the later edit of this text first.")
# Number of unchanged characters shown on each side of a change.
_AROUND = 60
_LONGEST = 1500


def diff_html(stretches: Sequence[DiffStretch], tokens: Tokens, *, whole: bool = False) -> str:
    """Return a text difference as HTML: strikethrough for deletions, underline for insertions, in addition to colour.

    Args:
        stretches: Parts of the difference.
        tokens: Colours of the theme.
        whole: Show all of the unchanged text, too.
    """
    parts = []
    for one in stretches:
        text = one.text if whole or one.piece is not DiffKind.SAME else _shortened(one.text)
        written = html.escape(text if whole else text[:_LONGEST]).replace("\n", "<br>")
        if one.piece is DiffKind.OUT:
            parts.append(
                f'<span style="background: {tokens.danger_soft}; color: {tokens.danger}"><s>{written}</s></span>'
            )
        elif one.piece is DiffKind.IN:
            parts.append(f'<span style="background: {tokens.ok_soft}; color: {tokens.ok}"><u>{written}</u></span>')
        else:
            parts.append(written)
    return "".join(parts)


class EditsDialog(Dialog):
    """Dialog that lists the edits, the latest first; it stays open while edits are undone and redone."""

    def __init__(self, editing: ChunkEditPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Edits"))
        self.resize(560, 520)
        self._editing = editing
        self._theme = theme
        title = ElidedLabel()
        title.setProperty("role", "title")
        title.set_whole_text(tr("Edits of “{name}”", name=editing.document_name))
        self._rows = QVBoxLayout()
        self._rows.setContentsMargins(0, 0, 8, 0)
        self._rows.setSpacing(8)
        inside = QWidget()
        inside.setLayout(self._rows)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inside)
        scroll.setAccessibleName(tr("Edits, newest first"))
        self._dismiss = button(tr("Discard edits that could not be applied"), "ghost", editing.dismiss)
        foot = dialog_foot(self._dismiss, button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 14, 14)
        layout.setSpacing(12)
        layout.addWidget(title)
        layout.addWidget(label(tr("The file itself is never changed."), "caption"))
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)
        editing.edits_changed.connect(self._on_edits)
        theme.changed.connect(self._show)
        self._show()

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        self._show()

    @Slot()
    def _show(self) -> None:
        at_keyboard = {card.edit.id for card in self.findChildren(_EditCard) if card.isAncestorOf(self.focusWidget())}
        empty(self._rows)
        edits = self._editing.edits
        for edit in reversed(edits):
            card = _EditCard(edit, self._editing, self._theme)
            self._rows.addWidget(card)
            if edit.id in at_keyboard:
                card.take_keyboard()
        if not edits:
            self._rows.addWidget(label(tr(NONE), "muted", wrap=True))
        self._rows.addStretch(1)
        self._dismiss.setVisible(any(edit.lost for edit in edits))


class _EditCard(QFrame):
    """Card of one edit: its kind, place and time, the changed text, and the button that undoes or redoes it."""

    def __init__(self, edit: ChunkEdit, editing: ChunkEditPresenter, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.edit = edit
        self._editing = editing
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 10)
        layout.setSpacing(4)
        self._back: QPushButton | None = None
        head = QHBoxLayout()
        words = translate(edit.words)
        done = tr("{edit} (undone)", edit=words) if edit.undone else words
        head.addWidget(label(done, "muted" if edit.undone or edit.lost else ""))
        head.addWidget(label(f"{_describe_place(edit)} · {day_and_time(edit.made)}", "caption"), 1)
        if not edit.lost:
            back = button(tr("Redo") if edit.undone else tr("Undo"), "ghost", self._on_back)
            back.setAccessibleName(f"{back.text()}: {words}, {_describe_place(edit)}")
            able = edit.can_redo if edit.undone else edit.can_undo
            back.setEnabled(able)
            back.setToolTip("" if able else tr(LATER))
            head.addWidget(back)
            self._back = back
        layout.addLayout(head)
        if edit.lost:
            layout.addWidget(label(tr(LOST), "caption", wrap=True, tone="warn"))
        self._differences = editing.differences
        self._theme = theme
        self._difference_label: QLabel | None = None
        if edit.is_of_text:
            self._difference_label = _rich_label(html.escape(tr("Comparing…")), theme, edit.text_after)
            layout.addWidget(self._difference_label)
            self._differences.compared.connect(self._show_difference)
            self._show_difference()
        elif text := _text_of(edit):
            layout.addWidget(_rich_label(text, theme, text))

    def take_keyboard(self) -> None:
        """Set the keyboard focus on the undo button."""
        if self._back is not None:
            self.show()  # a widget that its layout has not shown yet takes no focus
            self._back.setFocus()

    @Slot()
    def _show_difference(self) -> None:
        """Show the text difference as soon as it is available."""
        stretches = self._differences.of(self.edit.text_before, self.edit.text_after)
        if stretches is not None and self._difference_label is not None:
            write_markup(self._difference_label, diff_html(stretches, self._theme.tokens()))
            self._difference_label = None

    @Slot()
    def _on_back(self) -> None:
        self._editing.go_back(self.edit, redo=bool(self.edit.undone))


def _text_of(edit: ChunkEdit) -> str:
    """Return as HTML the result of an edit other than a text change: the tags, or the chunks."""
    if edit.kind is EditKind.TAG:
        return html.escape(", ".join(f"#{tag}" for tag in edit.after[0].tags) or tr("Tags removed"))
    return "<br>".join(html.escape(_shortened(" ".join(chunk.text.split()))) for chunk in edit.after)


def _rich_label(markup: str, theme: Theme, text: str) -> QLabel:
    """Return a label with selectable markup, in a font that has the characters of the text."""
    made = label(wrap=True)
    write_markup(made, markup)
    made.setFont(theme.font(text=text))
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * _AROUND + 20 else f"{text[:_AROUND]} … {text[-_AROUND:]}"


def _describe_place(edit: ChunkEdit) -> str:
    numbers = [chunk.ordinal + 1 for chunk in edit.before]
    if len(numbers) == 1:
        return tr("passage {n}", n=numbers[0])
    return tr("passages {first}–{last}", first=numbers[0], last=numbers[-1])


class EditsButton(QPushButton):
    """Button next to a document's title that opens the list of edits; hidden if there are none."""

    def __init__(self, theme: Theme, editing: ChunkEditPresenter, parent: QWidget | None = None) -> None:
        super().__init__(tr("Edits"), parent)
        self._theme = theme
        self._editing = editing
        self.setProperty("variant", "link")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tr("Your edits of the passages of this document"))
        self.clicked.connect(self.open)
        editing.edits_changed.connect(self._on_edits)
        self.hide()

    @Slot()
    def open(self) -> None:
        """Open the list of edits."""
        dialog = EditsDialog(self._editing, self._theme, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    @Slot(object)
    def _on_edits(self, _edits: object) -> None:
        edits = self._editing.edits
        lost = sum(edit.lost for edit in edits)
        self.setVisible(bool(edits))
        standing = sum(not edit.undone for edit in edits)
        made = trn("{n:,} edit", "{n:,} edits", standing) if standing else tr("Edits")
        self.setText(tr("{edits}, {lost} not applied", edits=made, lost=lost) if lost else made)
