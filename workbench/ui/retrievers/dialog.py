"""Custom retrievers, the plug-in files of the library, and workspaces of agents, as three tabs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFileDialog, QTabWidget, QWidget

from workbench.language import mark, tr
from workbench.model.extensions import PluginState, PluginText
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import LibraryDialog
from workbench.ui.messages import Toast
from workbench.ui.retrievers.listing import Listing
from workbench.ui.retrievers.presenter import RetrieversPresenter
from workbench.ui.retrievers.review import ReviewDialog
from workbench.ui.retrievers.wording import plugin_row, retriever_row, workspace_rows
from workbench.ui.theme import Theme

ABOUT = mark("A retriever finds passages for an agent in place of the library. Name it in “Agents…”.")
NO_RETRIEVERS = mark("There are none. A plug-in file, an installed package or a program of yours can offer some.")
NO_WORKSPACES = mark(
    "None was read. A workspace is a folder with agents/NAME/AGENT.md in it, as Agent Gateway has them."
)


class RetrieversDialog(LibraryDialog):
    """Shows how they stand; allows and forbids plug-in files, and reads workspaces."""

    def __init__(self, presenter: RetrieversPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tr("Retrievers and plug-ins"), presenter.set_library, theme, parent)
        self._presenter = presenter
        self.resize(680, 520)
        self._review = button(tr("Read it, then allow…"), "primary", self._on_review)
        self._forbid = button(tr("Forbid"), "secondary", self._on_forbid)
        self._import = button(tr("Read a workspace…"), "primary", self._on_import)
        self._again = button(tr("Read it again"), "secondary", self._on_again)
        self._retrievers = Listing(theme, tr("Retrievers"), tr(NO_RETRIEVERS))
        self._plugins = Listing(theme, tr("Plug-in files"), "", self._review, self._forbid)
        self._workspaces = Listing(theme, tr("Agents of workspaces"), tr(NO_WORKSPACES), self._import, self._again)
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName(tr("Kinds of retrievers"))
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self._retrievers, tr("Retrievers"))
        self._tabs.addTab(self._plugins, tr("Plug-in files"))
        self._tabs.addTab(self._workspaces, tr("Workspaces"))
        self._lay_out()
        self._toast = Toast(theme, self)
        self._plugins.chosen_changed.connect(self._show_buttons)
        self._workspaces.chosen_changed.connect(self._show_buttons)
        presenter.changed.connect(self._on_changed)
        presenter.review_wanted.connect(self._on_review_wanted)
        presenter.said.connect(self._toast.say)
        presenter.failed.connect(self._banner.show_error)
        self._on_changed()

    def _lay_out(self) -> None:
        layout = self._column
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(self._banner)
        layout.addWidget(self._tabs, 1)
        refresh = button(tr("Look again"), "ghost", self._presenter.refresh)
        layout.addLayout(dialog_foot(refresh, button(tr("Close"), "secondary", self.accept)))

    @Slot()
    def _on_changed(self) -> None:
        presenter = self._presenter
        nothing = tr("There are none. Put a Python file into {folder}, then look again.", folder=presenter.folder)
        self._plugins.say_nothing(nothing)
        self._retrievers.show_rows([retriever_row(one) for one in presenter.retrievers])
        self._plugins.show_rows([plugin_row(one) for one in presenter.plugins])
        self._workspaces.show_rows(workspace_rows(presenter.workspaces))
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        chosen = next((one for one in self._presenter.plugins if one.name == self._plugins.chosen), None)
        self._review.setEnabled(chosen is not None and chosen.state is not PluginState.ALLOWED)
        self._forbid.setEnabled(chosen is not None and not chosen.state.needs_consent)
        self._again.setEnabled(bool(self._workspaces.chosen))

    @Slot()
    def _on_review(self) -> None:
        self._presenter.review(self._plugins.chosen)

    @Slot(object)
    def _on_review_wanted(self, seen: PluginText) -> None:
        review = ReviewDialog(seen, self)
        review.allowed.connect(self._on_allowed)
        review.open()

    @Slot(object)
    def _on_allowed(self, seen: PluginText) -> None:
        self._banner.hide()
        self._presenter.allow(seen)

    @Slot()
    def _on_forbid(self) -> None:
        self._presenter.forbid(self._plugins.chosen)

    @Slot()
    def _on_import(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("Read a workspace"))
        if name:
            self._presenter.import_agents(Path(name))

    @Slot()
    def _on_again(self) -> None:
        self._presenter.import_agents(Path(self._workspaces.chosen))
