"""Links show their real target before they are opened; only addresses of the web and of mail are opened."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit

from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.external_programs import LinkDialog, offer_link, open_file
from workbench.ui.theme import Theme


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()))
    return found


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


def asked(window: QWidget) -> LinkDialog:
    (dialog,) = window.findChildren(LinkDialog)
    return dialog


def words(dialog: LinkDialog) -> str:
    field = dialog.findChild(QPlainTextEdit)
    return "\n".join([*(one.text() for one in dialog.findChildren(QLabel)), field.toPlainText()])


def press(dialog: LinkDialog, text: str) -> None:
    next(one for one in dialog.findChildren(QPushButton) if one.text() == text).click()


def test_a_press_on_a_link_shows_its_address_and_opens_nothing(window: QWidget, opened: list[str]) -> None:
    offer_link(QUrl("https://example.org/a?b=1"), window)
    assert "https://example.org/a?b=1" in words(asked(window))
    assert opened == []
    press(asked(window), "Open in the browser")
    assert opened == ["https://example.org/a?b=1"]


def test_cancelling_the_link_dialog_opens_nothing(window: QWidget, opened: list[str]) -> None:
    offer_link(QUrl("https://example.org/"), window)
    press(asked(window), "Cancel")
    assert opened == []


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "javascript:alert(1)", "\\\\server\\share", "qrc:/x", "data:text/html,x", "x.md", ""],
)
def test_only_web_and_mail_addresses_are_opened(window: QWidget, opened: list[str], address: str) -> None:
    offer_link(address, window)
    dialog = asked(window)
    assert "This link will not be opened." in words(dialog)
    assert not [one for one in dialog.findChildren(QPushButton) if "Open" in one.text()]
    dialog.accept()
    assert opened == []


def test_letters_of_another_alphabet_are_spelt_as_machines_spell_them(window: QWidget) -> None:
    offer_link(QUrl("https://b\u0430nk.example/login"), window)
    said = words(asked(window))
    assert "xn--bnk-6cd.example" in said
    assert "b\u0430nk" not in said
    assert "look like others" in said
    default = [one for one in asked(window).findChildren(QPushButton) if one.isDefault()]
    assert [one.text() for one in default] == ["Cancel"]
    assert asked(window).focusWidget() is default[0]


def test_a_name_before_an_at_sign_is_reported_not_to_be_the_host(window: QWidget) -> None:
    offer_link(QUrl("https://bank.example@evil.example/"), window)
    said = words(asked(window))
    assert "\nevil.example\n" in said
    assert "before “@”" in said


def test_a_mail_shows_whom_it_goes_to(window: QWidget, opened: list[str]) -> None:
    offer_link(QUrl("mailto:me@example.org?body=hello"), window)
    assert "me@example.org" in words(asked(window))
    press(asked(window), "Write an e-mail")
    assert opened == ["mailto:me@example.org?body=hello"]


def test_the_address_can_be_copied(window: QWidget) -> None:
    offer_link(QUrl("https://example.org/x"), window)
    press(asked(window), "Copy the address")
    assert QGuiApplication.clipboard().text() == "https://example.org/x"


def test_a_link_of_an_answer_asks_before_opening_and_its_tool_tip_shows_its_target(
    qtbot: QtBot, opened: list[str]
) -> None:
    view = AnswerView(Theme(choice="light"))
    qtbot.addWidget(view)
    view.show_answer("See [the bank](https://b\u0430nk.example/).", ())
    view.highlighted.emit(QUrl("https://b\u0430nk.example/"))
    assert view.toolTip() == "https://xn--bnk-6cd.example/"
    view.anchorClicked.emit(QUrl("https://b\u0430nk.example/"))
    assert opened == []
    assert "xn--bnk-6cd.example" in words(asked(view))


def test_a_link_that_resembles_a_citation_shows_its_site(qtbot: QtBot) -> None:
    view = AnswerView(Theme(choice="light"))
    qtbot.addWidget(view)
    answer = "A [1], [1](https://evil.example/) and [^2].\n\n[^2]: https://evil.example/x"
    view.show_answer(answer, citations("A [1],", hit(1)))
    assert view.toPlainText().count("(evil.example)") == 2


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("report.pdf", "report.pdf"),
        ("README", "README"),
        ("page.html", "page.html"),
        ("run.bat", ""),
        ("a.js", ""),
        ("a.sh", ""),
    ],
)
def test_a_file_that_the_system_might_run_is_shown_in_its_folder(opened: list[str], name: str, what: str) -> None:
    open_file(f"/docs/{name}")
    assert opened == [f"file:///docs/{what}".rstrip("/")]
