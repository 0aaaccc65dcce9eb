"""Offline mode: its command, presenter and bar, the consent row, messages, and actions that wait until it is off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import mark, tr, trn
from workbench.model.document import Origin
from workbench.model.egress import NetworkOutcome, NetworkRequest, OfflineMode, OfflineModeChoice
from workbench.model.embedding_server import is_embedding_server
from workbench.ui.bridge import Bridge
from workbench.ui.controls import ElidedLabel, IconLabel, button, frame, label, restyle
from workbench.ui.library.other_sources import fetch_words
from workbench.ui.network.model import (
    opening_words,
    opens_by_exceptions,
    state_words,
    switch_words,
    switched_words,
    why_words,
)
from workbench.ui.network.offline_mode_button import SWITCH_OFF
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.import_progress import FileFinished
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController
    from workbench.worker.job import JobHandle


class OfflineModePresenter(QObject):
    """Presenter of offline mode of the open library.

    Attributes:
        state: The OfflineMode in force; None while it is unknown.

    Signals:
        changed: The OfflineMode, or None.
        switched: The setting of offline mode changed.
        notified: A message about the change, and whether it can be undone.
        failed: An error and its details.
    """

    changed = Signal(object)
    switched = Signal()
    notified = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: OfflineMode | None = None
        self._bridge = bridge
        self._library: Library | None = None
        self._watch: JobHandle[None] | None = None
        self._under_way: set[int] = set()
        self._before: OfflineModeChoice | None = None
        bridge.domain_event.connect(self._on_domain_event)

    @property
    def is_on(self) -> bool:
        """True if offline mode is known to be on, with or without exceptions."""
        return self.state is not None and self.state.is_on

    @property
    def is_shut(self) -> bool:
        """True if offline mode is known to be on without exceptions."""
        return self.state is not None and self.state.is_shut

    @property
    def under_way(self) -> int:
        """Number of running requests to other machines."""
        return len(self._under_way)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self._library, self._before = library, None
        self._under_way.clear()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if self.state is not None:
            self.state = None
            self.changed.emit(None)
        if library is not None:
            self._watch = self._bridge.submit(operations.watch_network(library), failed=self.failed.emit)
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the state again after something was set up or removed."""
        if self._library is not None:
            self._bridge.submit(operations.offline_mode_state(self._library), done=self._take, failed=self.failed.emit)

    @Slot()
    def toggle(self) -> None:
        """Block everything; if everything is blocked, allow again what was set up."""
        if self.state is not None:
            self._put(other_choice(self.state))

    @Slot()
    def switch_off(self) -> None:
        """Switch offline mode off, so that everything that is requested may use the network."""
        if self.is_on:
            self._put(OfflineModeChoice.OFF)

    @Slot()
    def make_exceptions(self) -> None:
        """Allow what was set up to use the network, as exceptions of offline mode."""
        self._put(OfflineModeChoice.AUTO)

    @Slot()
    def open_further(self) -> None:
        """Open offline mode one step further: for what was set up, or completely if that is allowed already."""
        if opens_by_exceptions(self.state):
            self.make_exceptions()
        else:
            self.switch_off()

    @Slot()
    def undo(self) -> None:
        """Undo the last change."""
        before, self._before = self._before, None
        if before is not None:
            self._put(before)

    def _put(self, choice: OfflineModeChoice) -> None:
        if self._library is not None:
            self._bridge.submit(
                operations.put_offline_mode(self._library, choice), done=self._on_put, failed=self.failed.emit
            )

    def _on_put(self, state: OfflineMode) -> None:
        self._take(state)
        self.switched.emit()

    def _take(self, state: OfflineMode) -> None:
        before, self.state = self.state, state
        if before == state:
            return
        self.changed.emit(state)
        if before is not None and (before.is_on, before.exceptions) != (state.is_on, state.exceptions):
            self._before = _undo_choice(before, state)
            self.notified.emit(switched_words(state, self.under_way), self._before is not None)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if not isinstance(event, NetworkRequest) or event.is_here:
            return
        if event.outcome is NetworkOutcome.UNDER_WAY:
            self._under_way.add(event.id)
        else:
            self._under_way.discard(event.id)


