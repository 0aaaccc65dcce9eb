"""Form of a model profile, with the choice of a model and the report of the connection test."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.language import mark, tr, translate
from workbench.model.profile import (
    NO_KEYRING,
    Ability,
    AbilityMark,
    ConnectionReport,
    ModelAbility,
    ModelProfile,
    ToolCalling,
    WireApi,
)
from workbench.ui.controls import IconLabel, button, dialog_foot, empty, label, restyle
from workbench.ui.dialog import Dialog
from workbench.ui.messages import announce, error_words
from workbench.ui.network.offline_mode import OfflineModeConsentRow
from workbench.ui.network.offline_mode_button import OfflineModeButton, is_closed
from workbench.ui.settings.model_servers import is_local, privacy
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.settings_search import Words, finds, show_marked, words_of
from workbench.ui.theme import Theme

APIS = {WireApi.AUTO: mark("Detect automatically"), WireApi.RESPONSES: "Responses", WireApi.CHAT: "Chat Completions"}
TOOLS = {
    ToolCalling.AUTO: mark("Detect automatically"),
    ToolCalling.NATIVE: mark("Native tool calling"),
    ToolCalling.TEXT: mark("As text (for models without tool calling)"),
}

SAMPLING = mark("Temperature and other sampling options are set on the server.")
SAMPLING_SYNONYMS = "temperature top_p creativity sampling seed penalty random 温度 采样 随机 创造性 种子"

_OPENS = mark("Saving makes an exception to offline mode for this server only.")
ASKING, LISTING = mark("Testing the connection…"), mark("Loading the list of models…")


class ProfileForm(QWidget):
    """Form that edits a profile and saves it when "Save" is pressed.

    Signals:
        saved: The name of the profile that was saved.
    """

    saved = Signal(str)

    def __init__(self, presenter: SettingsPresenter, theme: Theme) -> None:
        super().__init__()
        self._presenter = presenter
        self._servers = presenter.model_servers
        self._name = self._line(tr("Name"), tr("e.g. {example}", example="ollama"))
        self._base_url = self._line(tr("Address"), "http://127.0.0.1:11434/v1")
        self._model = self._line(tr("Model"), tr("e.g. {example}", example="llama3.2"))
        self._choose = button(tr("Choose…"), "secondary", self._on_choose)
        self._choose.setToolTip(tr("List the models on the server"))
        self._choose.setAccessibleName(tr("Choose a model from the server"))
        self._api = QComboBox()
        self._api.setAccessibleName(tr("API format"))
        for api, title in APIS.items():
            self._api.addItem(tr(title), api)
        self._tools = QComboBox()
        self._tools.setAccessibleName(tr("Tools"))
        for calling, title in TOOLS.items():
            self._tools.addItem(tr(title), calling)
        self._key = self._line(tr("API key"), tr("Stored in the system keyring (optional)"))
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key_env = self._line(tr("API key variable"), tr("Environment variable with the key (optional)"))
        self._theme = theme
        self._sampling = label(tr(SAMPLING), "caption", wrap=True)
        self._privacy = label("", "caption", wrap=True)
        self._consent = OfflineModeConsentRow(presenter.offline_mode)
        self._report = ReportView(theme)
        self._switch = OfflineModeButton()
        self._result = label("", "caption", wrap=True)
        self._check = button(tr("Test connection"), "secondary", self._on_check)
        self._cancel = button(tr("Cancel"), "ghost", self._servers.cancel)
        self._save = button(tr("Save"), "primary", self._on_save)
        self._scroll = QScrollArea()
        self._lay_out()
        self._connect()

    def show_profile(self, profile: ModelProfile) -> None:
        """Show a profile for editing; its key stays in the keyring unless another is typed."""
        self._servers.cancel()
        self._name.setText(profile.name)
        self._base_url.setText(profile.base_url)
        self._model.setText(profile.model)
        self._api.setCurrentIndex(self._api.findData(profile.api))
        self._tools.setCurrentIndex(self._tools.findData(profile.tool_calling))
        self._key.clear()
        self._key_env.setText(profile.key_env)
        self._report.clear()
        self._switch.follow("")
        self._show_message("")

    def show_found(self, words: Words) -> None:
        """Highlight the words of a search where sampling is explained."""
        show_marked(self._sampling, tr(SAMPLING), words, self._theme)

    def focus(self) -> None:
        """Set the keyboard focus to the first empty field."""
        empty = (line for line in (self._name, self._base_url, self._model) if not line.text())
        next(empty, self._model).setFocus(Qt.FocusReason.OtherFocusReason)

    def profile(self) -> ModelProfile:
        """Return the profile as edited."""
        return ModelProfile(
            name=self._name.text().strip(),
            base_url=self._base_url.text().strip(),
            model=self._model.text().strip(),
            api=WireApi(self._api.currentData()),
            key_env=self._key_env.text().strip(),
            tool_calling=ToolCalling(self._tools.currentData()),
        )

    def key(self) -> str | None:
        """Return the typed key, or None if nothing was typed."""
        return self._key.text() or None

    @property
    def text(self) -> str:
        """Lines of the report, and the overall result."""
        return f"{self._report.text}\n{self._result.text()}".strip()

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(placeholder)
        line.setAccessibleName(name)
        return line

    def _lay_out(self) -> None:
        model = QHBoxLayout()
        model.addWidget(self._model, 1)
        model.addWidget(self._choose)
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow(tr("Name"), self._name)
        form.addRow(tr("Address"), self._base_url)
        form.addRow(tr("Model"), model)
        form.addRow(tr("API format"), self._api)
        form.addRow(tr("Tools"), self._tools)
        form.addRow(tr("API key"), self._key)
        form.addRow(tr("API key variable"), self._key_env)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 16, 12)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self._sampling)
        column.addWidget(self._privacy)
        column.addWidget(self._consent)
        column.addWidget(self._report)
        column.addWidget(self._switch, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(inside)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The card's surface shows through; by default a scroll area paints the colour of the window.
        for surface in (self._scroll.viewport(), inside):
            surface.setAutoFillBackground(False)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(20, 0, 16, 12)
        buttons.addWidget(self._check)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._result, 1)
        buttons.addWidget(self._save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._scroll, 1)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        servers = self._servers
        for line in (self._name, self._base_url, self._model):
            line.textChanged.connect(self._on_edited)
        self._presenter.key_not_stored.connect(self._on_key_not_stored)
        servers.found_out.connect(self._on_found_out)
        servers.examined.connect(self._on_examined)
        servers.listed.connect(self._on_listed)
        servers.failed.connect(self._on_failed)
        servers.busy_changed.connect(self._on_edited)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range)
        self._on_edited()

    def _show_message(self, text: str, tone: str = "") -> None:
        self._result.setText(text)
        restyle(self._result, tone=tone)

    @Slot()
    def _on_edited(self) -> None:
        name, address, model = (line.text().strip() for line in (self._name, self._base_url, self._model))
        busy = self._servers.is_busy
        self._save.setEnabled(bool(name and address and model))
        self._check.setEnabled(bool(address) and not busy)
        self._choose.setEnabled(bool(address) and not busy)
        self._cancel.setVisible(busy)
        self._privacy.setText(privacy(address) if address else "")
        self._consent.ask(bool(address) and not is_local(address), opens=_OPENS)
        if not busy and self._result.text() in (tr(ASKING), tr(LISTING)):
            self._show_message("")

    @Slot()
    def _on_check(self) -> None:
        self._report.clear()
        self._switch.follow("")
        self._show_message(tr(ASKING))
        self._servers.examine(self.profile(), self.key())

    @Slot()
    def _on_choose(self) -> None:
        self._switch.follow("")
        self._show_message(tr(LISTING))
        self._servers.list_models(self.profile(), self.key())

    @Slot()
    def _on_save(self) -> None:
        self._presenter.put_profile(self.profile(), self.key())
        self._show_message(tr("Saved."), "ok")
        self.saved.emit(self._name.text().strip())

    @Slot(str)
    def _on_key_not_stored(self, profile: str) -> None:
        if profile == self._name.text().strip():
            self._show_message(tr(NO_KEYRING), "warn")

    @Slot(object)
    def _on_found_out(self, found: ModelAbility) -> None:
        announce(self, self._report.add(found))
        if is_closed(found.hint):
            self._switch.follow(found.hint)

    @Slot(object)
    def _on_examined(self, report: ConnectionReport) -> None:
        if report.works:
            self._show_message(tr("The connection works."), "ok")
        else:
            self._show_message(tr("The connection does not work yet."), "danger")

    @Slot(int, int)
    def _on_range(self, _least: int, most: int) -> None:
        # The report grows below the fields, so scroll to its last line.
        if self._report.text:
            self._scroll.verticalScrollBar().setValue(most)

    @Slot(tuple)
    def _on_listed(self, models: tuple[str, ...]) -> None:
        self._show_message("")
        offer = ModelList(models, self._model.text().strip(), self)
        offer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        offer.chosen.connect(self._model.setText)
        offer.open()

    @Slot(object, str)
    def _on_failed(self, error: BaseException, _details: str) -> None:
        if self.isVisible():
            self._show_message(error_words(error), "danger")
            self._switch.follow(error)


_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ModelList(Dialog):
    """Dialog that offers models.

    Signals:
        chosen: The name of the chosen model.
    """

    chosen = Signal(str)

    def __init__(self, models: Sequence[str], present: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = tuple(models)
        self.setWindowTitle(tr("Models on the server"))
        self.resize(460, 420)
        self._filter = QLineEdit()
        self._filter.setPlaceholderText(tr("Filter models"))
        self._filter.setAccessibleName(tr("Filter models"))
        self._filter.setClearButtonEnabled(True)
        self._filter.installEventFilter(self)
        self._count = label("", "caption")
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Models on the server"))
        self._use = button(tr("Choose"), "primary", self._on_use)
        self._use.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(8)
        layout.addWidget(self._filter)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._count)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._use))
        self._filter.textChanged.connect(self._show)
        self._list.itemActivated.connect(self._on_use)
        self._present = present
        self._show()
        self._filter.setFocus()

    @property
    def shown(self) -> tuple[str, ...]:
        """Models that pass the filter."""
        return tuple(self._list.item(row).text() for row in range(self._list.count()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The arrow keys move through the list while the focus stays in the filter.
        is_press = watched is self._filter and event.type() == QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() in _KEYS:
            self._list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _show(self) -> None:
        words = words_of(self._filter.text())
        shown = [one for one in self._models if finds(words, (one,), within=True)]
        self._list.clear()
        self._list.addItems(shown)
        self._list.setCurrentRow(shown.index(self._present) if self._present in shown else min(0, len(shown) - 1))
        self._count.setText(tr("{shown:,} of {all:,} models", shown=len(shown), all=len(self._models)))
        self._use.setEnabled(bool(shown))

    @Slot()
    def _on_use(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            self.chosen.emit(item.text())
            self.accept()


TITLES = {
    Ability.REACHED: mark("Server"),
    Ability.LISTED: mark("Models"),
    Ability.ANSWERS: mark("Answers"),
    Ability.STREAMS: mark("Streaming"),
    Ability.SPEED: mark("Speed"),
    Ability.REASONS: mark("Reasoning"),
    Ability.TOOLS: mark("Tools"),
    Ability.CONTEXT: mark("Context length"),
}
_MARKS = {
    AbilityMark.YES: ("check-circle", "ok", mark("works")),
    AbilityMark.PARTLY: ("alert", "warn", mark("partly works")),
    AbilityMark.NO: ("cross-circle", "danger", mark("fails")),
    AbilityMark.UNKNOWN: ("minus-circle", "text_muted", mark("unknown")),
}


class ReportView(QWidget):
    """Report of a connection test that gets one line per result."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self._lines: list[str] = []
        self.hide()

    @property
    def text(self) -> str:
        """Lines of the report with their marks in words."""
        return "\n".join(self._lines)

    def clear(self) -> None:
        """Remove the lines of the previous test."""
        self._lines.clear()
        empty(self._grid)
        self.hide()

    def add(self, found: ModelAbility) -> str:
        """Add a line and return its text for screen readers."""
        icon, colour, meaning = _MARKS[found.mark]
        title, words = tr(TITLES[found.ability]), translate(found.words)
        sentence = f"{words} {translate(found.hint)}".rstrip()
        row = len(self._lines)
        shown = IconLabel(self._theme, icon, colour=colour)
        shown.setToolTip(tr(meaning))
        shown.setAccessibleName(tr(meaning))
        self._grid.addWidget(shown, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label(title), row, 1, Qt.AlignmentFlag.AlignTop)
        tone = "danger" if found.mark is AbilityMark.NO else ""
        self._grid.addWidget(label(sentence, "muted", wrap=True, tone=tone), row, 2, Qt.AlignmentFlag.AlignTop)
        spoken = tr("{title}, {mark}: {words}", title=title, mark=tr(meaning), words=sentence)
        self._lines.append(spoken)
        self.show()
        return spoken
