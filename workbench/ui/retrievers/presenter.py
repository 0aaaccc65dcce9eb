"""Presenter of retrievers, plug-in files and workspaces: their state, and actions on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.language import tr
from workbench.model.agent import Agent, Workspace, WorkspaceProblem
from workbench.model.extensions import PluginInfo, PluginText, RetrieverInfo
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library


class RetrieversPresenter(QObject):
    """Keeps the state of retrievers, plug-in files and workspaces, and changes it.

    Signals:
        changed: The state changed.
        review_wanted: The PluginText of a file that the user reviews.
        notified: A message about a completed action.
        failed: An error and its details.
    """

    changed = Signal()
    review_wanted = Signal(object)
    notified = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self.retrievers: tuple[RetrieverInfo, ...] = ()
        self.plugins: tuple[PluginInfo, ...] = ()
        self.workspaces: tuple[Workspace, ...] = ()

    @property
    def folder(self) -> Path | None:
        """Folder of the plug-in files; None while no library is open."""
        return self._library.folder / "plugins" if self._library is not None else None

    def set_library(self, library: Library | None) -> None:
        """Switch to a library and load its state."""
        if library is not self._library:
            self._library = library
            self.retrievers, self.plugins, self.workspaces = (), (), ()
            self.changed.emit()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the state again; this does not run any plug-in."""
        library = self._library
        if library is None:
            return
        fail = self.failed.emit
        self._bridge.submit(operations.list_plugins(library), done=self._on_plugins, failed=fail)
        self._bridge.submit(operations.list_retrievers(library), done=self._on_retrievers, failed=fail)
        self._bridge.submit(operations.list_workspaces(library), done=self._on_workspaces, failed=fail)

    def review(self, name: str) -> None:
        """Read a plug-in file and show it for review."""
        if self._library is not None:
            reading = operations.read_plugin(self._library, name)
            self._bridge.submit(reading, done=self.review_wanted.emit, failed=self.failed.emit)

    def allow(self, seen: PluginText) -> None:
        """Allow a file to run in the version that was reviewed."""
        if self._library is not None:
            allowing = operations.allow_plugin(self._library, seen.name, sha256=seen.sha256)
            self._bridge.submit(allowing, done=self._on_allowed, failed=self.failed.emit)

    def forbid(self, name: str) -> None:
        """Withdraw the permission of a file to run."""
        if self._library is not None:
            forbidding = operations.forbid_plugin(self._library, name)
            self._bridge.submit(forbidding, done=self._on_forbidden, failed=self.failed.emit)

    def import_agents(self, folder: Path) -> None:
        """Import the agents of a workspace, or import them again."""
        if self._library is not None:
            importing = operations.import_agents(self._library, folder)
            self._bridge.submit(importing, done=self._on_imported, failed=self.failed.emit)

    def _on_plugins(self, plugins: list[PluginInfo]) -> None:
        self.plugins = tuple(plugins)
        self.changed.emit()

    def _on_retrievers(self, retrievers: list[RetrieverInfo]) -> None:
        self.retrievers = tuple(retrievers)
        self.changed.emit()

    def _on_workspaces(self, workspaces: list[Workspace]) -> None:
        self.workspaces = tuple(workspaces)
        self.changed.emit()

    def _on_allowed(self, plugin: PluginInfo) -> None:
        self.notified.emit(
            tr("{name} is allowed. Agents can use {offers}.", name=plugin.name, offers=", ".join(plugin.offers))
        )
        self.refresh()

    def _on_forbidden(self, plugin: PluginInfo) -> None:
        self.notified.emit(tr("{name} is no longer allowed.", name=plugin.name))
        self.refresh()

    def _on_imported(self, imported: tuple[list[Agent], tuple[WorkspaceProblem, ...]]) -> None:
        agents, problems = imported
        names = ", ".join(agent.name for agent in agents) or tr("none")
        read = tr("Agents imported: {names}.", names=names)
        wrong = tr("{number} to review below.", number=len(problems)) if problems else ""
        self.notified.emit(f"{read} {wrong}".rstrip())
        self.refresh()
