"""Hostile texts of documents and models: displayed as text; nothing is loaded, read or opened, no control is imitated.

The texts in this repository go through everything; external lists, if present, go through the widgets that read
Markdown or show much text.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hostile import EVERY, NAMES, Trap, lists
from inert import OURS, links, markup_in, pictures, tip
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge
from ui_runs import citations, document, hit, run

from workbench.errors import ExportError
from workbench.model.approval import Decision
from workbench.model.hit import Citation, Hit
from workbench.model.map import MapPassage
from workbench.model.message import ToolSpec
from workbench.model.run import ApprovalAsked
from workbench.model.session import SessionInfo
from workbench.ui import dialog
from workbench.ui.chat.answer_document import chip_link
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.run_card import QuestionBubble
from workbench.ui.chat.source_list import SourceList
from workbench.ui.chat.step_row import ApprovalCard, StepRow
from workbench.ui.chat.transcript import StepKind, StepLine
from workbench.ui.controls import ElidedLabel, button, caption_of, label
from workbench.ui.external_programs import InertBrowser, quote_mime
from workbench.ui.inspector.details_view import DetailsView
from workbench.ui.inspector.passage_rows import of_run
from workbench.ui.library.document_wording import tool_tip
from workbench.ui.library.metadata_dialogs import DetailsDialog
from workbench.ui.main_window import ProblemPage
from workbench.ui.map.pane import PassageCard
from workbench.ui.messages import Banner, Toast
from workbench.ui.sessions.model import title_of
from workbench.ui.theme import Theme


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    with Trap(tmp_path / "trap") as made:
        yield made


@pytest.fixture
def bare(qapp: QApplication) -> Iterator[None]:
    """Remove the style sheet, which is Qt's default state."""
    before = qapp.styleSheet()
    qapp.setStyleSheet("")
    yield
    qapp.setStyleSheet(before)


