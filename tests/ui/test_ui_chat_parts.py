from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QGuiApplication, QTextBlock
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit, run, run_events

from workbench.model.hit import Coverage
from workbench.model.run import Certainty, RunStatus, TimedEvent
from workbench.ui.chat import run_wording
from workbench.ui.chat.answer_footer import AnswerFooter, OutcomeBanner, outcome_of
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.composer import Composer, QuestionField
from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.run_card import RunCard
from workbench.ui.chat.source_list import SourceChip, SourceList
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.timeline import Timeline
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme


@pytest.fixture
def theme(qapp: object) -> Theme:
    return Theme(choice="light")


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme) -> Composer:
    made = Composer(theme)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def field(composer: Composer) -> QuestionField:
    return composer.findChild(QuestionField)


@pytest.fixture
def preview(qtbot: QtBot, theme: Theme) -> CitationPreview:
    made = CitationPreview(theme)
    qtbot.addWidget(made)
    return made


def test_enter_sends_and_empties_the_field(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_text("  What?  ")
    with qtbot.waitSignal(composer.submitted) as submitted:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert submitted.args == ["What?"]
    assert composer.text == ""


def test_shift_enter_breaks_the_line(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_text("a")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.text == "a\n"


def test_blank_question_is_not_sent(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_text("  \n ")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return)


def test_enter_while_an_input_method_composes_does_not_send(
    qtbot: QtBot, composer: Composer, field: QuestionField
) -> None:
    composer.set_text("你")
    field.textCursor().block().layout().setPreeditArea(1, "hao")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return)


def test_up_recalls_the_last_question(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_recallable("Last one?")
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert composer.text == "Last one?"


def test_up_in_a_text_of_ones_own_moves_the_cursor_only(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_recallable("Last one?")
    composer.set_text("mine")
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert composer.text == "mine"


def test_escape_and_the_button_stop_a_running_answer(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    button = composer.findChild(QPushButton)
    composer.set_running(True)
    assert button.text() == "Stop"
    with qtbot.waitSignal(composer.stopped):
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    with qtbot.waitSignal(composer.stopped):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_no_question_is_sent_while_an_answer_runs(qtbot: QtBot, composer: Composer, field: QuestionField) -> None:
    composer.set_running(True)
    composer.set_text("next")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert composer.text == "next"


def test_field_grows_with_its_text_up_to_a_limit(composer: Composer, field: QuestionField) -> None:
    heights = []
    for lines in (1, 4, 8, 40):
        composer.set_text("\n".join("x" * lines))
        heights.append(field.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_steps_are_open_while_it_works_and_fold_when_the_answer_starts(qtbot: QtBot, theme: Theme) -> None:
    panel = StepsPanel(theme)
    qtbot.addWidget(panel)
    transcript = Transcript("q")
    for event in run_events()[:5]:
        transcript.feed(event)
    panel.show_transcript(transcript)
    assert not panel.folded
    assert panel.title.startswith("Working… 0.")
    for event in run_events()[5:9]:
        transcript.feed(event)
    panel.show_transcript(transcript)
    assert panel.folded
    assert panel.title == "2 steps · 0.8 s"


def test_steps_that_the_reader_opened_stay_open(qtbot: QtBot, theme: Theme) -> None:
    panel = StepsPanel(theme)
    qtbot.addWidget(panel)
    panel.show_transcript(Transcript.of_run(run()))
    qtbot.mouseClick(panel.findChild(QPushButton), Qt.MouseButton.LeftButton)
    panel.show_transcript(Transcript.of_run(run()))
    assert not panel.folded


def test_source_numbers_are_buttons_for_the_keyboard(qtbot: QtBot, theme: Theme) -> None:
    sources = SourceList(theme)
    qtbot.addWidget(sources)
    sources.show_citations(citations("A [1], [2], [9].", hit(1), hit(2, document=2)))
    sources.show()
    chips = sources.findChildren(SourceChip)
    assert [chip.text() for chip in chips] == ["1", "2"]
    chips[1].setFocus()
    with qtbot.waitSignal(sources.citation_activated) as activated:
        qtbot.keyClick(chips[1], Qt.Key.Key_Return)
    assert activated.args[0].marker == 2
    with qtbot.waitSignal(sources.citation_peeked) as peeked:
        qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    assert peeked.args[0].marker == 2


def test_answer_without_sources_has_no_list(qtbot: QtBot, theme: Theme) -> None:
    sources = SourceList(theme)
    qtbot.addWidget(sources)
    sources.show_citations(citations("A [9].", hit(1)))
    assert not sources.isVisibleTo(None)


def ended_as(certainty: Certainty) -> tuple[TimedEvent, ...]:
    *before, last = run_events()
    return (*before, replace(last, event=replace(last.event, certainty=certainty)))


@pytest.mark.parametrize(
    ("changes", "title", "retry"),
    [
        ({"refused": True}, "Nothing found in your library", False),
        ({"events": ended_as(Certainty.CLOSEST)}, "This may not answer your question", False),
        ({"events": ended_as(Certainty.UNKNOWN)}, "Not known yet", True),
        ({"status": RunStatus.FAILED, "error": "It broke.", "hint": "Ask again."}, "It broke.", True),
        ({"status": RunStatus.CANCELLED}, "You stopped this answer", True),
    ],
)
def test_each_unsuccessful_outcome_of_a_run_has_a_plain_title(
    changes: dict[str, object], title: str, retry: bool
) -> None:
    outcome = outcome_of(Transcript.of_run(run(**changes)))
    assert outcome is not None
    assert (outcome.title, outcome.retry) == (title, retry)


@pytest.mark.parametrize("certainty", [Certainty.UNKNOWN, Certainty.NOT_FOUND])
@pytest.mark.parametrize(
    ("coverage", "has_unread"),
    [
        (Coverage(9, waiting=2), True),
        (Coverage(9, pages=13), True),
        (Coverage(9, failed=1), True),
        (Coverage(9, by_keyword=1), False),
        (Coverage(9, locked=1), False),
    ],
)
def test_e32_nothing_is_reported_as_missing_while_something_is_unread(
    qtbot: QtBot, theme: Theme, certainty: Certainty, coverage: Coverage, has_unread: bool
) -> None:
    transcript = Transcript.of_run(run(events=ended_as(certainty)))
    transcript.coverage = coverage
    banner = OutcomeBanner(theme)
    qtbot.addWidget(banner)
    banner.show_transcript(transcript)
    assert banner.accessibleName() == f"Not found in what was read so far {coverage.sentence}"
    assert coverage.sentence not in run_wording.notices(transcript)
    (offer,) = (one for one in banner.findChildren(QPushButton) if one.text() == "Read it first")
    assert offer.isVisibleTo(banner) is has_unread


@pytest.mark.parametrize("locked", [0, 1])
def test_an_answer_that_misses_locked_documents_offers_to_enter_their_password(
    qtbot: QtBot, theme: Theme, preview: CitationPreview, locked: int
) -> None:
    transcript = Transcript.of_run(run(events=ended_as(Certainty.NOT_FOUND)))
    transcript.coverage = Coverage(9, waiting=1, locked=locked)
    card = RunCard(theme, preview, transcript)
    qtbot.addWidget(card)
    (offer,) = (one for one in card.findChildren(QPushButton) if one.text() == "Enter password…")
    assert offer.isVisibleTo(card) is bool(locked)
    with qtbot.waitSignal(card.passwords_asked):
        offer.click()


def test_invented_source_is_warned_of() -> None:
    outcome = outcome_of(Transcript.of_run(run("A [1] and [9].")))
    assert outcome is not None
    assert outcome.title == "[9] is not a source"


def test_good_answer_has_no_banner() -> None:
    assert outcome_of(Transcript.of_run(run())) is None


def test_copy_gives_the_answer_with_footnotes(qtbot: QtBot, theme: Theme, preview: CitationPreview) -> None:
    card = RunCard(theme, preview, Transcript.of_run(run()))
    qtbot.addWidget(card)
    copy, again = (card.findChild(QPushButton, name) for name in ("Copy", "Ask again"))
    plain = card.findChild(QAction, "Copy without numbers")
    copy.click()
    assert "[1] report_1.pdf · page 3" in QGuiApplication.clipboard().text()
    plain.trigger()
    assert QGuiApplication.clipboard().text() == "Sales rose."
    with qtbot.waitSignal(card.ask_again) as asked:
        again.click()
    assert asked.args == ["How did sales do?"]


def test_an_answer_has_two_buttons_and_one_menu(qtbot: QtBot, theme: Theme, preview: CitationPreview) -> None:
    card = RunCard(theme, preview, Transcript.of_run(run()))
    qtbot.addWidget(card)
    foot = card.findChild(AnswerFooter)
    shown = [one.text() for one in foot.findChildren(QPushButton) if one.isVisibleTo(foot)]
    assert shown == ["Copy", "Ask again"]
    (more,) = foot.findChildren(QToolButton)
    assert [one.text() for one in more.menu().actions() if one.isVisible()] == [
        "Copy without citation numbers",
        "Edit question…",
        "Replay the steps",
    ]


def test_question_cannot_bring_markup(qtbot: QtBot, theme: Theme, preview: CitationPreview) -> None:
    question = "<b>bold</b> <img src=http://example.org/x.png>"
    card = RunCard(theme, preview, Transcript.of_run(replace(run(), question=question)))
    qtbot.addWidget(card)
    bubble = next(label for label in card.findChildren(QLabel) if label.text() == question)
    assert bubble.textFormat() == Qt.TextFormat.PlainText


def test_preview_shows_document_page_and_quote(qtbot: QtBot, preview: CitationPreview) -> None:
    citation = citations("A [1].", hit(1))[0]
    preview.offer(citation, hit(1), QRect(10, 300, 10, 10))
    assert not preview.isVisible()
    qtbot.waitUntil(preview.isVisible)
    words = " ".join(label.text() for label in preview.findChildren(QLabel))
    assert all(part in words for part in ("report_1.pdf", "Page 3", "Sales", "Net sales rose"))
    preview.dismiss()
    assert not preview.isVisible()


def filled(qtbot: QtBot, theme: Theme) -> tuple[Timeline, QLabel]:
    timeline = Timeline(theme)
    qtbot.addWidget(timeline)
    timeline.resize(300, 200)
    growing = QLabel("x")
    growing.setMinimumHeight(900)
    timeline.add(growing)
    timeline.show()
    qtbot.waitUntil(lambda: timeline.verticalScrollBar().maximum() > 600)
    return timeline, growing


def test_timeline_follows_the_newest_text(qtbot: QtBot, theme: Theme) -> None:
    timeline, growing = filled(qtbot, theme)
    growing.setMinimumHeight(1500)
    bar = timeline.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 1200)
    assert bar.value() == bar.maximum()


def test_a_row_above_that_turns_out_higher_does_not_move_what_is_read(qtbot: QtBot, theme: Theme) -> None:
    timeline, _ = filled(qtbot, theme)
    read, older = QLabel("read"), QLabel("older")
    read.setMinimumHeight(900)
    older.setMinimumHeight(500)
    timeline.show_rows([100, 900])
    timeline.put(1, read)
    timeline.verticalScrollBar().setValue(300)
    before = read.mapTo(timeline, QPoint(0, 0))
    timeline.put(0, older)
    assert older.height() == 500
    assert read.mapTo(timeline, QPoint(0, 0)) == before


def test_timeline_lets_go_when_the_reader_scrolls_up(qtbot: QtBot, theme: Theme) -> None:
    timeline, growing = filled(qtbot, theme)
    bar = timeline.verticalScrollBar()
    bar.setValue(100)
    growing.setMinimumHeight(1500)
    qtbot.waitUntil(lambda: bar.maximum() > 1200)
    assert bar.value() == 100
    jump = timeline.findChild(QPushButton)
    assert jump.isVisible()
    jump.click()
    assert bar.value() == bar.maximum()
    assert not jump.isVisible()


def test_a_hidden_widget_takes_no_space_in_a_line(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, spacing=10)
    chips = [QLabel(text) for text in ("one", "hidden", "two")]
    for chip in chips:
        flow.addWidget(chip)
    chips[1].hide()
    holder.resize(400, 40)
    holder.show()
    assert chips[2].x() == chips[0].width() + 10


def test_a_table_has_its_heads_above_its_cells(qtbot: QtBot, theme: Theme) -> None:
    view = AnswerView(theme)
    qtbot.addWidget(view)
    view.show_answer("| year | days of ice |\n|---|---:|\n| 1893 | 41 |", ())
    cells = [(block.text(), block.blockFormat().alignment()) for block in blocks(view)]
    left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
    assert [text for text, side in cells if side & left and text] == ["year", "1893"]
    assert [text for text, side in cells if side & right] == ["days of ice", "41"]


def blocks(view: AnswerView) -> list[QTextBlock]:
    found, block = [], view.document().begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found
