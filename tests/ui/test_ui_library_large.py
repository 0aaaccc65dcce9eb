"""Libraries too large for one layout pass: the window stays responsive, and the result is the same."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from test_ui_library_table import document

from workbench.model.document import Document, DocumentStatus, Metadata
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.ui.library.document_columns import Arrangement, ColumnView, DocumentColumn
from workbench.ui.library.list_view import DocumentListView
from workbench.ui.library.model import Counts, DocumentModel
from workbench.ui.library.presenter import LibraryEventCollector
from workbench.ui.library.row_layout import AT_ONCE, SlicedWork, Steps, sorted_steps

MANY = AT_ONCE + 1000
WORDS = ("heron", "ferry", "Quay", "合同")


def made_up(number: int) -> Document:
    dice = random.Random(number)
    metadata = Metadata("", author=dice.choice(("Ada", "Lee", "")))
    name = f"{dice.choice(WORDS)} {number}.pdf"
    return document(number, name, f"{number % 7}/{number % 3}", pages=dice.randrange(9), metadata=metadata)


DOCUMENTS = [made_up(number) for number in range(1, MANY + 1)]


@pytest.fixture
def model(qtbot: QtBot) -> DocumentModel:
    made = DocumentModel()
    with qtbot.waitSignal(made.laid, timeout=20_000):
        made.replace_all(DOCUMENTS)
    return made


def shown(model: DocumentModel) -> list[int]:
    return model.layout.numbers_at(0, model.rowCount())


def run(steps: Steps[list[int]]) -> list[int]:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kinds", [1, 2, 50, 100_000])
def test_sorting_in_steps_gives_the_same_result_as_sorted(kinds: int, descending: bool) -> None:
    dice = random.Random(kinds)
    keys = {number: f"{dice.randrange(kinds):06}" for number in range(30_000)}
    numbers = list(keys)
    steps = sorted_steps(numbers, keys.__getitem__, descending=descending)
    assert run(steps) == sorted(numbers, key=keys.__getitem__, reverse=descending)


@pytest.mark.parametrize("sort", list(DocumentColumn))
def test_a_large_library_is_ordered_like_a_small_one(model: DocumentModel, sort: DocumentColumn, qtbot: QtBot) -> None:
    small = DocumentModel()
    small.replace_all(DOCUMENTS[:AT_ONCE])
    small.arrange(Arrangement(sort, descending=True, tree=False))
    with qtbot.waitSignal(model.laid, timeout=20_000):
        model.arrange(Arrangement(sort, descending=True, tree=False))
    assert [number for number in shown(model) if number <= AT_ONCE] == shown(small)


def test_the_old_rows_are_shown_until_the_new_rows_are_ready(model: DocumentModel, qtbot: QtBot) -> None:
    before = shown(model)
    with qtbot.waitSignal(model.laid, timeout=20_000):
        model.filter(needle="ferry")
        assert shown(model) == before
        assert model.index_of(before[0]).isValid()
    assert 0 < len(shown(model)) < len(before)


def test_only_what_was_typed_last_is_looked_for(model: DocumentModel, qtbot: QtBot) -> None:
    laid = []
    model.laid.connect(lambda: laid.append(len(shown(model))))
    for needle in ("f", "fe", "fer", "heron 12.pdf"):
        model.filter(needle=needle)
    qtbot.waitUntil(lambda: bool(laid), timeout=20_000)
    assert len(laid) == 1


def test_documents_removed_during_the_row_layout_are_gone_after_it(model: DocumentModel, qtbot: QtBot) -> None:
    model.arrange(Arrangement(DocumentColumn.NAME))
    model.drop(range(1, 501))
    model.drop([600])
    model.put([replace(DOCUMENTS[0], chunks=99)])
    model.filter(needle="")
    qtbot.waitUntil(lambda: model.work.is_idle, timeout=20_000)
    assert {*shown(model)} == {1, *range(501, MANY + 1)} - {600}
    assert model.counts == Counts.of(model.documents())
    assert len(model.documents()) == MANY - 500


def test_all_can_go_and_come_back(model: DocumentModel, qtbot: QtBot) -> None:
    before = shown(model)
    model.drop(before)
    qtbot.waitUntil(lambda: model.work.is_idle, timeout=20_000)
    assert (model.rowCount(), model.documents(), model.counts) == (0, [], Counts())
    model.put(DOCUMENTS)
    qtbot.waitUntil(lambda: model.work.is_idle, timeout=20_000)
    assert shown(model) == before


def test_everything_selected_stays_selected_in_another_order(model: DocumentModel, qtbot: QtBot) -> None:
    view = DocumentListView(model)
    qtbot.addWidget(view)
    view.show_view(ColumnView(True, tuple(DocumentColumn)))
    view.selectAll()
    with qtbot.waitSignal(model.laid, timeout=20_000):
        model.arrange(Arrangement(DocumentColumn.NAME))
    assert len(view.selected_numbers()) == MANY
    assert len(view.selected(most=10)) == 10


def test_many_that_go_in_several_events_go_together(model: DocumentModel, qtbot: QtBot) -> None:
    changes = LibraryEventCollector(model, model)
    laid = []
    model.laid.connect(lambda: laid.append(model.counts.documents))
    for start in range(1, 1001, 200):
        changes.handle_event(DocumentsRemoved(tuple(range(start, start + 200))))
    qtbot.waitUntil(lambda: laid == [MANY - 1000], timeout=20_000)


def test_a_document_that_comes_back_before_it_went_is_there(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.replace_all(DOCUMENTS[:300])
    changes = LibraryEventCollector(model, model)
    changes.handle_event(DocumentsRemoved(tuple(range(1, 201))))
    changes.handle_event(DocumentChanged(replace(DOCUMENTS[4], status=DocumentStatus.QUEUED)))
    changes.flush()
    assert {*shown(model)} == {5, *range(201, 301)}


def test_sliced_jobs_run_in_order_and_a_new_job_replaces_an_unfinished_one_with_the_same_key(qtbot: QtBot) -> None:
    done: list[str] = []

    def job(name: str) -> Iterator[None]:
        for _ in range(3):
            yield
        done.append(name)

    parent = QObject()
    work = SlicedWork(parent)
    work.add(job("first"), size=AT_ONCE + 1)
    work.add(job("given up"), key="lay", size=1)
    work.add(job("second"), key="lay", size=1)
    assert done == []
    qtbot.waitUntil(lambda: work.is_idle, timeout=5000)
    assert done == ["first", "second"]
    work.add(job("at once"), size=1)
    assert done[-1] == "at once"
