"""Office Open XML shared by Word, PowerPoint and Excel: relationships, metadata, formulas (OMML), charts, diagrams."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.office_encryption import OLE_MAGIC, decrypted
from workbench.parsing.zip_package import Element, ZipPackage, damaged_package, local_name, whole_number

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_NO_TITLE = re.compile(
    r"^(?:[?\s]+|microsoft (?:word|powerpoint|excel)\b.*|(?:powerpoint )?(?:presentation|präsentation)\d*|document\d*"
    r"|powerpoint-präsentation|présentation powerpoint|untitled\b.*|title|slide \d+|(?:文档|文書|演示文稿|簡報)\s?\d*"
    r"|powerpoint 演示文稿|powerpoint 簡報|powerpoint プレゼンテーション|book\d+|sheet\d+|工作簿\d+"
    r"|.*\.(?:docx?|pptx?|xlsx?))$",
    re.I,
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?")


@dataclass(frozen=True, slots=True)
class Relation:
    """Relationship from one part to another.

    Attributes:
        kind: The last word of its type: "image", "slide", "footnotes".
        target: The other part's name; empty if it is outside the file.
    """

    kind: str
    target: str


class OfficePackage(ZipPackage):
    """Package of a Word, PowerPoint or Excel file."""

    @classmethod
    def open(cls, path: Path, password: str | None) -> "OfficePackage":
        """Open the package.

        Raises:
            EncryptedDocument: The password is missing or wrong.
            DamagedDocument: The file is not such a package.
        """
        data = path.read_bytes()
        return cls(decrypted(data, password) if data.startswith(OLE_MAGIC) else data)

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relationships of a part by identifier; the empty part name is the package itself."""
        folder, name = posixpath.split(part)
        root = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for entry in root if root is not None else ():
            target = entry.get("Target") or ""
            outside = entry.get("TargetMode") == "External"
            kind = (entry.get("Type") or "").rstrip("/").rpartition("/")[2]
            found[entry.get("Id") or ""] = Relation(kind, "" if outside else _resolved(folder, target))
        return found

    def main_part(self, *usual: str) -> str:
        """Return the name of the main part.

        Raises:
            DamagedDocument: The package has no main part.
        """
        related = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        for name in (*related, *usual):
            if name in self:
                return name
        raise DamagedDocument(
            "The file is damaged: the part that holds its text is missing.",
            "Try to open it in its own program and save it again.",
        )

    def main_tree(self, part: str) -> Element:
        """Return the root of a required part.

        Raises:
            DamagedDocument: It cannot be read.
        """
        root = self.tree(part)
        if root is None:
            raise DamagedDocument(
                "The file is damaged: the part that holds its text cannot be read.",
                "Try to open it in its own program and save it again.",
            )
        return root

    def findings(self) -> list[Finding]:
        """Return findings about the package."""
        if not self.damaged:
            return []
        return [Finding(FindingKind.LEFT_OUT, detail="parts that are damaged")]

    def warnings(self) -> list[str]:
        """Return the same findings as sentences."""
        return [mark("The file is damaged; what could still be read was read.")] if self.damaged else []

    def without_text(self, message: str, hint: str) -> DocumentError:
        """Return the error for a file without text: it is damaged or empty."""
        return damaged_package() if self.damaged else EmptyDocument(message, hint)

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        """Return the file's metadata; see metadata_of()."""
        said: dict[str, str] = {}
        related = [relation.target for relation in self.relations("").values() if relation.kind == "core-properties"]
        root = self.tree(next(iter(related), "docProps/core.xml"))
        for entry in root if root is not None else ():
            said.setdefault(local_name(entry), one_line(entry.text or ""))
        return metadata_of(said, builder, path)


