"""Cards below the settings of a page: reranker, web search and offline mode, and the input field of an API key."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.model.embedding_server import is_embedding_server
from workbench.model.profile import NO_KEYRING
from workbench.model.reranker import RERANKERS
from workbench.settings import Settings
from workbench.ui.controls import button, frame, label, restyle
from workbench.ui.messages import error_words
from workbench.ui.network.offline_mode import OfflineModeBar, OfflineModeConsentRow, OfflineModePresenter, is_fetched
from workbench.ui.network.offline_mode_button import window_action
from workbench.ui.settings.model_fetch import FetchConsent
from workbench.ui.settings.model_packages_notice import ModelPackagesNotice
from workbench.ui.settings.model_servers import is_local, privacy
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.theme import Theme

_OPENS = mark("A server on another computer is an exception to offline mode. Passages and questions are sent to it.")
_USED_BY_RERANKER = {
    "rerank_model": "model",
    "rerank_url": "server",
    "rerank_format": "server",
    "rerank_name": "server",
    "rerank_key_env": "server",
    "rerank_patience": "server",
}
_NETWORK = ("web_search_", "weather_", "geocoding_")


def is_used(key: str, settings: Settings) -> bool:
    """Return whether a setting has an effect with the values of the others."""
    if key.startswith(_NETWORK):
        return settings.network_tools == "yes"
    if key == "embedder_key_env":
        return is_embedding_server(settings.embedder)
    return key not in _USED_BY_RERANKER or _USED_BY_RERANKER[key] == settings.reranking


class RerankingCard(QWidget):
    """Card that explains the chosen reranker, stores the key of a server, and tests the reranker."""

    def __init__(self, presenter: SettingsPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._text = label("", "caption", wrap=True)
        self._disk = label("", "caption", wrap=True)
        self._measured_with = ""
        self._key = ApiKeyField(tr("API key of the reranking server"))
        self._key.entered.connect(presenter.put_rerank_key)
        self._try = button(tr("Test"), "secondary", self._on_try)
        self._result = label("", "caption", wrap=True)
        self._consent = OfflineModeConsentRow(presenter.offline_mode)
        self._fetch = FetchConsent(presenter.model_fetch, presenter.offline_mode)
        self._fetch.fetched.connect(self._on_fetched)
        self._missing = ModelPackagesNotice(presenter.model_packages)
        self._lay_out()
        presenter.settings_changed.connect(self._on_settings)
        presenter.word_vectors_measured.connect(self._on_measured)
        presenter.reranker_tried.connect(self._on_tried)
        presenter.reranker_failed.connect(self._on_failed)
        self._on_settings(presenter.settings)

    @property
    def text(self) -> str:
        """Text of the card."""
        return " ".join(filter(None, (self._text.text(), self._disk.text(), self._result.text())))

    def _lay_out(self) -> None:
        card = frame("card")
        buttons = QHBoxLayout()
        buttons.addWidget(self._result, 1)
        buttons.addWidget(self._try)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.setSpacing(8)
        inside.addWidget(self._text)
        inside.addWidget(self._disk)
        inside.addWidget(self._consent)
        inside.addWidget(self._missing)
        inside.addWidget(self._fetch)
        inside.addWidget(self._key)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        restyle(self._result, tone=tone)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        by_server = settings.reranking == "server"
        if by_server and not settings.rerank_url:
            self._text.setText(tr("Enter the address of the server above."))
        else:
            effect = RERANKERS[settings.reranking].effect
            self._text.setText(privacy(settings.rerank_url) if by_server else tr(effect))
        is_here = bool(settings.rerank_url) and is_local(settings.rerank_url)
        self._consent.ask(by_server and not is_here, opens=_OPENS)
        by_hub = settings.reranking == "model" and is_fetched(settings.rerank_model)
        self._fetch.ask(settings.rerank_model if by_hub else "", settings.model_hub)
        self._missing.ask(settings.reranking == "model")
        self._key.setVisible(by_server)
        self._key.setEnabled(bool(settings.rerank_url))
        self._try.setEnabled(settings.reranking != "none" and not (by_server and not settings.rerank_url))
        self._show_message("")
        if settings.token_codes != self._measured_with:
            self._measured_with = settings.token_codes
            self._presenter.measure_word_vectors()

    @Slot(int, object)
    def _on_measured(self, passages: int, size: int) -> None:
        words = trn(
            "Word vectors of {n:,} passage: {size} MB on disk.",
            "Word vectors of {n:,} passages: {size} MB on disk.",
            passages,
            size=f"{size / 1e6:,.1f}",
        )
        self._disk.setText(words)
        self._disk.setVisible(passages > 0)

    @Slot(str)
    def _on_fetched(self, name: str) -> None:
        self._show_message(tr("“{name}” was downloaded.", name=name), "ok")

    @Slot()
    def _on_try(self) -> None:
        self._try.setEnabled(False)
        self._show_message(tr("Reranking three sentences…"))
        self._presenter.try_reranker()

    @Slot(str)
    def _on_tried(self, sentence: str) -> None:
        self._try.setEnabled(True)
        self._show_message(sentence, "ok")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._try.setEnabled(True)
        self._show_message(error_words(error), "danger")


_OFF = mark("To search the web, first set “Let the model use the internet” to “Yes”.")
_NO_SERVER = mark("To search the web, enter the address of a web search server above.")
_WEB_SEARCH_OPENS = mark(
    "“Let the model use the internet” and a web search server on another computer are exceptions to offline mode."
)
_LOCAL = mark("The server runs on this computer and forwards searches to the search engines set up there.")
_REMOTE = mark("The model's search terms are sent to this server, but no documents or questions.")


class WebSearchCard(QWidget):
    """Card that explains the web search and stores the key of its server."""

    def __init__(self, presenter: SettingsPresenter) -> None:
        super().__init__()
        self._text = label("", "caption", wrap=True)
        self._consent = OfflineModeConsentRow(presenter.offline_mode)
        self._key = ApiKeyField(tr("API key of the web search"))
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
        """Text of the card."""
        return f"{self._text.text()} {self._result.text()}".strip()

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        self._result.setVisible(bool(text))
        restyle(self._result, tone=tone)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        url = settings.web_search_url
        self._text.setText(_describe_server(url) if settings.network_tools == "yes" else tr(_OFF))
        self._consent.ask(True, opens=_WEB_SEARCH_OPENS)
        self._key.setVisible(bool(url))
        self._show_message("")

    @Slot(bool)
    def _on_kept(self, is_stored: bool) -> None:
        if is_stored:
            self._show_message(tr("Saved in the system keyring, for this server only."), "ok")
        else:
            self._show_message(tr(NO_KEYRING), "warn")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_message(error_words(error), "danger")


def _describe_server(url: str) -> str:
    if not url:
        return tr(_NO_SERVER)
    return tr(_LOCAL if is_local(url) else _REMOTE)


class NetworkCard(QWidget):
    """Card with the offline mode bar of the network pane, and a button that shows this pane."""

    def __init__(self, presenter: OfflineModePresenter, theme: Theme) -> None:
        super().__init__()
        self.bar = OfflineModeBar(presenter, theme, self)
        row = QHBoxLayout()
        row.addWidget(label(tr("Connections use the system's proxy settings."), "caption"), 1)
        row.addWidget(button(tr("Show network activity"), "ghost", self._on_show))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.bar)
        layout.addLayout(row)

    @Slot()
    def _on_show(self) -> None:
        action = window_action(self, "focus_network")
        if action is not None:
            self.window().close()
            action.trigger()


class ApiKeyField(QWidget):
    """Input field of a key, with a button that stores it.

    Signals:
        entered: The key to store; an empty one removes the stored key.
    """

    entered = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._line = QLineEdit()
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._line.setPlaceholderText(tr("Stored in the system keyring (optional)"))
        self._line.setAccessibleName(name)
        self._line.returnPressed.connect(self._on_keep)
        self._keep = button(tr("Save key"), "secondary", self._on_keep)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._line, 1)
        row.addWidget(self._keep)

    def clear(self) -> None:
        """Clear the text that was typed but not stored."""
        self._line.clear()

    @Slot()
    def _on_keep(self) -> None:
        key = self._line.text()
        self._line.clear()
        self.entered.emit(key)
