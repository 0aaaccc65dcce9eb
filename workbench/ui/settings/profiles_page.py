"""Page of the model profiles, and the picker that offers presets and servers that run on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import tr, trn
from workbench.model.profile import OFFLINE, FoundServer, ModelProfile
from workbench.ui.controls import IconLabel, button, frame, label, restyle
from workbench.ui.messages import announce, error_words
from workbench.ui.settings.model_servers import PRESETS, ModelServers, Preset, preset_of, profile_title
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.profile_form import SAMPLING, SAMPLING_SYNONYMS, ProfileForm
from workbench.ui.settings.settings_search import Words, finds, in_both, show_marked
from workbench.ui.theme import Theme

LIST_WIDTH = 190


class ProfilesPage(QWidget):
    """Page with the list of profiles on the left and the chosen one on the right."""

    def __init__(self, presenter: SettingsPresenter, theme: Theme) -> None:
        super().__init__()
        self._presenter = presenter
        self._wanted = ""
        self._shown: ModelProfile | None = None
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Model profiles"))
        self._add = button(tr("Add a model"), "secondary", self._on_add)
        self._remove = button(tr("Remove"), "ghost", self._on_remove)
        self._use = button(tr("Use this model"), "secondary", self._on_use)
        self._theme = theme
        self._sampling = label(tr(SAMPLING), "caption", wrap=True)
        self._sampling.hide()
        self._form = ProfileForm(presenter, theme)
        self._picker = ModelPicker(presenter.model_servers, theme)
        self._offline = self._make_offline(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._offline)
        self._stack.addWidget(self._form)
        self._stack.addWidget(self._picker)
        self._foot = QWidget()
        self._lay_out()
        self._list.currentRowChanged.connect(self._on_row)
        self._form.saved.connect(self._on_saved)
        self._picker.chosen.connect(self._on_chosen)
        presenter.profiles_changed.connect(self._on_changed)
        presenter.settings_changed.connect(self._on_changed)
        self._on_changed()

    def show_found(self, words: Words) -> None:
        """Show where sampling is set if a search is about it, also beside the answerer without a model."""
        self._sampling.setVisible(bool(words) and finds(words, (SAMPLING_SYNONYMS, *in_both(SAMPLING))))
        show_marked(self._sampling, tr(SAMPLING), words, self._theme)
        self._form.show_found(words)

    def _make_offline(self, theme: Theme) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(20, 16, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(IconLabel(theme, "shield", colour="ok", size=32))
        layout.addWidget(label(tr("Quotes without a model"), "title"))
        text = tr(
            "Searches your documents and quotes the best sentences word for word, with their "
            "sources. It needs no model and no network. Nothing leaves this computer."
        )
        layout.addWidget(label(text, "muted", wrap=True))
        layout.addWidget(self._sampling)
        layout.addStretch(1)
        return page

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._list, 1)
        left.addWidget(self._add)
        card = frame("card")
        right = QVBoxLayout(card)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self._stack, 1)
        row = QHBoxLayout()
        row.setContentsMargins(16, 10, 16, 10)
        row.addWidget(self._remove)
        row.addStretch(1)
        row.addWidget(self._use)
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(0)
        foot.addWidget(frame("divider"))
        foot.addLayout(row)
        right.addWidget(self._foot)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(16)
        self._list.setFixedWidth(LIST_WIDTH)
        layout.addLayout(left)
        layout.addWidget(card, 1)

    def _current(self) -> ModelProfile | None:
        row = self._list.currentRow()
        return self._presenter.profiles[row] if 0 <= row < len(self._presenter.profiles) else None

    @Slot()
    def _on_changed(self) -> None:
        # Any setting may have changed, for example offline mode next to the form; text being typed there is kept.
        is_saved = bool(self._wanted)
        is_making = self._list.count() > 0 and self._list.currentRow() < 0 and not is_saved
        shown = self._shown.name if self._shown is not None else self._presenter.settings.profile
        wanted = "" if is_making else self._wanted or shown
        self._list.blockSignals(True)
        self._list.clear()
        for profile in self._presenter.profiles:
            title = profile_title(profile)
            answering = profile.name == self._presenter.profile.name
            self._list.addItem(QListWidgetItem(f"{title}  ✓" if answering else title))
            if profile.name == wanted:
                self._list.setCurrentRow(self._list.count() - 1)
                self._wanted = ""
        self._list.blockSignals(False)
        current = self._current()
        if current is not None and current == self._shown and not is_saved:
            self._show_foot(current)
        elif not is_making:
            self._on_row(self._list.currentRow())

    @Slot(int)
    def _on_row(self, _row: int) -> None:
        profile = self._shown = self._current()
        if profile is not None and not profile.is_offline:
            self._form.show_profile(profile)
            self._stack.setCurrentWidget(self._form)
        elif profile is not None:
            self._stack.setCurrentWidget(self._offline)
        self._show_foot(profile)

    def _show_foot(self, profile: ModelProfile | None) -> None:
        self._remove.setVisible(profile is not None and not profile.is_offline)
        answering = profile is not None and profile.name == self._presenter.profile.name
        self._foot.setVisible(profile is not None)
        self._use.setEnabled(not answering)
        self._use.setText(tr("In use") if answering else tr("Use this model"))

    @Slot()
    def _on_add(self) -> None:
        self._list.setCurrentRow(-1)
        self._stack.setCurrentWidget(self._picker)
        self._picker.begin()

    @Slot(object)
    def _on_chosen(self, chosen: ModelProfile) -> None:
        """Show the profile if it exists already, else begin a new one."""
        profiles = self._presenter.profiles
        known = (
            place for place, one in enumerate(profiles) if (one.name, one.base_url) == (chosen.name, chosen.base_url)
        )
        place = next(known, None)
        if place is not None:
            self._list.setCurrentRow(place)
            return
        taken = {profile.name for profile in profiles}
        names = (chosen.name if n == 1 else f"{chosen.name}-{n}" for n in range(1, len(taken) + 2))
        self._form.show_profile(replace(chosen, name=next(name for name in names if name not in taken)))
        self._stack.setCurrentWidget(self._form)
        self._form.focus()

    @Slot(str)
    def _on_saved(self, name: str) -> None:
        self._wanted = name

    @Slot()
    def _on_remove(self) -> None:
        profile = self._current()
        if profile is not None and not profile.is_offline:
            self._list.setCurrentRow(0)
            self._presenter.remove_profile(profile.name)

    @Slot()
    def _on_use(self) -> None:
        profile = self._current()
        if profile is not None:
            self._presenter.put("profile", profile.name)


@dataclass(frozen=True, slots=True)
class ProfileListLine:
    """Entry of the picker's list."""

    profile: ModelProfile
    title: str
    about: str
    icon: str


