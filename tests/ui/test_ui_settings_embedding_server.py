"""The choice of an embedding model: a server is tried and confirmed before anything of the library is sent."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_network import OFF

from workbench.errors import EmbedderUnreachable
from workbench.model.embedding_server import EmbeddingPlan, EmbeddingTrial
from workbench.settings import Settings
from workbench.ui.settings.embedder_card import EmbedderCard, EmbedderPresenter
from workbench.ui.settings.embedding_choice import SERVICES, EmbeddingChoice, ModelSource
from workbench.ui.settings.presenter import SettingsPresenter

OLLAMA = "openai:http://127.0.0.1:11434/v1#nomic-embed-text"
AWAY = "openai:https://api.openai.com/v1#text-embedding-3-small"
PLAN = EmbeddingPlan(
    AWAY, "text-embedding-3-small at api.openai.com", "api.openai.com", True, False, 1200, 300_000, 0.02
)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def settings(bridge: FakeBridge) -> SettingsPresenter:
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("offline_mode_state").succeed(OFF)
    return made


@pytest.fixture
def presenter(bridge: FakeBridge, settings: SettingsPresenter) -> EmbedderPresenter:
    made = EmbedderPresenter(bridge, settings)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    return made


@pytest.fixture
def card(qtbot: QtBot, presenter: EmbedderPresenter, settings: SettingsPresenter) -> EmbedderCard:
    made = EmbedderCard(presenter, settings)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def choice(card: EmbedderCard) -> EmbeddingChoice:
    """The choice as it is opened from the card."""
    card._choose.click()
    return card.findChildren(EmbeddingChoice)[0]


def pick(choice: EmbeddingChoice, service: str) -> None:
    choice._source.setCurrentIndex(choice._source.findData(ModelSource.SERVER))
    choice._source.activated.emit(choice._source.currentIndex())
    row = next(number for number, one in enumerate(SERVICES) if one.title == service)
    choice._service.setCurrentIndex(row)
    choice._service.activated.emit(row)


def shown(*widgets: QWidget) -> list[bool]:
    return [not widget.isHidden() for widget in widgets]


def test_e47_the_built_in_model_a_folder_the_hub_and_a_server_are_offered(choice: EmbeddingChoice) -> None:
    assert [choice._source.itemData(row) for row in range(choice._source.count())] == list(ModelSource)
    assert choice.model == ""
    assert shown(choice._hub, choice._url, choice._key, choice._try) == [False] * 4
    pick(choice, "Ollama")
    assert choice.model == OLLAMA
    assert shown(choice._hub, choice._url, choice._key, choice._try) == [False, True, True, True]
    assert "nothing leaves it" in choice.text


@pytest.mark.parametrize("model", ["", "BAAI/bge-m3", OLLAMA, AWAY, "cohere:https://api.cohere.com#embed-v4.0"])
def test_the_active_embedding_model_is_shown_when_the_choice_is_opened(
    card: EmbedderCard, settings: SettingsPresenter, model: str
) -> None:
    settings._on_settings(Settings(embedder=model))
    card._choose.click()
    assert card.findChildren(EmbeddingChoice)[0].model == model


def test_a_server_on_this_machine_is_used_without_a_question(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    pick(choice, "Ollama")
    choice._use.click()
    bridge.last("plan_embedding_server").succeed(EmbeddingPlan(OLLAMA, "", "127.0.0.1:11434", False, True, 3, 90))
    assert bridge.last("put_setting").args == ("embedder", OLLAMA)
    assert choice.isHidden()


def test_data_for_a_server_on_another_machine_is_shown_and_confirmed_before_it_is_sent(
    choice: EmbeddingChoice, bridge: FakeBridge
) -> None:
    pick(choice, "OpenAI")
    choice._price.setValue(0.5)
    choice._use.click()
    job = bridge.last("plan_embedding_server")
    assert (job.args, job.kwargs) == ((AWAY,), {"price": 0.5})
    job.succeed(PLAN)
    assert "1,200 passages, about 300,000 tokens, are sent to api.openai.com." in choice.text
    assert "That costs less than a cent, at $0.02 per million tokens." in choice.text
    assert not bridge.has("put_setting")
    choice._send.click()
    bridge.last("allow_embedding_server").succeed(AWAY)
    assert bridge.last("put_setting").args == ("embedder", AWAY)


def test_a_question_that_is_declined_changes_nothing(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    pick(choice, "OpenAI")
    choice._use.click()
    bridge.last("plan_embedding_server").succeed(PLAN)
    choice._keep.click()
    assert choice._banner.isHidden()
    assert not bridge.has("allow_embedding_server")


def test_a_server_entered_as_a_setting_is_asked_about_in_the_card(
    card: EmbedderCard, settings: SettingsPresenter, bridge: FakeBridge
) -> None:
    settings._on_settings(Settings(embedder=AWAY))
    bridge.last("plan_embedding_server").succeed(PLAN)
    choice = card.findChildren(EmbeddingChoice)[0]
    assert shown(choice, choice._banner) == [True, True]
    choice._send.click()
    bridge.last("allow_embedding_server").succeed(AWAY)
    # The setting is in force already: what waited is embedded now.
    assert len([job for job in bridge.jobs if job.name == "change_embedder"]) == 2


def test_a_trial_reports_vector_dimensions_time_and_language(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    pick(choice, "Ollama")
    choice._try.click()
    assert (choice._try.isEnabled(), "Asking the server…" in choice.text) == (False, True)
    notice = "Most passages are Chinese."
    bridge.last("try_embedding_server").succeed(EmbeddingTrial(768, 41.7, notice))
    assert (
        "It returns vectors of 768 dimensions and takes 42 ms per sentence. Most passages are Chinese." in choice.text
    )
    choice._try.click()
    bridge.last("try_embedding_server").fail(
        EmbedderUnreachable("127.0.0.1:11434 cannot be reached.", "Is it running?")
    )
    assert "127.0.0.1:11434 cannot be reached. Is it running?" in choice.text
    assert choice._try.isEnabled()


def test_the_key_goes_to_the_keyring_of_its_server(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    pick(choice, "OpenAI")
    choice._key.entered.emit("sk-1")
    job = bridge.last("put_embedding_server_key")
    assert job.args == (AWAY, "sk-1")
    job.succeed(True)
    assert "Kept in the system's keyring" in choice.text


def test_an_address_without_a_scheme_is_completed(choice: EmbeddingChoice) -> None:
    pick(choice, "Another server")
    assert not choice._use.isEnabled()
    choice._model.setText("bge-m3")
    for typed, expected in (
        ("localhost:8080", "http://localhost:8080"),
        ("embed.example.org", "https://embed.example.org"),
    ):
        choice._url.setText(typed)
        assert choice.model == f"openai:{expected}#bge-m3"


def test_s23_documents_left_to_keywords_are_embedded_when_the_server_is_back(
    presenter: EmbedderPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    presenter.servers.wait()
    presenter.servers.wait()
    jobs = [job for job in bridge.jobs if job.name == "wait_for_embedding_server"]
    assert len(jobs) == 1
    with qtbot.waitSignal(presenter.ended):  # which resumes the import
        jobs[0].succeed(True)
    presenter.servers.wait()
    bridge.last("wait_for_embedding_server").succeed(False)
    presenter.set_library(None)
