"""Document check: rows with remedies, the histogram, and the effect of a remedy."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import MissingFile
from workbench.model.diagnosis import Bar, Diagnosis, Gravity, Patient, Remedy, Symptom
from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, PageRead
from workbench.ui.doctor.document_check_dialog import NOBODY, SOUND, DocumentCheckDialog, Histogram, SymptomRow
from workbench.ui.doctor.presenter import DocumentCheckPresenter
from workbench.ui.theme import Theme

LIBRARY: Any = object()


def document(number: int = 1) -> Document:
    name = f"{number}.pdf"
    return Document(number, "default", f"/{name}", name, "", 1, "pdf", DocumentStatus.READY, Metadata(name), 9, 5, 5)


BLANK = Symptom("2 pages without text", "Pages 3 and 4.", Gravity.PROBLEM, Remedy.OCR, (3, 4))
OLD = Symptom("Read by an older version of the program", remedy=Remedy.READ_AGAIN)
BARS = (Bar(1, 128, 3), Bar(129, 256, 10), Bar(257, 384, 1))
ILL = Diagnosis(document(), (BLANK, OLD), BARS, 256, 1, 0.05)


class FakeDocuments:
    """Recorder of requests to the library's presenter."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def reindex(self, numbers: list[int]) -> None:
        self.asked.append(("reindex", numbers))

    def resume(self) -> None:
        self.asked.append("resume")


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def documents() -> FakeDocuments:
    return FakeDocuments()


@pytest.fixture
def presenter(bridge: FakeBridge, documents: FakeDocuments, monkeypatch: pytest.MonkeyPatch) -> DocumentCheckPresenter:
    fake_operations(monkeypatch)
    return DocumentCheckPresenter(bridge, documents)  # type: ignore[arg-type]


@pytest.fixture
def dialog(presenter: DocumentCheckPresenter, qtbot: QtBot) -> Iterator[DocumentCheckDialog]:
    made = DocumentCheckDialog(presenter, Theme())
    qtbot.addWidget(made)
    yield made
    made.close()


def symptom_rows(dialog: DocumentCheckDialog) -> list[SymptomRow]:
    items = [dialog._rows.itemAt(row).widget() for row in range(dialog._rows.count())]
    return [widget for widget in items if isinstance(widget, SymptomRow)]


