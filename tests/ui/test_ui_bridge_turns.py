"""A flood of messages from the worker: all arrive in order, and the event loop keeps running between them."""

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from workbench.ui.bridge import Bridge


def test_a_flood_of_messages_arrives_in_order_with_turns_between(qtbot: QtBot) -> None:
    bridge = Bridge()
    arrived: list[object] = []
    turns: list[int] = []
    beat = QTimer()
    beat.timeout.connect(lambda: turns.append(len(arrived)))
    bridge.domain_event.connect(arrived.append)
    beat.start(0)
    for number in range(20_000):
        bridge.publish(number)
    qtbot.waitUntil(lambda: len(arrived) == 20_000, timeout=20_000)
    beat.stop()
    assert arrived == list(range(20_000))
    assert any(0 < seen < 20_000 for seen in turns)


def test_a_message_that_is_alone_arrives(qtbot: QtBot) -> None:
    bridge = Bridge()
    with qtbot.waitSignal(bridge.domain_event) as heard:
        bridge.publish("alone")
    assert heard.args == ["alone"]
