"""Parser of PowerPoint presentations.

Slides with shapes, tables, charts and notes, bulleted paragraphs, and comments.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, PageKind, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING, TextBuilder, add_table, rows_left_out, within_limit
from workbench.parsing.docx_styles import roman
from workbench.parsing.formats import suffixes_of
from workbench.parsing.ooxml import (
    RELATION,
    A,
    OfficePackage,
    Relation,
    alternatives,
    chart_of,
    curves_left_out,
    diagram_of,
    formula,
    one_line,
)
from workbench.parsing.page_layout import Area, assign_pages, reading_order
from workbench.parsing.zip_package import Element, local_name, whole_number

_ONLY_A_PICTURE = mark("They are pictures: save the presentation as a PDF and add that to have them read by OCR.")


class PptxParser:
    """Parser of .pptx files; elements repeated on every slide (date, footer, number) are left out."""

    format: ClassVar[str] = "pptx"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("pptx")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OfficePackage.open(path, password)
        main = package.main_part("ppt/presentation.xml")
        slides = _slides(package, main)
        reader = SlideReader(package)
        authors = comment_authors(package, main)
        starts: list[tuple[int, str]] = []
        hidden: list[int] = []
        lost: list[int] = []
        pictures: list[int] = []
        for number, part in enumerate(slides, 1):
            root = package.tree(part)
            start = reader.builder.length
            label = ""
            if root is None:
                lost.append(number)
            else:
                label = reader.read(root, part)
                _add_comments(reader.builder, slide_comments(package, part, authors))
                if root.get("show") in ("0", "false"):
                    hidden.append(number)
                if reader.builder.length == start and next(root.iter(f"{A}blip"), None) is not None:
                    pictures.append(number)
            starts.append((start, label))
        if not reader.builder.blocks:
            raise package.without_text(
                "The slides hold no text.", "If they are pictures, save them as a PDF and add that."
            )
        blocks, pages = assign_pages(reader.builder, starts)
        findings = [*reader.findings(), *package.findings()]
        if pictures:
            findings.append(Finding(FindingKind.NO_TEXT, tuple(pictures), len(pictures), _ONLY_A_PICTURE))
        if lost:
            findings.append(Finding(FindingKind.LEFT_OUT, tuple(lost), len(lost), "slides that are damaged"))
        return ParsedDocument(
            reader.builder.text,
            blocks,
            pages,
            package.metadata(reader.builder, path),
            self.format,
            warnings=(*package.warnings(), *_hidden_warning(hidden)),
            page_kind=PageKind.SLIDE,
            findings=tuple(findings),
        )


def _slides(package: OfficePackage, main: str) -> list[str]:
    """Return the parts of the slides in the order in which they are shown."""
    relations = package.relations(main)
    root: Element | None = package.tree(main)
    listed = root.iter(f"{P}sldId") if root is not None else ()
    found = [relations[key].target for entry in listed if (key := entry.get(f"{RELATION}id") or "") in relations]
    found = [part for part in dict.fromkeys(found) if part in package]
    if found:
        return found
    # If the list is damaged, the slides themselves may still be readable.
    slides = [name for name in package.names if name.startswith("ppt/slides/slide") and name.endswith(".xml")]
    return sorted(slides, key=lambda name: (len(name), name))


def _add_comments(builder: TextBuilder, comments: list[str]) -> None:
    builder.add(BlockKind.LIST, "\n".join(comments))


def _hidden_warning(hidden: list[int]) -> list[str]:
    if not hidden:
        return []
    if len(hidden) == 1:
        return [mark(f"Slide {hidden[0]} is hidden in the presentation; it was read too.")]
    return [mark(f"Slides {', '.join(map(str, hidden))} are hidden in the presentation; they were read too.")]


_PPTX_TEXT_DEEPEST = 8
_LIST_TYPES = (None, "body", "obj")
"""Placeholders whose paragraphs have bullets by default."""


@dataclass(frozen=True, slots=True)
class ShapeParagraph:
    """Paragraph of a shape; mark is its bullet or number, or empty."""

    text: str
    depth: int
    mark: str


def shape_paragraphs(body: Element | None, *, kind: str | None, styles: list[Element]) -> list[ShapeParagraph]:
    """Return the paragraphs of a text body that are not empty.

    Args:
        body: The shape's text body.
        kind: Type of the shape's placeholder; "text box" for none.
        styles: List styles that apply to its paragraphs, the nearest first.
    """
    found: list[ShapeParagraph] = []
    counts = [0] * (_PPTX_TEXT_DEEPEST + 2)
    for paragraph in body.findall(f"{A}p") if body is not None else ():
        text = paragraph_text(paragraph)
        if not text.strip():
            continue
        properties = paragraph.find(f"{A}pPr")
        depth = min(whole_number(properties.get("lvl")) if properties is not None else 0, _PPTX_TEXT_DEEPEST)
        form = _bullet([properties, *_level_styles(styles, depth)], bulleted=kind in _LIST_TYPES)
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        if form in ("", "-"):
            counts[depth] = 0
            mark = form
        else:
            counts[depth] += 1
            mark = _pptx_text_number(counts[depth] + _start(properties) - 1, form)
        found.append(ShapeParagraph(text.strip(), depth, mark))
    return found


def paragraph_text(paragraph: Element) -> str:
    """Return the text of a paragraph, with formulas between dollar signs."""
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
    """Return "-" for a bullet, the format of a number, or an empty string; the first matching property wins."""
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


def _pptx_text_number(count: int, form: str) -> str:
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


P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "hdr", "sldNum", "sldImg")
_DEEPEST = 300
"""Maximum nesting of groups; the depth of element trees has the same limit (zip_package.py)."""


@dataclass(frozen=True, slots=True)
class _Placeholder:
    """Placeholder type of a shape; kind is None for the default type, "text box" for no placeholder."""

    kind: str | None
    index: str


class SlideReader:
    """Converter of slides, one by one, into the text of a builder.

    Attributes:
        builder: Receives the text.
    """

    def __init__(self, package: OfficePackage) -> None:
        self.builder = TextBuilder()
        self._package = package
        self._layouts: dict[str, list[Element]] = {}
        self._relations: dict[str, Relation] = {}
        self._behind: list[Element] = []
        self._tables = 0
        self._pictures = 0
        self._objects = 0
        self._curves = 0
        self._rows_left_out = 0

    def read(self, root: Element, part: str) -> str:
        """Append a slide; return its title on one line, or an empty string."""
        self._relations = self._package.relations(part)
        self._behind = self._layout_shapes()
        tree = next(root.iter(f"{P}spTree"), None)
        shapes = list(self._shapes(tree)) if tree is not None else []
        title = next((shape for shape in shapes if self._placeholder(shape).kind in _TITLES), None)
        label = one_line(self._plain_text(title)) if title is not None else ""
        if label and len(label) <= LONGEST_HEADING:
            self.builder.add(BlockKind.HEADING, label, level=1)
            shapes.remove(title)
        else:
            label = label[:80]
        self._add_shapes(shapes, 0)
        self._notes()
        return label

    def findings(self) -> list[Finding]:
        """Return findings: tables, images, and parts that were left out."""
        found = []
        if self._tables:
            found.append(Finding(FindingKind.TABLES, count=self._tables))
        if self._pictures:
            found.append(Finding(FindingKind.IMAGES, count=self._pictures))
        if self._objects:
            found.append(Finding(FindingKind.LEFT_OUT, count=self._objects, detail="embedded files"))
        return [*found, *curves_left_out(self._curves), *rows_left_out(self._rows_left_out)]

    def _shapes(self, parent: Element) -> Iterator[Element]:
        for child in parent:
            for shape in alternatives(child):
                if local_name(shape) in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp"):
                    yield shape

    def _add_shapes(self, shapes: list[Element], depth: int) -> None:
        areas = [self._area(shape, index) for index, shape in enumerate(shapes)]
        for index in reading_order(areas):
            self._shape(shapes[index], depth)

    def _shape(self, shape: Element, depth: int) -> None:
        name = local_name(shape)
        if name == "grpSp" and depth < _DEEPEST:
            self._add_shapes(list(self._shapes(shape)), depth + 1)
        elif name == "graphicFrame":
            self._graphic(shape)
        elif name == "pic":
            self._pictures += 1
        elif name in ("sp", "cxnSp"):
            place = self._placeholder(shape)
            if place.kind not in _FURNITURE:
                self._add_paragraphs(shape_paragraphs(_body(shape), kind=place.kind, styles=self._styles(shape, place)))

    def _graphic(self, frame: Element) -> None:
        table = next(frame.iter(f"{A}tbl"), None)
        if table is not None:
            elements = table.findall(f"{A}tr")
            rows = within_limit(_table_rows(elements))
            self._rows_left_out += len(elements) - len(rows)
            self._tables += add_table(self.builder, rows)
            return
        texts = diagram_of(frame, self._package, self._relations)
        if texts:
            self.builder.add(BlockKind.LIST, "\n".join(f"- {text}" for text in texts))
        chart = chart_of(frame, self._package, self._relations)
        if chart is not None:
            self.builder.add(BlockKind.PARAGRAPH, chart.title)
            add_table(self.builder, chart.rows)
            self._curves += chart.is_curve
        self._objects += any(local_name(entry) == "oleObj" for entry in frame.iter())

    def _add_paragraphs(self, paragraphs: list[ShapeParagraph]) -> None:
        """Append a shape's paragraphs, with adjacent list items as one list."""
        items: list[str] = []
        for paragraph in paragraphs:
            if paragraph.mark:
                items.append("  " * paragraph.depth + f"{paragraph.mark} {paragraph.text}")
                continue
            self.builder.add(BlockKind.LIST, "\n".join(items))
            items = []
            self.builder.add(BlockKind.PARAGRAPH, paragraph.text)
        self.builder.add(BlockKind.LIST, "\n".join(items))

    def _notes(self) -> None:
        part = next((r.target for r in self._relations.values() if r.kind == "notesSlide" and r.target), "")
        root = self._package.tree(part)
        tree = next(root.iter(f"{P}spTree"), None) if root is not None else None
        for shape in self._shapes(tree) if tree is not None else ():
            if local_name(shape) == "sp" and self._placeholder(shape).kind in ("body", None):
                text = self._plain_text(shape).strip()
                if text:
                    self.builder.add(BlockKind.PARAGRAPH, f"Notes: {text}")

    @staticmethod
    def _plain_text(shape: Element) -> str:
        body = _body(shape)
        return "\n".join(paragraph_text(p) for p in body.findall(f"{A}p")) if body is not None else ""

    @staticmethod
    def _placeholder(shape: Element) -> _Placeholder:
        found = next(shape.iter(f"{P}ph"), None) if local_name(shape) == "sp" else None
        if found is None:
            return _Placeholder("text box", "")
        return _Placeholder(found.get("type"), found.get("idx") or "")

    def _layout_shapes(self) -> list[Element]:
        """Return the shapes of the slide's layout, from which its own shapes inherit position and bullets."""
        part = next((r.target for r in self._relations.values() if r.kind == "slideLayout"), "")
        if part not in self._layouts:
            root = self._package.tree(part)
            tree = next(root.iter(f"{P}spTree"), None) if root is not None else None
            self._layouts[part] = list(self._shapes(tree)) if tree is not None else []
        return self._layouts[part]

    def _model(self, place: _Placeholder) -> Element | None:
        """Return the layout shape on which a placeholder is based."""
        if place.kind == "text box":
            return None
        models = [(self._placeholder(shape), shape) for shape in self._behind]
        by_index = (shape for model, shape in models if place.index and model.index == place.index)
        by_kind = (shape for model, shape in models if model.kind == place.kind)
        found = next(by_index, None)
        return found if found is not None else next(by_kind, None)

    def _styles(self, shape: Element, place: _Placeholder) -> list[Element]:
        bodies = [_body(found) for found in (shape, self._model(place)) if found is not None]
        styles = [body.find(f"{A}lstStyle") for body in bodies if body is not None]
        return [style for style in styles if style is not None]

    def _area(self, shape: Element, index: int) -> Area:
        """Return the area of a shape; without own coordinates that of its layout shape, else at the top."""
        model = self._model(self._placeholder(shape))
        for candidate in (shape, model):
            if candidate is None:
                continue
            offset, extent = next(candidate.iter(f"{A}off"), None), next(candidate.iter(f"{A}ext"), None)
            frame = candidate.find(f"{P}xfrm")
            if frame is not None:
                offset, extent = frame.find(f"{A}off"), frame.find(f"{A}ext")
            if offset is not None and extent is not None:
                left, top = _number(offset.get("x")), _number(offset.get("y"))
                return Area(left, top, left + _number(extent.get("cx")), top + _number(extent.get("cy")), index)
        return Area(0, 0, 0, 0, index)


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0