@pytest.fixture
def theme(bare: None) -> Theme:
    """Apply the window's theme: its style sheet prevents Qt from guessing the text format."""
    made = Theme(choice="light")
    made.apply()
    return made


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the list of what is passed to other programs, which must stay empty."""
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()))
    yield found
    assert found == []


@pytest.fixture(params=["own", "lists"])
def texts(request: pytest.FixtureRequest, trap: Trap) -> list[str]:
    if request.param == "own":
        return [*trap.own(), "\n".join(NAMES)]
    return [trap.aimed(text) for text in lists(request.getfixturevalue("peer_data"), share=5)]


@pytest.mark.usefixtures("bare")
def test_the_trap_detects_a_label_that_is_interpreted_as_html(qtbot: QtBot, trap: Trap) -> None:
    """Check the trap itself, without which the tests below would be meaningless."""
    guessing = QLabel(trap.own()[0])
    qtbot.addWidget(guessing)
    guessing.grab()
    assert trap.sprung() == ["bait.png"]


def test_an_answer_loads_nothing_and_has_no_link_but_to_the_web_and_to_its_sources(
    qtbot: QtBot, theme: Theme, trap: Trap, texts: list[str]
) -> None:
    view = AnswerView(theme)
    qtbot.addWidget(view)
    view.resize(400, 100)
    for text in texts:
        answer = f"A [1].\n\n{text}"
        cited = citations("A [1].", hit(1))
        view.show_answer(answer, cited)
        while not view.is_whole:
            view.go_on()
        shown = view.document()
        ours = [address for address in links(shown) if address.partition(":")[0] in OURS - {"copy"}]
        assert ours == [chip_link(cited[0])], text
        others = {address.partition(":")[0] for address in links(shown)} - OURS
        assert others <= {"http", "https", "mailto"}, text
        assert {name.partition(":")[0] for name in pictures(shown)} <= {"chip", "copy"}, text
        assert [name for name in pictures(shown) if name.startswith("chip:")] == ["chip:1"], text
    view.grab()
    assert trap.sprung() == []


def test_a_streamed_answer_is_as_harmless_in_every_piece_of_it(qtbot: QtBot, theme: Theme, trap: Trap) -> None:
    view = AnswerView(theme)
    qtbot.addWidget(view)
    for text in trap.own():
        for end in range(1, len(text) + 1, 7):
            view.show_answer(text[:end], ())
            schemes = {address.partition(":")[0] for address in links(view.document())}
            assert schemes <= {"http", "https", "mailto", "copy"}, text
            assert not [name for name in pictures(view.document()) if name.startswith("chip:")]
    assert trap.sprung() == []


def _parts(theme: Theme, text: str, cited: Citation, found: Hit) -> Iterator[QWidget]:
    """Yield the parts of the window that show external texts, each with a text in all its places."""
    yield QuestionBubble(theme, text)
    yield StepRow(theme, StepLine(StepKind.SEARCH, text, body=text, summary=text, note=text))
    yield StepRow(theme, StepLine(StepKind.TOOL, text, body=text, failed=True))
    yield ApprovalCard(theme, ApprovalAsked("1", text, text, text), ToolSpec(text, text, {}))
    sources = SourceList(theme)
    sources.show_citations((cited,))
    yield sources
    details = DetailsView(FakeBridge(), theme)
    details.show_passage(of_run(replace(run(), references=(replace(run().references[0], hits=_only(found)),)))[0])
    yield details
    yield DetailsDialog(document(name=text), theme, lambda *_: None)
    banner = Banner(theme)
    banner.show_error(ExportError(text, text), text)
    yield banner
    holder = QWidget()
    toast = Toast(theme, holder)
    toast.show_message(text, action=text, on_action=holder.close)
    yield holder
    page = ProblemPage(theme)
    page.show_error(ExportError(text, text), text, Path("/x"))
    yield page
    yield _captions(text)
    around = QWidget()
    PassageCard(theme, around).show_passage(MapPassage(cited, text), QPointF(9, 9))
    yield around


def _only(found: Hit) -> tuple[object, ...]:
    return (replace(run().references[0].hits[0], hit=found),)


def _captions(text: str) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    elided = ElidedLabel()
    elided.set_whole_text(text)
    for part in (label(text), elided, button(text)):
        column.addWidget(part)
    return holder


def _as_cited(text: str) -> tuple[Citation, Hit]:
    (cited,) = citations("A [1].", hit(1))
    cited = replace(cited, document_name=text, quote=text, headings=(text,), page_label=text, path=text)
    found = hit(1)
    chunk = replace(found.chunk, text=text, headings=(text,), end=found.chunk.start + len(text), tags=(text,))
    names = {"document_name": text, "document_title": text, "path": text, "knowledge_base": text}
    return cited, replace(found, chunk=chunk, matched_terms=(text,), **names)


def test_every_part_of_the_window_shows_it_as_text(qtbot: QtBot, theme: Theme, trap: Trap, texts: list[str]) -> None:
    # Each text takes a quarter of a second: of the long lists only some are used here, and all by “make hostile”.
    step = 1 if len(texts) < 100 or os.environ.get(EVERY) else 25
    for text in texts[::step]:
        for part in _parts(theme, text, *_as_cited(text)):
            assert markup_in(part) == [], text
            part.deleteLater()
            # Delete it now, not after the loop over a thousand texts.
            QApplication.sendPostedEvents(part, QEvent.Type.DeferredDelete.value)
    assert trap.sprung() == []


def test_a_card_beside_a_citation_shows_it_as_text(qtbot: QtBot, theme: Theme, trap: Trap) -> None:
    card = CitationPreview(theme)
    qtbot.addWidget(card, before_close_func=lambda _card: card.dismiss())
    for text in (*trap.own(), *(f"| a | {text} |\n|---|---|\n| 1 | {text} |" for text in trap.own())):
        cited, found = _as_cited(text)
        card.offer(cited, found, QRect(9, 9, 9, 9), at_once=True)
        assert markup_in(card) == [], text
    assert trap.sprung() == []


def test_a_tool_tip_is_text(qtbot: QtBot, theme: Theme, trap: Trap, texts: list[str]) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    for text in [text for text in texts if text.strip()][:200]:
        QToolTip.showText(QPoint(5, 5), tool_tip(document(name=text)), window)
        shown = tip()
        assert shown is not None
        assert shown.textFormat() is Qt.TextFormat.PlainText
        shown.grab()
    QToolTip.hideText()
    assert trap.sprung() == []


def test_boxes_that_ask_show_names_as_text(qtbot: QtBot, theme: Theme, trap: Trap) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    for text in trap.own():
        box = dialog.question_box(window, text, text, text)
        box.addButton(QMessageBox.StandardButton.Cancel)
        assert markup_in(box) == []
        box.deleteLater()
    assert trap.sprung() == []


@pytest.mark.usefixtures("bare")
def test_without_the_style_sheet_boxes_and_labels_of_ours_are_text_all_the_same(qtbot: QtBot, trap: Trap) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    for made in (dialog.question_box(window, "x", trap.own()[0], trap.own()[0]), label(trap.own()[0])):
        qtbot.addWidget(made)
        assert markup_in(made) == []
    assert trap.sprung() == []


def test_rich_text_of_ours_loads_nothing_and_gives_only_text_away(qtbot: QtBot, theme: Theme, trap: Trap) -> None:
    view = InertBrowser()
    qtbot.addWidget(view)
    for name in (trap.picture.as_uri(), str(trap.picture), trap.address):
        view.setHtml(f'<link rel="stylesheet" href="{name}"><style>@import url({trap.sheet.as_uri()})</style>')
        view.setHtml(f'<img src="{name}"><a href="https://a.example/">a link</a> <b>bold</b>')
        view.grab()
        assert trap.sprung() == [], name
    view.selectAll()
    copied = view.createMimeDataFromSelection()
    assert copied.formats() == ["text/plain"]
    assert copied.text().endswith("a link bold")


def test_an_answer_may_speak_of_style_sheets(qtbot: QtBot, theme: Theme) -> None:
    view = AnswerView(theme)
    qtbot.addWidget(view)
    answer = 'Write style="text-align:center" there.\n\n| a |\n| :-: |\n| x style="text-align:left" |'
    view.show_answer(answer, ())
    assert 'Write style="text-align:center" there.' in view.toPlainText()
    assert 'x style="text-align:left"' in view.toPlainText()
    assert 'align="center"' in view.toHtml()


def test_dragged_or_copied_text_has_no_markup_except_its_frame(trap: Trap) -> None:
    for text in trap.own():
        data = quote_mime(text, text)
        assert set(data.formats()) == {"text/plain", "text/html"}
        assert set(re.findall(r"<(/?\w+)[^>]*>", data.html())) <= {
            *("blockquote", "/blockquote", "p", "/p", "cite", "/cite", "br"),
        }


def test_untrusted_text_in_a_menu_has_no_shortcut_key_and_is_one_line() -> None:
    assert caption_of("R&D\tCtrl+Q\nsecond \u202eline") == "R&&D Ctrl+Q second ⟨U+202E⟩line"


def test_the_title_of_a_session_is_one_line_with_nothing_unseen() -> None:
    assert title_of(SessionInfo(1, "a\nb \u202egpj", "", "", 0)) == "a b ⟨U+202E⟩gpj"


def test_the_approval_card_shows_characters_that_reverse_the_text_direction(qtbot: QtBot, theme: Theme) -> None:
    card = ApprovalCard(theme, ApprovalAsked("1", "run", '{"file": "photo\u202egpj.exe"}', ""), ToolSpec("run", "", {}))
    qtbot.addWidget(card)
    said = []
    card.decided.connect(said.append)
    assert '"photo\\u202egpj.exe"' in card._arguments.toPlainText()
    card._approve.click()
    assert said[0].decision is Decision.APPROVE
