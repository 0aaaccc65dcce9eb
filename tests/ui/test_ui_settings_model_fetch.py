"""Hub models in offline mode, and packages that other models need: fetched from the named hosts, then used."""

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_network import KEPT_ON, OFF, ON

from workbench.errors import DownloadFailed, EmbeddingError
from workbench.model.egress import OFFLINE_MODE_HINT
from workbench.model.embedder import ModelPackages, PackageInstallProgress
from workbench.settings import Settings
from workbench.ui.settings.embedder_card import EmbedderCard, EmbedderPresenter
from workbench.ui.settings.embedding_choice import EmbeddingChoice, ModelSource
from workbench.ui.settings.model_fetch import FetchConsent
from workbench.ui.settings.model_packages_notice import ModelPackagesNotice
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import RerankingCard

E5 = "intfloat/multilingual-e5-small"
MISSING = ModelPackages(are_installed=False, hosts=("pypi.org", "download.pytorch.org"), command="pip install x")
HUB = ("huggingface.co", "*.huggingface.co", "*.hf.co")


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def settings(bridge: FakeBridge) -> SettingsPresenter:
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("offline_mode_state").succeed(ON)
    return made


@pytest.fixture
def card(qtbot: QtBot, bridge: FakeBridge, settings: SettingsPresenter) -> EmbedderCard:
    presenter = EmbedderPresenter(bridge, settings)  # type: ignore[arg-type]
    presenter.set_library(object())  # type: ignore[arg-type]
    made = EmbedderCard(presenter, settings)
    qtbot.addWidget(made)
    return made


def consent(card: EmbedderCard | RerankingCard) -> FetchConsent:
    [found] = card.findChildren(FetchConsent)
    return found


def press(card: EmbedderCard | RerankingCard) -> None:
    [button] = consent(card).findChildren(QPushButton)
    assert button.text() == "Download from huggingface.co"
    button.click()


def test_all_hosts_that_are_asked_for_a_model_are_named_and_offline_mode_stays_on(
    bridge: FakeBridge, settings: SettingsPresenter, card: EmbedderCard
) -> None:
    settings._on_settings(Settings(embedder=E5))
    assert "from huggingface.co, *.huggingface.co, *.hf.co only. Offline mode stays on" in consent(card).text
    press(card)
    job = bridge.last("download_model")
    assert (job.args, job.kwargs) == ((E5,), {"allow_hosts": HUB})
    assert "Downloading" in consent(card).text
    job.succeed(None)
    assert consent(card).text == ""
    assert bridge.has("change_embedder")
    assert not bridge.has("put_offline_mode")


def test_a_model_whose_change_offline_mode_stopped_is_asked_for_again_once_it_is_fetched(
    bridge: FakeBridge, settings: SettingsPresenter, card: EmbedderCard
) -> None:
    settings._on_settings(Settings(embedder=E5))
    bridge.last("change_embedder").fail(EmbeddingError("“huggingface.co” was not asked.", OFFLINE_MODE_HINT))
    settings._on_settings(Settings())
    assert E5 in consent(card).text
    press(card)
    bridge.last("download_model").succeed(None)
    assert bridge.last("put_setting").args == ("embedder", E5)


def test_a_failed_download_is_reported_and_can_be_retried(
    qtbot: QtBot, bridge: FakeBridge, settings: SettingsPresenter, card: EmbedderCard
) -> None:
    settings._on_settings(Settings(embedder=E5))
    press(card)
    with qtbot.waitSignal(settings.failed):
        bridge.last("download_model").fail(DownloadFailed("It cannot be downloaded."))
    press(card)


def test_a_reranking_model_is_fetched_from_the_mirror_of_the_settings(
    qtbot: QtBot, bridge: FakeBridge, settings: SettingsPresenter
) -> None:
    card = RerankingCard(settings)
    qtbot.addWidget(card)
    settings._on_settings(Settings(reranking="model", rerank_model="org/ranks", model_hub="https://mirror.example"))
    [button] = consent(card).findChildren(QPushButton)
    button.click()
    job = bridge.last("download_model")
    assert job.kwargs == {"allow_hosts": ("mirror.example",)}
    job.succeed(None)
    assert "“org/ranks” was downloaded." in card.text


