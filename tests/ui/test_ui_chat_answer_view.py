import re

import pytest
from PySide6.QtCore import QMimeData, QSize, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit

from workbench.ui.chat.answer_document import chip_image, chip_link
from workbench.ui.chat.answer_view import AnswerView
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


def test_pressing_a_chip_reports_which_citation_was_activated(qtbot: QtBot, view: AnswerView) -> None:
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


def test_only_chip_images_are_loaded(theme: Theme, view: AnswerView) -> None:
    assert chip_image(theme, QUrl("chip:12"), 1.0) is not None
    for address in ("file:///etc/passwd", "http://example.org/x.png", "chip:../x", "data:image/png;base64,AAAA"):
        # If nothing were returned, Qt would look for a file itself.
        assert view.loadResource(2, QUrl(address)).size() == QSize(1, 1)


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


def test_a_change_of_theme_redraws_the_answer(view: AnswerView, theme: Theme) -> None:
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


def test_a_copied_table_keeps_its_columns(view: AnswerView) -> None:
    shown(view, "Before [1].\n\n| a | b |\n|---|---|\n| 1 | 2 [2] |\n\nAfter 😀 it.")
    assert selected(view).splitlines() == ["Before [1].", "a\tb", "1\t2 [2]", "After 😀 it."]


def _divided_words(view: AnswerView) -> list[str]:
    """Return the lines that end within a word."""
    divided = []
    block = view.document().begin()
    while block.isValid():
        text, layout = block.text(), block.layout()
        ends = [layout.lineAt(n).textStart() + layout.lineAt(n).textLength() for n in range(layout.lineCount())]
        divided += [text[:end] for end in ends if end < len(text) and text[end - 1].isalnum() and text[end].isalnum()]
        block = block.next()
    return divided


@pytest.mark.parametrize("columns", range(3, 7))
def test_words_in_a_table_are_whole_in_the_narrowest_window(view: AnswerView, columns: int) -> None:
    head = ["(dollars in millions)", "2023", "2022", "2021", "% Change 2023-2022", "% Change 2022-2021"][:columns]
    row = ["Research and development", "$3,473", "$2,987", "$2,540", "16%", "18% [1]"][:columns]
    lines = [head, ["---", *["---:"] * (columns - 1)], row]
    view.setFixedWidth(360)
    shown(view, "\n".join(f"| {' | '.join(line)} |" for line in lines))
    assert view.document().rootFrame().childFrames() != []
    assert _divided_words(view) == []


def test_copied_code_is_the_code_that_was_written(view: AnswerView) -> None:
    code = "\n".join(f"def f{number}(x):\n    return x\n" for number in range(30))
    shown(view, f"```python\n{code}```")
    assert selected(view) == code.rstrip("\n")


def test_the_copy_link_in_the_corner_of_a_code_block_copies_the_whole_code(
    qtbot: QtBot, view: AnswerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: told.append(text))
    code = "\n".join(f"def f{number}(x):\n    return x < 1 & '[1]'\n" for number in range(30)).rstrip("\n")
    shown(view, f"Before.\n\n```python\n{code}\n```\n\nAfter.\n\n```\nmore\n```")
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == code
    view.anchorClicked.emit(QUrl(re.findall(r'href="(copy:\d+)"', view.toHtml())[-1]))
    assert QGuiApplication.clipboard().text() == "more"
    assert told == ["Copied", "Copied"]


def test_part_of_a_line_is_copied(view: AnswerView) -> None:
    shown(view, "One 😀 two [1] three.\n\nFour.")
    cursor = view.textCursor()
    cursor.setPosition(7)
    cursor.setPosition(12, cursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.createMimeDataFromSelection().text() == "two [1]"


def test_a_selection_that_reaches_into_what_changes_stays(view: AnswerView) -> None:
    shown(view, "Sales rose.\n\nAnd fe")
    view.selectAll()
    shown(view, "Sales rose.\n\nAnd fell again.")
    assert view.textCursor().selectedText() == "Sales rose.\u2029And fe"


def test_the_theme_may_change_while_an_answer_streams(qtbot: QtBot, view: AnswerView, theme: Theme) -> None:
    answer = "Sales rose [1].\n\n```python\nreturn x\n```\n\n| a |\n|---|\n| 1 |\n\nAnd fell [2]."
    shown(view, answer[:30])
    theme.choose("dark")
    shown(view, answer)
    again = AnswerView(theme)
    qtbot.addWidget(again)
    shown(again, answer)
    assert view.toHtml() == again.toHtml()


def test_the_first_ideograph_of_a_stream_changes_the_font(view: AnswerView, theme: Theme) -> None:
    shown(view, "Sales rose. ")
    assert view.document().defaultFont() == theme.font()
    shown(view, "Sales rose. 销售额")
    assert view.document().defaultFont() == theme.font(text="销")
    shown(view, "Sales rose. 销售额 and more")
    assert view.document().defaultFont() == theme.font(text="销")


def test_an_empty_answer_takes_no_room(view: AnswerView) -> None:
    assert view.height() == 0 or not view.document().isEmpty()
    shown(view, "Words.")
    shown(view, "")
    assert view.height() == 0


def test_height_follows_the_width_while_an_answer_streams(view: AnswerView) -> None:
    text = "Many words follow. " * 60
    shown(view, text)
    high = view.height()
    view.resize(800, view.height())
    shown(view, f"{text}And more.\n\n- one")
    assert view.height() < high
