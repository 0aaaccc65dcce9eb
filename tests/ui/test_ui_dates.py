"""Days and times in words."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from workbench.language import Catalogue, speak
from workbench.ui.localisation import ago, day, day_and_time, when

LATE = datetime(2026, 3, 14, 15, 30).astimezone()


@pytest.fixture
def chinese() -> Iterator[None]:
    speak(Catalogue("zh_CN", {("d MMM yyyy", ""): "yyyy年M月d日", ("today {time}", ""): "今天 {time}"}))
    yield
    speak(None)


def test_a_day_and_a_time_are_written_in_english() -> None:
    assert day(LATE.isoformat()) == "14 Mar 2026"
    assert day_and_time(LATE) == "14 Mar 2026, 15:30"
    assert day_and_time(LATE, year=False) == "14 Mar 15:30"


@pytest.mark.usefixtures("chinese")
def test_a_day_is_written_as_its_language_does() -> None:
    assert day(LATE) == "2026年3月14日"
    assert when(LATE, now=LATE) == "今天 15:30"


def test_the_last_days_are_called_by_their_names() -> None:
    assert when(LATE, now=LATE + timedelta(hours=1)) == "today 15:30"
    assert when(LATE, now=LATE + timedelta(days=1)) == "yesterday 15:30"
    assert when(LATE, now=LATE + timedelta(days=9)) == "14 March"
    assert when(LATE, now=LATE + timedelta(days=400)) == "14 March 2026"
    assert when("one day") == "one day"


def test_elapsed_time_is_shown_in_its_largest_unit() -> None:
    now = datetime.now(UTC)
    assert ago(now.isoformat()) == "just now"
    assert ago(now - timedelta(minutes=5)) == "5 minutes ago"
    assert ago(now - timedelta(days=1, hours=2)) == "1 day ago"
