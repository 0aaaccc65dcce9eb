"""The library's item model: rows, filter, changes, and texts."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from workbench.model.document import Document, DocumentStatus, FailureKind, Finding, FindingKind, Metadata
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.ui.library.document_wording import (
    index_words,
    is_locked,
    is_trouble,
    second_line,
    summary,
    time_left,
    tool_tip,
)
from workbench.ui.library.model import Counts, DocumentModel


def document(number: int, name: str = "", **changes: object) -> Document:
    name = name or f"paper-{number}.pdf"
    made = Document(
        id=number,
        knowledge_base="default",
        path=f"/docs/{name}",
        name=name,
        sha256=f"{number:064x}",
        size=10,
        format="pdf",
        status=DocumentStatus.READY,
        metadata=Metadata(title=f"Title {number}"),
        pages=3,
        chunks=7,
        embedded=7,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def names(model: DocumentModel) -> list[str]:
    return [model.index(row, 0).data() for row in range(model.rowCount())]


@pytest.mark.usefixtures("qapp")
def test_model_keeps_qts_rules_through_every_change(qtmodeltester: ModelTester) -> None:
    model = DocumentModel()
    qtmodeltester.check(model, force_py=True)
    model.replace_all([document(1), document(3)])
    model.put([document(2), document(3, status=DocumentStatus.FAILED), document(9)])
    model.filter(needle="paper-2")
    model.put([document(2, "other.pdf"), document(12, "paper-22.pdf")])
    model.drop([12, 1])
    assert names(model) == []


def test_a_changed_document_redraws_only_its_row(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.replace_all([document(1), document(2), document(3)])
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.put([document(2, status=DocumentStatus.EMBEDDING)])
    first, last = changed.args[:2]
    assert (first.row(), last.row()) == (1, 1)


def test_a_restored_document_comes_back_to_its_old_place() -> None:
    model = DocumentModel()
    model.replace_all([document(1), document(2), document(3)])
    model.drop([2])
    model.put([document(2)])
    assert names(model) == ["paper-1.pdf", "paper-2.pdf", "paper-3.pdf"]


def test_filter_finds_chinese_names_and_titles_in_any_case() -> None:
    model = DocumentModel()
    model.replace_all([document(1, "季度报告.pdf"), document(2, "b.pdf", metadata=Metadata(title="Annual Report"))])
    model.filter(needle="报告")
    assert names(model) == ["季度报告.pdf"]
    model.filter(needle="annual REP")
    assert names(model) == ["b.pdf"]


def test_filter_shows_one_knowledge_base_or_all() -> None:
    model = DocumentModel()
    model.replace_all([document(1), document(2, knowledge_base="law")])
    model.filter(knowledge_base="law")
    assert names(model) == ["paper-2.pdf"]
    model.filter(every=True)
    assert len(names(model)) == 2


def test_failed_document_shows_its_reason_and_in_the_tool_tip_what_to_do() -> None:
    failed = document(1, status=DocumentStatus.FAILED, reason="It is encrypted.", hint="Enter its password.")
    model = DocumentModel()
    model.replace_all([failed])
    index = model.index(0, 0)
    assert second_line(failed) == "It is encrypted."
    assert "Enter its password." in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "It is encrypted." in index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_only_a_failed_document_that_asks_for_a_password_is_locked() -> None:
    assert is_locked(document(1, status=DocumentStatus.FAILED, failure=FailureKind.PASSWORD))
    assert not is_locked(document(1, status=DocumentStatus.FAILED, reason="It is damaged.", failure=FailureKind.OTHER))
    assert not is_locked(document(1, failure=FailureKind.PASSWORD))


@pytest.mark.parametrize("failure", [FailureKind.CANCELLED, FailureKind.OTHER])
def test_a_document_cancelled_by_the_user_is_not_shown_as_an_error(failure: FailureKind) -> None:
    failed = document(1, status=DocumentStatus.FAILED, failure=failure)
    assert is_trouble(failed) is (failure is FailureKind.OTHER)


def test_tool_tip_of_a_document_carries_the_parsers_warnings() -> None:
    assert "Page 3 holds no text." in tool_tip(document(1, warnings=("Page 3 holds no text.",)))


def test_second_line_counts_pages_and_chunks() -> None:
    assert second_line(document(1, pages=1, chunks=1200)) == "1 page · 1,200 passages · PDF"
    assert second_line(document(1, pages=0, format="markdown")) == "7 passages · Markdown"
    assert second_line(document(1, pages=0, format="webpage")) == "7 passages · Web page"
    waiting = document(1, status=DocumentStatus.INDEXED, chunks=0)
    assert second_line(waiting) == "Scanned pages, waiting for OCR"
    assert second_line(document(1, status=DocumentStatus.EMBEDDING, embedded=2)) == "Embedding 2 of 7"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (DocumentStatus.PARSING, "Reading… pages 1 to 180 of 252"),
        (DocumentStatus.INDEXED, "Searchable by keyword · pages 1 to 180 of 252 · 7 passages"),
        (DocumentStatus.READY, "pages 1 to 180 of 252 · 7 passages · PDF"),
    ],
)
def test_the_second_line_shows_how_many_pages_of_a_file_were_read(status: DocumentStatus, words: str) -> None:
    in_part = (Finding(FindingKind.UNREAD, count=252),)
    assert second_line(document(1, status=status, pages=180, findings=in_part)) == words


def test_the_status_line_shows_whether_all_documents_are_searchable_or_not_yet() -> None:
    assert index_words(Counts()) == "No documents yet"
    assert index_words(Counts.of([document(1)])) == "1 document · 7 passages · all searchable"
    scan = document(2, status=DocumentStatus.INDEXED, chunks=0, embedded=0)
    assert index_words(Counts.of([document(1), scan])) == "2 documents · 7 passages · 1 waiting"
    half = index_words(
        Counts.of([document(1), document(2, embedded=0), document(3, status=DocumentStatus.FAILED, chunks=0)])
    )
    assert half == "3 documents · 14 passages · embedding 7 of 14 · 1 failed"


def test_the_remaining_time_is_shown_as_rounded_text() -> None:
    assert time_left(None) == ""
    assert [time_left(seconds) for seconds in (4, 38, 130, 7200)] == [
        "a few seconds left",
        "about 40 s left",
        "about 2 min left",
        "about 2.0 h left",
    ]


def finished(outcome: FileOutcome, reason: str = "") -> FileFinished:
    return FileFinished("/docs/a.pdf", outcome, 1, reason, 1, 1, 0.1)


def test_summary_of_an_import_counts_each_outcome() -> None:
    results = [finished(FileOutcome.READY), finished(FileOutcome.UNCHANGED), finished(FileOutcome.FAILED, "Empty.")]
    assert summary(results) == "1 document ready, 1 already in the library, 1 could not be read"
    assert summary([finished(FileOutcome.FAILED, "“a.pdf” is empty.")]) == "“a.pdf” is empty."
    assert summary([]) == "Nothing to add."
