"""Creates and shows the dialogs of the window on demand; user dialog and shortcut sheet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench import operations
from workbench.errors import SettingError
from workbench.language import mark, tr, translate
from workbench.model.memory import NO_PROTECTION, user_name
from workbench.ui.actions import COMMANDS, KEYS, PANE_COMMANDS, Command, key_words
from workbench.ui.controls import bring_up, button, dialog_foot, frame, label
from workbench.ui.dialog import Dialog, agrees

if TYPE_CHECKING:
    from workbench.model.document import Document
    from workbench.ui.agents.agents_dialog import AgentsDialog
    from workbench.ui.app_controller import AppController
    from workbench.ui.bug_report import ProblemReportDialog
    from workbench.ui.doctor.document_check_dialog import DocumentCheckDialog
    from workbench.ui.library.bin_dialog import BinDialog
    from workbench.ui.library.linked_folders_dialog import LinkedFoldersDialog
    from workbench.ui.library.shared_libraries_dialog import SharedLibrariesDialog
    from workbench.ui.memory.memory_dialog import MemoryDialog
    from workbench.ui.palette.command_palette import CommandPalette
    from workbench.ui.palette.presenter import PalettePresenter
    from workbench.ui.release_notes import ReleaseNotesDialog
    from workbench.ui.retrievers.retrievers_dialog import RetrieversDialog
    from workbench.ui.settings.settings_dialog import SettingsDialog
    from workbench.ui.soundness.integrity_dialog import IntegrityDialog
    from workbench.ui.system_check import SystemCheckDialog


class DialogManager(QObject):
    """Opens the dialogs over a window."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: SettingsDialog | None = None
        self._linked: LinkedFoldersDialog | None = None
        self._shared: SharedLibrariesDialog | None = None
        self._bin: BinDialog | None = None
        self._shortcuts: ShortcutSheet | None = None
        self._doctor: DocumentCheckDialog | None = None
        self._agents: AgentsDialog | None = None
        self._retrievers: RetrieversDialog | None = None
        self._memory: MemoryDialog | None = None
        self._user: UserDialog | None = None
        self._palette: CommandPalette | None = None
        self._report: ProblemReportDialog | None = None
        self._release_notes: ReleaseNotesDialog | None = None
        self._system_check: SystemCheckDialog | None = None
        self._soundness: IntegrityDialog | None = None
        self.finder: PalettePresenter | None = None

    @property
    def is_choosing(self) -> bool:
        """True while the settings dialog is open."""
        return self._dialog is not None and self._dialog.isVisible()

    @Slot()
    def show_settings(self) -> None:
        """Open the settings."""
        if self._dialog is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.settings.settings_dialog import SettingsDialog

            self._dialog = SettingsDialog(self._shell.settings, self._shell.theme, self._shell.window)
            self._dialog.show_embedder(self._shell.embedder)
        self._shell.embedder.refresh()
        self._dialog.show()
        self._dialog.raise_()

    def show_setting(self, key: str) -> None:
        """Open the settings and show one of them."""
        if key == "agent":
            self.show_agents()
        elif key == "profile":
            self.show_models()
        else:
            self.show_settings()
            if self._dialog is not None:
                self._dialog.show_setting(key)

    @Slot()
    def show_agents(self) -> None:
        """Open the agents."""
        if self._agents is None:
            # Not on the way to the window.
            from workbench.ui.agents.agents_dialog import AgentsDialog

            self._agents = AgentsDialog(self._shell.chat.agents, self._shell.theme, self._shell.window)
        self._agents.begin()

    @Slot()
    def show_retrievers(self) -> None:
        """Open the custom retrievers, the plug-in files and the workspaces."""
        if self._retrievers is None:
            # Not on the way to the window.
            from workbench.ui.retrievers.presenter import RetrieversPresenter
            from workbench.ui.retrievers.retrievers_dialog import RetrieversDialog

            presenter = RetrieversPresenter(self._shell.bridge, self)
            self._retrievers = RetrieversDialog(presenter, self._shell.theme, self._shell.window)
        self._retrievers.begin(self._shell.library)

    @Slot()
    def show_memory(self) -> None:
        """Open the memories."""
        if self._memory is None:
            # Not on the way to the window.
            from workbench.ui.memory.memory_dialog import MemoryDialog
            from workbench.ui.memory.presenter import MemoryPresenter

            presenter = MemoryPresenter(self._shell.bridge, self)
            presenter.switched.connect(self._shell.settings.refresh)
            self._memory = MemoryDialog(presenter, self._shell.theme, self._shell.window)
        self._memory.begin(self._shell.library)

    @Slot()
    def show_user(self) -> None:
        """Open the user dialog with the names that the library knows."""
        if self._user is None:
            # Not on the way to the window.

            self._user = UserDialog(self._shell.window)
            self._user.chosen.connect(self.ask_as)
        self._user.begin(self._shell.state.user)
        if self._shell.library is not None:
            self._shell.bridge.submit(operations.list_users(self._shell.library), done=self._user.offer)

    @Slot(str)
    def ask_as(self, user: str) -> None:
        """Switch the window to another user; if something is running, only after confirmation."""
        if user == self._shell.state.user or (self._is_under_way and not self._may_stop(user)):
            return
        self._shell.ask_as(user)

    @property
    def _is_under_way(self) -> bool:
        """True while an answer, a reading or an evaluation is running for the current user."""
        reading, evaluation = self._shell.exhaustive.presenter, self._shell.evaluation.presenter
        return (
            self._shell.chat.running
            or (reading is not None and reading.busy)
            or (evaluation is not None and evaluation.measuring.running)
        )

    def _may_stop(self, user: str) -> bool:
        return agrees(
            self._shell.window,
            tr("Switch user"),
            tr("Stop running tasks and continue as “{name}”?", name=user or tr("No name")),
            tr("An answer, a reading or an evaluation is running. Partial answers and readings are kept."),
        )

    @Slot()
    def link_folder(self) -> None:
        """Ask for a folder to link."""
        from workbench.ui.library.linked_folders_dialog import ask_for_folder

        ask_for_folder(self._shell.linked, self._shell.window)

    @Slot()
    def show_linked(self) -> None:
        """Open the linked folders."""
        if self._linked is None:
            from workbench.ui.library.linked_folders_dialog import LinkedFoldersDialog

            self._linked = LinkedFoldersDialog(self._shell.linked, self._shell.theme, self._shell.window)
        self._linked.show()
        self._linked.raise_()

    @Slot()
    def show_shared(self) -> None:
        """Open the shared libraries."""
        if self._shared is None:
            from workbench.ui.library.shared_libraries_dialog import SharedLibrariesDialog

            self._shared = SharedLibrariesDialog(self._shell.shared, self._shell.theme, self._shell.window)
        self._shared.show()
        self._shared.raise_()

    @property
    def is_showing_shared(self) -> bool:
        """True while the dialog of the shared libraries is open."""
        return self._shared is not None and self._shared.isVisible()

    @Slot()
    def show_bin(self) -> None:
        """Open the bin."""
        if self._bin is None:
            from workbench.ui.library.bin_dialog import BinDialog

            shell = self._shell
            self._bin = BinDialog(shell.linked, shell.settings, shell.theme, shell.window)
        self._bin.begin()

    @Slot()
    def show_models(self) -> None:
        """Open the settings and show the model profiles."""
        self.show_settings()
        if self._dialog is not None:
            self._dialog.show_models()

    @Slot(object)
    def show_check(self, document: Document | None = None) -> None:
        """Open the check of a document, or of the whole library."""
        if self._doctor is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.doctor.document_check_dialog import DocumentCheckDialog
            from workbench.ui.doctor.presenter import DocumentCheckPresenter

            presenter = DocumentCheckPresenter(self._shell.bridge, self._shell.documents, self)
            presenter.unlock_asked.connect(self._shell.library_pane.unlock)
            self._doctor = DocumentCheckDialog(presenter, self._shell.theme, self._shell.window)
        self._doctor.check(self._shell.library, document)

    @Slot()
    def show_palette(self) -> None:
        """Open the palette, or close it if it is open."""
        if self._palette is None:
            # Not on the way to the window.
            from workbench.ui.palette.command_palette import CommandPalette
            from workbench.ui.palette.palette_sources import PaletteSources
            from workbench.ui.palette.presenter import PalettePresenter

            shell = self._shell
            self.finder = PalettePresenter(shell.bridge, PaletteSources(shell), shell.state.recent, self)
            self._palette = CommandPalette(self.finder, shell.theme, shell.window)
        self._palette.toggle()

    @Slot()
    def show_whole_check(self) -> None:
        """Open the check of all documents."""
        self.show_check(None)

    @Slot()
    def show_soundness(self) -> None:
        """Open the check of the library, with its repair and its backups."""
        self.soundness().begin(self._shell.library, self._shell.folder)

    def soundness(self) -> IntegrityDialog:
        """Return the library check dialog, created on first use."""
        if self._soundness is None:
            # Not on the way to the window.
            from workbench.ui.soundness.integrity_dialog import IntegrityDialog
            from workbench.ui.soundness.presenter import IntegrityPresenter

            presenter = IntegrityPresenter(self._shell.bridge, self)
            self._soundness = IntegrityDialog(presenter, self._shell.theme, self._shell.window)
            self._shell.connections.caring.connect_dialog(self._soundness)
        return self._soundness

    @Slot()
    def show_problem_report(self) -> None:
        """Open the report to attach to an issue."""
        if self._report is None:
            from workbench.ui.bug_report import ProblemReportDialog

            self._report = ProblemReportDialog(self._shell.bridge, self._shell.window)
        self._report.begin(self._shell.library)

    @Slot()
    def show_system_check(self) -> None:
        """Open what this computer offers and lacks."""
        if self._system_check is None:
            from workbench.ui.system_check import SystemCheckDialog

            self._system_check = SystemCheckDialog(self._shell.bridge, self._shell.window)
        self._system_check.begin()

    @Slot()
    def show_release_notes(self) -> None:
        """Open what is new in this version."""
        if self._release_notes is None:
            from workbench.ui.release_notes import ReleaseNotesDialog

            self._release_notes = ReleaseNotesDialog(self._shell)
        self._release_notes.begin()

    @Slot()
    def choose_library(self) -> None:
        """Ask for the folder of another library and open that."""
        name = QFileDialog.getExistingDirectory(
            self._shell.window, tr("Open another library"), str(self._shell.folder.parent)
        )
        if name:
            self._shell.open_other(Path(name))

    @Slot()
    def show_shortcuts(self) -> None:
        """Open the shortcut sheet."""
        if self._shortcuts is None:
            self._shortcuts = ShortcutSheet(self._shell.window)
        self._shortcuts.show()