def other_choice(state: OfflineMode) -> OfflineModeChoice:
    """Return the next setting of the switch: without exceptions, or with them; off only if nothing needs one."""
    if not state.is_shut:
        return OfflineModeChoice.ON if state.needs else OfflineModeChoice.AUTO
    return OfflineModeChoice.AUTO if state.needs else OfflineModeChoice.OFF


def _undo_choice(before: OfflineMode, now: OfflineMode) -> OfflineModeChoice | None:
    """Return the setting that undoes a change; None if it came from what is set up and opened nothing."""
    if before.choice is not now.choice:
        return before.choice
    return OfflineModeChoice.ON if set(now.exceptions) - set(before.exceptions) else None


class OfflineModeBar(QWidget):
    """Bar with the state of offline mode and its switch: hidden while it is unknown, equally high at any width."""

    def __init__(self, presenter: OfflineModePresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._icon = IconLabel(theme, "shield", colour="ok", size=20)
        self._state = ElidedLabel()
        self._state.setProperty("role", "title")
        self._why = ElidedLabel()
        self._why.setProperty("role", "caption")
        self._switch = button(tr("Turn on"), "secondary", presenter.toggle)
        self._box = frame("banner", tone="ok")
        self.setFocusProxy(self._switch)
        self._lay_out()
        presenter.changed.connect(self._show)
        self._show(presenter.state)

    @property
    def text(self) -> str:
        """Text of the bar."""
        return f"{self._state.accessibleName()} {self._why.accessibleName()}"

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._state)
        words.addWidget(self._why)
        row = QHBoxLayout(self._box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(words, 1)
        row.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    @Slot(object)
    def _show(self, state: OfflineMode | None) -> None:
        self.setVisible(state is not None)
        if state is None:
            return
        tone = "ok" if state.is_shut else "warn"
        self._icon.show_icon("shield" if state.is_on else "shield-off", tone)
        self._state.set_whole_text(state_words(state))
        self._why.set_whole_text(why_words(state))
        text, name = switch_words(state)
        self._switch.setText(text)
        self._switch.setAccessibleName(name)
        restyle(self._box, tone=tone)


OPENS = mark("This makes an exception to offline mode for this address only.")
STAYS = mark("Offline mode is on without exceptions. This does not work until you allow the services you set up.")


class OfflineModeConsentRow(QWidget):
    """Notice that a set-up needs the network; hidden if it does not, or if offline mode is off."""

    def __init__(self, offline_mode: OfflineModePresenter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offline_mode = offline_mode
        self._is_needed = False
        self._opens, self._stays = OPENS, STAYS
        self._text = label("", wrap=True)
        self._switch = button(tr("Allow these services"), "secondary", offline_mode.make_exceptions)
        self._box = frame("banner", tone="warn")
        row = QHBoxLayout(self._box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._text, 1)
        row.addWidget(self._switch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        offline_mode.changed.connect(self._show)
        self._show()

    @property
    def text(self) -> str:
        """Text of the notice; empty while it is hidden."""
        return "" if self.isHidden() else self._text.text()

    def ask(self, needed: bool, *, opens: str = OPENS, stays: str = STAYS) -> None:
        """Set the need for the network and the texts of the notice.

        Args:
            needed: Whether what is being set up would use the network.
            opens: Text if offline mode makes an exception for it, marked for translation.
            stays: Text if offline mode makes no exception, marked for translation.
        """
        self._is_needed, self._opens, self._stays = needed, opens, stays
        self._show()

    @Slot()
    def _show(self) -> None:
        state = self._offline_mode.state
        self.setVisible(self._is_needed and state is not None and state.is_on)
        if state is not None:
            is_exception = state.choice is OfflineModeChoice.AUTO and state.at_home
            self._text.setText(tr(self._opens if is_exception else self._stays))
            self._switch.setVisible(not is_exception)
            restyle(self._box, tone="" if is_exception else "warn")


def is_fetched(name: str) -> bool:
    """Return whether a model is one of the hub: neither a folder on this machine nor an embedding server."""
    return bool(name) and not is_embedding_server(name) and not Path(name).expanduser().is_dir()


class OfflineModeOpener(QObject):
    """Helper that switches offline mode off on behalf of actions of the user, and runs them afterwards."""

    def __init__(self, offline_mode: OfflineModePresenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offline_mode = offline_mode
        self._waiting: list[Callable[[], object]] = []
        offline_mode.changed.connect(self._on_changed)

    @property
    def is_needed(self) -> bool:
        """True if offline mode is on."""
        return self._offline_mode.is_on

    def then(self, work: Callable[[], object]) -> None:
        """Switch offline mode off and call `work`; if it cannot be switched off, `work` is not called."""
        if self.is_needed:
            self._waiting.append(work)
            self._offline_mode.switch_off()
        else:
            work()

    @Slot(object)
    def _on_changed(self, state: OfflineMode | None) -> None:
        waiting, self._waiting = self._waiting, []
        if state is not None and not state.is_on:
            for work in waiting:
                work()


class OfflineModeController(QObject):
    """Controller that connects offline mode with the rest of a shell's window."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._offline_mode = shell.settings.offline_mode
        self._opening = OfflineModeOpener(self._offline_mode, self)
        self._action = shell.window.actions_by_name["offline_mode"]
        self._action.setCheckable(True)
        self._action.triggered.connect(self._on_triggered)
        self._off = QAction(shell.window)
        self._off.setObjectName(SWITCH_OFF)
        self._off.setCheckable(True)
        self._off.triggered.connect(self._on_opened)
        self._show_state()
        shell.window.addAction(self._off)
        self._offline_mode.changed.connect(self._on_changed)
        self._offline_mode.notified.connect(self._on_notified)
        shell.documents.not_fetched.connect(self._on_not_fetched)
        shell.library_pane.sources.opening = self._opening
        self._offline_mode.changed.connect(shell.library_pane.sources.on_offline_mode_changed)

    @Slot()
    def _on_triggered(self) -> None:
        # The check mark follows the state in force, not the click.
        self._show_state()
        self._offline_mode.toggle()

    @Slot()
    def _on_opened(self) -> None:
        self._show_state()
        self._offline_mode.open_further()

    @Slot(object)
    def _on_changed(self, _state: OfflineMode | None) -> None:
        self._show_state()

    def _show_state(self) -> None:
        self._action.setChecked(self._offline_mode.is_shut)
        self._off.setChecked(self._offline_mode.is_on)
        self._off.setText(opening_words(self._offline_mode.state))

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        # A toast over the window would be hidden behind the settings dialog, which shows the message itself.
        if not self._shell.dialogs.is_choosing:
            undo = self._offline_mode.undo if undoable else None
            icon = "shield" if self._offline_mode.is_on else "shield-off"
            self._shell.window.toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo, icon=icon)

    @Slot(list)
    def _on_not_fetched(self, missed: list[FileFinished]) -> None:
        text = trn(
            "Offline mode is on. {n:,} document was not downloaded.",
            "Offline mode is on. {n:,} documents were not downloaded.",
            len(missed),
        )
        documents = [one.document for one in missed if one.document is not None]
        hosts = tuple(dict.fromkeys(host for one in missed for host in one.closed_hosts))
        closed = tuple(dict.fromkeys(host for one in missed for host in self._find_blocked_hosts(one)))
        if not all(one.closed_hosts for one in missed):
            # A browser that cannot be kept from the network, for a page of this machine: allowing hosts is not enough.
            action, fetch = tr("Turn off offline mode and download"), partial(self._fetch_with_it_off, documents)
        else:
            action, fetch = fetch_words(closed), partial(self._fetch_from, hosts, documents)
        if len(missed) == 1 and len(hosts) > len(closed):
            first, last = hosts[-2:]
            text = tr("“{first}” redirects to “{host}”, which offline mode blocked.", first=first, host=last)
            action = tr("Allow {host} too", host=last).replace("&", "&&")
        self._shell.window.toast.show_message(text, action=action, on_action=fetch, icon="shield")

    def _find_blocked_hosts(self, missed: FileFinished) -> tuple[str, ...]:
        """Return the hosts that were not contacted: all of a database's, else the last one of a chain of redirects."""
        document = self._shell.documents.model.get(missed.document) if missed.document is not None else None
        is_query = document is not None and document.origin is Origin.QUERY
        return missed.closed_hosts if is_query else missed.closed_hosts[-1:]

    def _fetch_from(self, hosts: tuple[str, ...], documents: list[int]) -> None:
        self._shell.documents.import_with("refetch", documents, allow_hosts=hosts)

    def _fetch_with_it_off(self, documents: list[int]) -> None:
        self._opening.then(partial(self._shell.documents.import_with, "refetch", documents))
