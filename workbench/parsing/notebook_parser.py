"""Parser of Jupyter notebooks: Markdown cells, and code cells with their text output; each cell is a page."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, Page, PageKind, ParsedDocument
from workbench.parsing.assembly import TextBuilder, clean, stem
from workbench.parsing.base import too_deep
from workbench.parsing.code_parser import code_blocks
from workbench.parsing.encoding import read_source, require_text
from workbench.parsing.formats import suffixes_of
from workbench.parsing.markdown_parser import markdown_blocks

_MOST_OUTPUT = 4000
"""Maximum characters of one cell's outputs: people do not search training logs."""
_PLAIN = ("text/markdown", "text/plain", "text/latex")


class NotebookParser:
    """Parser of notebooks in formats 3 and 4."""

    format: ClassVar[str] = "notebook"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("notebook")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path, whole=True)
        try:
            notebook = json.loads(source.text)
        except RecursionError as error:
            raise too_deep() from error
        except ValueError as error:
            raise DamagedDocument(
                "The notebook is not valid JSON.", "Try to open it in Jupyter and save it."
            ) from error
        reader = _CellReader()
        pages: list[Page] = []
        for cell in _cells(notebook):
            before = len(reader.builder.blocks)
            reader.read(cell, page=len(pages) + 1)
            if len(reader.builder.blocks) > before:
                pages.append(Page(len(pages) + 1, reader.builder.blocks[before].start, reader.builder.length))
        blocks = tuple(reader.builder.blocks)
        require_text(blocks)
        return ParsedDocument(
            reader.builder.text,
            blocks,
            tuple(pages),
            _metadata(notebook, blocks, path),
            self.format,
            page_kind=PageKind.CELL,
            findings=(*source.findings, *reader.findings()),
        )


class _CellReader:
    """Converter of cells into text blocks."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self._pictures = 0
        self._cut = 0

    def read(self, cell: Mapping[str, Any], page: int) -> None:
        """Append a cell if it is not empty."""
        text = clean(_joined(cell.get("source", cell.get("input", ""))))
        if cell.get("cell_type") == "code":
            self._blocks(text, code_blocks(text), page)
            self._outputs(cell.get("outputs"), page)
        elif cell.get("cell_type") == "heading":
            level = cell.get("level")
            self.builder.add(
                BlockKind.HEADING, text, level=level if isinstance(level, int) and 0 < level < 7 else 1, page=page
            )
        elif cell.get("cell_type") == "raw":
            self.builder.add(BlockKind.PARAGRAPH, text, page=page)
        else:
            self._pictures += text.count("](attachment:")
            self._blocks(text, markdown_blocks(text), page)

    def findings(self) -> Iterator[Finding]:
        """Yield findings about parts that were not read."""
        if self._pictures:
            yield Finding(FindingKind.IMAGES, count=self._pictures)
        if self._cut:
            why = mark(f"at most {_MOST_OUTPUT:,} characters of a cell's output are read")
            several = mark(f"the ends of {self._cut:,} outputs: {why}")
            detail = mark(f"the end of 1 output: {why}") if self._cut == 1 else several
            yield Finding(FindingKind.TRUNCATED, count=self._cut, detail=detail)

    def _blocks(self, text: str, blocks: Iterator[Block] | list[Block], page: int) -> None:
        for block in blocks:
            self.builder.add(block.kind, text[block.start : block.end], level=block.level, page=page, title=block.title)

    def _outputs(self, outputs: Any, page: int) -> None:
        left = _MOST_OUTPUT
        for output in outputs if isinstance(outputs, list) else []:
            if not isinstance(output, dict):
                continue
            data = output.get("data", output)
            self._pictures += sum(1 for kind in data if kind.startswith("image/") or kind in ("png", "jpeg"))
            text = clean(_output_text(output, data))
            if len(text) > left:
                self._cut += 1
            self.builder.add(BlockKind.PARAGRAPH, text[:left], page=page)
            left = max(0, left - len(text))


def _output_text(output: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the text of an output: printed lines, a value, or an error without its colors."""
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    if "text" in output:
        return _joined(output["text"])
    return next((_joined(data[kind]) for kind in _PLAIN if kind in data), "")


def _cells(notebook: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the cells of format 4, or of the worksheets of format 3."""
    if not isinstance(notebook, dict):
        raise DamagedDocument("The file is not a notebook.", "Give it its right name, or save it again.")
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else [])]
    for holder in holders:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        yield from (cell for cell in (cells if isinstance(cells, list) else []) if isinstance(cell, dict))


def _joined(source: Any) -> str:
    """Return a cell's text, which notebooks store as one string or as a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _metadata(notebook: Mapping[str, Any], blocks: tuple[Block, ...], path: Path) -> Metadata:
    properties = notebook.get("metadata")
    properties = properties if isinstance(properties, dict) else {}
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    first = next((block for block in headings if block.level == 1), headings[0] if headings else None)
    authors = properties.get("authors")
    names = (
        [author.get("name", "") for author in authors if isinstance(author, dict)] if isinstance(authors, list) else []
    )
    kernel = properties.get("kernelspec")
    language = properties.get("language_info")
    programming = next(
        (
            part[key]
            for part, key in ((language, "name"), (kernel, "language"))
            if isinstance(part, dict) and part.get(key)
        ),
        "",
    )
    title = properties.get("title")
    return Metadata(
        title=(title if isinstance(title, str) and title.strip() else "")
        or (first.title if first else "")
        or stem(path),
        author=", ".join(name for name in names if isinstance(name, str) and name),
        keywords=(programming,) if isinstance(programming, str) and programming else (),
    )
