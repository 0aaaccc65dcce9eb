"""Choice of an embedding model: the built-in one, a folder, a hub name, or a server with its address and key."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import SettingError
from workbench.language import mark, tr, translate
from workbench.model.embedding_server import (
    EmbeddingFormat,
    EmbeddingPlan,
    EmbeddingServer,
    EmbeddingTrial,
    embedding_server_of,
    is_embedding_server,
)
from workbench.model.profile import LOCAL_SERVERS, NO_KEYRING
from workbench.ui.controls import button, frame, label, restyle
from workbench.ui.messages import error_words
from workbench.ui.network.offline_mode import OfflineModeConsentRow
from workbench.ui.settings.embedding_server_presenter import EmbeddingServerPresenter
from workbench.ui.settings.model_packages_notice import ModelPackagesNotice
from workbench.ui.settings.model_servers import is_local
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import ApiKeyField


class ModelSource(Enum):
    """Source of an embedding model."""

    BUILT_IN = mark("Built in")
    FOLDER = mark("A folder")
    HUB = mark("Hugging Face hub")
    SERVER = mark("A server")


@dataclass(frozen=True, slots=True)
class EmbeddingService:
    """Kind of embedding server: its name, wire format and usual address, and a model that it has."""

    title: str
    format: EmbeddingFormat
    url: str
    model: str


_OPENAI = EmbeddingFormat.OPENAI
SERVICES: tuple[EmbeddingService, ...] = (
    EmbeddingService("Ollama", _OPENAI, LOCAL_SERVERS["ollama"], "nomic-embed-text"),
    EmbeddingService("LM Studio", _OPENAI, LOCAL_SERVERS["lm-studio"], ""),
    EmbeddingService("llama.cpp", _OPENAI, LOCAL_SERVERS["llama-cpp"], ""),
    EmbeddingService("vLLM", _OPENAI, LOCAL_SERVERS["vllm"], ""),
    EmbeddingService("Text Embeddings Inference", _OPENAI, "http://127.0.0.1:3000/v1", ""),
    EmbeddingService("OpenAI", _OPENAI, "https://api.openai.com/v1", "text-embedding-3-small"),
    EmbeddingService(
        mark("DashScope (Tongyi)"), _OPENAI, "https://dashscope.aliyuncs.com/compatible-mode/v1", "text-embedding-v4"
    ),
    EmbeddingService("Cohere", EmbeddingFormat.COHERE, "https://api.cohere.com", "embed-v4.0"),
    EmbeddingService(mark("Qianfan (Wenxin)"), EmbeddingFormat.QIANFAN, "https://qianfan.baidubce.com", "embedding-v1"),
    EmbeddingService(mark("Another server"), _OPENAI, "", ""),
)
"""Kinds of servers that the window offers; any other that speaks as OpenAI's does is the last one."""

_OPENS = mark("A server on another computer becomes an exception of offline mode once you confirm what is sent there.")
_LOCAL = mark("It runs on this computer: nothing leaves it.")
_REMOTE = mark("Nothing is sent there before you confirm it. “Try it” sends only sample sentences.")


