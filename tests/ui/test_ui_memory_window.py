"""Memory opened from the window, on a real library."""

from pathlib import Path

from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from workbench.app import build_window
from workbench.ui.memory.memory_dialog import MemoryDialog


def test_e38_memory_is_switched_on_in_the_window_and_the_settings_follow(tmp_path: Path, qtbot: QtBot) -> None:
    shell = build_window(tmp_path, appearance="light")
    try:
        with qtbot.waitSignal(shell.settled, timeout=20_000):
            shell.window.show()
        shell.window.actions_by_name["memory"].trigger()
        switch = shell.window.findChild(MemoryDialog).findChild(QCheckBox)
        assert not switch.isChecked()
        switch.click()
        qtbot.waitUntil(lambda: shell.settings.settings.memory == "yes", timeout=10_000)
    finally:
        shell.window.close()
        shell.shut_down()
        shell.window.deleteLater()
