"""Dialogs of an import: the review of a big drop, and the question for passwords."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, trn
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import Duplicate, FileKind, Review, ReviewProgress
from workbench.ui.controls import IconLabel, button, dialog_foot, empty, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.library.document_wording import join_with_commas, size_words
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.row_actions import RowActions
from workbench.ui.theme import Theme

ROWS = 6
"""Number of names that are visible without scrolling."""


class PasswordPrompt(Dialog):
    """Dialog that tries a password on all locked documents; open while some are locked, without blocking any import."""

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
        self._remember = QCheckBox(tr("Save in the system keyring for this library"))
        self._message = label("", "muted", wrap=True)
        self._try = button(tr("Unlock"), "primary", self._on_try)
        self._try.setDefault(True)
        self._later = button(tr("Not now"), "secondary", self.reject)
        self._lay_out(theme)
        self._field.textChanged.connect(self._on_typed)
        presenter.queue.unlocked.connect(self._on_unlocked)
        presenter.queue.failed.connect(self._on_failed)

    @property
    def text(self) -> str:
        """The text of the dialog."""
        return f"{self._title.text()} {self._message.text()}".strip()

    def ask(self, documents: Sequence[Document]) -> None:
        """Show the locked documents and wait for a password."""
        self._show(documents)
        self._message.setText(tr("The password is tried on every locked document. Other imports continue."))
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
        layout.addWidget(self._message)
        layout.addLayout(dialog_foot(self._later, self._try))

    def _show(self, documents: Sequence[Document]) -> None:
        self._locked = list(documents)
        number = len(self._locked)
        self._title.setText(trn("{n:,} document needs a password", "{n:,} documents need a password", number))
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
        self._message.setText(tr("Trying…"))
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
        self._message.setText(_describe_outcome(opened, locked))
        self._set_busy(False)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_failed(self) -> None:
        self._set_busy(False)


def _describe_outcome(opened: int, locked: int) -> str:
    left = trn(
        "{n:,} document is still locked. Try another password.",
        "{n:,} documents are still locked. Try another password.",
        locked,
    )
    if not opened:
        return tr("Wrong password. {left}", left=left)
    return trn("Unlocked {n:,} document. {left}", "Unlocked {n:,} documents. {left}", opened, left=left)


MOST_KINDS = 8
OTHERS = mark("Others")
MOST_NAMES = 500
"""Maximum number of rows of the list; a last row shows how many more there are."""


class ReviewSheet(Dialog):
    """Dialog that reviews a big drop: count, size, kinds, unreadable files, duplicates, and the target.

    Signals:
        accepted_into: "Add" was pressed: the knowledge base, and whether links to files are followed, None if there
            are no links to decide about.
    """

    accepted_into = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add documents"))
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
        self._names.setAccessibleName(tr("Files that will not be added"))
        self._names.setWordWrap(True)
        self._names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._base = QComboBox()
        self._base.setAccessibleName(tr("Add to knowledge base"))
        self._base_row = QWidget()
        self._links = QCheckBox()
        self._links.setAccessibleName(tr("Follow symbolic links"))
        self._links.toggled.connect(self._show_number)
        self._files, self._new, self._linked = 0, 0, 0
        self._add = button(tr("Add"), "primary", self._on_add)
        self._add.setDefault(True)
        self._lay_out()

    @property
    def text(self) -> str:
        """The text of the dialog."""
        return " ".join(part.text() for part in (self._title, self._summary, self._more) if part.text())

    def show_looking(self, progress: ReviewProgress) -> None:
        """Show the progress of the review; Cancel ends it."""
        self._title.setText(tr("Checking the files…"))
        found = trn("{n:,} file so far", "{n:,} files so far", progress.found)
        if progress.to_compare:
            found = tr(
                "{n:,} of {total:,} compared with the library",
                n=progress.compared,
                total=progress.to_compare,
            )
        self._summary.setText(found)
        for widget in (self._card, self._more, self._names, self._links, self._base_row):
            widget.setVisible(False)
        self._add.setEnabled(False)
        self._appear()

    def show_review(self, review: Review, bases: Sequence[str], target: str) -> None:
        """Show the files that would be added, and the target."""
        self._files, self._linked = review.files, review.links
        self._new = review.files - len(review.duplicates)
        readable = trn("{n:,} file can be added", "{n:,} files can be added", review.files)
        self._summary.setText(f"{readable} · {size_words(review.size)}")
        self._show_kinds(review.kinds)
        self._more.setText(_describe_left_out(review))
        self._more.setVisible(bool(self._more.text()))
        self._show_names(review)
        self._base.clear()
        self._base.addItems(list(bases) or [target])
        self._base.setCurrentText(target)
        # Reset each time: a decision about the links of one folder does not apply to those of the next.
        self._links.setChecked(False)
        self._links.setText(tr("Follow symbolic links ({n:,})", n=review.links))
        self._links.setToolTip(tr("They can lead to any file on this computer."))
        self._links.setVisible(review.links > 0)
        self._show_number()
        self._appear()
        self._add.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _show_number(self) -> None:
        linked = self._linked if self._links.isChecked() else 0
        new = self._new + linked
        question = trn("Add {n:,} document?", "Add {n:,} documents?", new)
        self._title.setText(question if new else tr("No new files"))
        add = trn("Add {n:,} document", "Add {n:,} documents", new)
        self._add.setText(add if new else tr("Check again"))
        self._add.setEnabled(self._files + linked > 0)
        self._base_row.setVisible(new > 0)

    def _appear(self) -> None:
        if not self.isVisible():
            self.open()
        self.adjustSize()
        self._centre()

    def _centre(self) -> None:
        # The window manager placed the smaller dialog: the review is five times as high as "Looking at …".
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
        caption = label(tr("Knowledge base"))
        caption.setBuddy(self._base)
        row.addWidget(caption)
        row.addWidget(self._base, 1)
        self._names.setFixedHeight(120)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(12)
        for widget in (self._title, self._summary, self._card, self._more, self._names, self._links, self._base_row):
            layout.addWidget(widget)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._add))

    def _show_kinds(self, kinds: Sequence[FileKind]) -> None:
        empty(self._kinds)
        shown = list(kinds[:MOST_KINDS])
        rest = kinds[MOST_KINDS:]
        if rest:
            shown.append(FileKind(OTHERS, sum(one.files for one in rest), sum(one.size for one in rest)))
        for number, kind in enumerate(shown):
            cells = (_kind_words(kind.ending), trn("{n:,} file", "{n:,} files", kind.files))
            for column, text in enumerate((*cells, size_words(kind.size))):
                cell = label(text, "" if column == 0 else "muted")
                side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
                self._kinds.addWidget(cell, number, column, side)
        self._card.setVisible(bool(shown))

    def _show_names(self, review: Review) -> None:
        self._names.clear()
        lines = [_duplicate_words(one) for one in review.duplicates]
        lines += [tr("{name}: cannot be read", name=Path(path).name) for path in review.unreadable]
        self._names.addItems(lines[:MOST_NAMES])
        if len(lines) > MOST_NAMES:
            self._names.addItem(tr("… and {n:,} more", n=len(lines) - MOST_NAMES))
        self._names.setVisible(bool(lines))

    @Slot()
    def _on_add(self) -> None:
        self.accept()
        self.accepted_into.emit(self._base.currentText(), self._links.isChecked() if self._linked else None)


def _kind_words(ending: str) -> str:
    if not ending:
        return tr("No extension")
    return tr(OTHERS) if ending == OTHERS else ending.lstrip(".").upper()


def _duplicate_words(duplicate: Duplicate) -> str:
    name = Path(duplicate.path).name
    if duplicate.in_library:
        return tr("{name}: in the library as “{other}”", name=name, other=duplicate.same_as)
    return tr("{name}: the same as “{other}”", name=name, other=duplicate.same_as)


def _files_words(kind: FileKind) -> str:
    if kind.ending:
        return tr("{n:,} {ending}", n=kind.files, ending=kind.ending)
    return tr("{n:,} without an extension", n=kind.files)


def _describe_left_out(review: Review) -> str:
    sentences = []
    if review.duplicates:
        counts = Counter(one.in_library for one in review.duplicates)
        parts = [tr("{n:,} already in the library", n=counts[True])] if counts[True] else []
        parts += [trn("{n:,} duplicate", "{n:,} duplicates", counts[False])] if counts[False] else []
        sentences.append(tr("Skipped: {parts}.", parts=join_with_commas(parts)))
    if review.unsupported:
        kinds = [_files_words(one) for one in review.unsupported[:MOST_KINDS]]
        more = ["…"] if len(review.unsupported) > MOST_KINDS else []
        sentences.append(tr("Unsupported: {kinds}.", kinds=join_with_commas([*kinds, *more])))
    if review.unreadable:
        number = len(review.unreadable)
        sentences.append(trn("{n:,} file cannot be opened.", "{n:,} files cannot be opened.", number))
    return "\n".join(sentences)


class QueueDialogs(QObject):
    """Opener of the import dialogs; each is created once, on first use."""

    def __init__(self, presenter: LibraryPresenter, actions: RowActions, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._theme = theme
        self._parent = parent
        self._sheet: ReviewSheet | None = None
        self._prompt: PasswordPrompt | None = None
        presenter.queue.looking.connect(self._on_looking)
        presenter.queue.reviewed.connect(self._on_reviewed)
        presenter.queue.review_ended.connect(self._on_review_ended)
        presenter.queue.locked_found.connect(self.ask_for_passwords)
        actions.unlock_asked.connect(self.unlock)

    @Slot()
    def ask_for_passwords(self) -> bool:
        """Ask once for the passwords of all locked documents; return whether there are any."""
        self._presenter.flush()
        locked = self._presenter.with_status(DocumentStatus.LOCKED)
        if locked:
            self._show_prompt(locked)
        return bool(locked)

    @Slot(list)
    def unlock(self, chosen: list[Document]) -> None:
        """Ask for the password of these documents; it is tried on every locked document."""
        # Documents that an earlier version failed for lack of a password become locked ones when they are read again.
        given_up = [document.id for document in chosen if document.status is DocumentStatus.FAILED]
        if given_up:
            self._presenter.reindex(given_up)
        else:
            self._show_prompt(self._presenter.with_status(DocumentStatus.LOCKED))

    def _show_prompt(self, documents: list[Document]) -> None:
        if self._prompt is None:
            self._prompt = PasswordPrompt(self._presenter, self._theme, self._parent)
        self._prompt.ask(documents)

    def _review_sheet(self) -> ReviewSheet:
        if self._sheet is None:
            self._sheet = ReviewSheet(self._parent)
            self._sheet.accepted_into.connect(self._presenter.add_reviewed)
            self._sheet.rejected.connect(self._presenter.queue.cancel_review)
        return self._sheet

    @Slot(object)
    def _on_looking(self, progress: ReviewProgress) -> None:
        self._review_sheet().show_looking(progress)

    @Slot(object)
    def _on_reviewed(self, review: Review) -> None:
        presenter = self._presenter
        self._review_sheet().show_review(review, presenter.knowledge_bases, presenter.queue.base)

    @Slot()
    def _on_review_ended(self) -> None:
        if self._sheet is not None:
            self._sheet.hide()
