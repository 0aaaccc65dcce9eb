"""Passages changed in the inspector: the verbs, the editor, the list of edits, and outlines on the page."""

from dataclasses import replace

import pytest
from accessibility import tab_stops
from PySide6.QtCore import QPointF, Qt, QUrl
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QListView, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_inspector_pane import frames
from ui_fake_worker import FakeBridge, FakeLibrary, fake_operations
from ui_runs import TEXT, chunk, document, hit, run

from workbench.errors import ChunkError
from workbench.model.chunk import Chunk, ChunkEdit, ChunksEdited, ChunkUse, EditKind, Neighbours, Outline, TextSize
from workbench.model.import_progress import DocumentChanged
from workbench.model.shared_library import SLOT_BITS
from workbench.model.text_diff import text_diff
from workbench.ui.inspector.chunk_edit_presenter import TextDifferences, offered_edits
from workbench.ui.inspector.citation_uses import CitedButton, HeatBar
from workbench.ui.inspector.details_view import DetailsView
from workbench.ui.inspector.document_loader import SectionAction
from workbench.ui.inspector.edits_dialog import LOST, EditsButton, EditsDialog, diff_html
from workbench.ui.inspector.evidence_view import CHANGED_SINCE
from workbench.ui.inspector.page_outlines import PageOutlines
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.passage_editing import DISABLED, EDITED, KEPT, ChunkTagsDialog, ChunkTools
from workbench.ui.inspector.passage_rows import InspectedPassage, of_document
from workbench.ui.library.filter_query import Query
from workbench.ui.theme import DARK, LIGHT, Theme

OLD = chunk(0)
SECOND = replace(chunk(1), start=TEXT.index("Résumé"), end=len(TEXT), text="Résumé of risks.")
EDITED_CHUNK = replace(OLD, id=201, text="Net sales fell.", source=OLD.text)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> InspectorPane:
    fake_operations(monkeypatch)
    made = InspectorPane(bridge, Theme(choice="light"))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.set_library(FakeLibrary())  # type: ignore[arg-type]
    made.resize(420, 800)
    made.show()
    return made


def edit(number: int = 1, **changes: object) -> ChunkEdit:
    made = "2026-11-22T09:30:00.000000+00:00"
    one = ChunkEdit(number, 1, EditKind.TEXT, made, (OLD,), (EDITED_CHUNK,), can_undo=True)
    return replace(one, **changes)  # type: ignore[arg-type]


def shown(pane: InspectorPane, bridge: FakeBridge, *chunks: Chunk) -> None:
    pane.show_document(document())
    bridge.last("list_chunks").succeed(list(chunks or (OLD, SECOND)))
    bridge.last("document_text").succeed(TEXT)


def act(pane: InspectorPane, name: str) -> None:
    view = pane.findChild(QListView)
    next(one for one in view.actions() if one.property("command") == f"passage.{name}").trigger()


def action(pane: InspectorPane, name: str) -> QAction:
    view = pane.findChild(QListView)
    return next(one for one in view.actions() if one.property("command") == f"passage.{name}")


def field(pane: InspectorPane) -> QPlainTextEdit:
    return next(one for one in pane.findChildren(QPlainTextEdit) if one.accessibleName() == "Text of the passage")


def pressed(pane: InspectorPane, text: str) -> None:
    next(one for one in pane.findChildren(QPushButton) if one.text() == text).click()


@pytest.mark.parametrize(
    ("name", "operation", "kwargs"),
    [
        ("merge_next", "merge_chunks", {"other": 1}),
        ("merge_previous", "merge_chunks", {"other": -1}),
        ("disable", "disable_chunk", {"disabled": True}),
    ],
)
def test_a_verb_of_the_menu_is_done_to_the_passage_that_is_shown(
    pane: InspectorPane, bridge: FakeBridge, name: str, operation: str, kwargs: dict[str, object]
) -> None:
    shown(pane, bridge)
    view = pane.findChild(QListView)
    view.setCurrentIndex(view.model().index(1, 0))
    act(pane, name)
    job = bridge.last(operation)
    assert (job.args, job.kwargs) == ((SECOND.id,), kwargs)
    act(pane, name)  # a key that is held down
    assert len([one for one in bridge.jobs if one.name == operation]) == 1


