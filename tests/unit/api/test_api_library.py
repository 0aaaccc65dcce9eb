"""The program as a Python library: the verbs of scripts, and the errors for mistakes."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, get_args

import pytest

import workbench
from workbench.api.arguments import AskEvent, ImportEvent, ReadingEvent
from workbench.errors import LibraryLocked, NotFound, RetrievalError
from workbench.model.import_progress import FileFinished
from workbench.model.run import RunCompleted, RunStarted


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.md"
    path.write_text("# Survey\n\nThe harbour of Lindhamn froze on 3 May 1893.\n", "utf-8")
    return path


def minutes(query: str, num_documents: int | None = None) -> list[dict[str, str]]:
    return [{"name": "Minutes", "content": "The council opened the harbour on 9 May 1893."}]


def test_a_script_asks_every_passage_and_continues_when_documents_are_added(
    library: workbench.Library, survey: Path, tmp_path: Path
) -> None:
    library.add(survey)
    seen: list[Any] = []
    reading = library.read_all("When did the harbour freeze?", "format:markdown", on_event=seen.append)
    assert [(row.name, row.citations[0].quote) for row in reading.documents] == [
        ("survey.md", "The harbour of Lindhamn froze on 3 May 1893.")
    ]
    assert seen[-1].meter.sentence == "Read 1 of 1 passage, 1 of 1 document"
    other = tmp_path / "other.md"
    other.write_text("# Other\n\nThe harbour of Merewake froze in March 1911.\n", "utf-8")
    library.add(other)
    again = library.continue_reading(reading.info.id)
    assert [row.name for row in again.documents] == ["other.md", "survey.md"]
    with pytest.raises(RetrievalError):
        library.read_all("When?", "tag:none")


def test_a_script_adds_searches_and_asks(library: workbench.Library, survey: Path) -> None:
    (file,) = library.add(survey)
    assert (file.outcome, file.reason) == ("ready", "")
    (hit,) = library.search("When did the harbour freeze?", k=3).hits
    assert hit.document_name == "survey.md"
    run = library.ask("When did the harbour freeze?")
    assert run.citations[0].quote == "The harbour of Lindhamn froze on 3 May 1893."
    assert [document.name for document in library.documents()] == ["survey.md"]


@pytest.mark.parametrize("filter", ["format:pdf", {"format": "pdf"}, [{"op": "EQ", "key": "format", "value": "pdf"}]])
def test_a_filter_is_a_text_a_dict_or_a_list_of_expressions(
    library: workbench.Library, survey: Path, filter: Any
) -> None:
    library.add([str(survey)])
    assert library.search("harbour", filter=filter).hits == ()
    assert len(library.search("harbour", filter={"format": "markdown"}).hits) == 1


def test_events_come_on_the_thread_that_waits(library: workbench.Library, survey: Path) -> None:
    told: list[tuple[type, threading.Thread]] = []

    def tell(event: Any) -> None:
        told.append((type(event), threading.current_thread()))

    library.add(survey, on_event=tell)
    library.ask("When did the harbour freeze?", on_event=tell)
    assert {FileFinished, RunStarted, RunCompleted} <= {kind for kind, _ in told}
    assert {thread for _, thread in told} == {threading.current_thread()}


def test_an_exception_in_on_event_stops_the_work_and_reaches_the_caller(library: workbench.Library) -> None:
    def refuse(_event: Any) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        library.ask("When did the harbour freeze?", on_event=refuse)
    assert library.ask("When did the harbour freeze?").status == "completed"


def test_a5_an_agent_with_a_retriever_is_a_value_or_a_name(library: workbench.Library) -> None:
    agent = workbench.Agent("clerk", retrievers=("minutes",), knowledge=False)
    library.use_retriever("minutes", minutes).put_agent(agent)
    for asked in (agent, "clerk"):
        run = library.ask("When was the harbour opened?", agent=asked)
        assert run.citations[0].quote == "The council opened the harbour on 9 May 1893."


def test_a1_a_retriever_may_be_handed_in_with_the_question(library: workbench.Library) -> None:
    assert library.ask("When was the harbour opened?", retrievers=[minutes]).citations[0].origin == "minutes"


def test_d3_a_retriever_is_registered_under_a_name_once_and_in_time(library: workbench.Library) -> None:
    with pytest.raises(ValueError, match="registered already"):
        library.use_retriever("minutes", minutes).use_retriever("minutes", minutes)
    library.ask("When was the harbour opened?", retrievers=["minutes"])
    with pytest.raises(RuntimeError, match="too late"):
        library.use_retriever("letters", minutes)


def test_a_knowledge_base_is_a_thing_of_its_own(library: workbench.Library, survey: Path) -> None:
    work, empty = library.knowledge("work"), library.knowledge("default")
    work.add(survey)
    assert [hit.document_name for hit in work.search("frozen harbour")] == ["survey.md"]
    assert empty.search("frozen harbour") == []
    assert {c.document for c in work.ask("When did the harbour freeze?").citations} == {work.documents()[0].id}
    assert not empty.ask("When did the harbour freeze?").citations
    with pytest.raises(RetrievalError, match="There is no filter “colour”"):
        work.search("frozen harbour", filters={"colour": "red"})
    assert [document.name for document in work.documents()] == ["survey.md"]


def test_a_search_result_is_a_sequence_of_its_hits(library: workbench.Library, survey: Path) -> None:
    library.add(survey)
    found = library.search("frozen harbour")
    assert [hit.text for hit in found] == [hit.chunk.text for hit in found.hits] != []
    assert (len(found), found[0], found[:1]) == (len(found.hits), found.hits[0], found.hits[:1])


def test_failures_are_raised_as_workbench_errors(library: workbench.Library, folder: Path) -> None:
    with pytest.raises(RetrievalError):
        library.search(" ")
    with pytest.raises(NotFound):
        library.ask("When?", agent="nobody")
    with pytest.raises(LibraryLocked), workbench.open_library(folder):
        pass
    assert issubclass(NotFound, workbench.WorkbenchError)


def test_several_threads_may_ask_at_once(library: workbench.Library, survey: Path) -> None:
    library.add(survey)
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(library.search("harbour").hits)), name="asks")
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1, 1, 1, 1]


def test_the_same_awaited_side_by_side(folder: Path, survey: Path) -> None:
    async def main() -> list[Any]:
        async with workbench.open_library_async(folder) as library:
            library.use_retriever("minutes", minutes)
            await library.add(survey)
            return await asyncio.gather(
                library.search("harbour"),
                library.ask("When did the harbour freeze?"),
                library.ask("When was the harbour opened?", retrievers=["minutes"]),
                library.documents(),
            )

    result, first, second, documents = asyncio.run(main())
    assert (len(result.hits), len(documents)) == (1, 1)
    assert [run.citations[0].document_name for run in (first, second)] == ["survey.md", "Minutes"]


def test_a_closed_library_reports_that_it_is_closed_when_it_is_awaited(folder: Path) -> None:
    async def main() -> None:
        async with workbench.open_library_async(folder) as library:
            with pytest.raises(TypeError, match="'on_event' must be a plain function"):
                await library.ask("When?", on_event=asyncio.sleep)
        with pytest.raises(workbench.LibraryError, match="closed"):
            await library.search("When?")

    asyncio.run(main())


_LEAVING = """
import asyncio, sys, threading, workbench

