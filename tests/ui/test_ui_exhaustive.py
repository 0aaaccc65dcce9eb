"""Dock of exhaustive reading: estimated first, filled live, stopped, continued; a quote opens its passage."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import ModelUnreachable, RetrievalError
from workbench.model.exhaustive import (
    DocumentRead,
    DocumentReading,
    DocumentVerdict,
    PaceSource,
    Price,
    Reading,
    ReadingBegan,
    ReadingEstimate,
    ReadingInfo,
    ReadingMeter,
    ReadingProgress,
    ReadingStatus,
)
from workbench.model.hit import Citation
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.settings import Settings
from workbench.ui.exhaustive.pane import NEW, ExhaustivePane
from workbench.ui.exhaustive.presenter import VERDICTS, ExhaustivePresenter
from workbench.ui.theme import Theme

FAR = ModelProfile("far", "https://models.example.com/v1", "big")
QUOTE = Citation(0, True, 1, "a.pdf", page=3, chunk=9, start=5, end=12, quote="60 days")
YES = DocumentReading(1, "a.pdf", DocumentVerdict.YES, "The notice is 60 days.", (QUOTE,), 4, 4, 1)
NOT_YET = DocumentReading(2, "合同.pdf", DocumentVerdict.UNFINISHED, "", (), 4, 1)
NOT_SAID = DocumentReading(2, "合同.pdf", DocumentVerdict.NOT_SAID, "", (), 4, 4)
ESTIMATE = ReadingEstimate(2, 8, 2, 3000, 240, None, PaceSource.UNKNOWN, 0.01, "models.example.com", "big reads.")


def info(status: ReadingStatus = ReadingStatus.RUNNING, *, read: int = 0, number: int = 7, **more: Any) -> ReadingInfo:
    values: dict[str, Any] = {
        "id": number,
        "name": "Notice?",
        "question": "Is the notice longer than 30 days?",
        "knowledge_base": None,
        "filter": "tag:law",
        "profile": "far",
        "model": "big",
        "mode": "Model: big.",
        "status": status,
        "reason": "",
        "hint": "",
        "created": "",
        "changed": "",
        "seconds": 3.0,
        "calls": 2,
        "input_tokens": 3000,
        "output_tokens": 200,
        "meter": ReadingMeter(8, read, 2, read // 4),
    }
    return ReadingInfo(**values | more)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def pane(qtbot: QtBot, bridge: FakeBridge) -> Iterator[ExhaustivePane]:
    presenter = ExhaustivePresenter(bridge)  # type: ignore[arg-type]
    made = ExhaustivePane(presenter, Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(560, 420)
    presenter.set_library(object())  # type: ignore[arg-type]
    bridge.last("list_readings").succeed([])
    bridge.last("list_profiles").succeed([OFFLINE, FAR])
    bridge.last("load_settings").succeed(Settings(profile="far"))
    made.show()
    yield made
    presenter.deleteLater()


def press(pane: ExhaustivePane, text: str) -> None:
    (found,) = [one for one in pane.findChildren(QPushButton) if one.text() == text and one.isVisible()]
    assert found.isEnabled(), text
    found.click()


def texts(pane: ExhaustivePane) -> str:
    return "\n".join(one.text() for one in pane.findChildren(QLabel) if one.isVisible())


def buttons(pane: ExhaustivePane) -> set[str]:
    return {one.text() for one in pane.findChildren(QPushButton) if one.isVisible()}


def ask(pane: ExhaustivePane, text: str = "Is the notice longer than 30 days?") -> None:
    field = next(
        one for one in pane.form.findChildren(QLineEdit) if one.accessibleName() == "Question for every passage"
    )
    field.setText(text)
    field.textEdited.emit(text)


def begin(pane: ExhaustivePane, bridge: FakeBridge) -> Any:
    ask(pane)
    press(pane, "Estimate")
    bridge.last("estimate_reading").succeed(ESTIMATE)
    press(pane, "Start reading")
    job = bridge.last("read_all")
    job.emit(ReadingBegan(info(), ("1 document (“b.pdf”): new; read in addition.",)))
    for row in (DocumentReading(1, "a.pdf", DocumentVerdict.UNFINISHED, "", (), 4, 0), NOT_YET):
        job.emit(DocumentRead(7, row))
    return job


def rows(pane: ExhaustivePane) -> list[list[str]]:
    model = pane.result.table.rows
    return [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]


def test_reading_starts_only_after_the_estimate_is_shown_and_confirmed(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    assert "Start reading" not in buttons(pane)
    ask(pane)
    press(pane, "Estimate")
    asked = bridge.last("estimate_reading")
    assert (asked.args[0], asked.kwargs["profile"]) == ("Is the notice longer than 30 days?", "far")
    asked.succeed(ESTIMATE)
    said = texts(pane)
    for words in ("8 passages of 2 documents", "2 calls", "unknown until", "Cost: about 0.01"):
        assert words in said
    assert "8 passages and the question would be sent to models.example.com." in said
    assert not bridge.has("read_all")
    press(pane, "Start reading")
    assert bridge.last("read_all").kwargs["profile"] == "far"


def test_an_estimate_of_something_else_is_taken_away(pane: ExhaustivePane, bridge: FakeBridge) -> None:
    ask(pane)
    press(pane, "Estimate")
    bridge.last("estimate_reading").succeed(ESTIMATE)
    ask(pane, "Another question?")
    assert "Start reading" not in buttons(pane)
    press(pane, "Estimate")
    bridge.last("estimate_reading").fail(RetrievalError("No passage passes this filter.", "Change it."))
    assert "No passage passes this filter. Change it." in texts(pane)
    press(pane, "Estimate")


def test_the_price_of_the_last_reading_is_the_default_for_the_next_estimate(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    bridge.last("list_readings").succeed([info(ReadingStatus.COMPLETE, price=Price(2.0, 8.0))])
    bridge.last("load_settings").succeed(Settings(profile="far"))
    ask(pane)
    press(pane, "Estimate")
    assert bridge.last("estimate_reading").kwargs["price"] == Price(2.0, 8.0)


def test_the_table_and_the_meter_fill_in_live(pane: ExhaustivePane, bridge: FakeBridge) -> None:
    job = begin(pane, bridge)
    assert rows(pane) == [["Not yet", "a.pdf", "0 of 4 read"], ["Not yet", "合同.pdf", "1 of 4 read"]]
    job.emit(DocumentRead(7, YES))
    job.emit(ReadingProgress(7, ReadingMeter(8, 5, 2, 1, 1), 1, 1500, 100, 120.0))
    assert rows(pane)[0] == ["Yes", "a.pdf", "The notice is 60 days."]
    assert "Read 5 of 8 passages, 1 of 2 documents, 1 unreadable · about 2 minutes left" in texts(pane)
    assert "read in addition" in texts(pane)
    assert buttons(pane) >= {"Stop"}
    assert "Continue" not in buttons(pane)
    job.emit(DocumentRead(7, NOT_SAID))
    job.succeed(Reading(info(ReadingStatus.COMPLETE, read=8), (YES, NOT_SAID), "One says so [1].", (QUOTE,)))
    assert "1 yes, 1 not said" in texts(pane)
    assert pane.result.conclusion.isVisible()
    assert "Stop" not in buttons(pane)


def test_a_click_on_a_quote_opens_the_passage_and_so_does_enter(
    pane: ExhaustivePane, bridge: FakeBridge, qtbot: QtBot
) -> None:
    job = begin(pane, bridge)
    job.emit(DocumentRead(7, YES))
    table = pane.result.table
    quote = table.rows.index(0, 0, table.rows.index(0, 0))
    assert quote.data() == "“60 days”  page 3"
    table.scrollTo(quote)
    with qtbot.waitSignal(pane.citation_activated) as clicked:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(quote).center())
    assert clicked.args == [QUOTE]
    table.setCurrentIndex(table.rows.index(0, 0))
    with qtbot.waitSignal(pane.citation_activated) as pressed:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert pressed.args == [QUOTE]


def test_a_reading_that_was_stopped_is_shown_as_kept_and_can_be_continued(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    job = begin(pane, bridge)
    press(pane, "Stop")
    assert job.cancelled
    job.end_cancelled()
    paused = info(
        ReadingStatus.PAUSED, read=5, reason="You stopped this reading.", hint="“Continue” reads what is left."
    )
    bridge.last("open_reading").succeed(Reading(paused, (YES, NOT_YET)))
    assert "You stopped this reading. “Continue” reads what is left." in texts(pane)
    press(pane, "Continue")
    going = bridge.last("continue_reading")
    assert (going.args, going.kwargs) == ((7,), {"again": False})


def test_an_unreachable_model_is_reported_and_the_partial_table_is_shown(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    job = begin(pane, bridge)
    job.succeed(Reading(info(ReadingStatus.PAUSED, read=5, reason="There is no connection."), (YES, NOT_YET)))
    assert "There is no connection." in texts(pane)
    assert [row[0] for row in rows(pane)] == ["Yes", "Not yet"]


def test_a_library_that_fails_is_an_error_in_the_banner(pane: ExhaustivePane, bridge: FakeBridge) -> None:
    job = begin(pane, bridge)
    job.fail(ModelUnreachable("The disk is full."))
    bridge.last("open_reading").succeed(Reading(info(ReadingStatus.PAUSED, reason="The disk is full."), (NOT_YET,)))
    assert "The disk is full." in texts(pane)


def test_while_one_is_read_another_waits_and_then_does_not(pane: ExhaustivePane, bridge: FakeBridge) -> None:
    job = begin(pane, bridge)
    bridge.last("list_readings").succeed([info(), info(ReadingStatus.PAUSED, number=5)])
    pane.choice.activated.emit(0)
    assert not pane.form.isEnabled()
    pane.choice.activated.emit(2)
    other = Reading(info(ReadingStatus.PAUSED, number=5, reason="Stopped."), (NOT_YET,))
    bridge.last("open_reading").succeed(other)
    job.emit(DocumentRead(7, YES))
    assert [row[0] for row in rows(pane)] == ["Not yet"], "rows of the one that is read, not of the one that is shown"
    (waiting,) = [one for one in pane.findChildren(QPushButton) if one.text() == "Continue"]
    assert not waiting.isEnabled()
    job.succeed(Reading(info(ReadingStatus.COMPLETE, read=8), (YES, NOT_SAID)))
    bridge.last("open_reading").succeed(other)
    press(pane, "Continue")
    pane.choice.activated.emit(0)
    bridge.last("continue_reading").end_cancelled()
    assert pane.form.isEnabled()


def test_readings_are_listed_opened_renamed_deleted_and_brought_back(
    pane: ExhaustivePane, bridge: FakeBridge, tmp_path: Path
) -> None:
    said: list[tuple[str, bool]] = []
    presenter = pane._presenter
    presenter.notified.connect(lambda text, undoable: said.append((text, undoable)))
    bridge.last("list_readings").succeed([info(ReadingStatus.COMPLETE), info(ReadingStatus.PAUSED, number=5)])
    assert [pane.choice.itemText(row) for row in range(3)] == [NEW, "Notice?", "Notice? (not finished)"]
    pane.choice.activated.emit(1)
    bridge.last("open_reading").succeed(Reading(info(ReadingStatus.COMPLETE, read=8), (YES,)))
    assert [action.text() for action in pane.menu().actions() if action.text()] == [
        "Rename…",
        "Export as a table (CSV)…",
        "Export as Markdown…",
        "Delete",
    ]
    presenter.rename("Terms")
    assert bridge.last("rename_reading").args == (7, "Terms")
    presenter.export(tmp_path / "t.csv")
    assert bridge.last("export_reading").args == (7, "csv", tmp_path / "t.csv")
    presenter.remove()
    bridge.last("remove_reading").succeed(None)
    assert said == [("The reading was deleted.", True)]
    presenter.undo()
    assert bridge.last("restore_reading").args == (7,)


def test_changed_documents_are_reported_and_can_be_read_with_continue(pane: ExhaustivePane, bridge: FakeBridge) -> None:
    pane.choice.addItem("x", 7)
    pane.choice.activated.emit(1)
    note = "1 document (“c.pdf”): new since this was begun; “Continue” reads them."
    bridge.last("open_reading").succeed(
        Reading(info(ReadingStatus.COMPLETE, read=8), (YES,), notes=(note,), outdated=True)
    )
    assert note in texts(pane)
    assert "Continue" in buttons(pane)


def test_offline_it_is_found_or_not_found_and_there_is_no_answer_but_the_quotes(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    job = begin(pane, bridge)
    found = DocumentReading(1, "a.pdf", DocumentVerdict.YES, "", (QUOTE,), 4, 4, 1)
    job.succeed(Reading(info(ReadingStatus.COMPLETE, read=8, model="", profile="offline"), (found, NOT_SAID), "Found."))
    assert [row[0] for row in rows(pane)] == ["Found", "Not found"]
    assert "1 found, 1 not found" in texts(pane)


def test_a_verdict_is_an_icon_and_a_word_of_its_own() -> None:
    assert len({word for word, _, _ in VERDICTS.values()}) == len(DocumentVerdict)
    assert len({icon for _, icon, _ in VERDICTS.values()}) == len(DocumentVerdict)


def test_every_control_and_row_has_an_accessible_text_for_screen_readers(
    pane: ExhaustivePane, bridge: FakeBridge
) -> None:
    assert nameless(pane) == []
    job = begin(pane, bridge)
    job.emit(DocumentRead(7, YES))
    assert nameless(pane) == []
    model = pane.result.table.rows
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(0, 0).data(spoken) == "a.pdf. Yes. The notice is 60 days."
    assert model.index(0, 0, model.index(0, 0)).data(spoken).startswith("Quote: 60 days. page 3.")


def test_the_model_of_the_table_keeps_qt_s_rules(pane: ExhaustivePane, qtmodeltester: Any) -> None:
    model = pane.result.table.rows
    qtmodeltester.check(model)
    model.show([YES, NOT_SAID], offline=False)
    more = DocumentReading(1, "a.pdf", DocumentVerdict.YES, "Two.", (QUOTE, QUOTE), 4, 4, 2)
    for row in (more, YES, NOT_SAID, DocumentReading(3, "new.pdf", DocumentVerdict.NO, "", (), 1, 1)):
        model.put(row)
    assert [one.name for one in model.rows] == ["a.pdf", "合同.pdf", "new.pdf"]