def test_no_download_is_offered_without_a_model_to_fetch_or_when_offline_mode_is_off(
    bridge: FakeBridge, settings: SettingsPresenter, card: EmbedderCard
) -> None:
    settings._on_settings(Settings())
    assert consent(card).text == ""
    settings._on_settings(Settings(embedder=E5))
    bridge.last("offline_mode_state").succeed(OFF)
    assert consent(card).text == ""
    bridge.last("offline_mode_state").succeed(KEPT_ON)
    assert consent(card).text != ""


@pytest.fixture
def choice(card: EmbedderCard, bridge: FakeBridge) -> EmbeddingChoice:
    """The open choice with a folder entered; the packages are missing."""
    card.show()
    card._choose.click()
    (made,) = card.findChildren(EmbeddingChoice)
    made._source.setCurrentIndex(made._source.findData(ModelSource.FOLDER))
    made._folder.setText("/models/mine")
    made._folder.textEdited.emit("/models/mine")
    bridge.last("model_packages").succeed(MISSING)
    return made


def notice(widget: EmbeddingChoice | RerankingCard) -> ModelPackagesNotice:
    (found,) = widget.findChildren(ModelPackagesNotice)
    return found


def test_a_model_that_needs_missing_packages_cannot_be_used_and_the_hosts_are_named(choice: EmbeddingChoice) -> None:
    assert "not installed" in notice(choice).text
    assert "pypi.org, download.pytorch.org" in notice(choice).text
    assert not choice._use.isEnabled()


def test_once_the_packages_are_installed_the_model_can_be_used(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    notice(choice)._install.click()
    job = bridge.last("install_model_packages")
    assert job.kwargs == {"allow_hosts": MISSING.hosts}
    job.emit(PackageInstallProgress("Downloading torch.whl", 50, 200))
    assert "Downloading torch.whl" in notice(choice).text
    assert (notice(choice)._bar.value(), notice(choice)._bar.maximum()) == (250, 1000)
    job.succeed(None)
    assert notice(choice).text == ""
    assert choice._use.isEnabled()


def test_a_failed_installation_is_explained_and_can_be_repeated(choice: EmbeddingChoice, bridge: FakeBridge) -> None:
    notice(choice)._install.click()
    bridge.last("install_model_packages").fail(DownloadFailed("The packages could not be installed. No space left."))
    assert "No space left" in notice(choice).text
    assert not notice(choice)._install.isHidden()


def test_an_installation_can_be_stopped_where_it_was_started(
    choice: EmbeddingChoice, bridge: FakeBridge, qtbot: QtBot
) -> None:
    notice(choice)._install.setFocus()
    notice(choice)._install.click()
    qtbot.waitUntil(notice(choice)._cancel.hasFocus)
    notice(choice)._cancel.click()
    job = bridge.last("install_model_packages")
    assert job.cancelled
    job.end_cancelled()
    assert not notice(choice)._install.isHidden()


def test_an_installation_that_cannot_be_extended_shows_how_to_get_an_extensible_one(
    choice: EmbeddingChoice, bridge: FakeBridge
) -> None:
    choice._source.setCurrentIndex(choice._source.findData(ModelSource.BUILT_IN))
    choice._on_edited()
    assert notice(choice).text == ""
    choice._source.setCurrentIndex(choice._source.findData(ModelSource.FOLDER))
    choice._on_edited()
    bridge.last("model_packages").succeed(ModelPackages(are_installed=False))
    assert "pipx install" in notice(choice).text
    assert notice(choice)._install.isHidden()


def test_the_reranker_by_a_model_has_the_same_notice(
    qtbot: QtBot, bridge: FakeBridge, settings: SettingsPresenter
) -> None:
    card = RerankingCard(settings)
    qtbot.addWidget(card)
    settings._on_settings(Settings(reranking="model"))
    bridge.last("model_packages").succeed(MISSING)
    assert "not installed" in notice(card).text
    settings._on_settings(Settings(reranking="none"))
    assert notice(card).text == ""