def test_each_symptom_is_a_row_with_its_remedy(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    remedies = [row.remedy.text() for row in symptom_rows(dialog) if row.remedy is not None]
    assert remedies == ["OCR 2 pages", "Read again"]
    assert dialog._summary.text() == "9 pages · 5 passages · 1 problem"
    assert dialog._histogram.isVisible()
    assert nameless(dialog) == []


def test_reading_again_is_one_click_and_shows_that_it_is_under_way(
    dialog: DocumentCheckDialog, bridge: FakeBridge, documents: FakeDocuments
) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    button = symptom_rows(dialog)[1].remedy
    assert button is not None
    button.click()
    assert documents.asked == [("reindex", [1])]
    assert (button.isEnabled(), button.text()) == (False, "In progress…")


def test_ocr_reads_the_pages_that_need_it_and_shows_its_progress(
    dialog: DocumentCheckDialog, bridge: FakeBridge
) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    button = symptom_rows(dialog)[0].remedy
    assert button is not None
    button.click()
    job = bridge.last("ocr_pages")
    assert job.args == (1, (3, 4))
    job.emit(PageRead(1, 3, 1, 2))
    assert dialog._summary.text() == "Reading by OCR: 1 of 2 done"
    job.succeed(document())
    assert bridge.jobs[-1].name == "diagnose"


def test_lost_tables_are_read_with_one_click_and_the_reading_can_be_stopped(
    dialog: DocumentCheckDialog, bridge: FakeBridge
) -> None:
    lost = Symptom("Tables read as plain lines on 2 pages", "Pages 3 and 4.", Gravity.WARNING, Remedy.TABLES, (3, 4))
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(Diagnosis(document(), (lost,)))
    button = symptom_rows(dialog)[0].remedy
    assert button is not None
    assert button.text() == "Find tables on 2 pages"
    button.click()
    job = bridge.last("read_tables")
    assert job.args == (1,)
    job.emit(PageRead(1, 3, 1, 2, tables=True))
    assert dialog._summary.text() == "Looking for tables: 1 of 2 done"
    button.click()
    assert job.cancelled


def test_ocr_can_be_stopped_even_after_the_rows_were_redrawn(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    symptom_rows(dialog)[0].remedy.click()  # type: ignore[union-attr]
    dialog._presenter.check_again()
    bridge.last("diagnose").succeed(ILL)
    button = symptom_rows(dialog)[0].remedy
    assert button is not None
    assert button.text() == "Stop"
    button.click()
    assert bridge.last("ocr_pages").cancelled
    assert button.text() == "Stopping…"
    bridge.last("ocr_pages").end_cancelled()
    bridge.last("diagnose").succeed(ILL)
    assert symptom_rows(dialog)[0].remedy.text() == "OCR 2 pages"  # type: ignore[union-attr]


def test_a_failed_remedy_is_reported_and_can_be_retried(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    presenter = dialog._presenter
    presenter.cure(ILL, BLANK)
    bridge.last("ocr_pages").fail(MissingFile("The library's copy of “1.pdf” is gone.", "Add the file again."))
    assert "Add the file again." in dialog._banner.text
    bridge.last("diagnose").succeed(ILL)
    button = symptom_rows(dialog)[0].remedy
    assert button is not None
    assert button.isEnabled()


def test_a_locked_document_asks_for_its_password(presenter: DocumentCheckPresenter, qtbot: QtBot) -> None:
    locked = Diagnosis(document(), (Symptom("It is locked", remedy=Remedy.UNLOCK),))
    with qtbot.waitSignal(presenter.unlock_asked) as asked:
        presenter.cure(locked, locked.symptoms[0])
    assert asked.args == [document()]


def test_a_cured_document_is_checked_again_by_itself(
    presenter: DocumentCheckPresenter, dialog: DocumentCheckDialog, bridge: FakeBridge, qtbot: QtBot
) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    before = len(bridge.jobs)
    bridge.domain_event.emit(DocumentChanged(document()))
    qtbot.waitUntil(lambda: len(bridge.jobs) > before)
    bridge.last("diagnose").succeed(Diagnosis(document(), (), BARS, 256))
    assert symptom_rows(dialog) == []
    assert dialog._summary.text().endswith("no problems")


def test_a_healthy_document_is_reported_as_healthy(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(Diagnosis(document(), ()))
    words = dialog._rows.itemAt(0).widget().findChildren(type(dialog._name))
    assert SOUND in [word.text() for word in words]
    assert not dialog._histogram.isVisible()


def test_the_whole_library_lists_the_ill_and_shows_the_first(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, None)
    bridge.last("diagnose_library").succeed([Patient(document(4), (BLANK,)), Patient(document(1), (OLD,))])
    assert dialog._list.isVisible()
    assert [dialog._model.index(row).data() for row in range(2)] == ["4.pdf", "1.pdf"]
    assert bridge.last("diagnose").args == (4,)


def test_a_healthy_library_is_reported_as_healthy(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, None)
    bridge.last("diagnose_library").succeed([])
    assert dialog._name.text() == NOBODY


def test_a_document_that_is_removed_meanwhile_is_no_error(dialog: DocumentCheckDialog, bridge: FakeBridge) -> None:
    dialog.check(LIBRARY, document())
    bridge.last("diagnose").succeed(ILL)
    bridge.domain_event.emit(DocumentsRemoved((1,)))
    assert dialog._name.text() == "This document was removed."
    assert symptom_rows(dialog) == []


def test_the_histogram_draws_a_bar_for_each_length_in_two_colours(qtbot: QtBot) -> None:
    theme = Theme(choice="light")
    histogram = Histogram(theme)
    qtbot.addWidget(histogram)
    histogram.resize(300, 150)
    histogram.show_diagnosis(ILL)
    image = histogram.grab().toImage()
    centres = [place.center().toPoint() for _bar, place in histogram._places()]
    colours = [image.pixelColor(point).name() for point in centres]
    tokens = theme.tokens()
    assert colours == [tokens.accent, tokens.accent, tokens.warn]
    assert histogram.accessibleDescription().startswith("3 passages of 1 to 128 tokens")


def test_a_histogram_bar_shows_its_meaning_in_a_tooltip(qtbot: QtBot) -> None:
    histogram = Histogram(Theme())
    qtbot.addWidget(histogram)
    histogram.resize(300, 150)
    histogram.show_diagnosis(ILL)
    histogram.show()
    over = QPoint(150, 60)
    QApplication.sendEvent(histogram, QHelpEvent(QEvent.Type.ToolTip, over, histogram.mapToGlobal(over)))
    assert QToolTip.text() == "10 passages of 129 to 256 tokens"


def test_a_check_that_was_closed_looks_at_nothing_more(
    dialog: DocumentCheckDialog, presenter: DocumentCheckPresenter, bridge: FakeBridge
) -> None:
    dialog.check(LIBRARY, document())
    looked = len(bridge.jobs)
    dialog.close()
    presenter.check_again()
    assert len(bridge.jobs) == looked
