"""date_and_time: time zones, days of the week, distances; errors are reported in a sentence."""

import asyncio
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.agent.tools.date_and_time import DateAndTimeTool, _calendar_distance, _months_later
from workbench.errors import ToolError

NOW = datetime(2026, 2, 28, 22, 30, tzinfo=UTC)


def told(**arguments: str) -> str:
    return asyncio.run(DateAndTimeTool(lambda: NOW).call(arguments)).text


def test_the_current_time_is_returned_with_its_time_zone_and_week() -> None:
    assert told(timezone="UTC") == (
        "It is now 2026-02-28 22:30:00 (Saturday), UTC (UTC+00:00).\n"
        "2026-02-28 is a Saturday, day 59 of its year, in ISO week 2026-W09."
    )


def test_another_zone_may_have_another_day() -> None:
    assert "It is now 2026-03-01 06:30:00 (Sunday), Asia/Shanghai (UTC+08:00)." in told(timezone="Asia/Shanghai")
    assert "(UTC-03:30)" in told(timezone="America/St_Johns")


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("Shanghai", "Similar ones: Asia/Shanghai"),
        ("new york", "Similar ones: America/New_York"),
        ("europe/pari", "Europe/Paris"),
        ("Asia", "There is no time zone “Asia”"),
        ("../../etc/passwd", "There is no time zone"),
        ("Mars/Olympus", "There is no time zone “Mars/Olympus”"),
    ],
)
def test_a_zone_that_there_is_not_is_answered_with_similar_ones(zone: str, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        told(timezone=zone)


@pytest.mark.parametrize("day", ["2026-02-30", "tomorrow", "5/6/2026"])
def test_a_date_that_there_is_not_is_refused(day: str) -> None:
    with pytest.raises(ToolError, match="write an existing date as YYYY-MM-DD"):
        told(date=day)


def test_two_dates_are_so_many_days_and_so_much_by_the_calendar_apart() -> None:
    assert "417 days after 2024-01-31 (1 year, 1 month, 23 days)" in told(date="2024-01-31", until="2025-03-23")
    assert "1 day before 2024-03-01" in told(date="2024-03-01", until="2024-02-29")
    assert "the same day as 2024-03-01" in told(date="2024-03-01", until="2024-03-01")


def test_a_single_date_is_returned_with_its_distance_from_today() -> None:
    assert "2026-03-01 is a Sunday" in told(timezone="UTC", date="2026-03-01")
    assert "1 day after today" in told(timezone="UTC", date="2026-03-01")


@settings(deadline=None)  # the machine may be busy
@given(st.dates(date(1, 1, 1), date(9900, 1, 1)), st.integers(0, 20_000))
def test_the_calendar_distance_leads_from_the_first_date_to_the_second(first: date, days: int) -> None:
    second = first + timedelta(days)
    years, months, rest = _calendar_distance(first, second)
    assert _months_later(first, years * 12 + months) + timedelta(rest) == second
    assert 0 <= months < 12
    assert 0 <= rest <= 31
