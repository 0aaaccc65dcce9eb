"""The card below the settings of search: what the reranker chosen means, its key, and a trial."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.settings import Settings
from workbench.ui.controls import button, frame, label, redress
from workbench.ui.error_words import error_words
from workbench.ui.network.consent import Consent, is_fetched
from workbench.ui.settings.key_field import KeyField
from workbench.ui.settings.model_fetch import FetchConsent
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.presets import is_local, privacy

_MEANINGS = {
    "tokens": mark(
        "Each word of a question is compared with each word of the first passages. Nothing leaves this machine."
    ),
    "letters": mark("Passages rise that have the question's words side by side. Nothing leaves this machine."),
    "model": mark(
        "The model is loaded with the first search, from its folder or, once, from the Hugging Face hub; it takes "
        "0.5 GB of memory and seconds a search. Nothing else leaves this machine."
    ),
    "none": mark("Passages stand in the order of the search."),
}
_OPENS = mark("An address on another machine is an exception of the air gap: passages and questions are sent there.")
_ONLY_WITH = {
    "rerank_model": "model",
    "rerank_url": "server",
    "rerank_format": "server",
    "rerank_name": "server",
    "rerank_key_env": "server",
    "rerank_patience": "server",
}
_NETWORK = ("web_search_", "weather_", "geocoding_")


def is_used(key: str, settings: Settings) -> bool:
    """Tell whether a setting has any effect with what is chosen in the others."""
    if key.startswith(_NETWORK):
        return settings.network_tools == "yes"
    return _ONLY_WITH.get(key, settings.reranking) == settings.reranking


class RerankingCard(QWidget):
    """Says what the choice means, keeps a server's key, and tries the reranker."""

    def __init__(self, presenter: SettingsPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._text = label("", "caption", wrap=True)
        self._disk = label("", "caption", wrap=True)
        self._measured_with = ""
        self._key = KeyField(tr("Key of the reranking server"))
        self._key.entered.connect(presenter.put_rerank_key)
        self._try = button(tr("Try it"), "secondary", self._on_try)
        self._result = label("", "caption", wrap=True)
        self._consent = Consent(presenter.air_gap)
        self._fetch = FetchConsent(presenter.model_fetch, presenter.air_gap)
        self._fetch.fetched.connect(self._on_fetched)
        self._lay_out()
        presenter.settings_changed.connect(self._on_settings)
        presenter.word_vectors_measured.connect(self._on_measured)
        presenter.reranker_tried.connect(self._on_tried)
        presenter.reranker_failed.connect(self._on_failed)
        self._on_settings(presenter.settings)

    @property
    def text(self) -> str:
        """What it says."""
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
        inside.addWidget(self._fetch)
        inside.addWidget(self._key)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(card)

    def _say(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        redress(self._result, tone=tone)

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        by_server = settings.reranking == "server"
        if by_server and not settings.rerank_url:
            self._text.setText(tr("Give the server's address above."))
        else:
            self._text.setText(privacy(settings.rerank_url) if by_server else tr(_MEANINGS[settings.reranking]))
        is_here = bool(settings.rerank_url) and is_local(settings.rerank_url)
        self._consent.ask(by_server and not is_here, opens=_OPENS)
        by_hub = settings.reranking == "model" and is_fetched(settings.rerank_model)
        self._fetch.ask(settings.rerank_model if by_hub else "", settings.model_hub)
        self._key.setVisible(by_server)
        self._key.setEnabled(bool(settings.rerank_url))
        self._try.setEnabled(settings.reranking != "none" and not (by_server and not settings.rerank_url))
        self._say("")
        if settings.token_codes != self._measured_with:
            self._measured_with = settings.token_codes
            self._presenter.measure_word_vectors()

    @Slot(int, object)
    def _on_measured(self, passages: int, size: int) -> None:
        words = trn(
            "{n:,} passage has word vectors: {size} MB on disk.",
            "{n:,} passages have word vectors: {size} MB on disk.",
            passages,
            size=f"{size / 1e6:,.1f}",
        )
        self._disk.setText(words)
        self._disk.setVisible(passages > 0)

    @Slot(str)
    def _on_fetched(self, name: str) -> None:
        self._say(tr("“{name}” is on this machine now.", name=name), "ok")

    @Slot()
    def _on_try(self) -> None:
        self._try.setEnabled(False)
        self._say(tr("Reranking three sentences…"))
        self._presenter.try_reranker()

    @Slot(str)
    def _on_tried(self, sentence: str) -> None:
        self._try.setEnabled(True)
        self._say(sentence, "ok")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._try.setEnabled(True)
        self._say(error_words(error), "danger")
