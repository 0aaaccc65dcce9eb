"""Single download of a hub model while offline mode is on, with the hosts shown next to the button."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import tr
from workbench.model.egress import hub_hosts
from workbench.ui.bridge import Bridge
from workbench.ui.controls import button, frame, label
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.network.offline_mode import OfflineModePresenter


class ModelFetch(QObject):
    """Presenter that downloads models; works without a window.

    Signals:
        fetched: The name of a model that is now on this machine.
        failed: An error and its details.

    Attributes:
        name: Name of the model that is being downloaded; empty for none.
    """

    fetched = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = ""
        self._bridge = bridge
        self._library: operations.Library | None = None

    def set_library(self, library: operations.Library | None) -> None:
        """Download for another library, with its settings and its ledger."""
        self._library, self.name = library, ""

    def fetch(self, name: str, hosts: tuple[str, ...]) -> None:
        """Download a model from the given hosts, which may be contacted even while offline mode is on."""
        if self._library is not None and not self.name:
            self.name = name
            self._bridge.submit(
                operations.download_model(self._library, name, allow_hosts=hosts),
                done=partial(self._on_done, name),
                failed=self._on_failed,
            )

    def _on_done(self, name: str, _value: None) -> None:
        self.name = ""
        self.fetched.emit(name)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.name = ""
        self.failed.emit(error, details)


class FetchConsent(QWidget):
    """Notice with the hosts of a model and a button that fetches it; hidden without a model or offline mode.

    Signals:
        fetched: The name of the model, which is now on this machine.
    """

    fetched = Signal(str)

    def __init__(self, fetching: ModelFetch, offline_mode: OfflineModePresenter) -> None:
        super().__init__()
        self._fetching = fetching
        self._offline_mode = offline_mode
        self._name = ""
        self._hosts: tuple[str, ...] = ("",)
        self._text = label("", wrap=True)
        self._fetch = button("", "secondary", self._on_fetch)
        box = frame("banner", tone="warn")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._text, 1)
        row.addWidget(self._fetch)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        offline_mode.changed.connect(self._show)
        fetching.fetched.connect(self._on_fetched)
        fetching.failed.connect(self._show)
        self.ask("", "")

    @property
    def text(self) -> str:
        """Text of the notice; empty while it is hidden."""
        return "" if self.isHidden() else self._text.text()

    def ask(self, name: str, model_hub: str) -> None:
        """Offer to fetch a model.

        Args:
            name: Name on the hub; empty for none.
            model_hub: Value of the setting with the address of the hub.
        """
        self._name, self._hosts = name, hub_hosts(model_hub)
        self._show()

    @Slot()
    def _show(self) -> None:
        self.setVisible(bool(self._name) and self._offline_mode.is_on)
        is_under_way = self._fetching.name != ""
        self._fetch.setEnabled(not is_under_way)
        # A single “&” would underline the letter after it.
        self._fetch.setText(tr("Download from {host}", host=self._hosts[0]).replace("&", "&&"))
        if is_under_way:
            self._text.setText(tr("Downloading “{name}”…", name=self._fetching.name))
        else:
            self._text.setText(
                tr(
                    "Offline mode is on. You can download “{name}” once, from {hosts} only. Offline mode stays on.",
                    name=self._name,
                    hosts=join_with_commas(self._hosts),
                )
            )

    @Slot()
    def _on_fetch(self) -> None:
        self._fetching.fetch(self._name, self._hosts)
        self._show()

    @Slot(str)
    def _on_fetched(self, name: str) -> None:
        is_mine, self._name = name == self._name, "" if name == self._name else self._name
        self._show()
        if is_mine:
            self.fetched.emit(name)
