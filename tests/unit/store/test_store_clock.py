"""A clock that jumps deletes nothing: an item must have been due at a reading of the day before already."""

from datetime import UTC, datetime, timedelta

import pytest

from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.library_state import deletion_time
from workbench.store.recycle_bin import RecycleBin

BEGAN = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
YEARS = timedelta(days=3650)


@pytest.mark.parametrize(
    ("clock", "settled"),
    [
        # (the clock at each reading, the reading that counts at the last one)
        ([BEGAN, BEGAN], BEGAN),
        ([BEGAN, BEGAN + DAY, BEGAN + 2 * DAY], BEGAN + DAY),
        ([BEGAN, BEGAN + YEARS], BEGAN),
        ([BEGAN, BEGAN + YEARS, BEGAN + YEARS + timedelta(hours=23)], BEGAN),
        ([BEGAN, BEGAN + YEARS, BEGAN + DAY], BEGAN),
        ([BEGAN, BEGAN + YEARS, BEGAN + DAY, BEGAN + 3 * DAY], BEGAN + DAY),
        ([BEGAN, BEGAN - YEARS, BEGAN], BEGAN - YEARS),
        ([BEGAN, BEGAN - YEARS, BEGAN, BEGAN + DAY], BEGAN),
    ],
)
def test_the_time_that_counts_was_seen_a_day_before(
    database: Database, clock: list[datetime], settled: datetime
) -> None:
    for now in clock:
        found = deletion_time(database, lambda now=now: now)
    assert found == settled


def test_nothing_is_due_for_deletion_when_a_library_is_first_checked(database: Database) -> None:
    assert deletion_time(database, lambda: BEGAN).year == 1970


def test_a_damaged_note_of_the_clock_only_puts_off_what_is_due(database: Database) -> None:
    deletion_time(database, lambda: BEGAN)
    with database.write() as connection:
        connection.execute("UPDATE remembered SET value = 'nonsense' WHERE key = 'clock'")
    assert deletion_time(database, lambda: BEGAN).year == 1970
    assert deletion_time(database, lambda: BEGAN) == BEGAN


def test_a_clock_ten_years_ahead_does_not_empty_the_bin(
    database: Database, documents: DocumentStore, bin: RecycleBin, add: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add("The heron flew.")  # type: ignore[operator]
    documents.mark_removed([document.id])
    today = datetime.now(UTC)
    found = []
    for ahead in (0, 3650, 1, 40, 41):
        monkeypatch.setattr("workbench.store.library_state.datetime", _clock(today + timedelta(days=ahead)))
        found.append(bin.expired(30))
    # On the last day, the reading of the day before already said that its time was over.
    assert found == [[], [], [], [], [document.id]]


def _clock(now: datetime) -> type[datetime]:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]  # noqa: ARG003
            return now

    return Clock
