"""Idle maintenance: started when the program is idle, stopped at once, and its effects on a library."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import DiskFull
from workbench.model.hit import SearchMode
from workbench.model.import_progress import IndexRepaired
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.library.background_work import IdleMaintenance
from workbench.operations.library.models import BEING_MADE, REPAIRED
from workbench.store.common_words import stored_build

Run = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.operations.library.background_work.QUIET_SECONDS", 0.0)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("ferry", "heron"):
        (folder / f"{name}.md").write_text(
            f"# The {name}\n\nThe {name} was seen in the harbour of Lindhamn.\n", "utf-8"
        )
    return folder


def test_the_work_is_done_on_a_thread_of_its_own() -> None:
    done: list[str] = []
    finished = threading.Event()

    def work(_stop: Callable[[], bool]) -> None:
        done.append(threading.current_thread().name)
        finished.set()

    upkeep = IdleMaintenance(work, is_busy=lambda: False)
    upkeep.request()
    assert finished.wait(10)
    upkeep.close()
    assert done[0].startswith("upkeep")


def test_closing_ends_the_work_and_nothing_begins_afterwards() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(stop: Callable[[], bool]) -> None:
        begun.set()
        while not stop():
            ended.wait(0.001)
        ended.set()

    upkeep = IdleMaintenance(work, is_busy=lambda: False)
    upkeep.request()
    assert begun.wait(10)
    upkeep.close()
    assert ended.is_set()
    begun.clear()
    upkeep.request()
    assert not begun.is_set()


def test_it_does_not_begin_while_something_goes_first() -> None:
    begun: list[bool] = []
    asked = threading.Event()

    def is_busy() -> bool:
        asked.set()
        return True

    upkeep = IdleMaintenance(lambda _: begun.append(True), is_busy=is_busy)
    upkeep.request()
    assert asked.wait(10)
    upkeep.close()
    assert begun == []


def test_a_failed_maintenance_task_is_logged_and_the_next_one_is_done(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []
    again = threading.Event()

    def work(_stop: Callable[[], bool]) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise DiskFull("There is no room left.", "Free some space.")
        again.set()

    upkeep = IdleMaintenance(work, is_busy=lambda: False)
    with caplog.at_level("INFO", "workbench"):
        while not again.is_set():
            upkeep.request()
            again.wait(0.001)
    upkeep.close()
    assert any("no room left" in message for message in caplog.messages)


def vectors_of_closed(folder: Path, embedder: Embedder, run: Run, papers: Path) -> Path:
    """Return the vector file of a closed library to which the papers were added."""
    library = Library.open(folder, embedder=embedder)
    run(operations.add_documents(library, [papers]))
    library.close()
    (file,) = (folder / "index").glob("*/*.vectors")
    return file


@pytest.mark.logs_warnings
def test_index_rows_damaged_on_disk_are_restored_from_the_library_and_that_is_reported(
    tmp_path: Path, embedder: Embedder, run: Run, papers: Path, events: list[Any]
) -> None:
    file = vectors_of_closed(tmp_path / "library", embedder, run, papers)
    data = bytearray(file.read_bytes())
    data[-1] ^= 0x40
    file.write_bytes(data)
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        library.upkeep.close()  # what it would do is done here
        count = library.models.index().count
        library._maintain(lambda: False)
        assert library.models.index().count == count == 2
        assert not library.models.index().maintain(lambda: False)
        result = run(operations.search(library, "Where was the heron?"))
        assert ("heron.md" in result.hits[0].path, result.notes) == (True, (REPAIRED,))
        assert run(operations.search(library, "Where was the heron?")).notes == ()
    finally:
        library.close()


def test_a_damaged_index_is_reported_when_the_library_is_opened(
    tmp_path: Path, embedder: Embedder, run: Run, papers: Path, events: list[Any]
) -> None:
    file = vectors_of_closed(tmp_path / "library", embedder, run, papers)
    file.write_bytes(file.read_bytes()[:-1])
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        run(operations.warm_up(library))
        assert [event for event in events if isinstance(event, IndexRepaired)] == [IndexRepaired(REPAIRED)]
        dense = SearchConfiguration(SearchMode.DENSE)
        found = run(operations.search(library, "Where was the heron?", configuration=dense))
        assert found.hits[0].path.endswith("heron.md")
    finally:
        library.close()


def test_common_words_are_kept_in_idle_time_and_found_as_before(
    tmp_path: Path, embedder: Embedder, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.common_words.LEAST_CHUNKS", 1)
    monkeypatch.setattr("workbench.store.common_words._COMMON", 1)
    library = Library.open(tmp_path / "library", embedder=embedder)
    library.upkeep.close()  # its work is done here
    try:
        run(operations.add_documents(library, [papers]))
        before = library.keywords.search("Where was the heron?", 10)
        library._maintain(lambda: False)
        with library.database.read() as connection:
            assert stored_build(connection) is not None
        assert library.keywords.search("Where was the heron?", 10) == [
            (id, pytest.approx(score, abs=1e-3)) for id, score in before
        ]
    finally:
        library.close()


def opened_behind(folder: Path, embedder: Embedder, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return a library whose index is truncated, and too large to be rebuilt while the user waits."""
    file = vectors_of_closed(folder, embedder, run, papers)
    file.write_bytes(file.read_bytes()[:-1])
    monkeypatch.setattr("workbench.operations.library.models._AT_ONCE", 1)
    library = Library.open(folder, embedder=embedder)
    library.upkeep.close()  # its work is done here
    return library


