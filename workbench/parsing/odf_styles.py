"""What the styles of an OpenDocument file say of paragraphs and lists."""

import re
from dataclasses import dataclass

from workbench.parsing.docx_numbering import written
from workbench.parsing.odf_package import STYLE, TEXT
from workbench.parsing.zip_package import Element, local_name, whole_number

_CODE = re.compile(r"^(?:preformatted|source|code)", re.I)
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True)
class OdfStyle:
    """What a paragraph of a style is: level as a heading, 0 for none."""

    level: int = 0
    code: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    """A depth of a list: the form of its number, None for a bullet."""

    form: str | None
    before: str
    after: str
    start: int
    shown: int


class OdfStyles:
    """The styles of a file, and the counters of its lists."""

    def __init__(self, *roots: Element | None) -> None:
        self._parents: dict[str, tuple[str, str]] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counters: dict[str, list[int]] = {}
        for root in roots:
            for style in root.iter(f"{STYLE}style") if root is not None else ():
                name = style.get(f"{STYLE}name") or ""
                shown = style.get(f"{STYLE}display-name") or name
                self._parents[name] = (shown, style.get(f"{STYLE}parent-style-name") or "")
            for style in root.iter(f"{TEXT}list-style") if root is not None else ():
                self._levels[style.get(f"{STYLE}name") or ""] = dict(_levels(style))

    def paragraph(self, name: str | None) -> OdfStyle:
        """Return what a paragraph style is, with what it takes over from its parents."""
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            shown, parent = self._parents.get(name, (name, ""))
            if shown in ("Title", "Subtitle"):
                return OdfStyle(level=1 if shown == "Title" else 2)
            if _CODE.match(shown):
                return OdfStyle(code=True)
            name = parent
        return OdfStyle()

    def mark(self, style: str, depth: int, item: Element) -> str:
        """Return what stands before the next item of a list: "-", "2.1." or nothing."""
        levels = self._levels.get(style, {})
        level = levels.get(depth)
        if level is None or level.form is None:
            return "-"
        counters = self._counters.setdefault(style, [])
        if len(counters) > depth + 1:
            del counters[depth + 1 :]
        while len(counters) <= depth:
            above = levels.get(len(counters))
            counters.append((above.start if above is not None else 1) - (1 if len(counters) == depth else 0))
        start = item.get(f"{TEXT}start-value") or ""
        counters[depth] = whole_number(start, counters[depth] + 1)
        if not level.form:
            return ""
        shown = range(max(0, depth - level.shown + 1), depth + 1)
        numbers = [written(counters[at], _FORMS.get(levels[at].form or "", "decimal")) for at in shown if at in levels]
        return f"{level.before}{'.'.join(numbers)}{level.after}".strip()

    def start_list(self, style: str) -> None:
        """Let the numbers of a style begin anew."""
        self._counters.pop(style, None)


def _levels(style: Element) -> list[tuple[int, _Level]]:
    found = []
    for entry in style:
        depth = entry.get(f"{TEXT}level") or "1"
        numbered = local_name(entry) == "list-level-style-number"
        form = entry.get(f"{STYLE}num-format") or "" if numbered else None
        start, shown = entry.get(f"{TEXT}start-value") or "1", entry.get(f"{TEXT}display-levels") or "1"
        before, after = entry.get(f"{STYLE}num-prefix") or "", entry.get(f"{STYLE}num-suffix") or ""
        level = _Level(form, before, after, whole_number(start, 1), whole_number(shown, 1))
        found.append((whole_number(depth, 1) - 1, level))
    return found
