"""State of sessions: pinned, archived, found by their content, with drafts of questions."""

from pathlib import Path

import pytest

from workbench.model.run import RunStatus
from workbench.store.database import Database
from workbench.store.sessions import SessionOrganizer, SessionStore


@pytest.fixture
def sessions(database: Database) -> SessionStore:
    return SessionStore(database)


@pytest.fixture
def shelf(database: Database) -> SessionOrganizer:
    return SessionOrganizer(database)


def said(sessions: SessionStore, question: str, answer: str, title: str = "") -> int:
    session = sessions.create(title).id
    run = sessions.start_run(session, question, "offline", "Offline")
    sessions.finish_run(run, RunStatus.COMPLETED, answer=answer, citations=(), refused=False, seconds=1.0)
    return session


def test_a_pinned_session_stays_at_the_top_until_it_is_no_longer(
    sessions: SessionStore, shelf: SessionOrganizer
) -> None:
    first, second = sessions.create("first").id, sessions.create("second").id
    shelf.pin(first, True)
    assert [(info.id, info.pinned) for info in sessions.list()] == [(first, True), (second, False)]
    shelf.pin(first, False)
    assert [info.id for info in sessions.list()] == [second, first]


def test_an_archived_session_is_listed_as_such(sessions: SessionStore, shelf: SessionOrganizer) -> None:
    number = sessions.create("old").id
    shelf.archive(number, True)
    assert [info.archived for info in sessions.list()] == [True]
    shelf.archive(number, False)
    assert [info.archived for info in sessions.list()] == [False]


def test_a_draft_survives_a_restart(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    number = SessionStore(database).create().id
    SessionOrganizer(database).put_draft(number, "And what of \ud800 港口?")
    database.close()
    again = Database.open(tmp_path)
    assert SessionOrganizer(again).draft(number) == "And what of \ud800 港口?"
    assert SessionOrganizer(again).draft(number + 1) == ""
    again.close()


def test_session_search_requires_all_words_in_one_run_regardless_of_case(
    sessions: SessionStore, shelf: SessionOrganizer
) -> None:
    both = said(sessions, "When does the FERRY go?", "At nine from the Straße by the harbour.")
    said(sessions, "Is there a ferry?", "No.")
    (found,) = shelf.find("strasse ferry")
    assert found.session == both
    assert found.run is not None
    assert "Straße" in found.excerpt


def test_a_title_and_chinese_are_found_too(sessions: SessionStore, shelf: SessionOrganizer) -> None:
    titled = said(sessions, "What?", "That.", title="港口的收入")
    assert [one.session for one in shelf.find("收入")] == [titled]


def test_removed_sessions_are_not_found_and_no_words_find_nothing(
    sessions: SessionStore, shelf: SessionOrganizer
) -> None:
    sessions.mark_removed(said(sessions, "A ferry?", "Yes."))
    assert shelf.find("ferry") == shelf.find("  ") == []


def test_an_excerpt_begins_and_ends_at_the_place(sessions: SessionStore, shelf: SessionOrganizer) -> None:
    said(sessions, "Q?", f"{'before ' * 40}ferry {'behind ' * 40}")
    (found,) = shelf.find("ferry")
    assert found.excerpt.startswith("…before")
    assert "before ferry behind" in found.excerpt
    assert found.excerpt.endswith("…")
    assert len(found.excerpt) < 180
