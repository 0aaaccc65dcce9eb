import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit

from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.chips import chip_image, chip_link
from workbench.ui.theme import Theme

HITS = (hit(1), hit(2))


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme(choice="light")


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> AnswerView:
    made = AnswerView(theme)
    qtbot.addWidget(made)
    made.resize(400, 100)
    made.show()
    return made


def shown(view: AnswerView, answer: str) -> None:
    view.show_answer(answer, citations(answer, *HITS))


def selected(view: AnswerView) -> str:
    view.selectAll()
    data: QMimeData = view.createMimeDataFromSelection()
    return data.text()


def test_pressing_a_chip_tells_which_citation(qtbot: QtBot, view: AnswerView) -> None:
    answer = "A [1], again [1]."
    shown(view, answer)
    second = citations(answer, *HITS)[1]
    with qtbot.waitSignal(view.citation_activated) as activated:
        view.anchorClicked.emit(QUrl(chip_link(second)))
    assert activated.args == [second]


def test_chip_is_reached_with_tab_and_pressed_with_enter(qtbot: QtBot, view: AnswerView) -> None:
    shown(view, "A [2].")
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    with qtbot.waitSignal(view.citation_activated) as activated:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert activated.args[0].marker == 2


def test_invented_marker_is_text_and_no_link(view: AnswerView) -> None:
    shown(view, "A [9].")
    assert "cite:" not in view.toHtml()
    assert "[9]" in view.toPlainText()


def test_copying_a_selection_keeps_the_numbers(view: AnswerView) -> None:
    shown(view, "Sales **rose** [1], then [2] fell.")
    assert " ".join(selected(view).split()) == "Sales rose [1], then [2] fell."


def test_nothing_but_chips_is_ever_loaded(theme: Theme, view: AnswerView) -> None:
    assert chip_image(theme, QUrl("chip:12"), 1.0) is not None
    for address in ("file:///etc/passwd", "http://example.org/x.png", "chip:../x", "data:image/png;base64,AAAA"):
        assert view.loadResource(2, QUrl(address)) == b""


def test_height_follows_the_text(view: AnswerView) -> None:
    shown(view, "One line.")
    low = view.height()
    shown(view, "Many words follow. " * 60)
    assert view.height() > 3 * low


def test_selection_survives_the_next_piece_of_the_stream(view: AnswerView) -> None:
    shown(view, "Sales rose.")
    cursor = view.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(5, cursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    shown(view, "Sales rose. And fell.")
    assert view.textCursor().selectedText() == "Sales"


def test_change_of_theme_draws_the_answer_anew(view: AnswerView, theme: Theme) -> None:
    shown(view, "```python\nreturn x\n```")
    before = view.toHtml()
    theme.choose("dark")
    assert view.toHtml() != before
    assert "return x" in view.toPlainText()


def test_chips_are_sharp_on_dense_screens(theme: Theme) -> None:
    one, two = (chip_image(theme, QUrl("chip:3"), ratio) for ratio in (1.0, 2.0))
    assert one is not None
    assert two is not None
    assert two.width() == 2 * one.width()
