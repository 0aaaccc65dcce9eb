"""Which agent is asked: a small button in the composer, there as soon as there are several."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from workbench.language import tr
from workbench.ui.agents.presenter import AgentsPresenter
from workbench.ui.controls import caption_of

# Letters of a name that are shown beside the line that says who answers.
_LONGEST = 32


class AgentPicker(QToolButton):
    """Names the agent that is asked, and offers the others.

    Signals:
        edit_asked: The agents are to be edited.
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
        """What it offers."""
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
        self.setAccessibleName(tr("Agent that is asked: {name}", name=asked))
        self.setToolTip(tr("Which agent is asked"))
        self.setVisible(len(self._presenter.agents) > 1)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self._presenter.ask(action.data())
        else:
            self.edit_asked.emit()
