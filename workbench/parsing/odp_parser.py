"""OpenDocument presentations: a page for each slide, with its title as the label."""

import re
from pathlib import Path
from typing import ClassVar

from workbench.model.document import BlockKind, PageKind, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING
from workbench.parsing.odf_package import DRAW, PRESENTATION, SVG, OdfPackage
from workbench.parsing.odf_styles import OdfStyles
from workbench.parsing.odf_text import FlowReader
from workbench.parsing.ooxml import one_line
from workbench.parsing.page_layout import lay_pages
from workbench.parsing.slide_order import Area, reading_order
from workbench.parsing.zip_package import Element, local_name

_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)\s*(cm|mm|in|pt|px)?")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75}
_FURNITURE = ("date-time", "footer", "header", "page-number", "page")


class OdpParser:
    """Reads .odp; what stands on every slide alike is left out."""

    format: ClassVar[str] = "odp"
    suffixes: ClassVar[frozenset[str]] = frozenset({".odp", ".otp"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        package = OdfPackage.open(path, password)
        body = package.body("presentation")
        reader = FlowReader(package, OdfStyles(package.tree("styles.xml"), body.getroottree().getroot()))
        starts: list[tuple[int, str]] = []
        for slide in body.iter(f"{DRAW}page"):
            start = reader.builder.length
            starts.append((start, _read_slide(reader, slide)))
        if not reader.builder.blocks:
            raise package.without_text(
                "The slides hold no text.", "If they are pictures, save them as a PDF and add that."
            )
        metadata = package.metadata(reader.builder, path)
        blocks, pages = lay_pages(reader.builder, starts)
        return ParsedDocument(
            reader.builder.text,
            blocks,
            pages,
            metadata,
            self.format,
            warnings=tuple(package.warnings()),
            page_kind=PageKind.SLIDE,
            findings=(*reader.findings(), *package.findings()),
        )


def _read_slide(reader: FlowReader, slide: Element) -> str:
    """Append a slide; return its title, or nothing."""
    # An entity that nobody declared is a child, too, whose tag is no text.
    drawn = (shape for shape in slide if isinstance(shape.tag, str) and shape.tag.startswith(DRAW))
    shapes = [shape for shape in drawn if shape.get(f"{PRESENTATION}class") not in _FURNITURE]
    title = next((shape for shape in shapes if shape.get(f"{PRESENTATION}class") == "title"), None)
    label = _words(title) if title is not None else ""
    if title is not None and label and len(label) <= LONGEST_HEADING:
        reader.builder.add(BlockKind.HEADING, label, level=1)
        shapes.remove(title)
    for index in reading_order([_area(shape, index) for index, shape in enumerate(shapes)]):
        reader.read([shapes[index]])
    for notes in slide.iter(f"{PRESENTATION}notes"):
        texts = [_words(shape) for shape in notes if shape.get(f"{PRESENTATION}class") == "notes"]
        for text in texts:
            reader.builder.add(BlockKind.PARAGRAPH, f"Notes: {text}" if text else "")
    reader.add_notes()
    return label[:LONGEST_HEADING]


def _words(shape: Element) -> str:
    paragraphs = ("".join(p.itertext()) for p in shape.iter() if local_name(p) in ("p", "h"))
    return one_line(" ".join(paragraphs))


def _area(shape: Element, index: int) -> Area:
    left, top, width, height = (_points(shape.get(f"{SVG}{name}")) for name in ("x", "y", "width", "height"))
    return Area(left, top, left + width, top + height, index)


def _points(length: str | None) -> float:
    match = _LENGTH.match(length or "")
    return float(match[1]) * _POINTS[match[2] or "pt"] if match else 0.0
