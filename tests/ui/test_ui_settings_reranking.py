"""Choice of a reranker in the settings: the texts of the card, the key, and the test."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import RerankingError
from workbench.model.reranker import RERANKERS
from workbench.settings import Settings
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import RerankingCard, is_used
from workbench.ui.settings.settings_pages import CHOICES

LIBRARY: Any = object()


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
def card(presenter: SettingsPresenter, qtbot: QtBot) -> RerankingCard:
    made = RerankingCard(presenter)
    qtbot.addWidget(made)
    return made


def pressed(card: RerankingCard, text: str) -> None:
    next(one for one in card.findChildren(QPushButton) if one.text() == text).click()


def shown(presenter: SettingsPresenter, **values: Any) -> None:
    presenter._on_settings(replace(Settings(), **values))


def test_every_choice_has_a_description_and_shows_what_leaves_the_machine(
    card: RerankingCard, presenter: SettingsPresenter
) -> None:
    for choice in RERANKERS:
        shown(presenter, reranking=choice, rerank_url="https://api.example.com")
        assert choice in CHOICES
        assert ("leaves this computer" in card.text) is (choice in ("tokens", "letters", "model"))
        assert ("are sent to this server" in card.text) is (choice == "server")


def test_the_fields_of_what_is_not_chosen_have_no_effect() -> None:
    by_server = replace(Settings(), reranking="server")
    assert is_used("rerank_url", by_server)
    assert not is_used("rerank_model", by_server)
    assert is_used("chunk_tokens", by_server)


def test_a_trial_of_the_reranker_shows_its_result(
    card: RerankingCard, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    pressed(card, "Test")
    assert "Reranking three sentences" in card.text
    bridge.last("check_reranker").succeed("It put the right one first.")
    assert "the right one first" in card.text
    pressed(card, "Test")
    bridge.last("check_reranker").fail(RerankingError("The server is gone.", "Start it."))
    assert "The server is gone. Start it." in card.text


def test_a_key_is_kept_and_taken_out_of_the_field(
    card: RerankingCard, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    shown(presenter, reranking="server", rerank_url="http://127.0.0.1:8080")
    (field,) = card.findChildren(QLineEdit)
    field.setText("secret")
    pressed(card, "Save key")
    assert bridge.last("put_rerank_key").args == ("secret",)
    bridge.last("put_rerank_key").succeed(True)
    assert (field.text(), "Saved." in card.text) == ("", True)
    presenter.put_rerank_key("secret")
    bridge.last("put_rerank_key").succeed(False)
    assert "kept until the program ends" in card.text


def test_a_server_without_an_address_cannot_be_tried(card: RerankingCard, presenter: SettingsPresenter) -> None:
    shown(presenter, reranking="server")
    assert "Enter the address of the server" in card.text
    assert not next(one for one in card.findChildren(QPushButton) if one.text() == "Test").isEnabled()


def test_the_card_shows_the_disk_size_of_word_vectors_and_hides_it_once_they_are_deleted(
    card: RerankingCard, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    bridge.last("word_vector_size").succeed((6000, 21_240_000))
    assert "Word vectors of 6,000 passages: 21.2 MB on disk." in card.text
    measured = len(bridge.jobs)
    shown(presenter, token_codes="no")
    assert len(bridge.jobs) > measured
    bridge.last("word_vector_size").succeed((0, 0))
    assert card._disk.isHidden()