ABOUT = mark(
    "Each user has their own sessions, notes, readings, golden questions and evaluations. Documents, agents, models and"
    " library settings are shared. Leave the name empty for the default user."
)


class UserDialog(Dialog):
    """Dialog that asks for the user's name.

    Signals:
        chosen: The name; empty for the unnamed user.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Switch user"))
        self.setMinimumWidth(480)
        self._name = QComboBox()
        self._name.setEditable(True)
        self._name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._name.setAccessibleName(tr("Name"))
        self._name.setAccessibleDescription(f"{tr(ABOUT)} {translate(NO_PROTECTION)}")
        self._field = QLineEdit()
        self._field.setPlaceholderText(tr("No name"))
        self._field.setAccessibleName(tr("Name"))
        self._name.setLineEdit(self._field)
        self._problem = label("", wrap=True, tone="warn")
        self._problem.hide()
        go_on = button(tr("Continue"), "primary", self._on_chosen)
        go_on.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr("Switch user"), "heading"))
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(label(translate(NO_PROTECTION), "muted", wrap=True))
        layout.addWidget(self._name)
        layout.addWidget(self._problem)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), go_on))

    def begin(self, user: str) -> None:
        """Show the dialog with the current user's name."""
        self._name.clear()
        self._name.setEditText(user)
        self._problem.hide()
        bring_up(self)
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)
        self._field.selectAll()

    def offer(self, users: Sequence[str]) -> None:
        """Offer the names that the library knows; the typed text is kept."""
        typed = self._name.currentText()
        self._name.clear()
        self._name.addItems([name for name in users if name])
        self._name.setCurrentIndex(-1)
        self._name.setEditText(typed)

    @Slot()
    def _on_chosen(self) -> None:
        try:
            name = user_name(self._name.currentText())
        except SettingError as error:
            self._problem.setText(f"{translate(error.message)} {translate(error.hint)}")
            self._problem.show()
            return
        self.accept()
        self.chosen.emit(name)


