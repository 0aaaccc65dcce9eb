"""Numbers as values: 1,234.5 and 1234.5, 12 % and twelve percent, 1.2 million and 1200000, 三万 and 30,000."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TIMES = {
    "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "百": 100.0, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8,
}  # fmt: skip
_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][.,])(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:[\s-]?(?P<times>hundred|thousand|million|billion|trillion)s?\b|\s?(?P<unit>百万|百萬|千万|千萬|[百千万萬亿億])(?![米克瓦卡赫帕]))?",
    re.IGNORECASE,
)
_GLUED = re.compile(r"\d+(?:\.\d+)?")


def _counted(spaced: str, *, first: float = 0.0, step: float = 1.0) -> dict[str, float]:
    return {word: first + step * place for place, word in enumerate(spaced.split())}


_WORDS: dict[str, float] = {
    **_counted("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"),
    **_counted("sixteen seventeen eighteen nineteen", first=16.0),
    **_counted("twenty thirty forty fifty sixty seventy eighty ninety", first=20.0, step=10.0),
    **_counted("first second third fourth fifth sixth seventh eighth ninth tenth", first=1.0),
    **_counted("january february march april may june july august september october november december", first=1.0),
    **_counted("jan feb mar apr may jun jul aug sep oct nov dec", first=1.0),
    **{"once": 1.0, "twice": 2.0, "both": 2.0, "half": 50.0, "dozen": 12.0, "sept": 9.0, "a": 1.0, "an": 1.0},
}
_WORD = re.compile(r"[a-z]+")
_HAN = re.compile(r"[〇零一二三四五六七八九十百千万萬亿億两兩]+")
_HAN_DIGITS = {
    digit: value for value, digits in enumerate(("〇零", "一", "二两兩", *"三四五六七八九")) for digit in digits
}
_WIDE = {ord("０") + digit: ord("0") + digit for digit in range(10)}
# A figure this long or broken is often rounded by who reports it.
_ROUNDED_FROM = 10_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it is written in digits, with its value."""

    written: str
    value: float


def figures_in(text: str) -> list[Figure]:
    """Return the numbers that a text writes in digits; digits glued to a word before them belong to a name."""
    found = []
    for match in _DIGITS.finditer(text.translate(_WIDE)):
        found.append(Figure(match.group().strip(), _value(match)))
    return found


def values_in(text: str) -> frozenset[float]:
    """Return the values of all numbers of a text, those in words, of months and of Chinese numerals too."""
    plain = text.translate(_WIDE)
    values = {figure.value for figure in figures_in(plain)}
    values.update(float(match.group()) for match in _GLUED.finditer(plain))
    values.update(_worded(_WORD.findall(plain.lower())))
    values.update(value_of_han(match.group()) for match in _HAN.finditer(plain))
    return frozenset(values)


def values_of_digits(text: str) -> Iterable[tuple[int, int, float]]:
    """Yield where each number in digits begins and ends, and its value."""
    for match in _DIGITS.finditer(text.translate(_WIDE)):
        yield *match.span(), _value(match)


def value_of_words(written: str) -> float | None:
    """Return the value of one number in English words, "three hundred thousand"; None where it is none."""
    values = list(_worded(_WORD.findall(written)))
    return values[-1] if values else None


def missing_figures(figures: Iterable[Figure], values: frozenset[float]) -> tuple[str, ...]:
    """Return the figures that are none of the values, not even rounded, as they are written."""
    return tuple(dict.fromkeys(one.written for one in figures if not _is_among(one.value, values)))


def _is_among(wanted: float, values: frozenset[float]) -> bool:
    return wanted in values or any(_rounds_to(value, wanted) for value in values)


def _rounds_to(value: float, wanted: float) -> bool:
    """Tell whether a long or broken number, rounded to two digits or more, is the wanted one."""
    if value == int(value) and value < _ROUNDED_FROM:
        return False
    return any(float(f"{value:.{digits}e}") == wanted for digits in range(1, 9))


def _worded(words: Iterable[str]) -> Iterable[float]:
    """Yield the values of words, each alone and with those before it: "twenty one", "three hundred thousand"."""
    current: float | None = None
    for word in words:
        if word in _TIMES:
            current = (current or 1.0) * _TIMES[word]
        elif word not in _WORDS:
            current = None
            continue
        elif current is not None and current % 10 == 0 and current >= 20 and _WORDS[word] < 10:
            yield _WORDS[word]
            current += _WORDS[word]
        else:
            current = _WORDS[word]
        yield current


def value_of_han(written: str) -> float:
    """Return the value of Chinese numerals: 一千二百, 三万, 二〇二一."""
    if all(character in _HAN_DIGITS for character in written):
        return float("".join(str(_HAN_DIGITS[character]) for character in written))
    total = part = digit = 0.0
    for character in written:
        if character in _HAN_DIGITS:
            digit = float(_HAN_DIGITS[character])
        elif character in "万萬亿億":
            total = (total + part + digit or 1.0) * _TIMES[character]
            part = digit = 0.0
        else:
            part += (digit or 1.0) * (10.0 if character == "十" else _TIMES[character])
            digit = 0.0
    return total + part + digit


def _value(match: re.Match[str]) -> float:
    times = match["times"]
    return float(match["number"].replace(",", "")) * (_TIMES[times.lower()] if times else _product(match["unit"] or ""))


def _product(powers: str) -> float:
    value = 1.0
    for power in powers:
        value *= _TIMES[power]
    return value
