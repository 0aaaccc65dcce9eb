"""The notice that a model needs packages that are not installed, and the button that installs them."""

import pytest
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_network import ON

from workbench.errors import DownloadFailed
from workbench.model.model_packages import ModelPackages, PackageInstallProgress
from workbench.settings import Settings
from workbench.ui.settings.embedder_card import EmbedderCard, EmbedderPresenter
from workbench.ui.settings.embedding_choice import EmbeddingChoice, ModelSource
from workbench.ui.settings.model_packages import ModelPackagesNotice
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import RerankingCard

MISSING = ModelPackages(are_installed=False, hosts=("pypi.org", "download.pytorch.org"), command="pip install x")


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def settings(bridge: FakeBridge) -> SettingsPresenter:
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("air_gap_state").succeed(ON)
    return made


@pytest.fixture
def card(qtbot: QtBot, bridge: FakeBridge, settings: SettingsPresenter) -> EmbedderCard:
    presenter = EmbedderPresenter(bridge, settings)  # type: ignore[arg-type]
    presenter.set_library(object())  # type: ignore[arg-type]
    made = EmbedderCard(presenter, settings)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def choice(card: EmbedderCard, bridge: FakeBridge) -> EmbeddingChoice:
    """The open choice with a folder entered; the packages are missing."""
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


def test_an_installation_that_cannot_be_extended_says_how_to_get_one(
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
