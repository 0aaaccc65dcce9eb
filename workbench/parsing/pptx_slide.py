"""One slide: its shapes in reading order, its tables and charts, its notes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.model.document import BlockKind, Finding, FindingKind
from workbench.parsing.assembly import LONGEST_HEADING, TextBuilder
from workbench.parsing.drawings import A, alternatives, chart_of, curves_left_out, diagram_of
from workbench.parsing.long_tables import add_table
from workbench.parsing.ooxml import OfficePackage, Relation, one_line
from workbench.parsing.pptx_text import ShapeParagraph, paragraph_text, shape_paragraphs
from workbench.parsing.slide_order import Area, reading_order
from workbench.parsing.table_grid import rows_left_out, within_limit
from workbench.parsing.zip_package import Element, local_name

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "hdr", "sldNum", "sldImg")
_DEEPEST = 300
"""Groups within each other; trees of elements are no deeper (shallow_tree.py)."""


@dataclass(frozen=True, slots=True)
class _Placeholder:
    """What a shape is a placeholder of; kind is None for the plain one, "text box" for no placeholder."""

    kind: str | None
    index: str


class SlideReader:
    """Hands the slides to a builder, one by one.

    Attributes:
        builder: Holds the text.
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
        """Append a slide; return its title on one line, or nothing."""
        self._relations = self._package.relations(part)
        self._behind = self._layout_shapes()
        tree = next(root.iter(f"{P}spTree"), None)
        shapes = list(self._shapes(tree)) if tree is not None else []
        title = next((shape for shape in shapes if self._placeholder(shape).kind in _TITLES), None)
        label = one_line(self._words(title)) if title is not None else ""
        if label and len(label) <= LONGEST_HEADING:
            self.builder.add(BlockKind.HEADING, label, level=1)
            shapes.remove(title)
        else:
            label = label[:80]
        self._in_order(shapes, 0)
        self._notes()
        return label

    def findings(self) -> list[Finding]:
        """Return what was found and what was left out."""
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

    def _in_order(self, shapes: list[Element], depth: int) -> None:
        areas = [self._area(shape, index) for index, shape in enumerate(shapes)]
        for index in reading_order(areas):
            self._shape(shapes[index], depth)

    def _shape(self, shape: Element, depth: int) -> None:
        name = local_name(shape)
        if name == "grpSp" and depth < _DEEPEST:
            self._in_order(list(self._shapes(shape)), depth + 1)
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
        """Append a shape's paragraphs, neighbouring list items as one list."""
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
                text = self._words(shape).strip()
                if text:
                    self.builder.add(BlockKind.PARAGRAPH, f"Notes: {text}")

    @staticmethod
    def _words(shape: Element) -> str:
        body = _body(shape)
        return "\n".join(paragraph_text(p) for p in body.findall(f"{A}p")) if body is not None else ""

    @staticmethod
    def _placeholder(shape: Element) -> _Placeholder:
        found = next(shape.iter(f"{P}ph"), None) if local_name(shape) == "sp" else None
        if found is None:
            return _Placeholder("text box", "")
        return _Placeholder(found.get("type"), found.get("idx") or "")

    def _layout_shapes(self) -> list[Element]:
        """Return the shapes of the layout behind the slide, from which its own take place and bullets."""
        part = next((r.target for r in self._relations.values() if r.kind == "slideLayout"), "")
        if part not in self._layouts:
            root = self._package.tree(part)
            tree = next(root.iter(f"{P}spTree"), None) if root is not None else None
            self._layouts[part] = list(self._shapes(tree)) if tree is not None else []
        return self._layouts[part]

    def _model(self, place: _Placeholder) -> Element | None:
        """Return the shape of the layout that a placeholder follows."""
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
        """Return where a shape stands; one that says nothing stands where its model does, or at the top."""
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
    """Yield the rows of a table; a cell over several columns or rows is repeated in each."""
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
