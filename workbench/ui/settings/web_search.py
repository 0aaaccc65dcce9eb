"""The card below the settings of tools: what a web search sends where, and the key of its server."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.language import mark, tr
from workbench.model.profile import NO_KEYRING
from workbench.settings import Settings
from workbench.ui.controls import frame, label, redress
from workbench.ui.error_words import error_words
from workbench.ui.network.consent import Consent
from workbench.ui.settings.key_field import KeyField
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.presets import is_local

_OFF = mark("Tools may not use the network: choose “Yes” at “Tools that use the network” first.")
_NO_SERVER = mark("There is no web search: give the address of its server above.")
_OPENS = mark(
    "“Yes” at “Tools that use the network”, or a web search on another machine, is an exception of the air gap: tools"
    " may then look up pages and the weather, or search there."
)
_LOCAL = mark("Its server runs on this machine; it asks the search engines that it was set up with.")
_REMOTE = mark("What the model searches for is sent to this server; documents and questions are not.")


class WebSearchCard(QWidget):
    """Says what the web search means, and keeps the key of its server."""

    def __init__(self, presenter: SettingsPresenter) -> None:
        super().__init__()
        self._text = label("", "caption", wrap=True)
        self._consent = Consent(presenter.air_gap)
        self._key = KeyField(tr("Key of the web search"))
        self._result = label("", "caption", wrap=True)
        card = frame("card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(8)
        inside.addWidget(label(tr("Web search"), "title"))
        for one in (self._text, self._consent, self._key, self._result):
            inside.addWidget(one)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)
        self._key.entered.connect(presenter.put_web_search_key)
        presenter.settings_changed.connect(self._on_settings)
        presenter.search_key_kept.connect(self._on_kept)
        presenter.search_key_failed.connect(self._on_failed)
        self._on_settings(presenter.settings)

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._text.text()} {self._result.text()}".strip()

    def _say(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        self._result.setVisible(bool(text))
        redress(self._result, tone=tone)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        url = settings.web_search_url
        self._text.setText(_means(url) if settings.network_tools == "yes" else tr(_OFF))
        self._consent.ask(True, opens=_OPENS)
        self._key.setVisible(bool(url))
        self._say("")

    @Slot(bool)
    def _on_kept(self, is_stored: bool) -> None:
        if is_stored:
            self._say(tr("Kept in the system's keyring, for this server only."), "ok")
        else:
            self._say(tr(NO_KEYRING), "warn")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._say(error_words(error), "danger")


def _means(url: str) -> str:
    if not url:
        return tr(_NO_SERVER)
    return tr(_LOCAL if is_local(url) else _REMOTE)
