"""The numbers and bullets that Word puts before the paragraphs of a list."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.parsing.docx_styles import W, value
from workbench.parsing.zip_package import Element, whole_number

_PLACE = re.compile(r"%([1-9])")
_DIGITS = "〇一二三四五六七八九"
_DEEPEST = 9
_ROMAN = (
    *(("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40)),
    *(("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1)),
)


@dataclass(frozen=True, slots=True)
class _Level:
    """One depth of a list: how its number is written, and where it starts."""

    form: str
    text: str
    start: int


class Numbering:
    """Counts the lists of a document as its paragraphs come by."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._seen: set[str] = set()
        for entry in root if root is not None else ():
            if entry.tag == f"{W}abstractNum":
                self._levels[entry.get(f"{W}abstractNumId") or ""] = dict(_levels(entry))
            elif entry.tag == f"{W}num":
                self._add_list(entry)

    def _add_list(self, entry: Element) -> None:
        number = entry.get(f"{W}numId") or ""
        pattern = value(entry.find(f"{W}abstractNumId")) or ""
        self._lists[number] = pattern
        for override in entry.findall(f"{W}lvlOverride"):
            depth = whole_number(override.get(f"{W}ilvl"), 0)
            start = value(override.find(f"{W}startOverride"))
            if start is not None:
                self._restarts.setdefault(number, {})[depth] = whole_number(start, 1)
            own = dict(_levels(override))
            if own:
                # A list with levels of its own is a list of its own.
                levels = {**self._levels.get(self._lists[number], {}), **own}
                self._lists[number] = f"{pattern}/{number}"
                self._levels[self._lists[number]] = levels

    def mark(self, number: str, depth: int) -> str | None:
        """Return what stands before the next paragraph of a list: "-", "2.1.", or nothing; None without such a list."""
        pattern = self._lists.get(number)
        levels = self._levels.get(pattern or "")
        if pattern is None or not levels or not 0 <= depth < _DEEPEST:
            return None
        counters = self._counters.setdefault(pattern, [None] * _DEEPEST)
        if number not in self._seen:
            self._seen.add(number)
            for at, start in self._restarts.get(number, {}).items():
                counters[at : at + 1] = [start - 1] if 0 <= at < _DEEPEST else counters[at : at + 1]
        level = levels.get(depth, _Level("bullet", "", 1))
        last = counters[depth]
        counters[depth] = level.start if last is None else last + 1
        counters[depth + 1 :] = [None] * (_DEEPEST - depth - 1)
        if level.form == "bullet":
            return "-"
        return _PLACE.sub(lambda match: self._written(levels, counters, int(match[1]) - 1), level.text).strip()

    @staticmethod
    def _written(levels: dict[int, _Level], counters: list[int | None], depth: int) -> str:
        level = levels.get(depth, _Level("decimal", "", 1))
        count = counters[depth]
        if count is None:
            # Word counts a level that was skipped as if it had been there.
            count = counters[depth] = level.start
        return written(count, level.form)


def _levels(parent: Element) -> list[tuple[int, _Level]]:
    return [
        (
            whole_number(entry.get(f"{W}ilvl"), 0),
            _Level(
                value(entry.find(f"{W}numFmt")) or "decimal",
                value(entry.find(f"{W}lvlText")) or "",
                whole_number(value(entry.find(f"{W}start")), 1),
            ),
        )
        for entry in parent.findall(f"{W}lvl")
    ]


def written(count: int, form: str) -> str:
    """Return a number in one of Word's forms."""
    return _FORMS.get(form, str)(count)


def roman(count: int) -> str:
    """Return a number in small Roman letters."""
    if not 0 < count < 4000:
        return str(count)
    text = ""
    for sign, worth in _ROMAN:
        text += sign * (count // worth)
        count %= worth
    return text


def _letters(count: int) -> str:
    """Return a, b, ... z, aa, bb, ... as Word counts."""
    return chr(97 + (count - 1) % 26) * min((count - 1) // 26 + 1, 9) if count > 0 else str(count)


def _chinese(count: int) -> str:
    if not 0 < count < 100:
        return "".join(_DIGITS[int(digit)] for digit in str(abs(count)))
    tens, ones = divmod(count, 10)
    return (_DIGITS[tens] if tens > 1 else "") + ("十" if tens else "") + (_DIGITS[ones] if ones else "")


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda count: _letters(count).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda count: roman(count).upper(),
    "decimalZero": lambda count: f"{count:02}",
    "none": lambda count: "",  # noqa: ARG005 - as every form
    **dict.fromkeys(
        (
            *("chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting"),
            *("taiwaneseCounting", "taiwaneseCountingThousand", "chineseLegalSimplified"),
        ),
        _chinese,
    ),
}
