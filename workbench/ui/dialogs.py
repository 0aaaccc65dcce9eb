"""The windows beside the window: settings, the sheet of keys, the choice of a library; made when first asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from workbench.language import tr
from workbench.ui.asking import agrees
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.document import Document
    from workbench.ui.agents.dialog import AgentsDialog
    from workbench.ui.doctor.dialog import DoctorDialog
    from workbench.ui.library.bin import BinDialog
    from workbench.ui.library.linked_folders import LinkedFoldersDialog
    from workbench.ui.memory.dialog import MemoryDialog
    from workbench.ui.palette.palette import CommandPalette
    from workbench.ui.palette.presenter import PalettePresenter
    from workbench.ui.problem_report import ProblemReportDialog
    from workbench.ui.retrievers.dialog import RetrieversDialog
    from workbench.ui.settings.dialog import SettingsDialog
    from workbench.ui.shell import Shell
    from workbench.ui.shortcuts import ShortcutSheet
    from workbench.ui.soundness.dialog import SoundnessDialog
    from workbench.ui.user_dialog import UserDialog


class Dialogs(QObject):
    """Opens them over a shell's window."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialog: SettingsDialog | None = None
        self._linked: LinkedFoldersDialog | None = None
        self._bin: BinDialog | None = None
        self._shortcuts: ShortcutSheet | None = None
        self._doctor: DoctorDialog | None = None
        self._agents: AgentsDialog | None = None
        self._retrievers: RetrieversDialog | None = None
        self._memory: MemoryDialog | None = None
        self._user: UserDialog | None = None
        self._palette: CommandPalette | None = None
        self._report: ProblemReportDialog | None = None
        self._soundness: SoundnessDialog | None = None
        self.finder: PalettePresenter | None = None

    @property
    def is_choosing(self) -> bool:
        """Whether the settings are open."""
        return self._dialog is not None and self._dialog.isVisible()

    @Slot()
    def show_settings(self) -> None:
        """Open the settings."""
        if self._dialog is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.settings.dialog import SettingsDialog

            self._dialog = SettingsDialog(self._shell.settings, self._shell.theme, self._shell.window)
            self._dialog.show_embedder(self._shell.embedder)
        self._shell.embedder.refresh()
        self._dialog.show()
        self._dialog.raise_()

    def show_setting(self, key: str) -> None:
        """Open the settings at one of them."""
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
            from workbench.ui.agents.dialog import AgentsDialog

            self._agents = AgentsDialog(self._shell.chat.agents, self._shell.theme, self._shell.window)
        self._agents.begin()

    @Slot()
    def show_retrievers(self) -> None:
        """Open the custom retrievers, the plug-in files and the workspaces."""
        if self._retrievers is None:
            # Not on the way to the window.
            from workbench.ui.retrievers.dialog import RetrieversDialog
            from workbench.ui.retrievers.presenter import RetrieversPresenter

            presenter = RetrieversPresenter(self._shell.bridge, self)
            self._retrievers = RetrieversDialog(presenter, self._shell.theme, self._shell.window)
        self._retrievers.begin(self._shell.library)

    @Slot()
    def show_memory(self) -> None:
        """Open what is remembered of conversations."""
        if self._memory is None:
            # Not on the way to the window.
            from workbench.ui.memory.dialog import MemoryDialog
            from workbench.ui.memory.presenter import MemoryPresenter

            presenter = MemoryPresenter(self._shell.bridge, self)
            presenter.switched.connect(self._shell.settings.refresh)
            self._memory = MemoryDialog(presenter, self._shell.theme, self._shell.window)
        self._memory.begin(self._shell.library)

    @Slot()
    def show_user(self) -> None:
        """Ask who is asking, with the names that the library knows."""
        if self._user is None:
            # Not on the way to the window.
            from workbench.ui.user_dialog import UserDialog

            self._user = UserDialog(self._shell.window)
            self._user.chosen.connect(self.ask_as)
        self._user.begin(self._shell.state.user)
        if self._shell.library is not None:
            self._shell.bridge.submit(operations.list_users(self._shell.library), done=self._user.offer)

    @Slot(str)
    def ask_as(self, user: str) -> None:
        """Turn the window to another user; where something is under way, only if the person lets it be stopped."""
        if user == self._shell.state.user or (self._is_under_way and not self._may_stop(user)):
            return
        self._shell.ask_as(user)

    @property
    def _is_under_way(self) -> bool:
        """Whether an answer, a reading or an evaluation is being made for who is asking now."""
        reading, evaluation = self._shell.exhaustive.presenter, self._shell.evaluation.presenter
        return (
            self._shell.chat.running
            or (reading is not None and reading.busy)
            or (evaluation is not None and evaluation.measuring.running)
        )

    def _may_stop(self, user: str) -> bool:
        return agrees(
            self._shell.window,
            tr("Who is asking"),
            tr("Stop what is under way, and go on as “{name}”?", name=user or tr("No name")),
            tr("An answer, a reading or an evaluation is under way. What there is of an answer and a reading is kept."),
        )

    @Slot()
    def link_folder(self) -> None:
        """Ask for a folder to link."""
        from workbench.ui.library.linked_folders import ask_for_folder

        ask_for_folder(self._shell.linked, self._shell.window)

    @Slot()
    def show_linked(self) -> None:
        """Open the linked folders."""
        if self._linked is None:
            from workbench.ui.library.linked_folders import LinkedFoldersDialog

            self._linked = LinkedFoldersDialog(self._shell.linked, self._shell.theme, self._shell.window)
        self._linked.show()
        self._linked.raise_()

    @Slot()
    def show_bin(self) -> None:
        """Open the bin."""
        if self._bin is None:
            from workbench.ui.library.bin import BinDialog

            shell = self._shell
            self._bin = BinDialog(shell.linked, shell.settings, shell.theme, shell.window)
        self._bin.begin()

    @Slot()
    def show_models(self) -> None:
        """Open the settings at the model profiles."""
        self.show_settings()
        if self._dialog is not None:
            self._dialog.show_models()

    @Slot(object)
    def show_check(self, document: Document | None = None) -> None:
        """Open the check of a document, or of the whole library."""
        if self._doctor is None:
            # Not on the way to the window: 10 ms.
            from workbench.ui.doctor.dialog import DoctorDialog
            from workbench.ui.doctor.presenter import DoctorPresenter

            presenter = DoctorPresenter(self._shell.bridge, self._shell.documents, self)
            presenter.unlock_asked.connect(self._shell.library_pane.unlock)
            self._doctor = DoctorDialog(presenter, self._shell.theme, self._shell.window)
        self._doctor.check(self._shell.library, document)

    @Slot()
    def show_palette(self) -> None:
        """Open the palette, or put it away again."""
        if self._palette is None:
            # Not on the way to the window.
            from workbench.ui.palette.palette import CommandPalette
            from workbench.ui.palette.presenter import PalettePresenter
            from workbench.ui.palette.sources import Sources

            shell = self._shell
            self.finder = PalettePresenter(shell.bridge, Sources(shell), shell.state.recent, self)
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

    def soundness(self) -> SoundnessDialog:
        """Return the check of the library, made when it is first asked for."""
        if self._soundness is None:
            # Not on the way to the window.
            from workbench.ui.soundness.dialog import SoundnessDialog
            from workbench.ui.soundness.presenter import SoundnessPresenter

            presenter = SoundnessPresenter(self._shell.bridge, self)
            self._soundness = SoundnessDialog(presenter, self._shell.theme, self._shell.window)
            self._shell.connections.caring.connect_dialog(self._soundness)
        return self._soundness

    @Slot()
    def show_problem_report(self) -> None:
        """Open the report to attach to an issue."""
        if self._report is None:
            from workbench.ui.problem_report import ProblemReportDialog

            self._report = ProblemReportDialog(self._shell.bridge, self._shell.window)
        self._report.begin(self._shell.library)

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
        """Open the sheet of keys."""
        if self._shortcuts is None:
            from workbench.ui.shortcuts import ShortcutSheet

            self._shortcuts = ShortcutSheet(self._shell.window)
        self._shortcuts.show()
