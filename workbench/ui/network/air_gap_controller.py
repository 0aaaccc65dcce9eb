"""Air gap in the window: its command, messages about changes, and documents that it blocked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from workbench.language import tr, trn
from workbench.model.document import Origin
from workbench.ui.library.other_sources import fetch_words
from workbench.ui.network.air_gap import AirGapOpener
from workbench.ui.network.air_gap_button import SWITCH_OFF
from workbench.ui.network.request_wording import opening_words

if TYPE_CHECKING:
    from workbench.model.egress import AirGap
    from workbench.model.import_progress import FileFinished
    from workbench.ui.app_controller import AppController


class AirGapController(QObject):
    """Controller that connects the air gap with the rest of a shell's window."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._air_gap = shell.settings.air_gap
        self._opening = AirGapOpener(self._air_gap, self)
        self._action = shell.window.actions_by_name["air_gap"]
        self._action.setCheckable(True)
        self._action.triggered.connect(self._on_triggered)
        self._off = QAction(shell.window)
        self._off.setObjectName(SWITCH_OFF)
        self._off.setCheckable(True)
        self._off.triggered.connect(self._on_opened)
        self._show_state()
        shell.window.addAction(self._off)
        self._air_gap.changed.connect(self._on_changed)
        self._air_gap.notified.connect(self._on_notified)
        shell.documents.not_fetched.connect(self._on_not_fetched)
        shell.library_pane.sources.opening = self._opening
        self._air_gap.changed.connect(shell.library_pane.sources.on_air_gap_changed)

    @Slot()
    def _on_triggered(self) -> None:
        # The check mark follows the state in force, not the click.
        self._show_state()
        self._air_gap.toggle()

    @Slot()
    def _on_opened(self) -> None:
        self._show_state()
        self._air_gap.open_further()

    @Slot(object)
    def _on_changed(self, _state: AirGap | None) -> None:
        self._show_state()

    def _show_state(self) -> None:
        self._action.setChecked(self._air_gap.is_shut)
        self._off.setChecked(self._air_gap.is_on)
        self._off.setText(opening_words(self._air_gap.state))

    @Slot(str, bool)
    def _on_notified(self, text: str, undoable: bool) -> None:
        # A toast over the window would be hidden behind the settings dialog, which shows the message itself.
        if not self._shell.dialogs.is_choosing:
            undo = self._air_gap.undo if undoable else None
            icon = "shield" if self._air_gap.is_on else "shield-off"
            self._shell.window.toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo, icon=icon)

    @Slot(list)
    def _on_not_fetched(self, missed: list[FileFinished]) -> None:
        text = trn(
            "The air gap is on. {n:,} document was not downloaded.",
            "The air gap is on. {n:,} documents were not downloaded.",
            len(missed),
        )
        documents = [one.document for one in missed if one.document is not None]
        hosts = tuple(dict.fromkeys(host for one in missed for host in one.closed_hosts))
        closed = tuple(dict.fromkeys(host for one in missed for host in self._find_blocked_hosts(one)))
        if not all(one.closed_hosts for one in missed):
            # A browser that cannot be kept from the network, for a page of this machine: allowing hosts is not enough.
            action, fetch = tr("Turn off the air gap and download"), partial(self._fetch_with_it_off, documents)
        else:
            action, fetch = fetch_words(closed), partial(self._fetch_from, hosts, documents)
        if len(missed) == 1 and len(hosts) > len(closed):
            first, last = hosts[-2:]
            text = tr("“{first}” redirects to “{host}”, which the air gap blocked.", first=first, host=last)
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