def metadata_of(said: dict[str, str], builder: TextBuilder | None, path: Path) -> Metadata:
    """Return metadata from the Dublin Core names: title, creator, created, modified, keywords, language.

    The fallback for the title is the builder's first heading, if there is a builder, or the file's name.
    """
    title = said.get("title", "")
    if not title or len(title) > 300 or _NO_TITLE.match(title):
        title = (first_heading(builder) if builder is not None else "") or stem(path)
    return Metadata(
        title=title,
        author=said.get("creator", ""),
        created=iso(said.get("created", "")),
        keywords=tuple(w for w in (part.strip() for part in re.split(r"[,;，；、]", said.get("keywords", ""))) if w),
        language=said.get("language", ""),
        modified=iso(said.get("modified", "")),
    )


def first_heading(builder: TextBuilder) -> str:
    """Return the text of the first heading that can serve as a title, or an empty string."""
    text = builder.text
    for block in builder.blocks:
        if block.kind is BlockKind.HEADING and block.end - block.start <= 200:
            return one_line(text[block.start : block.end])
    return ""


def one_line(text: str) -> str:
    """Return a text as one line with single spaces."""
    return " ".join(clean(text).split())


def iso(value: str) -> str:
    """Return the date part of a W3C date, or an empty string."""
    match = _DATE.match(value)
    return match[0] if match else ""


def children(element: Element, *names: str) -> Sequence[Element]:
    """Return the children with these local names."""
    return [child for child in element if local_name(child) in names]


def _resolved(folder: str, target: str) -> str:
    joined = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined.replace("\\", "/"))


_GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = "∞×÷±∓⋅·∗≤≥≠≈≡∼∝≪≫→←⇒⇔↔∈∉⊂⊆∪∩∅∀∃¬∧∨∂∇…⋯∘ϵϕℏ⊥∥"
_SIGN_NAMES = (
    "infty times div pm mp cdot cdot ast leq geq neq approx equiv sim propto ll gg to leftarrow Rightarrow "
    "Leftrightarrow leftrightarrow in notin subset subseteq cup cap emptyset forall exists neg wedge vee partial nabla "
    "ldots cdots circ epsilon phi hbar perp parallel"
)
_SYMBOLS = dict(zip(_GREEK + _SIGNS, f"{_GREEK_NAMES} {_SIGN_NAMES}".split(), strict=True))
_LARGE_SIGNS = "∑∏∐∫∬∭∮∯∰⋃⋂⋀⋁"
_LARGE_NAMES = r"\sum \prod \coprod \int \iint \iiint \oint \oiint \oiiint \bigcup \bigcap \bigwedge \bigvee"
_LARGE = dict(zip(_LARGE_SIGNS, _LARGE_NAMES.split(), strict=True))
_MARKS = "\u0302\u0303\u0305\u0304\u0307\u0308\u20d7\u0301\u0300\u030c¯⏞⏟→←"
_MARK_NAMES = (
    r"\hat \tilde \bar \bar \dot \ddot \vec \acute \grave \check \overline \overbrace \underbrace "
    r"\overrightarrow \overleftarrow"
)
_ACCENTS = dict(zip(_MARKS, _MARK_NAMES.split(), strict=True))
_FUNCTION_NAMES = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp lim max min sup inf det gcd dim "
    "ker arg deg Pr"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_LINE_END = r" \\ "
_DEEPEST = 100
"""More deeply nested formulas are malicious: only their text is returned."""


def formula(element: Element, depth: int = 0) -> str:
    """Return a formula, or a part of one, as LaTeX; unknown elements give their content."""
    name = local_name(element)
    if name.endswith("Pr"):
        return ""
    if depth > _DEEPEST:
        return "".join(element.itertext())
    return _RULES.get(name, _inside)(element, depth + 1)


def _inside(element: Element, depth: int) -> str:
    return "".join([formula(child, depth) for child in element])


def _child(element: Element, name: str, depth: int) -> str:
    return next((formula(child, depth) for child in element if local_name(child) == name), "")


def _property(element: Element, name: str) -> str | None:
    """Return the value of an element's property; empty if it has no value, None if there is no such property."""
    for child in element:
        if local_name(child).endswith("Pr"):
            for entry in child:
                if local_name(entry) == name:
                    return next((v for k, v in entry.attrib.items() if k.rpartition("}")[2] == "val"), "")
    return None