def _body(shape: Element) -> Element | None:
    return shape.find(f"{P}txBody")


def _table_rows(elements: Iterable[Element]) -> Iterator[list[str]]:
    """Yield the rows of a table; a merged cell is repeated in each column or row that it covers."""
    above: list[str] = []
    for row in elements:
        cells: list[str] = []
        for cell in row.findall(f"{A}tc"):
            if cell.get("vMerge") in ("1", "true") and len(cells) < len(above):
                text = above[len(cells)]
            elif cell.get("hMerge") in ("1", "true") and cells:
                text = cells[-1]
            else:
                text = " ".join(one_line(paragraph_text(paragraph)) for paragraph in cell.iter(f"{A}p"))
            cells.append(text)
        yield cells
        above = cells


def comment_authors(package: OfficePackage, main: str) -> dict[str, str]:
    """Return the names of the comment authors, by their identifiers."""
    names: dict[str, str] = {}
    for relation in package.relations(main).values():
        if relation.kind in ("commentAuthors", "authors"):
            root = package.tree(relation.target)
            for author in root if root is not None else ():
                names[author.get("id") or ""] = one_line(author.get("name") or "")
    return names


def slide_comments(package: OfficePackage, part: str, authors: dict[str, str]) -> list[str]:
    """Return the comments on a slide and their replies as "Name: text", in file order."""
    found: list[str] = []
    for relation in package.relations(part).values():
        root = package.tree(relation.target) if relation.kind == "comments" and relation.target else None
        for entry in root.iter() if root is not None else ():
            if local_name(entry) not in ("cm", "reply"):
                continue
            words = [child.text or "" for child in entry if local_name(child) == "text"]
            words += [
                text.text or "" for child in entry if local_name(child) == "txBody" for text in child.iter(f"{A}t")
            ]
            text = one_line(" ".join(words))
            name = authors.get(entry.get("authorId") or "", "")
            if text:
                found.append(f"{name}: {text}" if name else f"- {text}")
    return found