class ModelPicker(QWidget):
    """Picker of ways to get answers; no server is asked before a button is pressed.

    Signals:
        chosen: A ModelProfile to start with; the offline one and an existing one are only shown.
    """

    chosen = Signal(object)

    def __init__(self, servers: ModelServers, theme: Theme) -> None:
        super().__init__()
        self._servers = servers
        self._theme = theme
        self._found: tuple[FoundServer, ...] = ()
        self._offers: tuple[ProfileListLine, ...] = ()
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Choice of models"))
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._look = button(tr("Find servers on this computer"), "secondary", self._on_look)
        self._use = button(tr("Continue"), "primary", self._on_use)
        self._result = label("", "caption", wrap=True)
        foot = QHBoxLayout()
        foot.addWidget(self._look)
        foot.addWidget(self._result, 1)
        foot.addWidget(self._use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(label(tr("Choose a model"), "title"))
        layout.addWidget(self._list, 1)
        layout.addLayout(foot)
        self._list.itemActivated.connect(self._on_use)
        servers.servers_found.connect(self._on_found)
        servers.failed.connect(self._on_failed)
        servers.busy_changed.connect(self._look.setDisabled)
        self._show()

    @property
    def offers(self) -> tuple[ProfileListLine, ...]:
        """Entries of the list from top to bottom."""
        return self._offers

    @property
    def text(self) -> str:
        """Result of the search for servers."""
        return self._result.text()

    def begin(self) -> None:
        """Offer the entries that are always available; servers that were found earlier may have stopped."""
        self._found = ()
        self._show_message("")
        self._show()
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        there = {server.base_url for server in self._found}
        rows = [_offline(), *(_describe_server(server) for server in self._found)]
        rows += [_describe_preset(one) for one in PRESETS if one.base_url not in there]
        self._offers = tuple(rows)
        self._list.clear()
        for offer in rows:
            item = QListWidgetItem(self._theme.icon(offer.icon), f"{offer.title}\n{offer.about}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{offer.title}. {offer.about}")
            self._list.addItem(item)
        self._list.setCurrentRow(1 if self._found else 0)

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        restyle(self._result, tone=tone)
        announce(self, text)

    @Slot()
    def _on_look(self) -> None:
        self._show_message(tr("Searching…"))
        self._servers.look_around()

    @Slot(tuple)
    def _on_found(self, servers: Sequence[FoundServer]) -> None:
        self._found = tuple(servers)
        self._show()
        if servers:
            self._show_message(trn("{n} server found.", "{n} servers found.", len(servers)), "ok")
        else:
            names = ", ".join(one.title for one in PRESETS if one.base_url and not one.leaves_machine)
            self._show_message(tr("No running server found ({names}).", names=names))

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        if self.isVisible():
            self._show_message(error_words(error), "danger")

    @Slot()
    def _on_use(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._offers):
            self.chosen.emit(self._offers[row].profile)


def _offline() -> ProfileListLine:
    about = tr("Quotes your documents. Needs no model. Nothing leaves this computer.")
    return ProfileListLine(OFFLINE, profile_title(OFFLINE), about, "shield")


def _describe_server(server: FoundServer) -> ProfileListLine:
    preset = preset_of(server)
    models = ", ".join(server.models[:3])
    title = tr("{server} (running)", server=tr(preset.title))
    if server.profile:
        about = tr("Already set up as “{profile}”. Models: {models}", profile=server.profile, models=models)
    else:
        about = trn("{n:,} model: {models}", "{n:,} models: {models}", len(server.models), models=models)
    model = preset.model if preset.model in server.models else next(iter(server.models), "")
    name = server.profile or preset.name
    return ProfileListLine(ModelProfile(name, server.base_url, model), title, about, "check-circle")


def _describe_preset(preset: Preset) -> ProfileListLine:
    icon = "globe" if preset.leaves_machine else "model"
    profile = ModelProfile(preset.name, preset.base_url, preset.model)
    return ProfileListLine(profile, tr(preset.title), tr(preset.about), icon)