def _text(element: Element, depth: int) -> str:  # noqa: ARG001 - as every rule
    text = element.text or ""
    spaced = "".join([rf" \{_SYMBOLS[c]} " if c in _SYMBOLS else c for c in text])
    return spaced if spaced.strip() or not text.isspace() else " "


def _fraction(element: Element, depth: int) -> str:
    over, under = _child(element, "num", depth), _child(element, "den", depth)
    kind = _property(element, "type")
    if kind == "noBar":
        return rf"\binom{{{over}}}{{{under}}}"
    return f"{over}/{under}" if kind == "lin" else rf"\frac{{{over}}}{{{under}}}"


def _root(element: Element, depth: int) -> str:
    degree = _child(element, "deg", depth).strip()
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_child(element, 'e', depth)}}}"


def _scripts(element: Element, depth: int) -> str:
    base = _child(element, "e", depth)
    sub, sup = _child(element, "sub", depth).strip(), _child(element, "sup", depth).strip()
    scripts = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{{}}{scripts}{base}" if local_name(element) == "sPre" else f"{base}{scripts}"


def _large(element: Element, depth: int) -> str:
    sign = _property(element, "chr")
    operator = _LARGE.get(sign, sign) if sign else r"\int"
    sub, sup = _child(element, "sub", depth).strip(), _child(element, "sup", depth).strip()
    limits = (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
    return f"{operator}{limits}{'' if limits else ' '}{_child(element, 'e', depth)}"


def _fenced(element: Element, depth: int) -> str:
    opening, closing, between = (_property(element, name) for name in ("begChr", "endChr", "sepChr"))
    parts = [formula(child, depth) for child in element if local_name(child) == "e"]
    left = "(" if opening is None else opening or "."
    right = ")" if closing is None else closing or "."
    fence = {"{": r"\{", "}": r"\}"}
    inside = (between or "|").join(parts)
    return rf"\left{fence.get(left, left)}{inside}\right{fence.get(right, right)}"


def _function(element: Element, depth: int) -> str:
    name = _child(element, "fName", depth).strip()
    word = name.split("_")[0].split("^")[0]
    return f"{chr(92) if word in _FUNCTIONS else ''}{name} {_child(element, 'e', depth)}"


def _limit(element: Element, depth: int) -> str:
    sign = "_" if local_name(element) == "limLow" else "^"
    base = _child(element, "e", depth)
    return f"{base}{sign}{{{_child(element, 'lim', depth)}}}"


def _accent(element: Element, depth: int) -> str:
    sign = _property(element, "chr")
    if local_name(element) == "bar":
        command = r"\underline" if _property(element, "pos") != "top" else r"\overline"
    elif local_name(element) == "groupChr":
        command = _ACCENTS.get(sign or "⏟", r"\underbrace")
    else:
        command = _ACCENTS.get(sign or "\u0302", r"\hat")
    return f"{command}{{{_child(element, 'e', depth)}}}"


def _matrix(element: Element, depth: int) -> str:
    rows = [
        " & ".join(formula(cell, depth) for cell in row if local_name(cell) == "e")
        for row in element
        if local_name(row) == "mr"
    ]
    return r"\begin{matrix}" + _LINE_END.join(rows) + r"\end{matrix}"


def _array(element: Element, depth: int) -> str:
    rows = [formula(child, depth) for child in element if local_name(child) == "e"]
    return _LINE_END.join(rows)


_RULES: dict[str, Callable[[Element, int], str]] = {
    "t": _text,
    "f": _fraction,
    "rad": _root,
    **dict.fromkeys(("sSub", "sSup", "sSubSup", "sPre"), _scripts),
    "nary": _large,
    "d": _fenced,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    **dict.fromkeys(("acc", "bar", "groupChr"), _accent),
    "m": _matrix,
    "eqArr": _array,
}


_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MOST_POINTS = 500
"""A chart with more points is a curve, whose points people do not read as numbers."""


@dataclass(frozen=True, slots=True)
class ChartContent:
    """Title and data of a chart.

    Attributes:
        title: Its title; empty if it has none.
        rows: The names of the series, then a row for each category; empty without data and for a curve.
        is_curve: True if it has more points than are read.
    """

    title: str
    rows: list[list[str]]
    is_curve: bool = False


def curves_left_out(number: int) -> list[Finding]:
    """Return the finding about charts whose data were not read; an empty list if there are none."""
    if not number:
        return []
    detail = (
        mark(f"the figures of 1 chart of more than {_MOST_POINTS:,} points; add the table that it was made from")
        if number == 1
        else mark(
            f"the figures of {number:,} charts of more than {_MOST_POINTS:,} points each; add the tables that they"
            " were made from"
        )
    )
    return [Finding(FindingKind.LEFT_OUT, count=number, detail=detail)]


def chart_of(element: Element, package: OfficePackage, relations: dict[str, Relation]) -> ChartContent | None:
    """Return the chart in a graphic; None if there is none."""
    reference = next(element.iter(f"{_CHART}chart"), None)
    relation = relations.get(reference.get(f"{_RELATION}id") or "") if reference is not None else None
    root = package.tree(relation.target) if relation is not None and relation.target else None
    return chart(root) if root is not None else None


def chart(root: Element) -> ChartContent:
    """Return the chart in a part."""
    title = next(root.iter(f"{_CHART}title"), None)
    words = _rich_text(title) if title is not None else ""
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(f"{_CHART}ser"):
        names.append(" ".join(_points(series.find(f"{_CHART}tx")).values()))
        labels = _points(_first(series, "cat", "xVal"))
        categories = {**labels, **categories}
        columns.append(_points(_first(series, "val", "yVal")))
    rows = sorted({index for column in columns for index in column})
    if not 0 < len(rows) <= _MOST_POINTS:
        return ChartContent(words, [], is_curve=bool(rows))
    table = [["", *names]]
    table.extend(
        [categories.get(row, str(row + 1) if categories else ""), *(column.get(row, "") for column in columns)]
        for row in rows
    )
    return ChartContent(words, table)


def _first(series: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := series.find(f"{_CHART}{name}")) is not None), None)


