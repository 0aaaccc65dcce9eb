"""Change of the window's language in the settings while it runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from shiboken6 import isValid
from ui_window import fill

from workbench.app import build_window
from workbench.language import language
from workbench.settings.preferences import PreferenceFile
from workbench.ui.app_controller import AppController
from workbench.ui.localisation import install_window_language, language_of
from workbench.ui.relaunch import Relaunch

pytestmark = pytest.mark.usefixtures("warm_readers")


@pytest.fixture
def renewal(qtbot: QtBot, tmp_path: Path) -> Iterator[Relaunch]:
    shell = build_window(tmp_path / "library", appearance="light")
    held = Relaunch(shell, build_window)
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        shell.window.show()
    yield held
    held.shell.shut_down()
    held.shell.put_away()
    install_window_language("en")


def choose(qtbot: QtBot, renewal: Relaunch, code: str) -> AppController:
    with qtbot.waitSignal(renewal.renewed, timeout=20_000) as renewed:
        renewal.shell.settings.put("language", code)
    shell = renewed.args[0]
    qtbot.waitUntil(lambda: shell.library is not None and shell.documents.loaded, timeout=20_000)
    return shell


def test_another_language_recreates_the_window_and_can_be_switched_back(qtbot: QtBot, renewal: Relaunch) -> None:
    fill(qtbot, renewal.shell, Path(renewal.shell.folder).parent / "papers", question="Where did the heron fly?")
    before = renewal.shell.window
    chinese = choose(qtbot, renewal, "zh_CN")
    qtbot.waitUntil(lambda: not isValid(before))
    assert chinese.window.actions_by_name["settings"].text() == "设置…"
    qtbot.waitUntil(lambda: len(chinese.documents.model.documents()) == 2, timeout=20_000)
    english = choose(qtbot, renewal, "en")
    assert english.window.actions_by_name["settings"].text() == "Settings…"


def test_the_appearance_can_be_changed_in_the_new_window(qtbot: QtBot, renewal: Relaunch) -> None:
    chinese = choose(qtbot, renewal, "zh_CN")
    with qtbot.waitSignal(chinese.theme.changed, timeout=20_000):
        chinese.settings.put("theme", "dark")
    assert chinese.theme.tokens().dark


def test_an_answer_under_way_is_waited_for(qtbot: QtBot, renewal: Relaunch, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = renewal.shell.chat
    monkeypatch.setattr(type(chat), "running", property(lambda self: self is chat))
    with qtbot.assertNotEmitted(renewal.renewed):
        PreferenceFile().put("language", "zh_CN")
        renewal.shell.language_chosen.emit()
    assert "when the answer is finished" in renewal.shell.window.toast.text
    with qtbot.waitSignal(renewal.renewed, timeout=20_000):
        chat.running_changed.emit(False)
    qtbot.waitUntil(lambda: renewal.shell.library is not None and renewal.shell.documents.loaded, timeout=20_000)


def test_the_window_is_replaced_once_and_only_after_its_library_is_closed(qtbot: QtBot, renewal: Relaunch) -> None:
    PreferenceFile().put("language", "zh_CN")
    before, renewed = renewal.shell, []
    renewal.renewed.connect(renewed.append)
    # Settings that were being loaded meanwhile report the choice again.
    before.language_chosen.emit()
    before.language_chosen.emit()
    assert renewal.shell is before
    qtbot.waitUntil(lambda: renewal.shell is not before and renewal.shell.documents.loaded, timeout=20_000)
    assert renewed == [renewal.shell]


def test_the_settings_stay_open_where_the_language_was_chosen(qtbot: QtBot, renewal: Relaunch) -> None:
    renewal.shell.dialogs.show_setting("language")
    chinese = choose(qtbot, renewal, "zh_CN")
    qtbot.waitUntil(lambda: chinese.dialogs.is_choosing, timeout=20_000)


def test_the_window_opens_in_the_language_chosen_last(qtbot: QtBot, renewal: Relaunch) -> None:
    choose(qtbot, renewal, "zh_CN")
    assert PreferenceFile().load().language == "zh_CN"
    assert language() == "zh_CN"


def test_a_system_of_another_language_gets_english() -> None:
    assert language_of("system") in ("en", "zh_CN")
    assert language_of("xx") == language_of("system")
    install_window_language("zh_CN")
    assert language() == "zh_CN"
    install_window_language("en")
    assert language() == "en"
