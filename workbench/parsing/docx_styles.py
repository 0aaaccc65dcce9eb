"""Paragraph styles and list numbering of Word documents: heading levels, lists, code, numbers and bullets."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.parsing.zip_package import Element, whole_number

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
VAL = f"{W}val"

_HEADING = re.compile(
    r"^(?:heading|überschrift|titre|título|titulo|titolo|заголовок|kop|rubrik|overskrift|otsikko|nagłówek|nadpis"
    r"|címsor|başlık|标题|標題|見出し|제목)\s*([1-9])\b",
    re.I,
)
_TITLE = re.compile(r"^(?:title|titel|标题|標題|表題)$", re.I)
_CODE = re.compile(r"^(?:source ?code|code(?: ?block)?|html preformatted|preformatted text|macro text|verbatim)$", re.I)
_CONTENTS = re.compile(r"^(?:toc|contents|inhaltsverzeichnis|目录|目錄)\s*\d$", re.I)
_MONO = re.compile(r"courier|consolas|menlo|monaco|mono\b|monospace|lucida console|source code|inconsolata|fixed", re.I)


@dataclass(frozen=True, slots=True)
class Style:
    """Meaning of a paragraph style.

    Attributes:
        level: Heading level, 1 for the topmost; 0 for anything else.
        code: True if it contains source code.
        contents: True if it is an entry of a table of contents.
        mono: True if its font is monospaced; None if no font is specified.
        numbering: Its list, and the depth in it.
    """

    level: int = 0
    code: bool = False
    contents: bool = False
    mono: bool | None = None
    numbering: tuple[str, int] | None = None


@dataclass(slots=True)
class DocxStyles:
    """Styles by their identifiers."""

    by_id: dict[str, Style] = field(default_factory=dict)
    default: Style = Style()

    def of(self, identifier: str | None) -> Style:
        """Return a style; the default style if the identifier is unknown."""
        return self.by_id.get(identifier, self.default) if identifier else self.default


def read_styles(root: Element | None) -> DocxStyles:
    """Return the styles of a document."""
    styles = DocxStyles()
    entries = {entry.get(f"{W}styleId") or "": entry for entry in (root.iter(f"{W}style") if root is not None else ())}
    for identifier, entry in entries.items():
        style = _style(entries, identifier)
        styles.by_id[identifier] = style
        if entry.get(f"{W}type") == "paragraph" and entry.get(f"{W}default") in ("1", "true"):
            styles.default = style
    return styles


def _style(entries: dict[str, Element], identifier: str) -> Style:
    """Return a style with the properties inherited from the styles that it is based on."""
    level = 0
    code = contents = False
    mono: bool | None = None
    numbering: tuple[str | None, int | None] = (None, None)
    seen: set[str] = set()
    outline: int | None = None
    while identifier in entries and identifier not in seen:
        seen.add(identifier)
        entry = entries[identifier]
        name = value(entry.find(f"{W}name")) or identifier
        if outline is None and not level:
            outline = outline_level(entry.find(f"{W}pPr"))
            level = heading_level(name)
        code = code or bool(_CODE.match(name))
        contents = contents or bool(_CONTENTS.match(name))
        mono = is_mono(entry.find(f"{W}rPr")) if mono is None else mono
        number, depth = numbering_of(entry.find(f"{W}pPr"))
        numbering = (
            number if numbering[0] is None else numbering[0],
            depth if numbering[1] is None else numbering[1],
        )
        identifier = value(entry.find(f"{W}basedOn")) or ""
    level = level if outline is None else outline
    listed = (numbering[0], numbering[1] or 0) if numbering[0] else None
    return Style(level, code, contents, mono, listed)


def heading_level(name: str) -> int:
    """Return the heading level for a style name; 0 for any other style."""
    match = _HEADING.match(name)
    return int(match[1]) if match else 1 if _TITLE.match(name) else 0


def value(element: Element | None) -> str | None:
    """Return an element's value."""
    found = element.get(VAL) if element is not None else None
    return str(found) if found is not None else None


