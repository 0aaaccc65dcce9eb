"""The card of the vector store: which one is in use, and the move to another one and back."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import StoreUnreachable
from workbench.model.vector_store import (
    AddressUse,
    StoreChoice,
    StoreMoved,
    StoreMoveProgress,
    StoreOfBase,
    StoreOffer,
    StoreState,
)
from workbench.settings import Settings
from workbench.ui.network.offline_mode import OfflineModePresenter
from workbench.ui.settings.store_card import StoreCard
from workbench.ui.settings.store_presenter import StorePresenter

LIBRARY: Any = object()
FAISS = StoreChoice()
QDRANT = StoreChoice("qdrant", "http://localhost:6333")
OFFERS = (
    StoreOffer("faiss", "FAISS"),
    StoreOffer("lancedb", "LanceDB"),
    StoreOffer("chroma", "Chroma", extra="chroma"),
    StoreOffer("qdrant", "Qdrant", AddressUse.OPTIONAL),
    StoreOffer("pgvector", "PostgreSQL", AddressUse.REQUIRED, url="postgresql://me@localhost/books"),
)
IN_FAISS = StoreState(FAISS, vectors=12_000, offers=OFFERS)
IN_QDRANT = StoreState(QDRANT, vectors=12_000, others=("faiss",), offers=OFFERS)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> StorePresenter:
    fake_operations(monkeypatch)
    made = StorePresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def card(presenter: StorePresenter, bridge: FakeBridge, qtbot: QtBot) -> StoreCard:
    made = StoreCard(presenter, OfflineModePresenter(bridge))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.show()
    bridge.last("vector_store_state").succeed(IN_FAISS)
    return made


def choose(card: StoreCard, name: str) -> None:
    box = card._store
    row = next(row for row in range(box.count()) if box.itemData(row).name == name)
    box.setCurrentIndex(row)
    box.activated.emit(row)


def test_the_card_shows_which_store_is_in_use(card: StoreCard) -> None:
    assert "In use: FAISS, 12,000 vectors." in card.text
    assert not card._move.isEnabled()
    assert card._store.currentText() == "FAISS (built in)"
    assert nameless(card) == []


def test_a_knowledge_base_moves_to_a_store_of_its_own_and_back(card: StoreCard, bridge: FakeBridge) -> None:
    assert not card._base.isVisible()
    show(card, bridge, replace(IN_FAISS, knowledge_bases=("default", "notes")))
    choose_base(card, "notes")
    assert (card._store.currentText(), card._move.text(), card._move.isEnabled()) == (
        "As the library",
        "Move the knowledge base",
        False,
    )
    choose(card, "lancedb")
    card._move.click()
    job = bridge.last("move_base_to_store")
    assert job.args == ("notes", StoreChoice("lancedb"))
    own = StoreOfBase("notes", StoreChoice("lancedb"), 400)
    job.succeed(replace(IN_FAISS, knowledge_bases=("default", "notes"), of_bases=(own,)))
    assert "In use: FAISS, 12,000 vectors.\nnotes: In use: LanceDB, 400 vectors." in card._state.text()
    assert "The knowledge base “notes” now uses LanceDB." in card.text
    choose(card, "library")
    card._move.click()
    assert bridge.last("move_base_to_store").args == ("notes", StoreChoice("library"))


def test_a_store_of_a_knowledge_base_that_is_down_is_reported(card: StoreCard, bridge: FakeBridge) -> None:
    down = StoreOfBase("notes", QDRANT, None, "The server does not answer.")
    show(card, bridge, replace(IN_FAISS, knowledge_bases=("default", "notes"), of_bases=(down,)))
    assert "notes: In use: Qdrant." in card._state.text()
    assert "The server does not answer." in card._problem.text()
    choose_base(card, "notes")
    assert (card._store.currentText(), card._address.text()) == ("Qdrant", "http://localhost:6333")


def show(card: StoreCard, bridge: FakeBridge, state: StoreState) -> None:
    card._presenter.refresh()
    bridge.last("vector_store_state").succeed(state)


def choose_base(card: StoreCard, name: str) -> None:
    row = card._base.findData(name)
    card._base.setCurrentIndex(row)
    card._base.activated.emit(row)


def test_a_store_that_is_not_installed_shows_how_to_install_it_and_cannot_be_chosen(card: StoreCard) -> None:
    choose(card, "chroma")
    assert "pip install 'knowledge-workbench[chroma]'" in card.text
    assert (card._move.isEnabled(), card._address.isVisible()) == (False, False)


def test_a_server_needs_its_address_and_the_last_one_is_filled_in(card: StoreCard, bridge: FakeBridge) -> None:
    choose(card, "pgvector")
    assert card._address.text() == "postgresql://me@localhost/books"
    assert "nothing leaves it" in card.text
    card._address.setText("postgresql:///books?host=/run/postgresql")
    assert "nothing leaves it" in card.text
    card._address.setText("postgresql://me@db.example.org/books")
    assert "sent to this server" in card.text
    card._address.setText("http://[")  # while it is being typed
    assert "sent to this server" in card.text
    card._address.clear()
    assert "Enter the address of the PostgreSQL server." in card.text
    assert not card._move.isEnabled()


def test_a_move_shows_its_progress_and_then_the_way_back(card: StoreCard, bridge: FakeBridge) -> None:
    choose(card, "qdrant")
    card._address.setText(QDRANT.url)
    card._move.click()
    assert bridge.last("move_vector_store").args == (QDRANT,)
    bridge.domain_event.emit(StoreMoveProgress("qdrant", 3000, 12_000, 190.0))
    assert "Moving to Qdrant: 3,000 of 12,000 vectors. About 3 min left." in card.text
    assert (card._bar.value(), card._bar.isVisible(), card._cancel.isVisible()) == (250, True, True)
    bridge.domain_event.emit(StoreMoved(IN_QDRANT))
    bridge.last("move_vector_store").succeed(IN_QDRANT)
    assert "The library now uses Qdrant." in card.text
    assert (card._bar.isVisible(), card._back.text()) == (False, "Move back to FAISS")
    card._back.click()
    assert bridge.last("move_vector_store").args == (FAISS,)


def test_a_move_can_be_cancelled(card: StoreCard, bridge: FakeBridge) -> None:
    choose(card, "lancedb")
    card._move.click()
    card._cancel.click()
    assert bridge.last("move_vector_store").cancelled
    bridge.last("move_vector_store").end_cancelled()
    bridge.last("vector_store_state").succeed(IN_FAISS)
    assert "In use: FAISS, 12,000 vectors." in card.text
    assert card._move.isVisible()


def test_a_failed_move_shows_an_error_message_and_the_store_in_use_stays(card: StoreCard, bridge: FakeBridge) -> None:
    choose(card, "qdrant")
    card._address.setText(QDRANT.url)
    card._move.click()
    bridge.last("move_vector_store").fail(StoreUnreachable("The vector store Qdrant failed: refused.", "Start it."))
    bridge.last("vector_store_state").succeed(IN_FAISS)
    assert "The vector store Qdrant failed: refused. Start it." in card.text
    assert "In use: FAISS" in card.text


def test_a_store_that_cannot_be_opened_and_an_interrupted_move_are_reported(
    card: StoreCard, bridge: FakeBridge
) -> None:
    card._presenter._on_state(StoreState(QDRANT, problem="Qdrant does not answer.", offers=OFFERS))
    assert "Qdrant does not answer." in card.text
    card._presenter._on_state(StoreState(FAISS, wanted=QDRANT, vectors=9, offers=OFFERS))
    choose(card, "qdrant")
    assert card._move.text() == "Continue the move"


def test_the_key_goes_to_the_keyring_and_its_variable_into_the_settings(card: StoreCard, bridge: FakeBridge) -> None:
    choose(card, "pgvector")
    card._key.entered.emit("secret")
    job = bridge.last("put_vector_store_key")
    assert (job.args, job.kwargs) == (("secret",), {"url": "postgresql://me@localhost/books"})
    job.succeed(True)
    assert "Saved in the system keyring" in card.text
    card._presenter.follow(Settings(vector_store_key_env="PGPASSWORD"))
    assert card._variable.text() == "PGPASSWORD"
    card._variable.setText("OTHER")
    card._variable.editingFinished.emit()
    assert bridge.last("put_setting").args == ("vector_store_key_env", "OTHER")


def test_old_vectors_can_be_deleted(card: StoreCard, bridge: FakeBridge) -> None:
    card._presenter._on_state(IN_QDRANT)
    card._delete.click()
    bridge.last("delete_other_stores").succeed(StoreState(QDRANT, vectors=12_000, offers=OFFERS))
    assert (card._delete.isVisible(), card._back.isVisible()) == (False, False)
