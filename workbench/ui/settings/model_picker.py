"""Who is to answer: the offline default, servers that run on this machine, and the usual ones by preset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.model.profile import OFFLINE, FoundServer, ModelProfile
from workbench.ui.announcing import announce
from workbench.ui.controls import button, label, redress
from workbench.ui.error_words import error_words
from workbench.ui.settings.model_servers import ModelServers
from workbench.ui.settings.presets import PRESETS, Preset, preset_of
from workbench.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of the list."""

    profile: ModelProfile
    title: str
    about: str
    icon: str


class ModelPicker(QWidget):
    """Offers ways to get answers; nothing is asked before a button is pressed.

    Signals:
        chosen: A ModelProfile to begin with; the offline one, or one that is there already, is to be shown.
    """

    chosen = Signal(object)

    def __init__(self, servers: ModelServers, theme: Theme) -> None:
        super().__init__()
        self._servers = servers
        self._theme = theme
        self._found: tuple[FoundServer, ...] = ()
        self._offers: tuple[Offer, ...] = ()
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Ways to get answers"))
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._look = button(tr("Look for servers on this machine"), "secondary", self._on_look)
        self._use = button(tr("Continue"), "primary", self._on_use)
        self._result = label("", "caption", wrap=True)
        foot = QHBoxLayout()
        foot.addWidget(self._look)
        foot.addWidget(self._result, 1)
        foot.addWidget(self._use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(label(tr("Who is to answer?"), "title"))
        layout.addWidget(self._list, 1)
        layout.addLayout(foot)
        self._list.itemActivated.connect(self._on_use)
        servers.servers_found.connect(self._on_found)
        servers.failed.connect(self._on_failed)
        servers.busy_changed.connect(self._look.setDisabled)
        self._show()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What is offered, from above."""
        return self._offers

    @property
    def text(self) -> str:
        """What it says of what was looked for."""
        return self._result.text()

    def begin(self) -> None:
        """Offer what is always there; what ran here a while ago may not run any more."""
        self._found = ()
        self._say("")
        self._show()
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        there = {server.base_url for server in self._found}
        rows = [_offline(), *(_running(server) for server in self._found)]
        rows += [_preset(one) for one in PRESETS if one.base_url not in there]
        self._offers = tuple(rows)
        self._list.clear()
        for offer in rows:
            item = QListWidgetItem(self._theme.icon(offer.icon), f"{offer.title}\n{offer.about}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{offer.title}. {offer.about}")
            self._list.addItem(item)
        self._list.setCurrentRow(1 if self._found else 0)

    def _say(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        redress(self._result, tone=tone)
        announce(self, text)

    @Slot()
    def _on_look(self) -> None:
        self._say(tr("Looking…"))
        self._servers.look_around()

    @Slot(tuple)
    def _on_found(self, servers: Sequence[FoundServer]) -> None:
        self._found = tuple(servers)
        self._show()
        if servers:
            self._say(trn("{n} server runs here.", "{n} servers run here.", len(servers)), "ok")
        else:
            names = ", ".join(one.title for one in PRESETS if one.base_url and not one.leaves_machine)
            self._say(tr("None of these runs here now: {names}.", names=names))

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        if self.isVisible():
            self._say(error_words(error), "danger")

    @Slot()
    def _on_use(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._offers):
            self.chosen.emit(self._offers[row].profile)


def _offline() -> Offer:
    about = tr("Quotes from your documents. Needs no model; nothing leaves this machine.")
    return Offer(OFFLINE, tr("Offline, built in"), about, "shield")


def _running(server: FoundServer) -> Offer:
    preset = preset_of(server)
    models = ", ".join(server.models[:3])
    title = tr("{server}, runs now", server=tr(preset.title))
    if server.profile:
        about = tr("Set up already as “{profile}”. Models: {models}", profile=server.profile, models=models)
    else:
        about = trn("{n:,} model: {models}", "{n:,} models: {models}", len(server.models), models=models)
    model = preset.model if preset.model in server.models else next(iter(server.models), "")
    name = server.profile or preset.name
    return Offer(ModelProfile(name, server.base_url, model), title, about, "check-circle")


def _preset(preset: Preset) -> Offer:
    icon = "globe" if preset.leaves_machine else "model"
    profile = ModelProfile(preset.name, preset.base_url, preset.model)
    return Offer(profile, tr(preset.title), tr(preset.about), icon)
