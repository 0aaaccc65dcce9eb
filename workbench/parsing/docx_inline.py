"""Reader of the text of Word paragraphs, and of objects anchored in them: notes, boxes, pictures, formulas."""

from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.parsing.docx_styles import W, is_mono, is_on, roman
from workbench.parsing.ooxml import alternatives, formula
from workbench.parsing.zip_package import Element, local_name

PAGE = "\f"
"""Character in a text where Word began a new page when it last laid out the document."""

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SKIPPED = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "instrText", "delText", "rt")
)
_SIGNS = {
    **{f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""},
    f"{W}lastRenderedPageBreak": PAGE,
}
_SHAPES = frozenset(f"{W}{name}" for name in ("drawing", "pict", "object"))
_BOX = f"{W}txbxContent"
_WINGDINGS = {"f0b7": "•", "f0a7": "▪", "f0fc": "✓", "f0fe": "☒", "f0a8": "☐", "f06f": "☐", "f0e0": "→", "f0d8": "➢"}


@dataclass(slots=True)
class Notes:
    """References to notes: by kind and identifier, with their marks in the text."""

    marks: dict[tuple[str, str], str] = field(default_factory=dict)

    def mark(self, kind: str, identifier: str) -> str:
        """Return the mark of a note: footnotes have 1, 2, 3, endnotes i, ii, iii."""
        if (kind, identifier) not in self.marks:
            count = sum(1 for known, _ in self.marks if known == kind) + 1
            self.marks[kind, identifier] = str(count) if kind == "footnote" else roman(count)
        return self.marks[kind, identifier]


@dataclass(slots=True)
class DocxInline:
    """Content of a paragraph.

    Attributes:
        text: Its text, with PAGE at page starts and formulas between dollar signs.
        formulas: Its formulas, if it contains nothing else.
        boxes: Text boxes anchored in it.
        graphics: Its drawings, for charts and diagrams.
        mono: True if all of its text is monospaced.
    """

    text: str = ""
    formulas: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    graphics: list[Element] = field(default_factory=list)
    mono: bool = False


class DocxInlineReader:
    """Reader of paragraphs, which collects the objects that they refer to.

    Attributes:
        notes: Footnotes and endnotes in the order of their marks.
        pictures: Number of pictures.
        objects: Number of embedded files.
        hidden: True if hidden text was left out.
    """

    def __init__(self) -> None:
        self.notes = Notes()
        self.pictures = 0
        self.objects = 0
        self.hidden = False
        self._rules: dict[str, Callable[[Element], None]] = {
            f"{W}r": self._run,
            f"{W}t": self._text,
            f"{W}br": self._break,
            f"{W}sym": self._symbol,
            f"{W}footnoteReference": self._note,
            f"{W}endnoteReference": self._note,
            f"{_MATH}oMath": self._formula,
            **dict.fromkeys(_SHAPES, self._shape),
        }
        self._parts: list[str] = []
        self._inline = DocxInline()
        self._mono: list[bool] = []
        self._is_mono: bool | None = None
        self._plain = False

    def read(self, paragraph: Element, *, mono: bool | None = None) -> DocxInline:
        """Return the text of a paragraph; mono is the value of its style."""
        self._parts, self._inline, self._mono, self._is_mono, self._plain = [], DocxInline(), [], mono, False
        self._walk(paragraph)
        inline = self._inline
        inline.text = "".join(self._parts)
        inline.mono = bool(self._mono) and all(self._mono)
        if self._plain:
            inline.formulas = []
        return inline

    def _walk(self, parent: Element) -> None:
        for child in parent:
            tag = child.tag
            rule = self._rules.get(tag)
            if rule is not None:
                rule(child)
            elif tag in _SIGNS:
                self._parts.append(_SIGNS[tag])
            elif tag not in _SKIPPED:
                if local_name(child) == "AlternateContent":
                    self._walk(list(alternatives(child)))
                else:
                    self._walk(child)

    def _run(self, run: Element) -> None:
        properties = run.find(f"{W}rPr")
        if properties is not None and is_on(properties, "vanish"):
            self.hidden = self.hidden or any(True for _ in run.iter(f"{W}t"))
            return
        before = self._is_mono
        own = is_mono(properties)
        self._is_mono = before if own is None else own
        self._walk(run)
        self._is_mono = before

    def _text(self, element: Element) -> None:
        text = element.text or ""
        self._parts.append(text)
        if text.strip():
            self._plain = True
            self._mono.append(bool(self._is_mono))

    def _break(self, element: Element) -> None:
        self._parts.append("\n" if element.get(f"{W}type") in (None, "textWrapping") else " ")

    def _symbol(self, element: Element) -> None:
        code = (element.get(f"{W}char") or "").lower()
        self._parts.append(_WINGDINGS.get(code, "" if code.startswith("f0") else _character(code)))

    def _note(self, element: Element) -> None:
        kind = local_name(element).removesuffix("Reference")
        if element.get(f"{W}customMarkFollows") not in ("1", "true"):
            self._parts.append(f"[{self.notes.mark(kind, element.get(f'{W}id') or '')}]")
        else:
            self.notes.mark(kind, element.get(f"{W}id") or "")

    def _formula(self, element: Element) -> None:
        text = " ".join(formula(element).split())
        if text:
            self._inline.formulas.append(text)
            self._parts.append(f" ${text}$ ")

    def _shape(self, shape: Element) -> None:
        """Collect a drawing or an embedded object, with its text boxes and pictures."""
        self._inline.graphics.append(shape)
        waiting = [shape]
        while waiting:
            element = waiting.pop()
            name = local_name(element)
            if element.tag == _BOX:
                self._inline.boxes.append(element)
                continue
            self.pictures += name in ("blip", "imagedata")
            self.objects += name == "OLEObject"
            inside = list(alternatives(element)) if name == "AlternateContent" else list(element)
            waiting.extend(reversed(inside))


def _character(code: str) -> str:
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""


def plain(text: str) -> str:
    """Return a paragraph's text on one line, without page marks."""
    return " ".join(text.replace(PAGE, "").split())