class EmbeddingChoice(QWidget):
    """Form that chooses an embedding model, and asks before a server on another machine receives anything.

    Signals:
        chosen: The value for the setting “embedder”; of a server that may receive the library's texts.
    """

    chosen = Signal(str)

    def __init__(self, servers: EmbeddingServerPresenter, settings: SettingsPresenter) -> None:
        super().__init__()
        self._servers = servers
        self._packages = settings.model_packages
        self._missing = ModelPackagesNotice(self._packages)
        self._asked = ""
        self._plan: EmbeddingPlan | None = None
        self._source = self._combo(tr("Model from"))
        for source in ModelSource:
            self._source.addItem(tr(source.value), source)
        self._folder = self._line(tr("Folder of the model"), "")
        self._browse = button(tr("Browse…"), "secondary", self._on_browse)
        self._hub = self._line(tr("Name on the hub"), "BAAI/bge-m3")
        self._service = self._combo(tr("Server"))
        for service in SERVICES:
            self._service.addItem(tr(service.title), service)
        self._url = self._line(tr("Address"), "http://127.0.0.1:11434/v1")
        self._model = self._line(tr("Model"), "nomic-embed-text")
        self._dimensions = QSpinBox()
        self._dimensions.setRange(0, 8192)
        self._dimensions.setSpecialValueText(tr("The model's own"))
        self._dimensions.setAccessibleName(tr("Dimensions"))
        self._dimensions.lineEdit().setTextMargins(8, 0, 0, 0)
        self._price = QDoubleSpinBox()
        self._price.setRange(0.0, 1000.0)
        self._price.setDecimals(3)
        self._price.setPrefix("$ ")
        self._price.setSpecialValueText(tr("Known price"))
        self._price.setAccessibleName(tr("Price per million tokens"))
        self._price.lineEdit().setTextMargins(8, 0, 0, 0)
        self._key = ApiKeyField(tr("Key of the embedding server"))
        self._privacy = label("", "caption", wrap=True)
        self._consent = OfflineModeConsentRow(settings.offline_mode)
        self._result = label("", "caption", wrap=True)
        self._try = button(tr("Try it"), "secondary", self._on_try)
        self._use = button(tr("Use this model"), "primary", self._on_use)
        self._banner = frame("banner", tone="warn")
        self._question = label("", wrap=True)
        self._send = button(tr("Send and use it"), "primary", self._on_send)
        self._keep = button(tr("Cancel"), "ghost", self._close_question)
        self._form = QFormLayout()
        self._lay_out()
        self._connect()
        self._service.activated.emit(0)
        self.show_model("")

    @property
    def text(self) -> str:
        """Texts about privacy and results, and the question that is open."""
        shown = (self._privacy, self._result, self._question)
        return " ".join(one.text() for one in shown if one.isVisibleTo(self) and one.text())

    @property
    def model(self) -> str:
        """Value for the setting “embedder”, as entered."""
        match self._source.currentData():
            case ModelSource.FOLDER:
                return self._folder.text().strip()
            case ModelSource.HUB:
                return self._hub.text().strip()
            case ModelSource.SERVER:
                return self._server().text
        return ""

    def show_model(self, model: str) -> None:
        """Show a value of the setting “embedder”."""
        source = ModelSource.BUILT_IN
        if is_embedding_server(model):
            source = ModelSource.SERVER
            self._show_server(model)
        elif model and Path(model).expanduser().is_dir():
            source = ModelSource.FOLDER
            self._folder.setText(model)
        elif model:
            source = ModelSource.HUB
            self._hub.setText(model)
        self._source.setCurrentIndex(self._source.findData(source))
        self._show_rows()

    def ask(self, plan: EmbeddingPlan) -> None:
        """Ask whether a server may receive what a plan says."""
        self._plan = plan
        self._question.setText(" ".join(translate(sentence) for sentence in plan.sentences))
        self._banner.show()
        self._use.hide()

    def show_message(self, text: str, tone: str = "") -> None:
        """Show the result of an action."""
        self._result.setText(text)
        self._result.setVisible(bool(text))
        restyle(self._result, tone=tone)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the wheel, which scrolls the page, from changing fields below it."""
        if event.type() is QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _server(self) -> EmbeddingServer:
        service: EmbeddingService = self._service.currentData()
        url = self._url.text().strip()
        if url and "://" not in url:
            url = f"{'http' if is_local(url) else 'https'}://{url}"
        return EmbeddingServer(service.format, url, self._model.text().strip(), self._dimensions.value())

    def _show_server(self, model: str) -> None:
        try:
            server = embedding_server_of(model)
        except SettingError:
            return
        if server is None:
            return
        same = (one for one in SERVICES if one.format is server.format and one.url == server.url)
        other = (one for one in reversed(SERVICES) if one.format is server.format)
        service = next(same, None) or next(other)
        self._service.setCurrentIndex(SERVICES.index(service))
        self._url.setText(server.url)
        self._model.setText(server.model)
        self._dimensions.setValue(server.dimensions)

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox()
        combo.setAccessibleName(name)
        return combo

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(placeholder)
        line.setAccessibleName(name)
        return line

    def _lay_out(self) -> None:
        form = self._form
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        folder = QWidget()
        inside = QHBoxLayout(folder)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self._folder, 1)
        inside.addWidget(self._browse)
        form.addRow(tr("Model from"), self._source)
        self._rows: tuple[tuple[QWidget, ModelSource], ...] = (
            (folder, ModelSource.FOLDER),
            (self._hub, ModelSource.HUB),
            *((one, ModelSource.SERVER) for one in (self._service, self._url, self._model)),
            *((one, ModelSource.SERVER) for one in (self._dimensions, self._price, self._key)),
        )
        titles = (
            tr("Folder"),
            tr("Name"),
            tr("Server"),
            tr("Address"),
            tr("Model"),
            tr("Dimensions"),
            tr("Price per million tokens"),
            tr("Key"),
        )
        for title, (field, _source) in zip(titles, self._rows, strict=True):
            form.addRow(title, field)
        question = QHBoxLayout(self._banner)
        question.setContentsMargins(12, 6, 8, 6)
        question.setSpacing(10)
        question.addWidget(self._question, 1)
        question.addWidget(self._keep)
        question.addWidget(self._send)
        foot = QHBoxLayout()
        foot.addWidget(self._result, 1)
        foot.addStretch(0)
        foot.addWidget(self._try)
        foot.addWidget(self._use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(form)
        for widget in (self._privacy, self._missing, self._consent, self._banner):
            layout.addWidget(widget)
        layout.addLayout(foot)
        self._banner.hide()

    def _connect(self) -> None:
        for field in (self._source, self._service, self._dimensions, self._price):
            field.installEventFilter(self)
        self._source.activated.connect(self._on_edited)
        self._service.activated.connect(self._on_service)
        for line in (self._folder, self._hub, self._url, self._model):
            line.textEdited.connect(self._on_edited)
        self._dimensions.valueChanged.connect(self._on_edited)
        self._key.entered.connect(self._on_key)
        self._packages.changed.connect(self._show_rows)
        self._servers.planned.connect(self._on_planned)
        self._servers.allowed.connect(self._on_allowed)
        self._servers.tried.connect(self._on_tried)
        self._servers.key_stored.connect(self._on_key_stored)
        self._servers.failed.connect(self._on_failed)

    @Slot()
    def _show_rows(self) -> None:
        source = self._source.currentData()
        for field, owner in self._rows:
            self._form.setRowVisible(field, owner is source)
        is_server = source is ModelSource.SERVER
        is_here = is_local(self._url.text())
        self._form.setRowVisible(self._price, is_server and not is_here)
        self._privacy.setText(tr(_LOCAL if is_here else _REMOTE))
        self._privacy.setVisible(is_server)
        self._try.setVisible(is_server)
        is_complete = bool(self._url.text().strip() and self._model.text().strip())
        self._try.setEnabled(is_complete)
        needs_packages = source in (ModelSource.FOLDER, ModelSource.HUB)
        self._missing.ask(needs_packages)
        is_usable = bool(self.model) and not self._packages.are_missing if needs_packages else True
        self._use.setEnabled(is_complete if is_server else is_usable)
        self._consent.ask(is_server and not is_here and bool(self._url.text().strip()), opens=_OPENS)

    @Slot()
    def _on_edited(self) -> None:
        self._asked = ""
        self._close_question()
        self.show_message("")
        self._show_rows()

    @Slot(int)
    def _on_service(self, _row: int) -> None:
        service: EmbeddingService = self._service.currentData()
        self._url.setText(service.url)
        self._model.setText(service.model)
        self._dimensions.setValue(0)
        self._on_edited()

    @Slot()
    def _on_browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder of the model"), self._folder.text())
        if folder:
            self._folder.setText(folder)
            self._on_edited()

    @Slot()
    def _on_try(self) -> None:
        self._try.setEnabled(False)
        self.show_message(tr("Asking the server…"))
        self._servers.try_out(self.model)

    @Slot()
    def _on_use(self) -> None:
        model = self.model
        self.show_message("")
        if is_embedding_server(model):
            self._asked = model
            self._servers.plan(model, self._price.value() or None)
        else:
            self.chosen.emit(model)

    @Slot(object)
    def _on_planned(self, plan: EmbeddingPlan) -> None:
        if not self._asked:
            return
        self._asked = ""
        if plan.leaves and not (plan.is_allowed and plan.passages == 0):
            self.ask(plan)
        else:
            self.chosen.emit(plan.model)

    @Slot()
    def _on_send(self) -> None:
        self._close_question()
        if self._plan is not None:
            self._servers.allow(self._plan.model)

    @Slot()
    def _close_question(self) -> None:
        self._banner.hide()
        self._use.show()

    @Slot(str)
    def _on_allowed(self, model: str) -> None:
        self.chosen.emit(model)

    @Slot(object)
    def _on_tried(self, trial: EmbeddingTrial) -> None:
        self._show_rows()
        words = tr(
            "It returns vectors of {dimensions} dimensions and takes {milliseconds} ms per sentence.",
            dimensions=trial.dimensions,
            milliseconds=round(trial.milliseconds),
        )
        self.show_message(f"{words} {translate(trial.notice)}".strip(), "warn" if trial.notice else "ok")

    @Slot(str)
    def _on_key(self, key: str) -> None:
        self._servers.put_key(self.model, key)

    @Slot(bool)
    def _on_key_stored(self, is_stored: bool) -> None:
        if is_stored:
            self.show_message(tr("Kept in the system's keyring, for this server only."), "ok")
        else:
            self.show_message(tr(NO_KEYRING), "warn")

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._asked = ""
        self._show_rows()
        self.show_message(error_words(error), "danger")