def is_on(properties: Element | None, name: str) -> bool:
    """Return True if a switch exists among the properties and is not turned off."""
    switch = properties.find(f"{W}{name}") if properties is not None else None
    return switch is not None and value(switch) not in ("0", "false", "off")


def outline_level(properties: Element | None) -> int | None:
    """Return the heading level of paragraph properties, 0 for body text; None if unspecified."""
    level = whole_number(value(properties.find(f"{W}outlineLvl")), -1) if properties is not None else -1
    if level < 0:
        return None
    return level + 1 if level < 9 else 0


def numbering_of(properties: Element | None) -> tuple[str | None, int | None]:
    """Return the list and the depth of paragraph properties; list "0" removes the paragraph from any list."""
    numbering = properties.find(f"{W}numPr") if properties is not None else None
    if numbering is None:
        return None, None
    depth = whole_number(value(numbering.find(f"{W}ilvl")), -1)
    return value(numbering.find(f"{W}numId")), None if depth < 0 else depth


def is_mono(properties: Element | None) -> bool | None:
    """Return True if run properties name a monospaced font; None if they name no font."""
    fonts = properties.find(f"{W}rFonts") if properties is not None else None
    name = fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi") if fonts is not None else None
    return bool(_MONO.search(name)) if name else None


_PLACE = re.compile(r"%([1-9])")
_DIGITS = "〇一二三四五六七八九"
_DEEPEST = 9
_ROMAN = (
    *(("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40)),
    *(("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1)),
)


@dataclass(frozen=True, slots=True)
class _DocxListLevel:
    """Level of a list: format and text of its number, and the first number."""

    form: str
    text: str
    start: int


class DocxNumbering:
    """Counters of a document's lists, advanced as its paragraphs are read."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _DocxListLevel]] = {}
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
                # A list that overrides levels has its own counters.
                levels = {**self._levels.get(self._lists[number], {}), **own}
                self._lists[number] = f"{pattern}/{number}"
                self._levels[self._lists[number]] = levels

    def mark(self, number: str, depth: int) -> str | None:
        """Return the mark of the next paragraph of a list: "-", "2.1." or empty; None if the list does not exist."""
        pattern = self._lists.get(number)
        levels = self._levels.get(pattern or "")
        if pattern is None or not levels or not 0 <= depth < _DEEPEST:
            return None
        counters = self._counters.setdefault(pattern, [None] * _DEEPEST)
        if number not in self._seen:
            self._seen.add(number)
            for at, start in self._restarts.get(number, {}).items():
                counters[at : at + 1] = [start - 1] if 0 <= at < _DEEPEST else counters[at : at + 1]
        level = levels.get(depth, _DocxListLevel("bullet", "", 1))
        last = counters[depth]
        counters[depth] = level.start if last is None else last + 1
        counters[depth + 1 :] = [None] * (_DEEPEST - depth - 1)
        if level.form == "bullet":
            return "-"
        return _PLACE.sub(lambda match: self._written(levels, counters, int(match[1]) - 1), level.text).strip()

    @staticmethod
    def _written(levels: dict[int, _DocxListLevel], counters: list[int | None], depth: int) -> str:
        level = levels.get(depth, _DocxListLevel("decimal", "", 1))
        count = counters[depth]
        if count is None:
            # Word counts a skipped level as if it had occurred.
            count = counters[depth] = level.start
        return written(count, level.form)


def _levels(parent: Element) -> list[tuple[int, _DocxListLevel]]:
    return [
        (
            whole_number(entry.get(f"{W}ilvl"), 0),
            _DocxListLevel(
                value(entry.find(f"{W}numFmt")) or "decimal",
                value(entry.find(f"{W}lvlText")) or "",
                whole_number(value(entry.find(f"{W}start")), 1),
            ),
        )
        for entry in parent.findall(f"{W}lvl")
    ]


def written(count: int, form: str) -> str:
    """Return a number in one of Word's formats."""
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
    """Return a, b, ... z, aa, bb, ... like Word."""
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
