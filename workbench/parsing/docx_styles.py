"""What the styles of a Word document say of a paragraph: heading level, list, code."""

import re
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
    """What a paragraph of a style is.

    Attributes:
        level: As a heading, 1 for the topmost; 0 for anything else.
        code: It holds source code.
        contents: It is an entry of a table of contents.
        mono: Its font is a typewriter face; None where it does not say.
        numbering: The list it belongs to, and the depth in it.
    """

    level: int = 0
    code: bool = False
    contents: bool = False
    mono: bool | None = None
    numbering: tuple[str, int] | None = None


@dataclass(slots=True)
class Styles:
    """The styles by their identifiers."""

    by_id: dict[str, Style] = field(default_factory=dict)
    default: Style = Style()

    def of(self, identifier: str | None) -> Style:
        """Return a style; the default one where there is none of that name."""
        return self.by_id.get(identifier, self.default) if identifier else self.default


def read_styles(root: Element | None) -> Styles:
    """Return the styles of a document."""
    styles = Styles()
    entries = {entry.get(f"{W}styleId") or "": entry for entry in (root.iter(f"{W}style") if root is not None else ())}
    for identifier, entry in entries.items():
        style = _style(entries, identifier)
        styles.by_id[identifier] = style
        if entry.get(f"{W}type") == "paragraph" and entry.get(f"{W}default") in ("1", "true"):
            styles.default = style
    return styles


def _style(entries: dict[str, Element], identifier: str) -> Style:
    """Return a style with what it takes over from those it is based on."""
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
    """Return the level of the headings that a style of this name makes; 0 for any other style."""
    match = _HEADING.match(name)
    return int(match[1]) if match else 1 if _TITLE.match(name) else 0


def value(element: Element | None) -> str | None:
    """Return an element's value."""
    found = element.get(VAL) if element is not None else None
    return str(found) if found is not None else None


def is_on(properties: Element | None, name: str) -> bool:
    """Tell whether a switch among properties is there and not turned off."""
    switch = properties.find(f"{W}{name}") if properties is not None else None
    return switch is not None and value(switch) not in ("0", "false", "off")


def outline_level(properties: Element | None) -> int | None:
    """Return the heading level that paragraph properties give, 0 for body text; None where they say nothing."""
    level = whole_number(value(properties.find(f"{W}outlineLvl")), -1) if properties is not None else -1
    if level < 0:
        return None
    return level + 1 if level < 9 else 0


def numbering_of(properties: Element | None) -> tuple[str | None, int | None]:
    """Return the list and the depth that paragraph properties give; list "0" takes the paragraph out of any list."""
    numbering = properties.find(f"{W}numPr") if properties is not None else None
    if numbering is None:
        return None, None
    depth = whole_number(value(numbering.find(f"{W}ilvl")), -1)
    return value(numbering.find(f"{W}numId")), None if depth < 0 else depth


def is_mono(properties: Element | None) -> bool | None:
    """Tell whether run properties name a typewriter face; None where they name no font."""
    fonts = properties.find(f"{W}rFonts") if properties is not None else None
    name = fonts.get(f"{W}ascii") or fonts.get(f"{W}hAnsi") if fonts is not None else None
    return bool(_MONO.search(name)) if name else None
