"""The paragraphs of a shape on a slide, with the bullets and numbers that people see."""

from dataclasses import dataclass

from workbench.parsing.docx_numbering import roman
from workbench.parsing.drawings import A, alternatives
from workbench.parsing.omml import formula
from workbench.parsing.zip_package import Element, local_name, whole_number

_DEEPEST = 8
_LIST_TYPES = (None, "body", "obj")
"""Placeholders whose paragraphs have bullets unless something says otherwise."""


@dataclass(frozen=True, slots=True)
class ShapeParagraph:
    """A paragraph of a shape; mark is its bullet or number, or nothing."""

    text: str
    depth: int
    mark: str


def shape_paragraphs(body: Element | None, *, kind: str | None, styles: list[Element]) -> list[ShapeParagraph]:
    """Return the paragraphs of a text body that hold something.

    Args:
        body: The shape's text body.
        kind: Type of the placeholder that it is; "text box" for none.
        styles: List styles that say how its paragraphs look, the nearest first.
    """
    found: list[ShapeParagraph] = []
    counts = [0] * (_DEEPEST + 2)
    for paragraph in body.findall(f"{A}p") if body is not None else ():
        text = paragraph_text(paragraph)
        if not text.strip():
            continue
        properties = paragraph.find(f"{A}pPr")
        depth = min(whole_number(properties.get("lvl")) if properties is not None else 0, _DEEPEST)
        form = _bullet([properties, *_level_styles(styles, depth)], bulleted=kind in _LIST_TYPES)
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        if form in ("", "-"):
            counts[depth] = 0
            mark = form
        else:
            counts[depth] += 1
            mark = _number(counts[depth] + _start(properties) - 1, form)
        found.append(ShapeParagraph(text.strip(), depth, mark))
    return found


def paragraph_text(paragraph: Element) -> str:
    """Return the text of a paragraph, formulas between dollar signs."""
    parts: list[str] = []
    for child in paragraph:
        name = local_name(child)
        if name in ("r", "fld"):
            parts.append(child.findtext(f"{A}t") or "")
        elif name == "br":
            parts.append("\n")
        elif name == "AlternateContent":
            parts.extend(_math(inner) for inner in alternatives(child))
        elif name == "m":
            parts.append(_math(child))
    return "".join(parts).replace("\v", "\n")


def _math(element: Element) -> str:
    text = " ".join(formula(element).split())
    return f"${text}$" if text else ""


def _level_styles(styles: list[Element], depth: int) -> list[Element | None]:
    return [style.find(f"{A}lvl{depth + 1}pPr") for style in styles]


def _bullet(properties: list[Element | None], *, bulleted: bool) -> str:
    """Return "-" for a bullet, the form of a number, or nothing; the first of the properties that says so counts."""
    for entry in properties:
        for child in entry if entry is not None else ():
            name = local_name(child)
            if name == "buNone":
                return ""
            if name in ("buChar", "buBlip"):
                return "-"
            if name == "buAutoNum":
                return child.get("type") or "arabicPeriod"
    return "-" if bulleted else ""


def _start(properties: Element | None) -> int:
    numbered = properties.find(f"{A}buAutoNum") if properties is not None else None
    return whole_number(numbered.get("startAt"), 1) if numbered is not None else 1


def _number(count: int, form: str) -> str:
    if form.startswith("roman"):
        text = roman(count)
    elif form.startswith("alpha"):
        text = chr(97 + (count - 1) % 26)
    else:
        text = str(count)
    text = text.upper() if "Uc" in form else text
    if form.endswith("ParenBoth"):
        return f"({text})"
    return f"{text})" if form.endswith("ParenR") else f"{text}."
