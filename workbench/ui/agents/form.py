"""An agent as a form, made from the fields that are declared."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QFormLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.model.agent import Agent, AgentChoices, agent_of
from workbench.ui.agents.editors import Editor, editor_for
from workbench.ui.agents.fields import PAGES, Kind, Page

_OF_LIBRARY = ("profile", "knowledge_bases", "tools", "retrievers", "ask_before")


class AgentForm(QWidget):
    """Shows an agent and gives it back as it was changed.

    Signals:
        edited: The user changed something.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._agent = Agent("")
        self._editors: dict[str, Editor] = {}
        self._untouched: dict[str, Any] = {}
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName(tr("Parts of the agent"))
        self._tabs.setDocumentMode(True)
        for page in PAGES:
            self._tabs.addTab(self._page(page), tr(page.title))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._tabs)
        self.show_agent(self._agent)

    @property
    def shown(self) -> Agent:
        """The agent as it was given."""
        return self._agent

    def show_agent(self, agent: Agent) -> None:
        """Show an agent; the built-in one can only be read."""
        self._agent = agent
        self.fill(agent)
        self._untouched = {name: editor.value() for name, editor in self._editors.items()}
        for editor in self._editors.values():
            editor.set_changeable(not agent.is_built_in)

    def fill(self, agent: Agent) -> None:
        """Put the values of an agent into the fields."""
        for name, editor in self._editors.items():
            with QSignalBlocker(editor):
                editor.show_value(getattr(agent, name))

    def offer(self, choices: AgentChoices) -> None:
        """Take what the agent may name."""
        for name in _OF_LIBRARY:
            editor = self._editors[name]
            with QSignalBlocker(editor):
                editor.offer(getattr(choices, name))

    def agent(self) -> Agent:
        """Return the agent as the form has it; what was not touched stays as it was, to the letter."""
        changed: dict[str, Any] = {}
        for name, editor in self._editors.items():
            value = editor.value()
            if value != self._untouched[name]:
                changed[name] = value
        # Choices come as text: the model knows their types.
        taken = agent_of(changed)
        return replace(self._agent, **{name: getattr(taken, name) for name in changed})

    def _page(self, page: Page) -> QWidget:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        for field in page.fields:
            editor = self._editors[field.name] = editor_for(field)
            editor.edited.connect(self._on_edited)
            form.addRow("" if field.kind is Kind.SWITCH else tr(field.title), editor)
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(20, 14, 16, 14)
        layout.addLayout(form)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The card's own surface shines through; by default a scroll area paints the window's colour.
        for surface in (scroll.viewport(), inner):
            surface.setAutoFillBackground(False)
        return scroll

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit()
