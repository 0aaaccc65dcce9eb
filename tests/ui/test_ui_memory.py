"""Memory dialog: switched, edited in place, deleted, restored."""

import pytest
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import SettingError
from workbench.model.memory import Memory, MemoryKind, MemoryListing
from workbench.settings import Settings
from workbench.ui.memory.memory_dialog import MemoryDialog, MemoryTable
from workbench.ui.memory.presenter import MemoryPresenter
from workbench.ui.messages import Banner, Toast
from workbench.ui.theme import Theme

SAID, EXPIRES = "2026-03-01T00:00:00+00:00", "2126-03-01T00:00:00+00:00"
TEA = Memory(4, "", MemoryKind.USER_PREFERENCE, "Likes tea.", SAID, EXPIRES, 2, 9, "Is there tea?")
KIEL = Memory(3, "", MemoryKind.CONTEXT_INFO, "Lives in Kiel.", SAID, EXPIRES)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def dialog(qtbot: QtBot, bridge: FakeBridge) -> MemoryDialog:
    made = MemoryDialog(MemoryPresenter(bridge), Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.begin(object())  # type: ignore[arg-type]
    bridge.last("list_memories").succeed(MemoryListing((TEA, KIEL), is_on=True))
    return made


def press(dialog: MemoryDialog, text: str) -> None:
    (found,) = [one for one in dialog.findChildren(QPushButton) if one.text() == text]
    assert found.isEnabled(), text
    found.click()


def test_e38_each_memory_is_shown_with_its_kind_and_the_answer_it_is_from(dialog: MemoryDialog) -> None:
    table = dialog.findChild(MemoryTable)
    first = table.topLevelItem(0)
    assert [first.text(column) for column in (0, 1, 4)] == ["Likes tea.", "Preference", "Is there tea?"]
    assert first.toolTip(1) == "Used 2 times"
    assert table.topLevelItem(1).text(4) == "–"
    assert nameless(dialog) == []


def test_e38_a_memory_is_changed_in_place(dialog: MemoryDialog, bridge: FakeBridge) -> None:
    dialog.findChild(MemoryTable).topLevelItem(0).setText(0, "Likes coffee.")
    assert bridge.last("edit_memory").args == (4, "Likes coffee.")
    bridge.last("edit_memory").fail(SettingError("That is remembered already."))
    assert "already" in dialog.findChild(Banner).text
    bridge.last("list_memories").succeed(MemoryListing((TEA, KIEL), is_on=True))
    assert dialog.findChild(MemoryTable).topLevelItem(0).text(0) == "Likes tea."


@pytest.mark.parametrize(
    ("text", "name", "value", "gone"),
    [("Delete", "remove_memory", TEA, (TEA,)), ("Delete all", "clear_memories", [TEA, KIEL], (TEA, KIEL))],
)
def test_e38_deleted_memories_can_be_restored(
    dialog: MemoryDialog, bridge: FakeBridge, text: str, name: str, value: object, gone: tuple[Memory, ...]
) -> None:
    press(dialog, text)
    bridge.last(name).succeed(value)
    dialog.findChild(Toast).act()
    assert bridge.last("restore_memories").args == (gone,)


def test_e38_the_switch_is_the_setting(dialog: MemoryDialog, bridge: FakeBridge, qtbot: QtBot) -> None:
    switch = dialog.findChild(QCheckBox)
    assert switch.isChecked()
    switch.click()
    putting = bridge.last("put_setting")
    assert putting.args == ("memory", "no")
    with qtbot.waitSignal(dialog._presenter.switched):
        putting.succeed(Settings())
    bridge.last("list_memories").succeed(MemoryListing((), is_on=False))
    assert not switch.isChecked()


def test_the_reason_is_shown_when_no_memories_could_be_extracted_from_an_answer(
    dialog: MemoryDialog, bridge: FakeBridge
) -> None:
    dialog.begin(dialog._presenter._library)
    bridge.last("list_memories").succeed(MemoryListing((), is_on=True, problem="The server is busy."))
    shown = [one.text() for one in dialog.findChildren(QLabel) if one.isVisibleTo(dialog)]
    assert "No notes could be made from the last answer. The server is busy." in shown
    assert "No notes yet" in shown
