"""Qt's warnings in the program's log: each once, without quoted content."""

import logging
from collections.abc import Iterator

import pytest
from PySide6.QtCore import qDebug, qWarning

from workbench.ui import bug_report

pytestmark = [pytest.mark.logs_warnings, pytest.mark.usefixtures("qapp")]


@pytest.fixture(autouse=True)
def _listening() -> Iterator[None]:
    bug_report.listen()
    yield
    bug_report.stop_listening()


def written(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == bug_report.__name__]


def test_a_repeated_qt_warning_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        qWarning("QPainter::begin: Paint device returned engine == 0")
    assert written(caplog) == ["default: QPainter::begin: Paint device returned engine == 0"]


def test_quoted_content_of_a_qt_warning_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    qWarning('Could not load "my diary.png" from file:///home/ada/diary, key sk-proj-abcdefghijklmnop1234567890')
    (message,) = written(caplog)
    assert "diary" not in message
    assert "abcdefgh" not in message


def test_a_qt_warning_is_still_printed_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    qWarning("a plug-in is missing")
    assert "a plug-in is missing" in capsys.readouterr().err


def test_a_qt_message_below_warning_level_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    qDebug("a detail")
    assert written(caplog) == []


def test_a_thousand_different_ones_do_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    for number in range(1000):
        qWarning(f"widget {number}")
    assert len(written(caplog)) == 200
