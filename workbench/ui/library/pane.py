"""Library pane: filter field, list of documents, empty view, and the progress strip of an import."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.language import tr, translate, trn
from workbench.model.document import Document
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, label
from workbench.ui.library.document_columns import Arrangement, ColumnView
from workbench.ui.library.document_wording import time_left
from workbench.ui.library.imports import ImportState
from workbench.ui.library.list_options import KnowledgeBaseBox, OptionsButton
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.library.import_dialogs import QueueDialogs
    from workbench.ui.library.other_sources import OtherSources
    from workbench.ui.library.row_actions import RowActions, RowMenu


def file_dialog_filters() -> list[str]:
    """Return the filters of the file dialog, each a name and its patterns: all documents, each family, all files."""
    from workbench.parsing.parser_registry import endings_by_family  # not needed for the first paint

    families = endings_by_family()
    everything = sorted({suffix for suffixes in families.values() for suffix in suffixes})
    kinds = [_filter(_capitalise(translate(words)), suffixes) for words, suffixes in families.items()]
    return [_filter(tr("All documents"), everything), *kinds, _filter(tr("All files"), [""])]


def _capitalise(words: str) -> str:
    return words[:1].upper() + words[1:]


def _filter(name: str, suffixes: Iterable[str]) -> str:
    return f"{name} ({' '.join('*' + suffix for suffix in suffixes)})"


class LibraryPane(QWidget):
    """Pane that shows the documents of the library.

    Signals:
        document_chosen: A Document whose chunks are to be shown.
        check_asked: A Document that is to be checked, or None for all.
        room_wanted: The documents are shown as a table, which needs more width than a list.
    """

    document_chosen = Signal(object)
    check_asked = Signal(object)
    room_wanted = Signal()
    sources: OtherSources
    _actions: RowActions
    _menu: RowMenu
    _queue_dialogs: QueueDialogs

    def __init__(self, presenter: LibraryPresenter, theme: Theme) -> None:
        super().__init__()
        self._presenter = presenter
        self._theme = theme
        self._filter = self._make_filter()
        self._bases = KnowledgeBaseBox()
        self._options = OptionsButton(theme)
        self._options.own_keys = presenter.model.custom_keys
        self._list = DocumentListView(presenter.model)
        self._empty = EmptyLibrary(theme)
        self._nothing = label("", "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setContentsMargins(12, 24, 12, 12)
        self._loading = QWidget()
        self._stack = QStackedWidget()
        for page in (self._empty, self._list, self._nothing, self._loading):
            self._stack.addWidget(page)
        self._progress = ProgressStrip()
        self._lay_out()
        self._connect()
        self._on_documents_changed()

    def prepare(self) -> None:
        """Create what is only visible with documents or after a click; the first paint does not wait for it, 30 ms."""
        from workbench.ui.library.catalogue_dialogs import CatalogueDialogs
        from workbench.ui.library.document_delegate import DocumentDelegate, TableDelegate
        from workbench.ui.library.import_dialogs import QueueDialogs
        from workbench.ui.library.other_sources import OtherSources
        from workbench.ui.library.row_actions import RowActions, RowMenu

        self._list.dress(DocumentDelegate(self._theme, self._list), TableDelegate(self._theme, self._list))
        self._actions = RowActions(self._list, self._presenter)
        self._menu = RowMenu(self._list, self._actions, self._presenter)
        self._actions.check_asked.connect(self.check_asked)
        self._actions.document_chosen.connect(self.document_chosen)
        dialogs = CatalogueDialogs(self._presenter, self._actions, self._theme, self)
        self._options.base_wanted.connect(dialogs.ask_for_base)
        self._options.rename_asked.connect(dialogs.ask_for_new_name)
        self._options.remove_asked.connect(dialogs.ask_whether_to_remove)
        self.sources = OtherSources(self._presenter, self._actions, self)
        self._queue_dialogs = QueueDialogs(self._presenter, self._actions, self._theme, self)

    def focus(self) -> None:
        """Set the keyboard focus on the filter field."""
        self._filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def selected(self) -> list[Document]:
        """Return the selected documents."""
        return self._actions.selected()

    def selection_actions(self) -> list[QAction]:
        """Return the actions for the selected documents."""
        return self._menu.selection_actions()

    def select(self, number: int) -> None:
        """Select the document with this id."""
        # Not by the view's setCurrentIndex, which adds or removes the row while Ctrl is held.
        wanted = self._presenter.model.index_of(number)
        rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self._list.selectionModel().setCurrentIndex(wanted, rows)

    @Slot(object)
    def arrange(self, arrangement: Arrangement) -> None:
        """Set the order of the documents."""
        self._options.show_arrangement(arrangement)
        self._presenter.model.arrange(arrangement)
        self._list.show_arrangement(arrangement)

    @property
    def rows(self) -> DocumentListView:
        """The list of documents."""
        return self._list

    @property
    def view(self) -> ColumnView:
        """Current view: list or table, and the columns of the table."""
        return self._list.view

    def show_view(self, view: ColumnView) -> None:
        """Show the documents as a list, or as a table of these columns."""
        if view.is_table or self._list.view.is_table:
            self._list.show_view(view)
            self._list.show_arrangement(self._presenter.model.arrangement)
        self._options.show_view(view)

    @Slot(object)
    def unlock(self, document: Document) -> None:
        """Ask for the password of a document, and read the document with it."""
        self._queue_dialogs.unlock([document])

    @Slot()
    def unlock_all(self) -> None:
        """Ask for the passwords of all locked documents, and read those that they open."""
        if not self._queue_dialogs.ask_for_passwords():
            self._presenter.notified.emit(tr("No document in your library is locked any more; ask again"), False)

    @Slot()
    def ask_for_files(self) -> None:
        """Ask for files to add."""
        # Imported here because the window's start does not need them: PySide takes 3 ms for the dialog's eight
        # enumerations.
        from PySide6.QtWidgets import QFileDialog

        # The names of the file kinds are useful, a hundred patterns are not.
        shown = QFileDialog.Option.HideNameFilterDetails
        names, _kind = QFileDialog.getOpenFileNames(
            self, tr("Add files"), str(Path.home()), ";;".join(file_dialog_filters()), options=shown
        )
        self._presenter.offer([Path(name) for name in names])

    @Slot()
    def ask_for_folder(self) -> None:
        """Ask for a folder to add."""
        from PySide6.QtWidgets import QFileDialog

        name = QFileDialog.getExistingDirectory(self, tr("Add folder"), str(Path.home()))
        self._presenter.offer([Path(name)] if name else [])

    def _make_filter(self) -> QLineEdit:
        box = QLineEdit()
        box.setPlaceholderText(tr("Find documents"))
        box.setAccessibleName(tr("Find documents by name or title"))
        box.setToolTip(
            tr(
                "Words, or tag:law format:pdf status:failed folder:Contracts author:lee is:problem"
                " year>=2020 -draft (a OR b)"
            )
        )
        box.setClearButtonEnabled(True)
        box.setProperty("variant", "quiet")
        self._search_action = box.addAction(self._theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search_action.setText(tr("Find documents"))
        return box

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 12, 8)
        top.setSpacing(8)
        top.addWidget(self._filter, 1)
        top.addWidget(self._options)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        base = QHBoxLayout()
        base.setContentsMargins(12, 0, 12, 8)
        base.addWidget(self._bases, 1)
        layout.addLayout(base)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._progress)

    def _connect(self) -> None:
        presenter = self._presenter
        presenter.documents_changed.connect(self._on_documents_changed)
        presenter.import_changed.connect(self._progress.show_state)
        presenter.knowledge_bases_changed.connect(self._bases.show_names)
        presenter.knowledge_base_changed.connect(self._bases.choose)
        presenter.knowledge_base_changed.connect(self._options.show_base)
        self._filter.textChanged.connect(presenter.search)
        self._bases.chosen.connect(presenter.choose_knowledge_base)
        self._options.arranged.connect(self.arrange)
        self._options.table_wanted.connect(self._on_table_wanted)
        self._options.column_toggled.connect(self._on_column_toggled)
        self._list.arranged.connect(self.arrange)
        self._list.columns_asked.connect(self._options.ask_for_columns)
        self._options.check_asked.connect(self.check_asked)
        self._progress.cancel_asked.connect(presenter.cancel)
        self._progress.pause_asked.connect(presenter.queue.pause)
        presenter.queue.paused_changed.connect(self._progress.show_paused)
        self._empty.add_files_asked.connect(self.ask_for_files)
        self._empty.add_folder_asked.connect(self.ask_for_folder)
        self._theme.changed.connect(self._on_theme_changed)

    @Slot(bool)
    def _on_table_wanted(self, wanted: bool) -> None:
        self.show_view(replace(self._list.view, is_table=wanted))
        if wanted:
            self.room_wanted.emit()

    @Slot(object)
    def _on_column_toggled(self, column: str) -> None:
        self.show_view(self._list.view.toggled(column))

    @Slot()
    def _on_documents_changed(self) -> None:
        presenter = self._presenter
        has_any = presenter.model.counts.documents > 0
        self._filter.setVisible(has_any)
        self._options.setVisible(has_any or self._bases.count() > 2)
        if presenter.model.rowCount():
            page: QWidget = self._list
        elif has_any:
            page = self._nothing
            base = presenter.knowledge_base
            is_empty = base and not presenter.model.is_searching
            empty = tr("“{base}” is empty. Drop files here to add them.", base=base)
            self._nothing.setText(empty if is_empty else tr("No matching documents."))
        else:
            page = self._empty if presenter.loaded else self._loading
        self._stack.setCurrentWidget(page)
        # Otherwise the list would get the minimum height of the empty view, which a small window does not have.
        for one in (self._empty, self._list, self._nothing, self._loading):
            shown = QSizePolicy.Policy.Preferred if one is page else QSizePolicy.Policy.Ignored
            assert one is not None
            one.setSizePolicy(shown, shown)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._search_action.setIcon(self._theme.icon("search"))
        # The text may be larger now.
        self._list.measure()
        self._list.viewport().update()


class EmptyLibrary(QWidget):
    """View of an empty library, the first thing a new user sees in it.

    Signals:
        add_files_asked: "Add files" was pressed.
        add_folder_asked: "Add folder" was pressed.
    """

    add_files_asked = Signal()
    add_folder_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        box = frame("drop")
        inside = QVBoxLayout(box)
        inside.setContentsMargins(16, 24, 16, 24)
        inside.setSpacing(8)
        heading = label(tr("Drop documents here"), "title")
        text = label(
            tr("PDF, Office, e-mail, images and more. Folders work, too."),
            "muted",
            wrap=True,
        )
        for text_label in (heading, text):
            text_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        add = button(tr("Add files…"), "secondary", self.add_files_asked)
        folder = button(tr("Add folder…"), "secondary", self.add_folder_asked)
        inside.addStretch(1)
        inside.addWidget(IconLabel(theme, "upload", colour="accent", size=36), 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addSpacing(4)
        inside.addWidget(heading)
        inside.addWidget(text)
        inside.addSpacing(12)
        for widget in (add, folder):
            inside.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addStretch(2)
        add.setMinimumWidth(150)
        folder.setMinimumWidth(150)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.addWidget(box)


class ProgressStrip(QWidget):
    """Progress of the imports; hidden while none runs.

    Signals:
        cancel_asked: "Cancel" was pressed.
        pause_asked: "Pause" or "Resume" was pressed: whether imports are to be paused.
    """

    cancel_asked = Signal()
    pause_asked = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._state = ImportState()
        self._paused = False
        # The texts of both grow during an import; the dock must not grow with them.
        self._text = ElidedLabel()
        self._left = ElidedLabel()
        self._left.setProperty("role", "caption")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(tr("Import progress"))
        self._pause = button(tr("Pause"), "ghost", self._on_pause)
        cancel = button(tr("Cancel"), "ghost", self.cancel_asked)
        cancel.setAccessibleName(tr("Cancel all imports"))
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self._left, 1)
        row.addWidget(self._pause)
        row.addWidget(cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(frame("divider"))
        inside = QVBoxLayout()
        inside.setContentsMargins(16, 2, 10, 12)
        inside.setSpacing(4)
        # On a separate line: next to the two buttons "1,180 of 1,180 files done" was cut off at the width of the dock.
        inside.addWidget(self._text)
        inside.addLayout(row)
        inside.addWidget(self._bar)
        layout.addLayout(inside)
        self.show_paused(False)
        self.hide()

    @property
    def text(self) -> str:
        """The text of the strip."""
        return f"{self._text.accessibleName()} {self._left.accessibleName()}".strip()

    @Slot(object)
    def show_state(self, state: ImportState) -> None:
        """Show the progress of the imports; the strip is hidden if there is none."""
        self._state = state
        self.setVisible(state.files > 0 and state.running > 0)
        self._text.set_whole_text(state.words)
        left = time_left(state.seconds_left)
        stage = tr("Embedding…") if state.chunks and state.files_read == state.files else tr("Reading…")
        status = left[:1].upper() + left[1:] or stage
        self._left.set_whole_text(tr("Paused") if self._paused else status)
        done, total = state.chunks_done, state.chunks
        embedded = trn("{done:,} of {n:,} passage embedded", "{done:,} of {n:,} passages embedded", total, done=done)
        self.setToolTip(embedded if state.chunks else "")
        self._bar.setValue(state.thousandths)

    @Slot(bool)
    def show_paused(self, paused: bool) -> None:
        """Show whether imports are paused."""
        self._paused = paused
        self._pause.setText(tr("Resume") if paused else tr("Pause"))
        self._pause.setMinimumWidth(self._pause.sizeHint().width())
        self._pause.setAccessibleName(tr("Resume all imports") if paused else tr("Pause all imports"))
        self.show_state(self._state)

    @Slot()
    def _on_pause(self) -> None:
        self.pause_asked.emit(not self._paused)
