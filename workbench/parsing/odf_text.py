"""Text of OpenDocument files: paragraphs, headings, lists, notes, charts, formulas, and tables as rows of cells."""

from collections.abc import Callable, Iterable, Iterator

from workbench.model.document import BlockKind, Finding, FindingKind
from workbench.parsing.assembly import TextBuilder, add_table, rows_left_out, within_limit
from workbench.parsing.docx_styles import roman
from workbench.parsing.odf_package import CHART, DRAW, OFFICE, TABLE, TEXT, XLINK, OdfPackage, OdfStyles
from workbench.parsing.ooxml import one_line
from workbench.parsing.zip_package import Element, local_name, whole_number

_LEFT_OUT = frozenset(
    f"{TEXT}{name}" for name in ("tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "number")
)
_MOST_SPACES = 200
_DEEPEST = 8
_SHAPES = ("frame", "custom-shape", "rect", "g", "text-box", "ellipse", "line", "connector", "caption", "polygon")


class OdfFlowReader:
    """Converter of the text flow of an OpenDocument file into a builder.

    Attributes:
        builder: Receives the text.
    """

    def __init__(self, package: OdfPackage, styles: OdfStyles) -> None:
        self.builder = TextBuilder()
        self.pictures = 0
        self.tables = 0
        self._rows_left_out = 0
        self._package = package
        self._styles = styles
        self._notes: list[tuple[str, str]] = []
        self._comments: list[str] = []
        self._marks = {"footnote": 0, "endnote": 0}
        self._shapes: list[Element] = []
        self._code: list[str] = []

    def read(self, parent: Iterable[Element]) -> None:
        """Append all content below an element."""
        self._blocks(parent)
        self._end_code()

    def add_notes(self) -> None:
        """Append the notes and comments found so far under separate headings."""
        for title, lines in (
            ("Notes", [f"[{mark}] {text}" for mark, text in self._notes]),
            ("Comments", self._comments),
        ):
            if lines:
                self.builder.add(BlockKind.HEADING, title, level=1)
                self.builder.add(BlockKind.LIST, "\n".join(lines))
        self._notes, self._comments = [], []

    def findings(self) -> list[Finding]:
        """Return findings: tables, pictures, and rows that were not read."""
        found = []
        if self.tables:
            found.append(Finding(FindingKind.TABLES, count=self.tables))
        if self.pictures:
            found.append(Finding(FindingKind.IMAGES, count=self.pictures))
        return [*found, *rows_left_out(self._rows_left_out)]

    def _blocks(self, parent: Iterable[Element]) -> None:
        for element in parent:
            name = local_name(element)
            if element.tag in _LEFT_OUT:
                continue
            if element.tag == f"{TEXT}p" or element.tag == f"{TEXT}h":
                self._paragraph(element)
            elif element.tag == f"{TEXT}list":
                self._end_code()
                self.builder.add(BlockKind.LIST, "\n".join(self._items(element, 0, "")))
                self._anchored()
            elif element.tag == f"{TABLE}table":
                self._end_code()
                self.tables += add_table(self.builder, self._rows(element))
                self._anchored()
            elif name in _SHAPES:
                self.shape(element)
            elif name not in ("forms", "annotation"):
                self._blocks(element)

    def _paragraph(self, element: Element) -> None:
        line = self.inline(element).rstrip()
        text = line.strip()
        style = self._styles.paragraph(element.get(f"{TEXT}style-name"))
        level = style.level
        if element.tag == f"{TEXT}h":
            level = min(max(whole_number(element.get(f"{TEXT}outline-level"), 1), 1), 9)
        if style.code:
            self._code.append(line)
        elif level and text:
            self._end_code()
            self.builder.add(BlockKind.HEADING, text, level=level)
        else:
            self._end_code()
            self.builder.add(BlockKind.PARAGRAPH, text)
        self._anchored()

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        self.builder.add(BlockKind.CODE, "\n".join(lines))

    def _items(self, listed: Element, depth: int, style: str) -> list[str]:
        """Return the items of a list, each on a line with its mark."""
        style = listed.get(f"{TEXT}style-name") or style
        if not depth and not _continues(listed):
            self._styles.start_list(style)
        lines: list[str] = []
        for item in listed:
            name = local_name(item)
            if name not in ("list-item", "list-header"):
                continue
            first = name == "list-item"
            for child in item:
                if child.tag in (f"{TEXT}p", f"{TEXT}h"):
                    text = self.inline(child).strip()
                    mark = self._styles.mark(style, depth, item) if first and text else ""
                    if text:
                        lines.append("  " * min(depth, _DEEPEST) + (f"{mark} " if mark else "") + text)
                        first = False
                elif child.tag == f"{TEXT}list":
                    lines.extend(self._items(child, depth + 1, style))
        return lines

    def inline(self, element: Element) -> str:
        """Return the running text of a paragraph; notes, comments and shapes in it are collected for later."""
        parts = [element.text or ""]
        for child in element:
            name = local_name(child)
            if name == "s":
                parts.append(" " * min(whole_number(child.get(f"{TEXT}c"), 1), _MOST_SPACES))
            elif name == "tab":
                parts.append("\t")
            elif name == "line-break":
                parts.append("\n")
            elif child.tag == f"{TEXT}note":
                parts.append(self._note(child))
            elif child.tag == f"{OFFICE}annotation":
                self._comment(child)
            elif name in _SHAPES and child.tag.startswith(DRAW):
                formula = self._formula(child)
                parts.append(f"${formula}$" if formula else "")
                if not formula:
                    self._shapes.append(child)
            elif name == "ruby":
                parts.append("".join(self.inline(base) for base in child if local_name(base) == "ruby-base"))
            elif child.tag not in _LEFT_OUT and name != "annotation-end":
                parts.append(self.inline(child))
            parts.append(child.tail or "")
        return "".join(parts)

    def flat(self, parent: Iterable[Element]) -> str:
        """Return all text below an element on one line, for cells, notes and comments."""
        parts: list[str] = []
        for element in parent:
            if element.tag in (f"{TEXT}p", f"{TEXT}h"):
                parts.append(self.inline(element))
            elif element.tag == f"{TEXT}list":
                lines = [line.strip() for line in self._items(element, 0, "")]
                # Slides made by other programs contain each cell as a list of one item.
                parts.extend(lines if len(lines) > 1 else [line.removeprefix("- ") for line in lines])
            elif element.tag == f"{TABLE}table":
                parts.extend(cell for row in self._rows(element) for cell in row)
            elif local_name(element) in _SHAPES:
                self._shapes.append(element)
        return one_line(" ".join(parts))

    def _rows(self, table: Element) -> list[list[str]]:
        rows, left_out = odf_rows(table, self.flat)
        self._rows_left_out += left_out
        return rows

    def _note(self, note: Element) -> str:
        kind = note.get(f"{TEXT}note-class") or "footnote"
        self._marks[kind] = self._marks.get(kind, 0) + 1
        mark = str(self._marks[kind]) if kind == "footnote" else roman(self._marks[kind])
        body = note.find(f"{TEXT}note-body")
        self._notes.append((mark, self.flat(body) if body is not None else ""))
        return f"[{mark}]"

    def _comment(self, comment: Element) -> None:
        author = next((one_line(e.text or "") for e in comment if local_name(e) == "creator"), "")
        text = self.flat(comment)
        if text:
            self._comments.append(f"{author}: {text}" if author else f"- {text}")

    def _anchored(self) -> None:
        shapes, self._shapes = self._shapes, []
        for shape in shapes:
            self.shape(shape)

    def shape(self, shape: Element) -> None:
        """Append the content of a frame or shape: text, a table, a chart; pictures are counted."""
        objects = [child for child in shape if local_name(child) == "object"]
        if objects:
            formula = self._formula(shape)
            self.builder.add(BlockKind.FORMULA, f"$${formula}$$" if formula else "")
            for child in objects:
                self._chart(self._package.object(child.get(f"{XLINK}href") or ""))
            return
        self.pictures += any(local_name(child) == "image" for child in shape)
        self._blocks([child for child in shape if local_name(child) not in ("image", "desc", "title")])

    def _formula(self, frame: Element) -> str:
        """Return the formula in a frame as its author typed it; empty if there is none."""
        for child in frame:
            root = self._package.object(child.get(f"{XLINK}href") or "") if local_name(child) == "object" else None
            if root is not None and local_name(root) == "math":
                typed = next((e.text or "" for e in root.iter() if local_name(e) == "annotation"), "")
                return one_line(typed or "".join(root.itertext()))
        return ""

    def _chart(self, root: Element | None) -> None:
        chart = next(root.iter(f"{CHART}chart"), None) if root is not None else None
        if chart is None:
            return
        title = chart.find(f"{CHART}title")
        self.builder.add(BlockKind.PARAGRAPH, self.flat(title) if title is not None else "")
        for table in chart.iter(f"{TABLE}table"):
            add_table(self.builder, self._rows(table))


def _continues(listed: Element) -> bool:
    return listed.get(f"{TEXT}continue-numbering") == "true" or listed.get(f"{TEXT}continue-list") is not None


_MOST_COLUMNS = 16_384
"""Limit of LibreOffice: a repeated cell is not repeated beyond it, but cells in the file are read in any case."""

_MOST_ACROSS = 200
"""Larger spans are invalid."""

_GROUPS = frozenset(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))
_CELLS = (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")


def rows_of(table: Element) -> Iterator[Element]:
    """Yield the rows of a table, including those in groups."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in _GROUPS:
            yield from rows_of(child)


def number(element: Element, name: str) -> int:
    """Return a number of repetitions or a span; 1 if unspecified."""
    return max(1, whole_number(element.get(f"{TABLE}{name}"), 1))


def odf_rows(table: Element, read_cell: Callable[[Element], str]) -> tuple[list[list[str]], int]:
    """Return the rows of a table, and the number of further rows that were not read.

    A merged cell is repeated in each column or row that it covers; empty cells at the end of a row are omitted.
    """
    pending: dict[int, tuple[int, str]] = {}
    elements = list(rows_of(table))
    rows = within_limit(_cells(row, pending, read_cell) for row in elements)
    return rows, len(elements) - len(rows)


def _cells(row: Element, pending: dict[int, tuple[int, str]], read_cell: Callable[[Element], str]) -> list[str]:
    cells: list[str] = []
    empty = 0
    for cell in row:
        if cell.tag not in _CELLS:
            continue
        text = read_cell(cell)
        across, down = number(cell, "number-columns-spanned"), number(cell, "number-rows-spanned")
        copies = number(cell, "number-columns-repeated")
        is_covered = cell.tag == _CELLS[1]
        if not text and not is_covered and across == down == 1:
            empty += copies
            continue
        cells.extend([""] * min(empty, _MOST_COLUMNS))
        empty = 0
        for copy in range(copies):
            if copy and len(cells) >= _MOST_COLUMNS:
                break
            if is_covered:
                cells.append(_covered(pending, len(cells)))
                continue
            for offset in range(min(across, _MOST_ACROSS) if copies == 1 else 1):
                if down > 1 or offset:
                    pending[len(cells) + offset] = (down if offset else down - 1, text)
            cells.append(text)
    return cells


def _covered(pending: dict[int, tuple[int, str]], column: int) -> str:
    """Return the text of a cell that is covered by a merged cell."""
    left, text = pending.get(column, (0, ""))
    if left > 1:
        pending[column] = (left - 1, text)
    else:
        pending.pop(column, None)
    return text
