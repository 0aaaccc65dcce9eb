"""Settings page of the models: profiles, local servers, a server's models, and the connection test."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import ModelUnreachable
from workbench.model.profile import (
    OFFLINE,
    Ability,
    AbilityMark,
    ConnectionReport,
    FoundServer,
    KeyNotStored,
    ModelAbility,
    ModelProfile,
)
from workbench.ui.settings.model_servers import PRESETS
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.profile_form import ModelList, ProfileForm
from workbench.ui.settings.profiles_page import ModelPicker, ProfilesPage
from workbench.ui.theme import Theme

LIBRARY: Any = object()
OLLAMA = "http://127.0.0.1:11434/v1"
RUNS = FoundServer(OLLAMA, ("gemma3:4b", "llama3.2"), "library")


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> SettingsPresenter:
    fake_operations(monkeypatch)
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def page(presenter: SettingsPresenter, qtbot: QtBot) -> ProfilesPage:
    made = ProfilesPage(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def form(page: ProfilesPage) -> ProfileForm:
    made = page.findChild(ProfileForm)
    assert made is not None
    return made


def pressed(widget: QWidget, text: str) -> None:
    next(one for one in widget.findChildren(QPushButton) if one.text() == text).click()


def picker(page: ProfilesPage) -> ModelPicker:
    pressed(page, "Add a model")
    made = page.findChild(ModelPicker)
    assert made is not None
    return made


def pick(page: ProfilesPage, title: str) -> None:
    shown = picker(page)
    row = next(place for place, offer in enumerate(shown.offers) if offer.title.startswith(title))
    (rows,) = shown.findChildren(QListWidget)
    rows.setCurrentRow(row)
    pressed(shown, "Continue")


def field(form: ProfileForm, name: str) -> QLineEdit:
    return next(one for one in form.findChildren(QLineEdit) if one.accessibleName() == name)


def test_answers_without_a_model_come_first_and_the_usual_servers_behind_it(
    page: ProfilesPage, bridge: FakeBridge
) -> None:
    titles = [offer.title for offer in picker(page).offers]
    assert titles[0] == "Quotes only, no model"
    assert titles[1:6] == ["Ollama", "LM Studio", "llama.cpp", "vLLM", "OpenAI"]
    assert not bridge.has("find_model_servers")  # only when its button is pressed


def test_a_preset_fills_the_form_and_shows_what_leaves_the_machine(page: ProfilesPage, form: ProfileForm) -> None:
    pick(page, "OpenAI")
    assert form.profile().base_url == "https://api.openai.com/v1"
    assert form.isVisible()


def test_choosing_answers_without_a_model_shows_them(page: ProfilesPage) -> None:
    pick(page, "Quotes only")
    (profiles,) = [one for one in page.findChildren(QListWidget) if one.accessibleName() == "Model profiles"]
    assert profiles.currentRow() == 0


def test_a_name_that_is_taken_gets_a_number(
    page: ProfilesPage, presenter: SettingsPresenter, form: ProfileForm
) -> None:
    presenter._on_profiles([OFFLINE, ModelProfile("ollama", "http://192.168.1.5:11434/v1", "m")])
    pick(page, "Ollama")
    assert form.profile().name == "ollama-2"


def test_a_new_profile_that_is_being_typed_stays_when_a_setting_changes_or_offline_mode(
    page: ProfilesPage, presenter: SettingsPresenter, form: ProfileForm
) -> None:
    pick(page, "OpenAI")
    field(form, "Address").setText("https://far.example/v1")
    presenter.settings_changed.emit(presenter.settings)
    assert form.isVisible()
    assert form.profile().base_url == "https://far.example/v1"


def test_a_change_of_a_profile_that_is_not_saved_yet_stays_when_a_setting_changes(
    page: ProfilesPage, presenter: SettingsPresenter, form: ProfileForm
) -> None:
    presenter._on_profiles([OFFLINE, ModelProfile("ollama", "http://192.168.1.5:11434/v1", "m")])
    (profiles,) = [one for one in page.findChildren(QListWidget) if one.accessibleName() == "Model profiles"]
    profiles.setCurrentRow(1)
    field(form, "Address").setText("http://192.168.1.6:11434/v1")
    presenter.settings_changed.emit(presenter.settings)
    assert profiles.currentRow() == 1
    assert form.profile().base_url == "http://192.168.1.6:11434/v1"


def test_servers_that_run_here_are_looked_for_and_offered_first(page: ProfilesPage, bridge: FakeBridge) -> None:
    shown = picker(page)
    pressed(shown, "Find servers on this computer")
    bridge.last("find_model_servers").succeed((RUNS,))
    assert shown.offers[1].title == "Ollama (running)"
    assert shown.offers[1].profile == ModelProfile("ollama", OLLAMA, "llama3.2")
    assert [offer.title for offer in shown.offers].count("Ollama") == 0
    assert shown.text == "1 server found."


def test_the_model_picker_reports_that_no_server_is_running_on_this_computer(
    page: ProfilesPage, bridge: FakeBridge
) -> None:
    shown = picker(page)
    pressed(shown, "Find servers on this computer")
    bridge.last("find_model_servers").succeed(())
    assert "No running server found (Ollama" in shown.text


def test_a_found_server_is_shown_with_its_type_also_at_another_port(page: ProfilesPage, bridge: FakeBridge) -> None:
    shown = picker(page)
    pressed(shown, "Find servers on this computer")
    bridge.last("find_model_servers").succeed((FoundServer("http://127.0.0.1:8080/v1", ("qwen",), "vllm"),))
    assert shown.offers[1].title == "vLLM (running)"


def test_the_connection_test_shows_the_result_for_each_ability(
    page: ProfilesPage, form: ProfileForm, bridge: FakeBridge
) -> None:
    pick(page, "Ollama")
    pressed(form, "Test connection")
    tools = ModelAbility(
        Ability.TOOLS, AbilityMark.PARTLY, "The server refuses tools; they are called by text instead."
    )
    bridge.last("examine_profile").emit(tools)
    assert form.text.startswith("Tools, partly works: The server refuses tools")
    bridge.last("examine_profile").succeed(ConnectionReport((tools,)))
    assert form.text.endswith("The connection works.")
    pressed(form, "Test connection")
    assert form.text == "Testing the connection…"


def test_a_test_under_way_can_be_cancelled(page: ProfilesPage, form: ProfileForm, bridge: FakeBridge) -> None:
    pick(page, "Ollama")
    pressed(form, "Test connection")
    pressed(form, "Cancel")
    assert bridge.last("examine_profile").cancelled
    bridge.last("examine_profile").end_cancelled()
    assert form.text == ""


def test_models_of_the_server_can_be_chosen(page: ProfilesPage, form: ProfileForm, bridge: FakeBridge) -> None:
    pick(page, "LM Studio")
    pressed(form, "Choose…")
    bridge.last("list_server_models").succeed(("gemma", "qwen-coder", "qwen-small"))
    offer = form.findChild(ModelList)
    assert offer is not None
    offer.findChildren(QLineEdit)[0].setText("small qwen")
    assert offer.shown == ("qwen-small",)
    pressed(offer, "Choose")
    assert form.profile().model == "qwen-small"


def test_the_arrows_move_through_the_models_while_one_types(qtbot: QtBot) -> None:
    offer = ModelList(("a", "b", "c"), "b")
    qtbot.addWidget(offer)
    (line,) = offer.findChildren(QLineEdit)
    qtbot.keyClick(line, Qt.Key.Key_Down)
    with qtbot.waitSignal(offer.chosen) as chosen:
        pressed(offer, "Choose")
    assert chosen.args == ["c"]


def test_the_form_shows_how_long_the_key_is_stored_when_there_is_no_keyring(
    page: ProfilesPage, form: ProfileForm, bridge: FakeBridge
) -> None:
    form.show_profile(ModelProfile("far", "https://models.example.com/v1", "m"))
    field(form, "API key").setText("secret")
    pressed(form, "Save")
    saving = bridge.last("put_profile")
    assert saving.kwargs == {"key": "secret"}
    saving.emit(KeyNotStored("far"))
    saving.succeed([OFFLINE, ModelProfile("far", "https://models.example.com/v1", "m")])
    assert "kept until the program ends" in form.text


def test_the_reason_why_models_cannot_be_listed_is_shown(
    page: ProfilesPage, form: ProfileForm, bridge: FakeBridge
) -> None:
    pick(page, "vLLM")
    pressed(form, "Choose…")
    bridge.last("list_server_models").fail(ModelUnreachable("Nothing answers there.", "Start the server."))
    assert form.text == "Nothing answers there. Start the server."


def test_every_preset_has_words_and_every_control_a_name(page: ProfilesPage) -> None:
    assert all(preset.about for preset in PRESETS)
    picker(page)
    assert nameless(page) == []
