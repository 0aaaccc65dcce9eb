"""Presenter of the library's agents, and the button that selects the agent to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from workbench import operations
from workbench.language import tr
from workbench.model.agent import BUILT_IN_NAME, Agent, AgentChoices, AgentListing
from workbench.settings import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.controls import caption_of

if TYPE_CHECKING:
    from workbench.operations import Library


class AgentsPresenter(QObject):
    """Loads and changes the agents.

    Signals:
        changed: The agents, one of them, or the selected one changed.
        choices_changed: The AgentChoices of the library.
        made: Name of a new agent.
        notified: A message, and whether its action can be undone.
        failed: An error and its details.
    """

    changed = Signal()
    choices_changed = Signal(object)
    made = Signal(str)
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._removed: tuple[Agent, bool] | None = None
        self.agents: tuple[Agent, ...] = ()
        self.asked = BUILT_IN_NAME
        self.choices = AgentChoices()

    def set_library(self, library: Library | None) -> None:
        """Set the library, or None."""
        self._library = library
        self._removed = None
        self.agents = ()
        self.changed.emit()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Reload the agents."""
        if self._library is not None:
            self._bridge.submit(operations.agent_shelf(self._library), done=self._on_shelf, failed=self.failed.emit)

    def refresh_choices(self) -> None:
        """Reload the choices for the fields of agents."""
        if self._library is not None:
            self._bridge.submit(operations.agent_choices(self._library), done=self._on_choices)

    def named(self, name: str) -> Agent | None:
        """Return the agent with a name, or None."""
        return next((agent for agent in self.agents if agent.name == name), None)

    @property
    def built_in(self) -> Agent | None:
        """The built-in agent; None before the library is open."""
        return self.named(BUILT_IN_NAME)

    def ask(self, name: str) -> None:
        """Select the agent that is asked from now on."""
        if self._library is not None and name != self.asked:
            self._bridge.submit(
                operations.put_setting(self._library, "agent", name), done=self._on_settings, failed=self.failed.emit
            )

    def put(self, agent: Agent, renamed: str) -> None:
        """Store an agent; renamed is its previous name."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_agent(self._library, agent, renamed=renamed),
                done=self._on_put,
                failed=self.failed.emit,
            )

    def copy(self, name: str) -> None:
        """Duplicate an agent."""
        if self._library is not None:
            self._bridge.submit(
                operations.copy_agent(self._library, name), done=self._on_copied, failed=self.failed.emit
            )

    def remove(self, name: str) -> None:
        """Remove an agent; undo_remove restores it."""
        if self._library is not None:
            self._bridge.submit(
                operations.remove_agent(self._library, name), done=self._on_removed, failed=self.failed.emit
            )

    @Slot()
    def undo_remove(self) -> None:
        """Restore the agent removed last."""
        if self._library is not None and self._removed is not None:
            (agent, was_asked), self._removed = self._removed, None
            restore = operations.restore_agent(self._library, agent, is_asked=was_asked)
            self._bridge.submit(restore, done=self._on_restored, failed=self.failed.emit)

    def _on_settings(self, settings: Settings) -> None:
        self.asked = settings.agent
        self.changed.emit()

    def _on_shelf(self, shelf: AgentListing) -> None:
        self.agents = shelf.agents
        self.asked = shelf.asked
        self.changed.emit()

    def _on_choices(self, choices: AgentChoices) -> None:
        self.choices = choices
        self.choices_changed.emit(choices)

    def _on_put(self, _agents: list[Agent]) -> None:
        self.refresh()

    def _on_copied(self, agent: Agent) -> None:
        self.made.emit(agent.name)
        self.refresh()

    def _on_removed(self, agent: Agent) -> None:
        self._removed = agent, agent.name == self.asked
        self.refresh()
        self.notified.emit(tr("The agent “{name}” was removed.", name=agent.name), True)

    def _on_restored(self, _nothing: None) -> None:
        self.refresh()


# Characters of a name that are shown on the button.
_LONGEST = 32


class AgentPicker(QToolButton):
    """Button that names the selected agent, with a menu of the others.

    Signals:
        edit_asked: “Edit agents…” was chosen.
    """

    edit_asked = Signal()

    def __init__(self, presenter: AgentsPresenter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._menu = QMenu(self)
        self._group: QActionGroup | None = None
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setAutoRaise(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._menu.triggered.connect(self._on_triggered)
        presenter.changed.connect(self._on_changed)
        self._on_changed()

    @property
    def names(self) -> list[str]:
        """Names in the menu."""
        return [action.data() for action in self._menu.actions() if action.data()]

    @Slot()
    def _on_changed(self) -> None:
        asked = self._presenter.asked
        self._menu.clear()
        self._group = QActionGroup(self._menu)
        for agent in self._presenter.agents:
            action = self._menu.addAction(caption_of(agent.name))
            action.setData(agent.name)
            action.setCheckable(True)
            action.setChecked(agent.name == asked)
            self._group.addAction(action)
        self._menu.addSeparator()
        self._menu.addAction(tr("Edit agents…"))
        name = asked if len(asked) <= _LONGEST else f"{asked[:_LONGEST]}…"
        self.setText(caption_of(tr("Agent: {name} ▾", name=name)))
        self.setAccessibleName(tr("Agent: {name}", name=asked))
        self.setToolTip(tr("Select the agent"))
        self.setVisible(len(self._presenter.agents) > 1)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self._presenter.ask(action.data())
        else:
            self.edit_asked.emit()