async def main():
    begun, over = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def minutes(query, num_documents=None):
        loop.call_soon_threadsafe(begun.set)
        over.wait(30)

    async with workbench.open_library_async(sys.argv[1]) as library:
        asked = asyncio.create_task(library.ask("When did it freeze?", retrievers=[minutes]))
        await begun.wait()
        listed = asyncio.create_task(library.documents())
    over.set()
    print(asked.cancelled(), listed.done())
    try:
        await library.documents()
    except workbench.errors.LibraryError as error:
        print(error.message)

asyncio.run(main())
"""


def test_leaving_with_questions_pending_cancels_them_and_prints_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _LEAVING, str(tmp_path / "library")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("True True\nThe library is closed.\n", "")


def test_every_name_that_stays_is_there_and_no_other() -> None:
    assert set(workbench.__all__) <= set(dir(workbench))
    assert all(getattr(workbench, name) is not None for name in workbench.__all__)
    with pytest.raises(AttributeError):
        workbench.nothing_of_the_kind  # noqa: B018


def test_every_event_is_a_name_that_stays() -> None:
    told = [kind.__name__ for union in (AskEvent, ImportEvent, ReadingEvent) for kind in get_args(union)]
    assert sorted(set(told) - set(workbench.__all__)) == []


def test_importing_it_loads_nothing_before_it_is_asked_for() -> None:
    statement = (
        "import sys, workbench; before = [name for name in sys.modules if name.startswith('workbench.')];"
        "workbench.Agent; print(before, 'workbench.model.agent' in sys.modules, 'workbench.operations' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True", "False"]


def test_a_script_needs_no_guard_against_being_run_again(tmp_path: Path, survey: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, workbench\nprint('once')\nwith workbench.open_library(sys.argv[1]) as library:\n"
        "    print(library.add(sys.argv[2])[0].outcome.value)\n",
        "utf-8",
    )
    command = [sys.executable, str(script), str(tmp_path / "library"), str(survey)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["once", "ready"]


def test_two_users_of_a_library_keep_their_sessions_apart(folder: Path, survey: Path) -> None:
    with workbench.open_library(folder, user="Ann") as library:
        library.add(survey)
        anns = library.ask("When did the harbour freeze?")
        with pytest.raises(NotFound):
            library.ask("And then?", session=anns.session, user="Bob")
        bobs = library.ask("When did the harbour freeze?", user="Bob")
    with workbench.open_library(folder, user="Bob") as library:
        assert library.ask("Why?", session=bobs.session).session == bobs.session
        with pytest.raises(NotFound):
            library.ask("And then?", session=anns.session)
    with workbench.open_library(folder) as library, pytest.raises(NotFound):
        library.ask("And then?", session=bobs.session)
