"""The library pane: filter box, knowledge base, list, progress; widgets only, decisions are the presenter's."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QListView,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.model.document import Document, DocumentStatus
from workbench.ui.controls import label
from workbench.ui.library.empty import EmptyLibrary
from workbench.ui.library.model import DOCUMENT_ROLE
from workbench.ui.library.presenter import LibraryPresenter
from workbench.ui.library.progress import ProgressStrip
from workbench.ui.library.wording import is_locked
from workbench.ui.theme import Theme

ALL = "All knowledge bases"


class LibraryPane(QWidget):
    """Shows the documents of the library.

    Signals:
        document_chosen: A Document whose chunks are to be shown.
    """

    document_chosen = Signal(object)

    def __init__(self, presenter: LibraryPresenter, theme: Theme) -> None:
        super().__init__()
        self._presenter = presenter
        self._theme = theme
        self._filter = self._make_filter()
        self._bases = self._make_bases()
        self._list = self._make_list()
        self._empty = EmptyLibrary(theme)
        self._nothing = label("No document of that name.", "muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._nothing.setContentsMargins(12, 24, 12, 12)
        self._loading = QWidget()
        self._stack = QStackedWidget()
        for page in (self._empty, self._list, self._nothing, self._loading):
            self._stack.addWidget(page)
        self._progress = ProgressStrip()
        self._lay_out()
        self._actions = self._make_actions()
        self._connect()
        self._on_documents_changed()

    def prepare(self) -> None:
        """Make what the first document needs: before there is one, the window does without its import, 7 ms."""
        from workbench.ui.library.delegate import DocumentDelegate

        self._list.setItemDelegate(DocumentDelegate(self._theme, self._list))

    def focus(self) -> None:
        """Put the keyboard where one types to find a document."""
        self._filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def selected(self) -> list[Document]:
        """Return the documents that are selected."""
        return [index.data(DOCUMENT_ROLE) for index in self._list.selectionModel().selectedRows()]

    def select(self, number: int) -> None:
        """Select the document of an id."""
        self._list.setCurrentIndex(self._presenter.model.index_of(number))

    @Slot()
    def ask_for_files(self) -> None:
        """Ask which files to add."""
        kinds = "Documents (*.pdf *.md *.markdown *.txt *.html *.htm);;All files (*)"
        names, _kind = QFileDialog.getOpenFileNames(self, "Add files", str(Path.home()), kinds)
        self._presenter.add([Path(name) for name in names])

    @Slot()
    def ask_for_folder(self) -> None:
        """Ask which folder to add."""
        name = QFileDialog.getExistingDirectory(self, "Add folder", str(Path.home()))
        self._presenter.add([Path(name)] if name else [])

    def _make_filter(self) -> QLineEdit:
        box = QLineEdit()
        box.setPlaceholderText("Find a document")
        box.setAccessibleName("Find a document by name or title")
        box.setClearButtonEnabled(True)
        box.setProperty("variant", "quiet")
        self._search_action = box.addAction(self._theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        return box

    def _make_bases(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("Knowledge base")
        box.setToolTip("Knowledge base")
        box.setVisible(False)
        return box

    def _make_list(self) -> QListView:
        view = QListView()
        view.setModel(self._presenter.model)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setUniformItemSizes(True)
        view.setMouseTracking(True)
        view.setAccessibleName("Documents")
        view.doubleClicked.connect(self._on_activated)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        return view

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 12, 8)
        top.setSpacing(8)
        top.addWidget(self._filter, 1)
        top.addWidget(self._bases)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._progress)

    def _make_actions(self) -> dict[str, QAction]:
        made: dict[str, QAction] = {}
        for name, text, key, slot in (
            ("chunks", "Show chunks", "Return", self._on_activated),
            ("open", "Open file", "Ctrl+Return", self._on_open),
            ("reindex", "Re-index", "", self._on_reindex),
            ("unlock", "Enter password…", "", self._on_unlock),
            ("copy", "Copy reason", "", self._on_copy),
            ("remove", "Remove", "Del", self._on_remove),
        ):
            action = QAction(text, self._list)
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(slot)
            self._list.addAction(action)
            made[name] = action
        return made

    def _connect(self) -> None:
        presenter = self._presenter
        presenter.documents_changed.connect(self._on_documents_changed)
        presenter.import_changed.connect(self._progress.show_state)
        presenter.knowledge_bases_changed.connect(self._on_knowledge_bases)
        self._filter.textChanged.connect(presenter.search)
        self._bases.activated.connect(self._on_base_chosen)
        self._progress.cancel_asked.connect(presenter.cancel)
        self._empty.add_files_asked.connect(self.ask_for_files)
        self._empty.add_folder_asked.connect(self.ask_for_folder)
        self._empty.samples_asked.connect(presenter.add_samples)
        self._list.customContextMenuRequested.connect(self._on_menu)
        self._list.clicked.connect(self._on_show_chunks)
        self._theme.changed.connect(self._on_theme_changed)

    @Slot()
    def _on_documents_changed(self) -> None:
        presenter = self._presenter
        has_any = bool(presenter.model.documents())
        self._filter.setVisible(has_any)
        if presenter.model.rowCount():
            page: QWidget = self._list
        elif has_any:
            page = self._nothing
        else:
            page = self._empty if presenter.loaded else self._loading
        self._stack.setCurrentWidget(page)

    @Slot(list)
    def _on_knowledge_bases(self, names: list[str]) -> None:
        self._bases.clear()
        self._bases.addItem(ALL, "")
        for name in names:
            self._bases.addItem(name, name)
        self._bases.setVisible(len(names) > 1)
        if len(names) > 1:
            self._bases.setCurrentIndex(0)
            self._presenter.choose_knowledge_base("")

    @Slot(int)
    def _on_base_chosen(self, row: int) -> None:
        self._presenter.choose_knowledge_base(self._bases.itemData(row))

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        chosen = self.selected()
        if not chosen:
            return
        failed = all(document.status is DocumentStatus.FAILED for document in chosen)
        self._actions["reindex"].setText("Try again" if failed else "Re-index")
        self._actions["chunks"].setEnabled(len(chosen) == 1 and chosen[0].chunks > 0)
        self._actions["open"].setEnabled(len(chosen) == 1)
        self._actions["copy"].setVisible(any(document.reason for document in chosen))
        self._actions["unlock"].setVisible(all(is_locked(document) for document in chosen))
        menu = QMenu(self)
        for name in ("unlock", "chunks", "open", "", "reindex", "copy", "", "remove"):
            menu.addAction(self._actions[name]) if name else menu.addSeparator()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._list.viewport().mapToGlobal(point))

    @Slot()
    def _on_show_chunks(self) -> None:
        chosen = self.selected()
        if len(chosen) == 1 and (chosen[0].chunks or chosen[0].status is DocumentStatus.FAILED):
            self.document_chosen.emit(chosen[0])

    @Slot()
    def _on_activated(self) -> None:
        chosen = self.selected()
        if chosen and all(is_locked(document) for document in chosen):
            self._on_unlock()
        else:
            self._on_show_chunks()

    @Slot()
    def _on_open(self) -> None:
        for document in self.selected()[:1]:
            QDesktopServices.openUrl(QUrl.fromLocalFile(document.path))

    @Slot()
    def _on_reindex(self) -> None:
        self._presenter.reindex([document.id for document in self.selected()])

    @Slot()
    def _on_unlock(self) -> None:
        chosen = self.selected()
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Password")
        named = f"“{chosen[0].name}”" if len(chosen) == 1 else f"these {len(chosen)} documents"
        dialog.setLabelText(f"Password of {named}:")
        dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
        dialog.setOkButtonText("Unlock")
        dialog.setMinimumWidth(360)
        if dialog.exec() and dialog.textValue():
            self._presenter.add([Path(document.path) for document in chosen], password=dialog.textValue())

    @Slot()
    def _on_copy(self) -> None:
        lines = [f"{document.name}: {document.reason} {document.hint}".strip() for document in self.selected()]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @Slot()
    def _on_remove(self) -> None:
        self._presenter.remove([document.id for document in self.selected()])

    @Slot()
    def _on_theme_changed(self) -> None:
        self._search_action.setIcon(self._theme.icon("search"))
        self._list.viewport().update()
