"""PowerPoint presentations: a page for each slide, with its title as the label."""

from pathlib import Path
from typing import ClassVar

from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.ooxml import RELATION, OfficePackage
from workbench.parsing.page_layout import lay_pages
from workbench.parsing.pptx_comments import comment_authors, slide_comments
from workbench.parsing.pptx_slide import P, SlideReader
from workbench.parsing.zip_package import Element


class PptxParser:
    """Reads .pptx; what stands on every slide alike (date, footer, number) is left out."""

    format: ClassVar[str] = "pptx"
    suffixes: ClassVar[frozenset[str]] = frozenset({".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"})
    version: ClassVar[int] = 1

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
            starts.append((start, label))
        if not reader.builder.blocks:
            raise package.without_text(
                "The slides hold no text.", "If they are pictures, save them as a PDF and add that."
            )
        blocks, pages = lay_pages(reader.builder, starts)
        findings = [*reader.findings(), *package.findings()]
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
    # The list is damaged: the slides themselves may not be.
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
