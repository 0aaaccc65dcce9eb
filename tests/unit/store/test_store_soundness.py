"""Database check: it ends soon when it is stopped, and does not block other threads."""

import pytest
from store_content import Add

from workbench.store.database import Database
from workbench.store.database_check import DatabaseCheck
from workbench.store.keywords import KeywordIndex


@pytest.fixture
def filled(database: Database, keywords: KeywordIndex, add: Add) -> Database:
    for number in range(5):
        add("".join(f"Line {line} of report {number}.\n" for line in range(50)), path=f"{number}.md")
    return database


def test_a_sound_database_has_no_faults(filled: Database) -> None:
    check = DatabaseCheck(filled)
    assert [check.file(), check.keywords(), check.texts()[0], check.vectors()[0], check.sessions()[0]] == [[]] * 5
    assert check.settings() == ([], 0)


def test_a_look_that_is_stopped_at_once_finds_nothing_and_fails_nowhere(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.database_check._STEPS", 1)
    check = DatabaseCheck(filled, lambda: True)
    assert [check.file(), check.keywords(), check.texts()[0], check.vectors()[0], check.sessions()[0]] == [[]] * 5
    with filled.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM chunks").fetchone() == (250,)


def test_other_words_in_the_keyword_index_than_in_the_passages_are_found(filled: Database) -> None:
    with filled.write() as connection:
        connection.execute("UPDATE chunks SET text = 'zeppelins everywhere' WHERE id = 7")
    (fault,) = DatabaseCheck(filled).keywords()
    assert "differ from the keyword index: 1." in fault.message