def test_while_a_big_index_is_rebuilt_passages_are_found_by_keyword_and_the_rebuild_is_reported(
    tmp_path: Path, embedder: Embedder, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = opened_behind(tmp_path / "library", embedder, run, papers, monkeypatch)
    try:
        for _ in range(2):
            result = run(operations.search(library, "Where was the heron?"))
            assert (result.hits[0].path.endswith("heron.md"), BEING_MADE in result.notes) == (True, True)
            assert result.hits[0].scores.dense is None
        library._maintain(lambda: False)
        result = run(operations.search(library, "Where was the heron?"))
        assert result.hits[0].scores.dense_rank == 1
        assert REPAIRED in result.notes
        assert REPAIRED not in run(operations.search(library, "Where was the ferry?")).notes
    finally:
        library.close()


def test_an_interrupted_index_rebuild_resumes_from_the_part_already_built(
    tmp_path: Path, embedder: Embedder, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = opened_behind(tmp_path / "library", embedder, run, papers, monkeypatch)
    monkeypatch.setattr("workbench.indexing.saved_index.PIECE", 1)
    try:
        assert library.models.index().count == 0
        stops = iter((False, True))
        library._maintain(lambda: next(stops, True))
        assert library.models.index().count == 1
        assert library.models.take_notice() == BEING_MADE
    finally:
        library.close()
    library = Library.open(tmp_path / "library", embedder=embedder)
    try:
        assert library.models.index().count == 2
        assert BEING_MADE not in library.models.take_notice()
    finally:
        library.close()


def test_the_least_urgent_maintenance_runs_last_and_stops_when_new_work_is_requested() -> None:
    done: list[str] = []
    begun, again, ended = threading.Event(), threading.Event(), threading.Event()

    def last(stop: Callable[[], bool]) -> None:
        done.append("last")
        if again.is_set():
            ended.set()
            return
        begun.set()
        while not stop():
            again.wait(0.001)

    upkeep = IdleMaintenance(lambda _: done.append("work"), is_busy=lambda: False)
    upkeep.add(last)
    upkeep.request()
    assert begun.wait(10)
    again.set()
    upkeep.request()
    assert ended.wait(10)
    upkeep.close()
    assert done[:4] == ["work", "last", "work", "last"]
