"""One model profile as a form: address, model, wire format, key, and a connection test."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.ui.controls import button, label, redress
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.presets import PRESETS, privacy
from workbench.ui.toast import BUG

APIS = {WireApi.AUTO: "Find out by itself", WireApi.RESPONSES: "Responses", WireApi.CHAT: "Chat Completions"}
TOOLS = {
    ToolCalling.AUTO: "Find out by itself",
    ToolCalling.NATIVE: "The model's own tool calling",
    ToolCalling.TEXT: "By text, for models without it",
}


class ProfileForm(QWidget):
    """Edits a profile and keeps it when "Save" is pressed.

    Signals:
        saved: The name of the profile that was saved.
    """

    saved = Signal(str)

    def __init__(self, presenter: SettingsPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._preset = QComboBox()
        self._preset.setAccessibleName("Server")
        self._preset.addItem("Fill in for…")
        self._preset.addItems([preset.title for preset in PRESETS])
        self._name = self._line("Name", "for example ollama")
        self._base_url = self._line("Address", "http://127.0.0.1:11434/v1")
        self._model = self._line("Model", "for example llama3.2")
        self._api = QComboBox()
        self._api.setAccessibleName("Wire format")
        for api, title in APIS.items():
            self._api.addItem(title, api)
        self._tools = QComboBox()
        self._tools.setAccessibleName("Tools")
        for calling, title in TOOLS.items():
            self._tools.addItem(title, calling)
        self._key = self._line("Key", "kept in the system's keyring; empty for none")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key_env = self._line("Key variable", "or the name of an environment variable that holds it")
        self._privacy = label("", "caption", wrap=True)
        self._result = label("", "caption", wrap=True)
        self._check = button("Test connection", "secondary", self._on_check)
        self._save = button("Save", "primary", self._on_save)
        self._lay_out()
        self._preset.activated.connect(self._on_preset)
        for line in (self._name, self._base_url, self._model):
            line.textChanged.connect(self._on_edited)
        presenter.checked.connect(self._on_checked)
        presenter.check_failed.connect(self._on_check_failed)
        self._on_edited()

    def show_profile(self, profile: ModelProfile) -> None:
        """Show a profile to be edited; its key stays in the keyring unless another is typed."""
        self._name.setText(profile.name)
        self._base_url.setText(profile.base_url)
        self._model.setText(profile.model)
        self._api.setCurrentIndex(self._api.findData(profile.api))
        self._tools.setCurrentIndex(self._tools.findData(profile.tool_calling))
        self._key.clear()
        self._key_env.setText(profile.key_env)
        self._preset.setCurrentIndex(0)
        self._say("")

    def profile(self) -> ModelProfile:
        """Return the profile as the form has it."""
        return ModelProfile(
            name=self._name.text().strip(),
            base_url=self._base_url.text().strip(),
            model=self._model.text().strip(),
            api=WireApi(self._api.currentData()),
            key_env=self._key_env.text().strip(),
            tool_calling=ToolCalling(self._tools.currentData()),
        )

    def key(self) -> str | None:
        """Return the key typed, None when none was."""
        return self._key.text() or None

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(placeholder)
        line.setAccessibleName(name)
        return line

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        form.addRow("Server", self._preset)
        form.addRow("Name", self._name)
        form.addRow("Address", self._base_url)
        form.addRow("Model", self._model)
        form.addRow("Wire format", self._api)
        form.addRow("Tools", self._tools)
        form.addRow("Key", self._key)
        form.addRow("Key variable", self._key_env)
        buttons = QHBoxLayout()
        buttons.addWidget(self._check)
        buttons.addStretch(1)
        buttons.addWidget(self._save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 16, 12)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self._privacy)
        layout.addStretch(1)
        layout.addWidget(self._result)
        layout.addLayout(buttons)

    def _say(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        redress(self._result, tone=tone)

    @Slot(int)
    def _on_preset(self, row: int) -> None:
        if row == 0:
            return
        preset = PRESETS[row - 1]
        self._name.setText(preset.name)
        self._base_url.setText(preset.base_url)
        self._model.setText(preset.model)
        self._say("")

    @Slot()
    def _on_edited(self) -> None:
        complete = bool(self._name.text().strip() and self._base_url.text().strip() and self._model.text().strip())
        self._save.setEnabled(complete)
        self._check.setEnabled(complete)
        self._privacy.setText(privacy(self._base_url.text()) if self._base_url.text().strip() else "")

    @Slot()
    def _on_check(self) -> None:
        self._check.setEnabled(False)
        self._say("Asking the server…")
        self._presenter.check(self.profile(), self.key())

    @Slot()
    def _on_save(self) -> None:
        self._presenter.put_profile(self.profile(), self.key())
        self._say("Saved.", "ok")
        self.saved.emit(self._name.text().strip())

    @Slot(str)
    def _on_checked(self, sentence: str) -> None:
        self._check.setEnabled(True)
        self._say(sentence, "ok")

    @Slot(object, str)
    def _on_check_failed(self, error: BaseException, _details: str) -> None:
        self._check.setEnabled(True)
        self._say(str(error) if isinstance(error, WorkbenchError) else BUG, "danger")
