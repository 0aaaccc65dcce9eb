"""Memories: separate for each user, kept for a limited time, never among the documents."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.errors import NotFound, SettingError
from workbench.model.memory import MemoryKind, NewMemory
from workbench.store.database import Database
from workbench.store.memories import MemoryStore

PREFERENCE = MemoryKind.USER_PREFERENCE
BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    """Clock that a test sets."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path)
    yield database
    database.close()


@pytest.fixture
def memories(database: Database, clock: Clock) -> MemoryStore:
    return MemoryStore(database, clock=clock)


@pytest.fixture
def put(memories: MemoryStore) -> Callable[..., int]:
    def put(text: str, user: str = "") -> int:
        return memories.put(NewMemory(PREFERENCE, text), user, days=90).id

    return put


def texts(memories: MemoryStore, user: str = "", **more: int) -> list[str]:
    return [memory.text for memory in memories.list(user, **more)]


def test_e38_two_users_may_remember_the_same_and_neither_sees_the_others(
    memories: MemoryStore, put: Callable[..., int]
) -> None:
    mine, hers = put("Likes tea.", "me"), put("Likes tea.", "her")
    assert mine != hers
    assert texts(memories, "me") == texts(memories, "her") == ["Likes tea."]
    memories.remove_all("me")
    assert (texts(memories, "me"), texts(memories, "her")) == ([], ["Likes tea."])
    with pytest.raises(NotFound):
        memories.edit(hers, "Likes coffee.", "me", days=90)
    with pytest.raises(NotFound):
        memories.remove(hers, "me")


def test_e38_expired_memories_are_never_returned_and_are_deleted(
    memories: MemoryStore, put: Callable[..., int], clock: Clock, database: Database
) -> None:
    number = put("Likes tea.")
    clock.now = BEGAN + timedelta(days=89)
    assert texts(memories) == ["Likes tea."]
    clock.now = BEGAN + timedelta(days=91)
    assert texts(memories) == []
    with pytest.raises(NotFound):
        memories.get(number)
    # The clock must say it twice, a day apart: one that jumps deletes nothing (library_state.py).
    found = []
    for days in (0, 91, 92, 93):
        clock.now = BEGAN + timedelta(days=days)
        found.append(memories.drop_expired())
    assert found == [0, 0, 1, 0]
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (0,)


def test_e38_only_memories_stored_within_the_window_are_recalled(
    memories: MemoryStore, put: Callable[..., int], clock: Clock
) -> None:
    put("Old.")
    clock.now = BEGAN + timedelta(days=29)
    put("New.")
    assert texts(memories, within_days=30) == ["New.", "Old."]
    clock.now = BEGAN + timedelta(days=31)
    assert texts(memories, within_days=30) == ["New."]
    put("OLD.")
    assert texts(memories, within_days=30) == ["OLD.", "New."]


def test_e38_a_use_weighs_a_twentieth_and_no_memory_more_than_two(
    memories: MemoryStore, put: Callable[..., int]
) -> None:
    number = put("Likes tea.")
    memories.count_uses([number, number])
    assert memories.get(number).weight == 1.1
    memories.count_uses([number] * 40)
    assert memories.get(number).weight == 2.0


def test_an_edit_renews_the_expiry_of_a_memory_and_invalidates_its_vector(
    memories: MemoryStore, put: Callable[..., int], clock: Clock
) -> None:
    number, other = put("Likes tea."), put("Lives in Kiel.")
    memories.keep_vectors("e", {number: ("Likes tea.", b"1234"), other: ("Lives in Bonn.", b"5678")})
    assert memories.vectors("", "e") == {number: b"1234"}
    clock.now = BEGAN + timedelta(days=80)
    changed = memories.edit(number, "Likes  coffee.", days=90)
    assert (changed.text, changed.expires[:10]) == ("Likes coffee.", "2026-08-18")
    assert memories.vectors("", "e") == {}
    with pytest.raises(SettingError, match="remembered already"):
        memories.edit(number, "lives in kiel.", days=90)


@pytest.mark.parametrize("text", ["", "  \n", "x" * 101])
def test_e38_a_memory_is_no_longer_than_a_hundred_characters(memories: MemoryStore, text: str) -> None:
    with pytest.raises(SettingError, match="1 to 100"):
        memories.put(NewMemory(PREFERENCE, text), days=90)


def test_a_removed_memory_is_restored_and_newer_ones_are_unaffected(
    memories: MemoryStore, put: Callable[..., int]
) -> None:
    number = put("Likes tea.")
    gone = memories.remove(number)
    put("Lives in Kiel.")
    memories.restore([gone])
    assert sorted(texts(memories)) == ["Likes tea.", "Lives in Kiel."]
    memories.restore([gone])
    assert len(texts(memories)) == 2