_COLUMNS = 3
_RING = 8
# Rows taken by a group's title and the space above it.
_TITLE = 2


def groups() -> dict[str, list[Command]]:
    """Return the commands that have a key, grouped by pane, in declaration order."""
    every = [command for command in (*COMMANDS, *PANE_COMMANDS, *KEYS) if command.key]
    panes = list(dict.fromkeys(command.pane for command in every))
    every.sort(key=lambda command: panes.index(command.pane))
    return {pane: list(commands) for pane, commands in groupby(every, key=lambda command: command.pane)}


class ShortcutSheet(Dialog):
    """Dialog that lists every key of the window, by pane."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        sheet = QWidget()
        columns = QHBoxLayout(sheet)
        # Space for the focus ring.
        columns.setContentsMargins(_RING, _RING, 12 + _RING, _RING)
        columns.setSpacing(36)
        for part in _balanced(groups()):
            columns.addWidget(_column(part), 0, Qt.AlignmentFlag.AlignTop)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(sheet)
        scroll.setAccessibleName(tr("Keys"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24 - _RING, 20, 12, 16)
        layout.setSpacing(16 - _RING)
        heading = label(tr("Keyboard shortcuts"), "heading")
        heading.setContentsMargins(_RING, 0, 0, 0)
        layout.addWidget(heading)
        layout.addWidget(scroll, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(_RING, 0, 12, 0)
        foot.addWidget(label(tr("Ctrl+K finds any command by its name."), "muted"), 1)
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout.addLayout(foot)
        self.resize(_wanted(sheet.sizeHint(), parent))


def _wanted(sheet: QSize, parent: QWidget | None) -> QSize:
    """Return the size that shows the whole sheet, limited by the window."""
    full_size = sheet + QSize(60, 150)
    return full_size.boundedTo(parent.size() - QSize(32, 32)) if parent is not None else full_size


def _balanced(grouped: dict[str, list[Command]]) -> list[dict[str, list[Command]]]:
    """Return the groups distributed over columns of similar height, in their order."""
    total_rows = sum(len(commands) + _TITLE for commands in grouped.values())
    columns: list[dict[str, list[Command]]] = [{}]
    filled = 0
    for pane, commands in grouped.items():
        # A group goes to the next column if more than half of it would extend below the end of this one.
        if columns[-1] and filled + len(commands) / 2 > total_rows / _COLUMNS and len(columns) < _COLUMNS:
            columns.append({})
            filled = 0
        columns[-1][pane] = commands
        filled += len(commands) + _TITLE
    return columns


def _column(grouped: dict[str, list[Command]]) -> QWidget:
    column = QWidget()
    grid = QGridLayout(column)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(5)
    row = 0
    for pane, commands in grouped.items():
        title = label(tr(pane), "section")
        title.setContentsMargins(0, 12 if row else 0, 0, 2)
        grid.addWidget(title, row, 0, 1, 2)
        for command in commands:
            row += 1
            grid.addWidget(label(command.plain), row, 0)
            grid.addWidget(_chips(command), row, 1, Qt.AlignmentFlag.AlignRight)
        row += 1
    return column


def _chips(command: Command) -> QWidget:
    holder = QWidget()
    line = QHBoxLayout(holder)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(4)
    for key in (command.key, command.also):
        if key:
            chip = frame("chip")
            chip_layout = QHBoxLayout(chip)
            chip_layout.setContentsMargins(8, 1, 8, 1)
            chip_layout.addWidget(label(key_words(key), "caption"))
            line.addWidget(chip)
    return holder
