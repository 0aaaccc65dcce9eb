"""Two users of one library: documents are shared, but not questions, readings and marks; no name is a user, too."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import NotFound, SettingError
from workbench.model.memory import LONGEST_USER, user_name
from workbench.model.run import Run
from workbench.operations import Library
from workbench.operations.mcp.mcp_server import mcp_server
from workbench.operations.sessions.imported_page_images import store_page_image
from workbench.store.database import FILE_NAME, Access
from workbench.worker.job import Operation

Do = Callable[[Operation[Any]], Any]
QUESTION = "When did the harbour freeze?"


@pytest.fixture
def shared(library: Library, papers: Path, run: Do) -> Library:
    run(operations.add_documents(library, [papers]))
    return library


@pytest.fixture
def bobs(shared: Library, embedder: Embedder, anns: Run) -> Iterator[Library]:
    """Yield the same library, opened for Bob; it contains a question of Ann."""
    folder = shared.folder
    shared.close()
    library = Library.open(folder, embedder=embedder, user="Bob")
    yield library
    library.close()


@pytest.fixture
def anns(shared: Library, run: Do) -> Run:
    run(operations.put_memory(shared, "Likes tea.", user="Ann"))
    asked: Run = run(operations.ask(shared, QUESTION, user=" Ann "))
    return asked


def test_questions_of_another_user_appear_in_no_list_search_or_citation(bobs: Library, anns: Run, run: Do) -> None:
    document = anns.citations[0].document
    assert run(operations.list_sessions(bobs)) == []
    assert run(operations.list_runs(bobs)) == []
    assert run(operations.find_sessions(bobs, "harbour")) == []
    assert run(operations.cited_in(bobs, document)) == []
    assert run(operations.list_memories(bobs)).memories == ()
    assert run(operations.list_users(bobs)) == ("Ann",)
    assert len(run(operations.list_documents(bobs))) > 0


def test_an_id_of_another_user_raises_the_same_error_as_a_missing_id(
    bobs: Library, anns: Run, run: Do, tmp_path: Path
) -> None:
    def calls(session: int, answer: int) -> list[Operation[Any]]:
        return [
            operations.open_session(bobs, session),
            operations.rename_session(bobs, session, "x"),
            operations.list_runs(bobs, session),
            operations.ask(bobs, QUESTION, session=session),
            operations.open_run(bobs, answer),
            operations.diff_runs(bobs, answer, answer),
            operations.fork_run(bobs, answer, question="Why?"),
            operations.export_session(bobs, session, "md", tmp_path / "out.md"),
            operations.export_inventory(bobs, [session]),
        ]

    for theirs, nobodys in zip(calls(anns.session, anns.id), calls(99, 99), strict=True):
        told = []
        for call, number in ((theirs, str(anns.id)), (nobodys, "99")):
            with pytest.raises(NotFound) as refused:
                run(call)
            told.append(str(refused.value).replace(number, "N"))
        assert told[0] == told[1]
    assert not (tmp_path / "out.md").exists()


def test_two_users_never_see_each_others_readings_marks_and_evaluations(
    shared: Library, embedder: Embedder, run: Do, tmp_path: Path
) -> None:
    anns = run(operations.read_all(shared, QUESTION, user=" Ann "))
    folder = shared.folder
    shared.close()
    for user, seen in (("Ann", [anns.info.id]), ("Bob", []), ("", [])):
        library = Library.open(folder, embedder=embedder, user=user)
        try:
            assert [one.id for one in run(operations.list_readings(library))] == seen
            assert not any(one.questions for one in run(operations.golden_sets(library)))
            hit = run(operations.search(library, QUESTION)).hits[0]
            run(operations.mark_passage(library, QUESTION, hit, True))
            assert len(run(operations.list_evaluations(library))) == 0
            run(operations.evaluate(library))
        finally:
            library.close()
    library = Library.open(folder, embedder=embedder, user="Bob")
    try:
        for call in (
            operations.open_reading(library, anns.info.id),
            operations.continue_reading(library, anns.info.id),
            operations.remove_reading(library, anns.info.id),
            operations.export_reading(library, anns.info.id, "csv", tmp_path / "out.csv"),
            operations.open_evaluation(library, 1),
        ):
            with pytest.raises(NotFound):
                run(call)
        assert run(operations.list_users(library)) == ("", "Ann", "Bob")
        assert run(operations.continue_reading(library, anns.info.id, user="Ann")).info.question == QUESTION
        assert run(operations.create_backup(library)).users == ("", "Ann", "Bob")
    finally:
        library.close()


def test_sessions_of_another_user_cannot_be_removed_or_restored(bobs: Library, anns: Run, run: Do) -> None:
    for call in (operations.remove_session, operations.pin_session, operations.archive_session):
        run(call(bobs, anns.session))
    assert bobs.sessions_of("Ann").get(anns.session).info.runs == 1
    bobs.sessions_of("Ann").mark_removed(anns.session)
    run(operations.restore_session(bobs, anns.session))
    with pytest.raises(NotFound):
        bobs.sessions_of("Ann").get(anns.session)


def test_page_images_of_a_session_are_kept_when_another_user_opens_the_library(
    shared: Library, anns: Run, embedder: Embedder
) -> None:
    (shared.folder / "page.png").write_bytes(b"page")
    store_page_image(shared.folder, anns.session, -5, (1, 0, 9), shared.folder / "page.png")
    folder = shared.folder
    shared.close()
    Library.open(folder, embedder=embedder, user="Bob").close()
    assert list((folder / "kept-pages" / str(anns.session)).iterdir())


def test_an_imported_session_is_of_who_imports_it(shared: Library, anns: Run, run: Do, tmp_path: Path) -> None:
    shared.sessions = shared.sessions_of("Ann")
    file = run(operations.export_session(shared, anns.session, "kwbundle", tmp_path / "one.kwbundle"))
    shared.user, shared.sessions = "Bob", shared.sessions_of("Bob")
    arrived = run(operations.import_session(shared, file))
    assert [one.id for one in shared.sessions_of("Bob").list()] == [arrived.info.id]
    assert [one.id for one in shared.sessions_of("Ann").list()] == [anns.session]


def test_a_user_with_read_only_access_sees_their_own_sessions_too(
    shared: Library, anns: Run, embedder: Embedder, run: Do
) -> None:
    for user, seen in (("Bob", []), ("Ann", [anns.session])):
        reader = Library.open(shared.folder, embedder=embedder, access=Access.READ, user=user)
        try:
            assert [one.id for one in run(operations.list_sessions(reader))] == seen
            asked = run(operations.ask(reader, QUESTION))
            assert [one.id for one in run(operations.list_sessions(reader))] == [asked.session, *seen]
        finally:
            reader.close()


def test_a_backup_lists_the_users_whose_sessions_it_contains(shared: Library, anns: Run, run: Do) -> None:
    assert run(operations.create_backup(shared)).users == ("Ann",)
    run(operations.ask(shared, QUESTION))
    assert run(operations.create_backup(shared)).users == ("", "Ann")
    assert sorted(one.name for one in (shared.folder / "backups").iterdir() if "-shm" in one.name) == []


def test_a_damaged_answer_is_reported_without_its_question_when_there_are_several_users(
    shared: Library, anns: Run, run: Do
) -> None:
    run(operations.ask(shared, "What about herons?"))
    with sqlite3.connect(shared.folder / FILE_NAME) as connection:
        connection.execute("UPDATE run_events SET fields = '{' WHERE run = ?", (anns.id,))
    connection.close()
    messages = [fault.message for fault in run(operations.check_library(shared)).faults]
    assert messages
    assert not any("harbour" in message for message in messages)


def test_the_mcp_server_of_a_user_gives_documents_and_nothing_that_was_asked(bobs: Library) -> None:
    async def ask() -> list[Any]:
        async with Client(mcp_server(bobs)) as client:
            found = await client.call_tool("search_knowledge_base", {"query": QUESTION})
            return [found, await client.call_tool("list_documents", {}), await client.list_resources()]

    found, listed, resources = asyncio.run(ask())
    assert "froze in 1987" in found.structured_content["passages"][0]["text"]
    assert listed.structured_content["total"] > 0
    told = json.dumps([listed.structured_content, [str(one.uri) for one in resources.resources]])
    assert not any(words in told for words in (QUESTION, "Ann", "tea", "session"))


@pytest.mark.parametrize(("typed", "name"), [(" Ann  Lee ", "Ann Lee"), ("e\u0301", "é"), ("", ""), ("ann", "ann")])
def test_a_name_is_kept_in_one_form(typed: str, name: str) -> None:
    assert user_name(typed) == name


@pytest.mark.parametrize("typed", ["x" * (LONGEST_USER + 1), "A\u202en", "A\u200bn", "\ud800"])
def test_an_unreadable_user_name_is_rejected(typed: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError):
        Library.open(tmp_path / "library", user=typed)
    assert not (tmp_path / "library").exists()