def _points(parent: Element | None) -> dict[int, str]:
    """Return the values of a reference by index; numbers are rounded to remove errors of binary fractions."""
    points: dict[int, str] = {}
    for point in parent.iter(f"{_CHART}pt") if parent is not None else ():
        index = whole_number(point.get("idx"), -1)
        text = one_line(point.findtext(f"{_CHART}v") or "")
        if index >= 0 and text:
            points.setdefault(index, _figure(text))
    return points


def _figure(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.10g}" if "." in text or "e" in text.lower() else text


def _rich_text(element: Element) -> str:
    words = " ".join("".join(run.text or "" for run in paragraph.iter(f"{A}t")) for paragraph in element.iter(f"{A}p"))
    return one_line(words) or " ".join(_points(element).values())


def diagram_of(element: Element, package: OfficePackage, relations: dict[str, Relation]) -> list[str]:
    """Return the texts of the diagram ("SmartArt") in a graphic, in file order."""
    reference = next(element.iter(f"{_DIAGRAM}relIds"), None)
    relation = relations.get(reference.get(f"{_RELATION}dm") or "") if reference is not None else None
    root = package.tree(relation.target) if relation is not None and relation.target else None
    texts = [] if root is None else [_rich_text(point) for point in root.iter(f"{_DIAGRAM}pt")]
    return [text for text in texts if text]


def alternatives(element: Element) -> Iterator[Element]:
    """Yield the element, or for alternative content the elements of the first alternative."""
    if local_name(element) != "AlternateContent":
        yield element
        return
    chosen = next((child for child in element if local_name(child) in ("Choice", "Fallback")), None)
    yield from chosen if chosen is not None else ()
