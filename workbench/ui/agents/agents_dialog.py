"""Dialog of the agents: a list at the left, the selected one at the right."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.agent import Agent, AgentChoices
from workbench.ui.agents.agent_form import AgentForm
from workbench.ui.agents.presenter import AgentsPresenter
from workbench.ui.controls import bring_up, button, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import Banner, Toast
from workbench.ui.theme import Theme

LIST_WIDTH = 200
BUILT_IN = mark("The built-in agent cannot be edited. Duplicate it and edit the copy.")
OWN = mark("Changes are saved when you click “Save”, select another agent, or close.")


class AgentsDialog(Dialog):
    """Dialog that shows, edits, duplicates and removes agents."""

    def __init__(self, presenter: AgentsPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._wanted = ""
        self.setWindowTitle(tr("Agents"))
        self.resize(900, 660)
        self._banner = Banner(theme)
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Agents"))
        self._list.setFixedWidth(LIST_WIDTH)
        self._copy = button(tr("Duplicate"), "secondary", self._on_copy)
        self._form = AgentForm()
        self._about = label("", "caption", wrap=True)
        self._remove = button(tr("Remove"), "ghost", self._on_remove)
        self._reset = button(tr("Reset to built-in"), "ghost", self._on_reset)
        self._reset.setToolTip(tr("Reset every field except the name to the built-in agent's values"))
        self._ask = button(tr("Ask this agent"), "secondary", self._on_ask)
        self._save = button(tr("Save"), "primary", self._on_save)
        self._lay_out()
        self._toast = Toast(theme, self)
        self._list.currentRowChanged.connect(self._on_row)
        self._form.edited.connect(self._show_foot)
        presenter.changed.connect(self._on_changed)
        presenter.choices_changed.connect(self._on_choices)
        presenter.made.connect(self._on_made)
        presenter.notified.connect(self._on_notified)
        presenter.failed.connect(self._banner.show_error)
        self._on_changed()

    def begin(self) -> None:
        """Show the dialog with the library's current agents."""
        self._presenter.refresh()
        self._presenter.refresh_choices()
        bring_up(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._save_changes()
        super().closeEvent(event)

    def reject(self) -> None:
        """Store the changes and close on Escape."""
        self._save_changes()
        super().reject()

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._list, 1)
        left.addWidget(self._copy)
        card = frame("card")
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 10, 16, 10)
        foot.setSpacing(8)
        for one in (self._remove, self._reset):
            foot.addWidget(one)
        foot.addStretch(1)
        for one in (self._ask, self._save):
            foot.addWidget(one)
        about = QHBoxLayout()
        about.setContentsMargins(20, 8, 16, 8)
        about.addWidget(self._about)
        right = QVBoxLayout(card)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self._form, 1)
        right.addLayout(about)
        right.addWidget(frame("divider"))
        right.addLayout(foot)
        columns = QHBoxLayout()
        columns.setContentsMargins(20, 16, 20, 16)
        columns.setSpacing(16)
        columns.addLayout(left)
        columns.addWidget(card, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._banner)
        layout.addLayout(columns, 1)

    def _chosen(self) -> Agent | None:
        row = self._list.currentRow()
        return self._presenter.agents[row] if 0 <= row < len(self._presenter.agents) else None

    def _save_changes(self) -> None:
        """Store the edited agent if it was changed."""
        shown = self._form.shown
        if not shown.is_built_in and self._presenter.named(shown.name) and self._form.agent() != shown:
            self._wanted = self._wanted or self._form.agent().name
            self._presenter.put(self._form.agent(), shown.name)

    @Slot()
    def _on_changed(self) -> None:
        shown = self._form.shown.name
        with QSignalBlocker(self._list):
            self._list.clear()
            for agent in self._presenter.agents:
                tick = "  ✓" if agent.name == self._presenter.asked else ""
                self._list.addItem(QListWidgetItem(f"{agent.name}{tick}"))
            names = [agent.name for agent in self._presenter.agents]
            wanted = next((one for one in (self._wanted, shown, self._presenter.asked) if one in names), "")
            self._list.setCurrentRow(names.index(wanted) if wanted else -1)
        if self._wanted in names:
            self._wanted = ""
        chosen = self._chosen()
        if chosen is not None and chosen != self._form.shown:
            self._form.show_agent(chosen)
        self._show_foot()

    @Slot(int)
    def _on_row(self, _row: int) -> None:
        chosen = self._chosen()
        if chosen is None:
            return
        self._wanted = chosen.name
        self._save_changes()
        self._form.show_agent(chosen)
        self._show_foot()

    @Slot()
    def _show_foot(self) -> None:
        shown = self._form.shown
        own = not shown.is_built_in
        for one in (self._remove, self._reset, self._save):
            one.setVisible(own)
        changed = own and self._form.agent() != shown
        self._save.setEnabled(changed and bool(self._form.agent().name))
        is_asked = shown.name == self._presenter.asked
        self._ask.setText(tr("In use") if is_asked else tr("Ask this agent"))
        self._ask.setEnabled(not is_asked)
        self._about.setText(tr(OWN if own else BUILT_IN))

    @Slot(object)
    def _on_choices(self, choices: AgentChoices) -> None:
        self._form.offer(choices)

    @Slot(str)
    def _on_made(self, name: str) -> None:
        self._wanted = name

    @Slot()
    def _on_copy(self) -> None:
        self._save_changes()
        chosen = self._chosen()
        if chosen is not None:
            self._presenter.copy(chosen.name)

    @Slot()
    def _on_remove(self) -> None:
        chosen = self._chosen()
        if chosen is not None and not chosen.is_built_in:
            self._presenter.remove(chosen.name)

    @Slot()
    def _on_reset(self) -> None:
        if self._presenter.built_in is not None:
            self._form.fill(replace(self._presenter.built_in, name=self._form.agent().name))
            self._show_foot()

    @Slot()
    def _on_ask(self) -> None:
        self._save_changes()
        self._presenter.ask(self._form.agent().name)

    @Slot()
    def _on_save(self) -> None:
        self._banner.hide()
        self._save_changes()

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        self._toast.show_message(
            text, action=tr("Undo") if undoable else "", on_action=self._presenter.undo_remove if undoable else None
        )