PASSAGE = of_document(document(), [OLD])[0]
SHARED = of_document(document((1 << SLOT_BITS) + 1), [replace(OLD, id=(1 << SLOT_BITS) + 5)])[0]
TEXTS = {"edit", "split", "disable", "tags", "undo", "redo"}


@pytest.mark.parametrize(
    ("passage", "state", "offered"),
    [
        (PASSAGE, {}, TEXTS | {"merge_next", "merge_previous"}),
        (PASSAGE, {"first": True}, TEXTS | {"merge_next"}),
        (PASSAGE, {"last": True}, TEXTS | {"merge_previous"}),
        (PASSAGE, {"read_only": True}, set()),
        (PASSAGE, {"reading": True}, set()),
        (SHARED, {}, set()),
        (replace(PASSAGE, chunk=None), {}, {"undo", "redo"}),
        (None, {}, set()),
    ],
)
def test_only_edits_that_would_not_be_refused_are_offered(
    passage: InspectedPassage | None, state: dict[str, bool], offered: set[str]
) -> None:
    known = {"first": False, "last": False, "read_only": False, "reading": False}
    assert offered_edits(passage, **{**known, **state}) == offered
    if passage is PASSAGE and not state:
        disabled = replace(PASSAGE, chunk=replace(OLD, disabled=True))
        assert offered_edits(disabled, **known) == offered | {"reset"}


def test_a_passage_is_not_edited_while_its_document_is_being_read(pane: InspectorPane, bridge: FakeBridge) -> None:
    library = FakeLibrary()
    pane.set_library(library)  # type: ignore[arg-type]
    shown(pane, bridge)
    tools = pane.passage_view.changes.tools
    for is_reading in (True, False):
        library.reading = {1} if is_reading else set()
        bridge.publish(DocumentChanged(document()))
        assert action(pane, "edit").isEnabled() is not is_reading
        assert tools.isVisible()


