"""Card with the MCP servers: add, allow, check and remove."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.extensions import RUNS_OUTSIDE, ToolServer, ToolServerState
from workbench.ui.controls import button, frame, label, restyle
from workbench.ui.messages import error_words
from workbench.ui.network.offline_mode import OfflineModeConsentRow, OfflineModePresenter
from workbench.ui.settings.model_servers import is_local
from workbench.ui.settings.service_cards import ApiKeyField
from workbench.ui.settings.tool_servers_presenter import ToolServersPresenter

_LIST_HEIGHT = 96
_MEANING = mark(
    "Programs and services that provide tools to agents through the Model Context Protocol "
    "(MCP). A program can do anything on this computer that you can, so it starts only after "
    "you allow its exact command."
)
_OPENS = mark("Allowing it makes an exception to offline mode for this address only.")
_STAYS = mark(
    "Offline mode is on without exceptions. This server cannot use the network until you allow the services you set up."
)


class ToolServersCard(QWidget):
    """Card with the list of servers, buttons for the chosen one, and fields to add another."""

    def __init__(self, presenter: ToolServersPresenter, offline_mode: OfflineModePresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Tool servers"))
        self._list.setFixedHeight(_LIST_HEIGHT)
        self._command = label("", "caption", wrap=True)
        self._check = button(tr("Check"), "secondary", self._on_check)
        self._allow = button(tr("Allow"), "secondary", self._on_allow)
        self._remove = button(tr("Remove"), "ghost", self._on_remove)
        self._token = ApiKeyField(tr("Token of the tool server"))
        self._token.entered.connect(self._on_token)
        self._name = _field(tr("Name"), tr("Name of a new tool server"))
        self._typed = _field(tr("Command, or address (https://…/mcp)"), tr("Command or address of a new tool server"))
        self._add = button(tr("Add"), "secondary", self._on_add)
        self._consent = OfflineModeConsentRow(offline_mode)
        self._result = label("", "caption", wrap=True)
        self._undo = button(tr("Undo"), "link", self._on_undo)
        self._undo.hide()
        self._lay_out()
        self._list.currentRowChanged.connect(self._on_row)
        self._typed.returnPressed.connect(self._on_add)
        presenter.changed.connect(self._on_changed)
        presenter.notified.connect(self._on_notified)
        presenter.removed.connect(self._on_removed)
        presenter.failed.connect(self._on_failed)
        self._on_changed(presenter.servers)

    @property
    def text(self) -> str:
        """Text of the card."""
        return f"{self._command.text()} {self._result.text()}".strip()

    def _lay_out(self) -> None:
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(8)
        inside.addWidget(label(tr("Tool servers"), "title"))
        inside.addWidget(label(tr(_MEANING), "caption", wrap=True))
        inside.addWidget(self._list)
        inside.addWidget(self._command)
        inside.addWidget(self._consent)
        inside.addWidget(self._token)
        action_row = QHBoxLayout()
        action_row.addWidget(self._remove)
        action_row.addStretch(1)
        action_row.addWidget(self._check)
        action_row.addWidget(self._allow)
        inside.addLayout(action_row)
        inside.addWidget(frame("divider"))
        add_row = QHBoxLayout()
        add_row.addWidget(self._name, 1)
        add_row.addWidget(self._typed, 3)
        add_row.addWidget(self._add)
        inside.addLayout(add_row)
        result_row = QHBoxLayout()
        result_row.addWidget(self._result, 1)
        result_row.addWidget(self._undo)
        inside.addLayout(result_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    def _current(self) -> ToolServerState | None:
        row = self._list.currentRow()
        return self._presenter.servers[row] if 0 <= row < len(self._presenter.servers) else None

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        restyle(self._result, tone=tone)
        self._undo.hide()

    @Slot(list)
    def _on_changed(self, servers: list[ToolServerState]) -> None:
        row = max(0, self._list.currentRow())
        self._list.blockSignals(True)
        self._list.clear()
        for state in servers:
            name = state.server.name
            allowed = tr("{name}: allowed", name=name) if state.is_allowed else tr("{name}: not allowed", name=name)
            self._list.addItem(QListWidgetItem(allowed))
        self._list.setCurrentRow(min(row, len(servers) - 1))
        self._list.blockSignals(False)
        self._list.setVisible(bool(servers))
        self._on_row(self._list.currentRow())

    @Slot(int)
    def _on_row(self, _row: int) -> None:
        state = self._current()
        for control in (self._command, self._check, self._allow, self._remove):
            control.setVisible(state is not None)
        self._token.clear()  # it was typed for the server shown before
        self._token.setVisible(state is not None and not state.server.is_program and not state.server.token_env)
        opens = RUNS_OUTSIDE if state is not None and state.server.is_program else _OPENS
        self._consent.ask(state is not None and _reaches_out(state.server), opens=opens, stays=_STAYS)
        if state is None:
            return
        server = state.server
        by = server.reached_by
        if server.token_env:
            words = tr("Address: {address} (receives the value of {variable})", address=by, variable=server.token_env)
        else:
            words = tr("Command: {command}", command=by) if server.is_program else tr("Address: {address}", address=by)
        self._command.setText(words)
        allow = tr("Allow this command") if server.is_program else tr("Allow this address")
        self._allow.setText(tr("Block") if state.is_allowed else allow)
        self._check.setEnabled(state.is_allowed)

    @Slot()
    def _on_add(self) -> None:
        self._presenter.add(self._name.text(), self._typed.text())

    @Slot()
    def _on_allow(self) -> None:
        state = self._current()
        if state is not None:
            (self._presenter.forbid if state.is_allowed else self._presenter.allow)(state)

    @Slot(str)
    def _on_token(self, token: str) -> None:
        state = self._current()
        if state is not None:
            self._presenter.put_token(state, token)

    @Slot()
    def _on_check(self) -> None:
        state = self._current()
        if state is not None:
            self._show_message(tr("Loading its tools…"))
            self._check.setEnabled(False)
            self._presenter.check(state)

    @Slot()
    def _on_remove(self) -> None:
        state = self._current()
        if state is not None:
            self._presenter.remove(state)

    @Slot()
    def _on_undo(self) -> None:
        self._presenter.put_back()

    @Slot(str)
    def _on_notified(self, sentence: str) -> None:
        self._show_message(sentence, "ok")
        self._name.clear()
        self._typed.clear()
        self._on_row(self._list.currentRow())

    @Slot(str)
    def _on_removed(self, name: str) -> None:
        self._show_message(tr("“{name}” was removed.", name=name))
        self._undo.show()

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_message(error_words(error), "danger")
        self._on_row(self._list.currentRow())


def _reaches_out(server: ToolServer) -> bool:
    # A program on this machine may contact any host.
    return server.is_program or not is_local(server.url)


def _field(placeholder: str, name: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(name)
    return field
