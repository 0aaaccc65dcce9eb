"""What a big drop holds, shown before it is added."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QGridLayout, QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from workbench.model.review import Duplicate, FileKind, Review, ReviewProgress
from workbench.ui.controls import button, dialog_foot, frame, label
from workbench.ui.library.wording import count

MOST_KINDS = 8
OTHERS = "Others"
MOST_NAMES = 500
"""Rows of a list that nobody reads to its end; it says how many more there are."""


class ReviewSheet(QDialog):
    """Count, size, kinds, what cannot be read, what is there already, and where it goes.

    Signals:
        accepted_into: "Add" was pressed: the knowledge base.
    """

    accepted_into = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add documents")
        self.setMinimumWidth(520)
        self._title = label("", "heading", wrap=True)
        self._summary = label("", "muted", wrap=True)
        self._kinds = QGridLayout()
        self._kinds.setHorizontalSpacing(24)
        self._kinds.setVerticalSpacing(4)
        self._kinds.setColumnStretch(0, 1)
        self._card = frame("well")
        self._more = label("", wrap=True)
        self._names = QListWidget()
        self._names.setAccessibleName("Files that are not added, and why")
        self._names.setWordWrap(True)
        self._names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._base = QComboBox()
        self._base.setAccessibleName("Knowledge base that they are added to")
        self._base_row = QWidget()
        self._add = button("Add", "primary", self._on_add)
        self._add.setDefault(True)
        self._lay_out()

    @property
    def text(self) -> str:
        """What it says."""
        return " ".join(part.text() for part in (self._title, self._summary, self._more) if part.text())

    def show_looking(self, progress: ReviewProgress) -> None:
        """Show how far the looking is; Cancel ends it."""
        self._title.setText("Looking at what you dropped…")
        compared = f"{progress.compared:,} of {progress.to_compare:,} compared with what is there already"
        self._summary.setText(f"{count(progress.found, 'file')} so far" if not progress.to_compare else compared)
        for widget in (self._card, self._more, self._names, self._base_row):
            widget.setVisible(False)
        self._add.setEnabled(False)
        self._appear()

    def show_review(self, review: Review, bases: Sequence[str], target: str) -> None:
        """Show what would be added, and where."""
        new = review.files - len(review.duplicates)
        self._title.setText(f"Add {count(new, 'document')}?" if new else "There is nothing new here")
        self._summary.setText(f"{count(review.files, 'file')} that can be read · {size_words(review.size)}")
        self._show_kinds(review.kinds)
        self._more.setText(_what_is_left(review))
        self._more.setVisible(bool(self._more.text()))
        self._show_names(review)
        self._base.clear()
        self._base.addItems(list(bases) or [target])
        self._base.setCurrentText(target)
        self._base_row.setVisible(new > 0)
        self._add.setEnabled(review.files > 0)
        self._add.setText(f"Add {count(new, 'document')}" if new else "Check them again")
        self._appear()
        self._add.setFocus(Qt.FocusReason.OtherFocusReason)

    def _appear(self) -> None:
        if not self.isVisible():
            self.open()
        self.adjustSize()
        self._centre()

    def _centre(self) -> None:
        # The window manager placed what was small then: the review is five times as high as "Looking at …".
        parent = self.parentWidget()
        over = parent.window().frameGeometry() if parent is not None else self.screen().availableGeometry()
        place = self.frameGeometry()
        place.moveCenter(over.center())
        screen = self.screen().availableGeometry()
        left = max(screen.left(), min(place.left(), screen.right() - place.width()))
        top = max(screen.top(), min(place.top(), screen.bottom() - place.height()))
        self.move(left, top)

    def _lay_out(self) -> None:
        inside = QVBoxLayout(self._card)
        inside.setContentsMargins(14, 10, 14, 10)
        inside.addLayout(self._kinds)
        row = QHBoxLayout(self._base_row)
        row.setContentsMargins(0, 0, 0, 0)
        where = label("Knowledge base")
        where.setBuddy(self._base)
        row.addWidget(where)
        row.addWidget(self._base, 1)
        self._names.setFixedHeight(120)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        for widget in (self._title, self._summary, self._card, self._more, self._names, self._base_row):
            layout.addWidget(widget)
        layout.addLayout(dialog_foot(button("Cancel", "secondary", self.reject), self._add))

    def _show_kinds(self, kinds: Sequence[FileKind]) -> None:
        while (item := self._kinds.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        shown = list(kinds[:MOST_KINDS])
        rest = kinds[MOST_KINDS:]
        if rest:
            shown.append(FileKind(OTHERS, sum(one.files for one in rest), sum(one.size for one in rest)))
        for number, kind in enumerate(shown):
            cells = (_kind_words(kind.ending), count(kind.files, "file"))
            for column, text in enumerate((*cells, size_words(kind.size))):
                cell = label(text, "" if column == 0 else "muted")
                side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
                self._kinds.addWidget(cell, number, column, side)
        self._card.setVisible(bool(shown))

    def _show_names(self, review: Review) -> None:
        self._names.clear()
        lines = [_duplicate_words(one) for one in review.duplicates]
        lines += [f"{Path(path).name}: cannot be read" for path in review.unreadable]
        self._names.addItems(lines[:MOST_NAMES])
        if len(lines) > MOST_NAMES:
            self._names.addItem(f"… and {len(lines) - MOST_NAMES:,} more")
        self._names.setVisible(bool(lines))

    @Slot()
    def _on_add(self) -> None:
        self.accept()
        self.accepted_into.emit(self._base.currentText())


def size_words(size: int) -> str:
    """Return a number of bytes in round words."""
    for unit, power in (("GB", 30), ("MB", 20), ("KB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):,.1f} {unit}"
    return count(size, "byte")


def _kind_words(ending: str) -> str:
    if not ending:
        return "No ending"
    return ending if ending == OTHERS else ending.lstrip(".").upper()


def _duplicate_words(duplicate: Duplicate) -> str:
    where = "in the library as" if duplicate.in_library else "the same as"
    return f"{Path(duplicate.path).name}: {where} “{duplicate.same_as}”"


def _what_is_left(review: Review) -> str:
    sentences = []
    if review.duplicates:
        there = Counter(one.in_library for one in review.duplicates)
        parts = [f"{there[True]:,} already in the library"] if there[True] else []
        parts += [f"{there[False]:,} the same as another file here"] if there[False] else []
        sentences.append(f"Left out: {', '.join(parts)}.")
    if review.unsupported:
        kinds = ", ".join(
            f"{one.files:,} {one.ending or 'without an ending'}" for one in review.unsupported[:MOST_KINDS]
        )
        more = ", …" if len(review.unsupported) > MOST_KINDS else ""
        sentences.append(f"Cannot be read by this program: {kinds}{more}.")
    if review.unreadable:
        sentences.append(f"{count(len(review.unreadable), 'file')} cannot be opened.")
    return "\n".join(sentences)
