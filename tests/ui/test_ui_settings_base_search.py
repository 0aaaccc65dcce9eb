"""Settings card for the search of each knowledge base."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.model.evaluation import Promotion, SearchSettings
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH
from workbench.ui.settings.base_search import BaseSearchCard
from workbench.ui.settings.presenter import BaseSearchPresenter

LIBRARY: Any = object()
OWN = replace(DEFAULT_SEARCH, mode=SearchMode.KEYWORD, floor=0.3)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def card(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> BaseSearchCard:
    fake_operations(monkeypatch)
    presenter = BaseSearchPresenter(bridge)  # type: ignore[arg-type]
    presenter.set_library(LIBRARY)
    made = BaseSearchCard(presenter)
    qtbot.addWidget(made)
    made.show()
    bridge.last("list_knowledge_bases").succeed(["default", "law"])
    bridge.last("search_settings").succeed(SearchSettings(None, DEFAULT_SEARCH, is_own=False))
    return made


def named(card: BaseSearchCard, kind: type, name: str) -> Any:
    return next(one for one in card.findChildren(kind) if one.accessibleName() == name)


def choose(card: BaseSearchCard, bridge: FakeBridge, base: str, *, own: bool) -> None:
    box = named(card, QComboBox, "Knowledge base")
    box.setCurrentIndex(box.findText(base))
    box.activated.emit(box.currentIndex())
    bridge.last("search_settings").succeed(SearchSettings(base, OWN if own else DEFAULT_SEARCH, is_own=own))


def test_the_card_shows_whether_a_knowledge_base_uses_the_common_search_settings(
    card: BaseSearchCard, bridge: FakeBridge
) -> None:
    assert "all knowledge bases" in card.text
    choose(card, bridge, "law", own=False)
    assert "“law” uses the common settings" in card.text
    choose(card, bridge, "law", own=True)
    assert "has its own settings" in card.text
    assert named(card, QComboBox, "Search method").currentText() == "Keywords only"
    assert named(card, QSpinBox, "Minimum relevance").text() == "30 %"
    assert named(card, QSpinBox, "Weight of meaning").text() == "Automatic"


def test_a_change_is_for_the_chosen_one_alone_and_can_be_undone(card: BaseSearchCard, bridge: FakeBridge) -> None:
    choose(card, bridge, "law", own=False)
    next(one for one in card.findChildren(QCheckBox) if one.text().startswith("Prefer")).click()
    changed = replace(DEFAULT_SEARCH, names=False)
    assert bridge.last("promote").args == ("law", changed)
    bridge.last("promote").succeed(Promotion("law", None, changed))
    card._presenter.undo()
    assert bridge.last("promote").args == ("law", None)


def test_the_own_search_settings_of_a_knowledge_base_can_be_reset(card: BaseSearchCard, bridge: FakeBridge) -> None:
    choose(card, bridge, "law", own=True)
    button = next(one for one in card.findChildren(QPushButton) if one.text() == "Use the common settings")
    button.click()
    assert bridge.last("promote").args == ("law", None)
    choose(card, bridge, "law", own=False)
    assert not button.isVisible()


def test_every_control_has_a_name(card: BaseSearchCard) -> None:
    assert nameless(card) == []
