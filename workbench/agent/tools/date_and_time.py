"""date_and_time: time in a time zone, day of the week of a date, distance of two dates."""

import difflib
import zoneinfo
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.message import ToolSpec

DATE_AND_TIME = "date_and_time"
# Not from strftime, whose names are in the language of the system.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class DateAndTimeTool:
    """Tool for the current time and for calculations with dates."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            DATE_AND_TIME,
            "Tells the date and time now, the day of the week of a date, and how far two dates are apart.",
            {
                "type": "object",
                "properties": {
                    "timezone": {
                        "type": "string",
                        "description": "IANA name such as Asia/Shanghai or UTC; left out: that of the user.",
                    },
                    "date": {"type": "string", "description": "A date as YYYY-MM-DD, instead of today."},
                    "until": {"type": "string", "description": "A second date: tells how far it is from the first."},
                },
                "additionalProperties": False,
            },
            aliases=("时间", "日期", "current_time"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the results as a few sentences.

        Raises:
            ToolError: The time zone or a date does not exist.
        """
        name = str(arguments.get("timezone") or "").strip()
        now = self._now()
        if name:
            now = now.astimezone(_zone(name))
        today = now.date()
        first = _date(arguments, "date") or today
        until = _date(arguments, "until")
        lines = [
            f"It is now {now:%Y-%m-%d %H:%M:%S} ({_DAYS[now.weekday()]}), {name or now.tzname()} (UTC{_offset(now)})."
        ]
        if first != today:
            lines.append(f"{_describe(first)}; {_distance(today, first, 'today')}.")
        if until is not None:
            lines.append(f"{_describe(until)}; {_distance(first, until, first.isoformat())}.")
        if first == today and until is None:
            lines.append(f"{_describe(today)}.")
        return ToolResult("\n".join(lines))


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    # ValueError for a name such as "../x", OSError for the name of a folder such as "Asia".
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        zones = zoneinfo.available_timezones()
        folded = {zone.casefold(): zone for zone in zones}
        wanted = name.casefold().replace(" ", "_")
        close = [zone for key, zone in folded.items() if key.rpartition("/")[2] == wanted]
        close = close or [folded[key] for key in difflib.get_close_matches(wanted, folded, n=3)]
        raise ToolError(
            f"There is no time zone “{name[:60]}”. Similar ones: {', '.join(sorted(close))}."
            if close
            else f"There is no time zone “{name[:60]}”. Give an IANA name such as Europe/Paris."
        ) from error


def _date(arguments: dict[str, Any], name: str) -> date | None:
    value = str(arguments.get(name) or "").strip()
    if not value:
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError as error:
        raise ToolError(f"{name} cannot be “{value[:60]}”: write an existing date as YYYY-MM-DD.") from error


def _offset(now: datetime) -> str:
    offset = f"{now:%z}"
    return f"{offset[:3]}:{offset[3:5]}"


def _describe(day: date) -> str:
    year, week, _ = day.isocalendar()
    of_year = day.timetuple().tm_yday
    return f"{day.isoformat()} is a {_DAYS[day.weekday()]}, day {of_year} of its year, in ISO week {year}-W{week:02}"


def _distance(first: date, second: date, name: str) -> str:
    days = (second - first).days
    if not days:
        return f"the same day as {name}"
    years, months, rest = _calendar_distance(min(first, second), max(first, second))
    parts = [_with_unit(years, "year"), _with_unit(months, "month"), _with_unit(rest, "day")]
    spelled = ", ".join(part for part in parts if part)
    in_words = f" ({spelled})" if years or months else ""
    return f"{_with_unit(abs(days), 'day')} {'after' if days > 0 else 'before'} {name}{in_words}"


def _calendar_distance(first: date, second: date) -> tuple[int, int, int]:
    """Return full years and months from the first date, and the remaining days; short months end earlier."""
    months = (second.year - first.year) * 12 + second.month - first.month
    while (reached := _months_later(first, months)) > second:
        months -= 1
    return months // 12, months % 12, (second - reached).days


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for number in range(day.day, day.day - 4, -1):
        try:
            return date(year, month + 1, number)
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")


def _with_unit(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}" if number else ""


def _make(context: ToolContext) -> DateAndTimeTool:
    return DateAndTimeTool(context.now)


OFFER = ToolOffer(
    DATE_AND_TIME,
    mark("Date and time"),
    mark("Tells the model what day it is, and how far dates are apart."),
    "clock",
    _make,
)