def test_the_last_passage_is_not_merged_with_a_next_one(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    assert not action(pane, "merge_previous").isEnabled()
    bridge.last("chunk_neighbours").succeed(Neighbours(OLD, None, None))
    assert not action(pane, "merge_next").isEnabled()
    view = pane.findChild(QListView)
    view.setCurrentIndex(view.model().index(1, 0))
    bridge.last("chunk_neighbours").succeed(Neighbours(SECOND, OLD, None))
    assert action(pane, "merge_previous").isEnabled()
    assert not action(pane, "merge_next").isEnabled()


def test_a_completed_edit_is_reported_and_can_be_undone(qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "disable")
    with qtbot.waitSignal(pane.edited) as said:
        bridge.last("disable_chunk").succeed(edit())
    assert said.args == ["Text edited.", edit()]
    pane.undo(edit())
    assert bridge.last("undo_chunk_edit").args == (1, 1)


def test_a_failed_action_is_reported_next_to_the_passage(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "merge_next")
    bridge.last("merge_chunks").fail(ChunkError("There is no passage beside this one."))
    assert pane.passage_view.notice == "There is no passage beside this one."


def test_a_text_is_edited_with_its_tokens_and_saved_with_ctrl_enter(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    act(pane, "edit")
    editor = pane.passage_view.changes.editor
    field(pane).setPlainText("港口的水深是十二米。")
    qtbot.waitUntil(lambda: bridge.last("text_size").args == ("港口的水深是十二米。",))
    bridge.last("text_size").succeed(TextSize(300, 256))
    assert editor.size_words == "300 of 256 tokens"
    qtbot.keyClick(field(pane), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    job = bridge.last("edit_chunk")
    assert job.args == (OLD.id, "港口的水深是十二米。")
    job.succeed(edit())
    assert not editor.is_open


def test_a_count_that_comes_late_is_not_shown(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "edit")
    first = bridge.last("text_size")
    field(pane).setPlainText("Other words.")
    first.succeed(TextSize(1, 256))
    assert pane.passage_view.changes.editor.size_words == "12 tokens"


def test_escape_leaves_the_passage_as_it_is(qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "edit")
    field(pane).setPlainText("Other words.")
    qtbot.keyClick(field(pane), Qt.Key.Key_Escape)
    act(pane, "edit")
    assert field(pane).toPlainText() == OLD.text
    assert not bridge.has("edit_chunk")


def test_unsaved_text_is_restored_after_another_passage_was_viewed(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "edit")
    field(pane).setPlainText("Half a sent")
    view = pane.findChild(QListView)
    view.setCurrentIndex(view.model().index(1, 0))
    assert pane.passage_view.notice == KEPT
    view.setCurrentIndex(view.model().index(0, 0))
    act(pane, "edit")
    assert field(pane).toPlainText() == "Half a sent"


def test_other_actions_are_disabled_while_a_text_is_edited(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    assert action(pane, "merge_next").isEnabled()
    act(pane, "edit")
    assert not action(pane, "merge_next").isEnabled()
    pane.passage_view.changes.editor.cancel()
    assert action(pane, "merge_next").isEnabled()


@pytest.mark.parametrize("ended", ["cancelled", "saved"])
def test_the_editor_returns_the_focus_to_where_it_was_opened(
    pane: InspectorPane, bridge: FakeBridge, ended: str
) -> None:
    shown(pane, bridge)
    view = pane.findChild(QListView)
    view.setFocus()
    act(pane, "edit")
    assert pane.focusWidget() is field(pane)
    editor = pane.passage_view.changes.editor
    if ended == "saved":
        editor.is_saved()
    else:
        editor.cancel()
    assert pane.focusWidget() is view


def test_a_section_that_is_being_loaded_is_not_asked_for_again(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    section = pane.findChild(SectionAction)
    section.trigger()
    section.trigger()
    assert len([job for job in bridge.jobs if job.name == "section_at"]) == 1


def test_a_passage_is_split_at_the_cursor_counted_in_characters(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    act(pane, "split")
    cursor = field(pane).textCursor()
    at = OLD.text.index("in 2023")
    cursor.setPosition(at + 1)  # the emoji before it is two UTF-16 units in Qt
    field(pane).setTextCursor(cursor)
    qtbot.keyClick(
        field(pane), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert bridge.last("split_chunk").args == (OLD.id, at)


def test_a_text_that_is_not_saved_cannot_be_split(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    act(pane, "edit")
    cursor = field(pane).textCursor()
    cursor.setPosition(4)
    field(pane).setTextCursor(cursor)
    split = next(one for one in pane.findChildren(QPushButton) if one.text() == "Split here")
    assert split.isEnabled()
    cursor.insertText("x")
    assert not split.isEnabled()


def test_an_edited_document_is_listed_again_at_the_edited_passage(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge, OLD, SECOND)
    changed = replace(SECOND, id=300, text="Summary of risks", source=SECOND.text)
    bridge.domain_event.emit(ChunksEdited(edit(before=(SECOND,), after=(changed,))))
    bridge.last("list_chunks").succeed([OLD, changed])
    assert pane.shown is not None
    assert pane.shown.chunk == changed


def test_an_edited_passage_shows_its_marked_source_and_a_notice_of_the_edit(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, EDITED_CHUNK)
    assert pane.passage_view.notice == EDITED
    bridge.last("document_pages").succeed(frames())
    _document, _page, ((start, end),) = bridge.last("page_marks").args
    assert TEXT[start:end] == OLD.text
    assert pane.passage_view.text_view.marked_text == OLD.text


def test_changes_by_the_user_are_shown_as_text_badges_in_the_list() -> None:
    made = replace(EDITED_CHUNK, disabled=True, tags=("ice",))
    (row,) = of_document(document(), [made])
    assert row.badges == ("12 tokens", "Disabled", "Edited by you", "#ice")
    assert row.is_disabled


def test_a_disabled_passage_shows_a_notice_and_is_enabled_by_the_same_key(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, replace(OLD, disabled=True))
    assert pane.passage_view.notice == DISABLED
    assert action(pane, "disable").text() == "Enable"
    act(pane, "disable")
    assert bridge.last("disable_chunk").kwargs == {"disabled": False}


def test_a_passage_of_an_answer_stays_as_it_was_found(pane: InspectorPane, bridge: FakeBridge) -> None:
    found = run("A [1].", hit(1))
    pane.show_run(found)
    changed = edit(before=(hit(1).chunk,))
    bridge.domain_event.emit(ChunksEdited(changed))
    bridge.last("list_chunk_edits").succeed([changed])
    assert pane.shown is not None
    assert pane.passage_view.notice == CHANGED_SINCE
    assert not bridge.has("list_chunks")


def test_a_passage_of_an_answer_is_reported_as_changed_until_the_edit_is_undone(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    changed = edit(before=(hit(1).chunk,))
    pane.show_run(run("A [1].", hit(1)))  # opened again, long after the edit
    bridge.last("list_chunk_edits").succeed([changed])
    assert pane.passage_view.notice == CHANGED_SINCE
    bridge.domain_event.emit(ChunksEdited(changed))
    bridge.last("list_chunk_edits").succeed([replace(changed, undone=1)])
    assert pane.passage_view.notice == ""


def test_the_notice_of_kept_unsaved_text_is_shown_also_over_a_changed_passage(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    answer = run("A [1] [2].", hit(1), hit(2))
    pane.show_run(answer)
    bridge.last("list_chunk_edits").succeed([edit(before=(hit(2).chunk,))])
    act(pane, "edit")
    field(pane).setPlainText("Not saved.")
    pane.show_citation(answer.citations[1])
    assert pane.shown is not None
    assert (pane.shown.chunk, pane.passage_view.notice) == (hit(2).chunk, KEPT)


def test_the_edits_of_a_document_are_listed_with_their_way_back(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    lost = edit(2, lost=True, can_undo=False)
    undone = edit(3, undone=1, can_undo=False, can_redo=True)
    bridge.last("list_chunk_edits").succeed([edit(), lost, undone])
    opener = pane.findChild(EditsButton)
    assert opener.text() == "2 edits, 1 not applied"
    opener.open()
    dialog = pane.findChild(EditsDialog)
    words = [label.text() for label in dialog.findChildren(QLabel)]
    assert LOST in words
    assert "Text edited (undone)" in words
    buttons = {one.text(): one for one in dialog.findChildren(QPushButton)}
    buttons["Undo"].click()
    assert bridge.last("undo_chunk_edit").args == (1, 1)
    bridge.last("undo_chunk_edit").succeed(edit(undone=2))
    buttons["Redo"].click()
    assert bridge.last("redo_chunk_edit").args == (1, 3)
    buttons["Discard edits that could not be applied"].click()
    assert bridge.last("dismiss_lost_edits").args == (1,)
    dialog.close()


def test_edits_that_were_all_undone_can_be_looked_at_and_are_not_counted(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    bridge.last("list_chunk_edits").succeed([edit(undone=1, can_undo=False, can_redo=True)])
    opener = pane.findChild(EditsButton)
    assert (opener.text(), opener.isVisible()) == ("Edits", True)


def test_the_edits_are_of_the_document_whose_passage_is_shown(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    pane.show_run(run("A [1].", hit(1, document=9)))
    bridge.last("list_chunk_edits").succeed([edit(2, document=9)])
    pane.findChild(EditsButton).open()
    dialog = pane.findChild(EditsDialog)
    assert "Edits of “report_9.pdf”" in [
        label.accessibleName() or label.text() for label in dialog.findChildren(QLabel)
    ]
    dialog.close()


def test_an_edit_that_was_undone_by_keyboard_keeps_it_and_its_place_before_the_foot(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    other = edit(2)
    bridge.last("list_chunk_edits").succeed([edit(), other])
    pane.findChild(EditsButton).open()
    dialog = pane.findChild(EditsDialog)
    dialog.activateWindow()
    _upper, lower = (one for one in dialog.findChildren(QPushButton) if one.text() == "Undo")
    lower.setFocus()
    qtbot.keyClick(lower, Qt.Key.Key_Space)
    bridge.domain_event.emit(ChunksEdited(edit(undone=1)))
    bridge.last("list_chunk_edits").succeed([edit(undone=1, can_undo=False, can_redo=True), other])
    assert dialog.focusWidget().accessibleName() == "Redo: Text edited, passage 1"
    assert [one.text() for one in tab_stops(dialog) if isinstance(one, QPushButton)] == ["Undo", "Redo", "Close"]
    dialog.close()


def test_the_difference_of_an_edit_is_computed_once_on_the_worker_and_shown_when_ready(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    bridge.last("list_chunk_edits").succeed([edit()])
    pane.findChild(EditsButton).open()
    dialog = pane.findChild(EditsDialog)
    assert "Comparing…" in [one.text() for one in dialog.findChildren(QLabel)]
    job = bridge.last("compare_texts")
    job.succeed(text_diff(edit().text_before, edit().text_after))
    assert any("<s>" in one.text() for one in dialog.findChildren(QLabel))
    pane.findChild(EditsButton).open()
    assert bridge.last("compare_texts") is job


def test_a_difference_that_comes_when_another_document_is_shown_is_let_go(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_operations(monkeypatch)
    differences = TextDifferences(bridge)  # type: ignore[arg-type]
    assert differences.of("a", "b") is None
    differences.forget()
    bridge.jobs[0].succeed(text_diff("a", "b"))
    assert differences.of("a", "b") is None
    assert len(bridge.jobs) == 2


def test_the_details_of_an_edited_passage_mark_what_was_changed_when_it_is_known(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, EDITED_CHUNK)
    details = pane.findChild(DetailsView)
    assert EDITED_CHUNK.text in details.toPlainText()
    bridge.last("compare_texts").succeed(text_diff(EDITED_CHUNK.source, EDITED_CHUNK.text))
    assert "line-through" in details.toHtml()


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_a_difference_is_recognisable_without_colours_too(tokens: object) -> None:
    written = diff_html(text_diff("The ferry <Aurora>.", "The ferry <Polaris>."), tokens)  # type: ignore[arg-type]
    assert "<s>Aurora</s>" in written
    assert "<u>Polaris</u>" in written
    assert "&lt;" in written


def test_the_tags_dialog_returns_valid_tags_and_reports_an_invalid_one(qtbot: QtBot) -> None:
    dialog = ChunkTagsDialog(replace(OLD, tags=("law",)), Theme(choice="light"))
    qtbot.addWidget(dialog)
    dialog._field.setText("law, 港口")
    dialog.accept()
    assert dialog.tags == ("law", "港口")
    dialog._field.setText("x" * 200)
    dialog.accept()
    assert "cannot be a tag" in dialog._banner.text


def test_every_passage_is_drawn_on_the_page_and_chosen_there(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, OLD, SECOND)
    bridge.last("document_pages").succeed(frames())
    pane.passage_view.layer.action.trigger()
    job = next(job for job in bridge.jobs if job.name == "page_outlines" and job.args == (1, 3))
    job.succeed((Outline(OLD.id, ((10, 10, 200, 20),)), Outline(SECOND.id, ((10, 40, 200, 50), (10, 60, 90, 70)))))
    with qtbot.waitSignal(pane.passage_view.layer.chunk_pressed) as chosen:
        pane.passage_view.layer.press(3, QPointF(50, 55))  # between its two lines
    assert chosen.args == [SECOND.id]
    assert pane.shown is not None
    assert pane.shown.chunk == SECOND
    assert pane.findChild(QListView).currentIndex().row() == 1


def test_a_passage_of_the_page_that_the_list_does_not_hold_is_shown_too(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, OLD)
    pane.passage_view.layer.chunk_pressed.emit(SECOND.id)
    bridge.last("chunk_neighbours").succeed(Neighbours(SECOND, OLD, None))
    assert pane.shown is not None
    assert pane.shown.chunk == SECOND
    assert not pane.findChild(QListView).currentIndex().isValid()


def test_neighbouring_passages_are_shown_and_can_be_opened_with_one_click(
    pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge, OLD, SECOND)
    bridge.last("chunk_neighbours").succeed(Neighbours(OLD, None, SECOND))
    details = pane.findChild(DetailsView)
    assert "After it: passage 2" in details.toPlainText()
    assert "Before it" not in details.toPlainText()
    details.anchorClicked.emit(QUrl(f"chunk:{SECOND.id}"))
    bridge.last("chunk_neighbours").succeed(Neighbours(SECOND, OLD, None))
    assert pane.shown is not None
    assert pane.shown.chunk == SECOND


def test_pages_that_answers_cited_are_marked_beside_them_and_turned_to(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge, OLD)
    bridge.last("cited_in").succeed([ChunkUse(7, "Sales", 1, "How?", 3000, 3010)])
    bridge.last("document_pages").succeed(frames())
    heat = pane.passage_view.heat
    assert heat.weights == (0, 0, 0, 0, 0, 1, 0, 0, 0)
    heat.row_pressed.emit(5)
    assert pane.passage_view.page_view.page == 6


def test_outlines_that_are_wanted_no_more_are_not_drawn(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge)
    bridge.last("document_pages").succeed(frames())
    action = pane.passage_view.layer.action
    action.trigger()
    late = bridge.last("page_outlines")
    action.trigger()
    late.succeed((Outline(OLD.id, ((10, 10, 200, 20),)),))
    outlines = pane.findChild(PageOutlines)
    assert outlines.at(3, QPointF(50, 15)) == 0


def test_answers_that_cited_a_passage_are_listed_and_opened(
    qtbot: QtBot, pane: InspectorPane, bridge: FakeBridge
) -> None:
    shown(pane, bridge)
    uses = [
        ChunkUse(7, "Sales", 3, "How did sales do?", OLD.start, OLD.end),
        ChunkUse(7, "Sales", 3, "How did sales do?", OLD.start, OLD.start + 3),
        ChunkUse(8, "Other", 4, "A & B?", OLD.start + 2, OLD.end),
    ]
    bridge.last("cited_in").succeed(uses)
    cited = pane.findChild(CitedButton)
    assert cited.text() == "Cited in 2 answers"
    assert (2, 0) in [bar.weights for bar in pane.findChildren(HeatBar)]
    with qtbot.waitSignal(pane.session_asked) as asked:
        cited._menu.actions()[1].trigger()
    assert asked.args == [8]


def test_the_tools_are_there_for_chunks_of_the_library_only(pane: InspectorPane, bridge: FakeBridge) -> None:
    outside = hit(1)
    pane.show_run(run("A [1].", replace(outside, origin="web", chunk=replace(outside.chunk, id=-1, document=0))))
    tools = pane.findChild(ChunkTools)
    assert not tools.isVisible()
    shown(pane, bridge)
    assert tools.isVisible()


def test_a_passage_is_not_edited_by_being_opened(pane: InspectorPane, bridge: FakeBridge) -> None:
    shown(pane, bridge, replace(OLD, text="12\u00a0% of 港口 😀,\n\nand\u2009more.\n"))
    act(pane, "edit")
    editor = pane.passage_view.changes.editor
    assert (editor.text, editor.has_draft) == ("12\u00a0% of 港口 😀,\n\nand\u2009more.\n", False)


@pytest.mark.parametrize("text", ["passage_tag:law", "passage_tag:law AND format:pdf", "-passage_tag:key"])
def test_documents_with_a_tagged_passage_are_listed_by_it(text: str) -> None:
    tagged, other = replace(document(1), passage_tags=("law",)), document(2)
    rows = {one.id: one for one in (tagged, other)}
    found = Query.of(text).chosen([1, 2], rows, {1: "", 2: ""}).named
    assert 1 in found
    assert (2 in found) is text.startswith("-")
