"""Display format of spreadsheet numbers and dates, by the format code of the cell."""

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from workbench.parsing.dates import MONTHS

BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??"},
    **{14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM"},
    **{20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00"},
    **{41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss"},
    **{48: "##0.0E+0", **dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"), 32: "h:mm", 33: "h:mm:ss"},
}
"""Built-in format codes below 164; the order of the dates 14 and 22 depends on the locale."""

_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.')
_BRACKETS = re.compile(r"\[(?!h+\]|m+\]|s+\])([^\]]*)\]", re.I)
_TOKEN = re.compile(
    r'"[^"]*"|\\.|_.|\*.|'
    r"\[h+\]|\[m+\]|\[s+\]|y+|m+|d+|h+|s+(?:\.0+)?|a+/?p*m?|e+|g+|.",
    re.I | re.S,
)
_DATE = re.compile(r"[ymdhs]", re.I)
_NUMBER = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*,*)?(?:E[+-]?0+)?|\.[#0?]+", re.I)
_CURRENCY = re.compile(r"\$([^\-\]]*)")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LAST_DAY = 2958466
"""1 January 10000, the first number that is not a valid date."""


class _Format(NamedTuple):
    """Parsed format code; a number format unless date is set."""

    general: bool = False
    date: str = ""
    prefix: str = ""
    suffix: str = ""
    decimals: int = 0
    zero: bool = True
    least_decimals: int = 0
    grouped: bool = False
    percent: int = 0
    divisor: float = 1.0
    exponent: bool = False
    wordy: bool = False


def format_number(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as a cell displays it; dates as ISO 8601.

    Args:
        value: The number in the cell; a date is a number of days.
        code: The cell's format code.
        since_1904: True if days count from 1904 instead of 1900.
    """
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    sections = _sections(code)
    negative = value < 0 and len(sections) > 1
    at = 1 if negative else 2 if value == 0 and len(sections) > 2 else 0
    form = _taken_apart(sections[min(at, len(sections) - 1)])
    if form.date:
        return _date(value, form.date, since_1904=since_1904)
    return general(value) if form.general else _number(abs(value) if negative else value, form, negative=negative)


def general(value: float) -> str:
    """Return a number without a format, with at most ten significant digits, so that 0.1 + 0.2 is 0.3."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}"


@lru_cache(maxsize=4096)
def _sections(code: str) -> tuple[str, ...]:
    """Return the sections of a code: for positive numbers, negative numbers and zero."""
    parts = [""]
    for piece in re.findall(r'"[^"]*"|\\.|\[[^\]]*\]|.', code, re.S):
        if piece == ";":
            parts.append("")
        else:
            parts[-1] += piece
    return tuple(parts[:3])


@lru_cache(maxsize=4096)
def _taken_apart(section: str) -> _Format:
    currency = " ".join(found[1] for bracket in _BRACKETS.findall(section) if (found := _CURRENCY.match(bracket)))
    bare = _BRACKETS.sub(lambda match: _symbol(match[1]), section)
    letters = _QUOTED.sub("", bare)
    if not letters.strip() and _literal(bare):
        # Only literal text, such as “none” for zero.
        return _Format(prefix=_literal(bare), wordy=True)
    if letters.strip().lower() in ("general", "standard", "@", ""):
        return _Format(general=True)
    if _DATE.search(letters) and not _NUMBER.match(letters.lstrip("[]$ ")) and not currency:
        return _Format(date=bare)
    digits = _NUMBER.search(_QUOTED.sub(lambda match: "\0" * len(match[0]), bare))
    if digits is None or "/" in letters:
        return _Format(general=True)
    pattern = digits[0].upper()
    mantissa, _, exponent = pattern.partition("E")
    whole, _, fraction = mantissa.partition(".")
    scaled = whole.rstrip(",")
    thousands = len(whole) - len(scaled) + fraction.count(",")
    fraction = fraction.rstrip(",")
    return _Format(
        prefix=_literal(bare[: digits.start()]),
        suffix=_literal(bare[digits.end() :]),
        decimals=len(fraction),
        least_decimals=fraction.count("0") + fraction.count("?"),
        grouped="," in scaled,
        percent=letters.count("%"),
        divisor=1000.0**thousands,
        zero="0" in mantissa,
        exponent=bool(exponent),
    )


def _symbol(bracket: str) -> str:
    """Return the displayed text of a bracket: a currency sign; nothing for a color or a condition."""
    found = _CURRENCY.match(bracket)
    return "".join(f"\\{sign}" for sign in found[1]) if found else ""


def _literal(text: str) -> str:
    """Return the characters of a part of a code that are displayed literally."""
    shown = _QUOTED.sub(lambda m: m[0].strip('"') if m[0][0] == '"' else m[0][1] if m[0][0] == "\\" else "", text)
    return shown.replace("%", "").replace("#", "").replace("?", "").replace("@", "")


def _number(value: float, form: _Format, *, negative: bool) -> str:
    value = value * 100**form.percent / form.divisor
    if form.wordy or (value == 0 and not form.zero):
        digits = ""
    elif form.exponent:
        digits = f"{value:.{form.decimals}E}"
    else:
        # Binary fractions: 2.675 is stored as 2.67499999..., but displayed as 2.68.
        value = round(value + (1e-9 if value >= 0 else -1e-9), form.decimals) if abs(value) < 1e6 else value
        digits = f"{value:{',' if form.grouped else ''}.{form.decimals}f}"
        if form.least_decimals < form.decimals:
            whole, _, fraction = digits.partition(".")
            fraction = fraction[: form.least_decimals] + fraction[form.least_decimals :].rstrip("0")
            digits = f"{whole}.{fraction}" if fraction else whole
    text = f"{form.prefix}{digits}{'%' * form.percent}{form.suffix}".strip()
    # A negative section may display a minus, brackets or only red; without a color the minus must be kept.
    return f"-{text}" if negative and not re.search(r"[-(−]", form.prefix) else text


def _date(value: float, code: str, *, since_1904: bool) -> str:
    tokens = _TOKEN.findall(code)
    kinds = {token[0].lower() for token in tokens if token[0].lower() in "ymdhs["}
    if "[" in kinds:
        return _elapsed(value)
    if not 0 <= value < _LAST_DAY:
        return general(value)
    moment = _moment(value, since_1904=since_1904)
    timed = bool(kinds & {"h", "s"})
    date = moment.strftime("%Y-%m-%d") if moment.year >= 1000 else ""
    time = moment.strftime("%H:%M:%S" if "s" in kinds else "%H:%M")
    months = any(token[0].lower() == "m" for token in tokens) and not (timed and "d" not in kinds)
    if {"y", "d"} <= kinds and months:
        return f"{date} {time}" if "h" in kinds else date
    if not kinds & {"y", "d"} and not months:
        return time
    return _partial(moment, tokens)


def _moment(value: float, *, since_1904: bool) -> datetime:
    """Return the date and time; Excel assumes that 1900 had a 29 February."""
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 if value >= 60 else 31)
    return start + timedelta(days=int(value), seconds=round((value - int(value)) * 86400))


def _elapsed(value: float) -> str:
    seconds = round(abs(value) * 86400)
    sign = "-" if value < 0 else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _partial(moment: datetime, tokens: list[str]) -> str:
    """Return a date of which only some parts are displayed: "Mar 24", "5 March", "Tuesday"."""
    out: list[str] = []
    for token in tokens:
        kind, length = token[0].lower(), len(token)
        if kind == "y":
            out.append(f"{moment.year:04}" if length > 2 else f"{moment.year % 100:02}")
        elif kind == "m":
            name = MONTHS[moment.month - 1]
            out.append(name if length == 4 else name[:3] if length == 3 else f"{moment.month:0{length}}")
        elif kind == "d":
            day = _DAYS[moment.weekday()]
            out.append(day if length > 3 else day[:3] if length == 3 else f"{moment.day:0{length}}")
        elif kind == "h":
            out.append(f"{moment.hour:0{min(length, 2)}}")
        elif kind == "s":
            out.append(f"{moment.second:02}")
        elif kind in '"\\':
            out.append(token.strip('"') if kind == '"' else token[1:])
        elif len(token) == 1 and kind not in "aeg":
            out.append(token)
    return "".join(out).strip(" ,;@")
