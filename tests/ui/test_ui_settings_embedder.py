"""Change of the embedding model in the settings: presenter and card against a fake of the operations."""

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import EmbeddingError
from workbench.model.embedder import (
    BoundEmbedder,
    EmbedderChanged,
    EmbedderChangeProgress,
    EmbedderChoice,
    EmbedderState,
)
from workbench.ui.settings.embedder_card import EmbedderCard, EmbedderPresenter

LIBRARY: Any = object()
OLD = BoundEmbedder("all-MiniLM-L6-v2/384/0123456789ab/int8", EmbedderChoice())
NEW = BoundEmbedder("bge-small/512/0123456789ab/int8", EmbedderChoice("bge"))


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> EmbedderPresenter:
    fake_operations(monkeypatch)
    made = EmbedderPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def card(presenter: EmbedderPresenter, qtbot: QtBot) -> EmbedderCard:
    made = EmbedderCard(presenter)
    qtbot.addWidget(made)
    return made


def test_a_pending_change_is_resumed_when_the_library_is_opened(
    presenter: EmbedderPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    ended: list[bool] = []
    presenter.ended.connect(lambda: ended.append(True))
    bridge.last("change_embedder").succeed(None)
    assert (ended, presenter.state) == ([], None)  # there was nothing to change


def test_documents_that_waited_for_a_model_go_on_with_another_even_if_nothing_was_embedded_yet(
    presenter: EmbedderPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    bridge.last("change_embedder").succeed(None)
    presenter.start()
    with qtbot.waitSignal(presenter.ended):
        bridge.last("change_embedder").succeed(None)


def test_the_card_shows_the_progress_and_that_searching_remains_possible(
    card: EmbedderCard, bridge: FakeBridge
) -> None:
    bridge.domain_event.emit(EmbedderChangeProgress("bge-small", 0, 0, None))
    assert "Loading the model…" in card.text
    bridge.domain_event.emit(EmbedderChangeProgress("bge-small", 3000, 12_000, 190.0))
    assert "3,000 of 12,000 passages, about 3 min left" in card.text
    assert "searched with the current model" in card.text
    assert (card._bar.value(), card._cancel.isHidden(), card._revert.isHidden()) == (250, False, True)


def test_after_the_change_the_way_back_is_offered(card: EmbedderCard, bridge: FakeBridge) -> None:
    bridge.domain_event.emit(EmbedderChangeProgress("bge-small", 3, 3, 0.0))
    bridge.domain_event.emit(EmbedderChanged(EmbedderState(NEW, OLD, None, 512, 512)))
    bridge.last("change_embedder").succeed(EmbedderState(NEW, OLD, None, 512, 512))
    assert "bge-small, 512 dimensions, reads 512 tokens" in card.text
    assert card._revert.accessibleName() == "Switch back to all-MiniLM-L6-v2"
    assert "Previously: all-MiniLM-L6-v2" in card.text
    card._revert.click()
    card._confirm.click()
    assert {"revert_embedder", "confirm_embedder"} <= {job.name for job in bridge.jobs}


def test_a_change_can_be_given_up(card: EmbedderCard, presenter: EmbedderPresenter, bridge: FakeBridge) -> None:
    bridge.domain_event.emit(EmbedderChangeProgress("bge-small", 3, 9, None))
    card._cancel.click()
    job = bridge.last("change_embedder")
    assert job.cancelled
    job.end_cancelled()
    bridge.last("embedder_state").succeed(EmbedderState(OLD, None, None, 384, 256))
    assert "all-MiniLM-L6-v2, 384 dimensions" in card.text
    assert (card._bar.isHidden(), card._revert.isHidden()) == (True, True)


def test_another_choice_takes_the_place_of_a_change_under_way(presenter: EmbedderPresenter, bridge: FakeBridge) -> None:
    first = bridge.last("change_embedder")
    presenter.start()
    assert (first.cancelled, bridge.last("change_embedder") is first) == (True, False)


def test_a_failure_is_shown_and_leaves_the_present_model(
    presenter: EmbedderPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    with qtbot.waitSignals([presenter.failed, presenter.ended]):
        bridge.last("change_embedder").fail(EmbeddingError("There is no such model.", "Choose another."))
    assert presenter.progress is None


def test_e20_passages_longer_than_the_model_can_read_are_reported_with_a_remedy(
    card: EmbedderCard, presenter: EmbedderPresenter, qtbot: QtBot
) -> None:
    presenter._on_state(EmbedderState(NEW, None, None, 512, 64, 9, ("9 passages are longer than the 64 tokens.",)))
    assert "9 passages are longer" in card.text
    with qtbot.waitSignal(presenter.recut_asked):
        card._recut.click()
