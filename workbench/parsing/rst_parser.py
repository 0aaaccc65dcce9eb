"""Parser of reStructuredText by docutils: unknown directives and roles, and the writer of text and blocks."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from workbench.model.document import Block, BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import Cell, TextBuilder, add_table, paragraphs, spread, stem
from workbench.parsing.dates import iso_date
from workbench.parsing.encoding import SourceText, read_source, require_text
from workbench.parsing.formats import suffixes_of

_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z][\w:.+-]*?)::(?:[ \t]|$)", re.M)
_ROLE = re.compile(r"(?<!\w):([A-Za-z][\w:.+-]*?):`|`:([A-Za-z][\w:.+-]*?):(?!\w)")
_TARGET = re.compile(r"^(.*?)\s*<([^<>]*)>$", re.S)
_CODE_NAMES = """
    code code-block sourcecode highlight prompt testcode testoutput doctest ipython command-output graphviz mermaid uml
    plantuml productionlist literalinclude parsed-literal
"""
_CODE = frozenset(_CODE_NAMES.split())
_REMARKS = frozenset(("versionadded", "versionchanged", "deprecated", "versionremoved", "seealso", "todo"))
"""Directives whose arguments are sentences; others have names and signatures, in which stars are not markup."""
_ENTRIES = frozenset(("toctree", "autosummary", "hlist", "glossary"))
NOT_READ = frozenset(("include", "raw", "literalinclude"))
"""Directives that would include another file, or markup of another format."""


def names_in(text: str) -> tuple[set[str], set[str]]:
    """Return the names of the directives and of the roles in a source, in lower case."""
    directives = {name.lower() for name in _DIRECTIVE.findall(text)}
    return directives, {(before or after).lower() for before, after in _ROLE.findall(text)}


def register(text: str) -> None:
    """Register each unknown directive and role of a source, so that its content is kept."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    generic = _directive_class()
    used, spoken = names_in(text)
    for name in used:
        if name in _CODE or name not in en.directives:
            directives.register_directive(name, generic)
    for name in spoken:
        if name not in en.roles:
            roles.register_local_role(name, _role)


def _role(_name: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """Return the visible text of a role: its title, or its target without module prefix."""
    from docutils import nodes, utils

    shown = utils.unescape(text)
    if match := _TARGET.match(shown):
        shown = match[1] or match[2]
    elif shown.startswith("~"):
        shown = shown.rpartition(".")[2] or shown
    return [nodes.inline(rawtext, shown.lstrip("!~."))], []


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Option specification that accepts any name."""

    def __getitem__(self, key: str) -> Callable[[str | None], str]:
        return lambda argument: argument or ""

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


def _directive_class() -> type:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class AnyDirective(Directive):  # type: ignore[misc]
        """Directive that keeps its arguments as a line of text and parses its content according to its name."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = _AnyOption()

        def run(self) -> list[Any]:
            content = "\n".join(self.content)
            if self.name in _CODE:
                return [nodes.literal_block(content, content)] if content.strip() else []
            if self.name in _ENTRIES and self.name != "glossary":
                return [nodes.paragraph(content, content)] if content.strip() else []
            found: list[Any] = []
            if self.arguments:
                words = " ".join(self.arguments[0].split())
                introduction = f"{self.name.rpartition(':')[2]} {words}"
                inline, _ = self.state.inline_text(introduction, self.lineno) if self.name in _REMARKS else ([], [])
                found.append(nodes.paragraph(introduction, "" if inline else introduction, *inline))
            node = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, node)
            return [*found, *node.children]

    return AnyDirective


_SKIPPED = frozenset(
    (
        "comment",
        "target",
        "substitution_definition",
        "raw",
        "pending",
        "meta",
        "decoration",
        "transition",
    )
)
_PARAGRAPHS = frozenset(
    ("paragraph", "term", "rubric", "attribution", "caption", "subtitle", "doctest_block", "option_string")
)
_RST_TEXT_CODE = frozenset(("literal_block", "doctest_block"))
_ADMONITIONS = frozenset(("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"))
_BRINGS_IN = re.compile(r"\.\. (?:include|raw|csv-table)::")
_DEEPEST_INDENT = 8


class RstWriter:
    """Writer of the visible nodes of a tree."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self.fields: dict[str, str] = {}
        self._pictures = 0
        self._tables = 0

    def findings(self) -> Iterator[Finding]:
        """Yield findings: tables and pictures."""
        if self._tables:
            yield Finding(FindingKind.TABLES, count=self._tables)
        if self._pictures:
            yield Finding(FindingKind.IMAGES, count=self._pictures)

    def write(self, node: Any, level: int = 0) -> None:
        """Append the visible content below a node; sections increase the level of headings."""
        for child in node.children:
            name = child.tagname
            if name in _SKIPPED:
                continue
            if name == "system_message":
                self._misread(child)
            elif name == "section":
                self.write(child, level + 1)
            elif name == "title":
                self.builder.add(BlockKind.HEADING, _flat(child), level=min(max(level, 1), 6))
            elif name in _RST_TEXT_CODE:
                self.builder.add(BlockKind.CODE, child.astext())
            elif name == "math_block":
                self.builder.add(BlockKind.FORMULA, child.astext())
            elif name == "table":
                self._table(child)
            elif name in ("bullet_list", "enumerated_list"):
                self._list(child, level)
            elif name == "docinfo" or (name == "field_list" and self._is_at_the_top()):
                self._docinfo(child)
            elif name == "image":
                self._picture(child)
            elif name in _ADMONITIONS:
                self._admonition(child, name.capitalize(), level)
            elif name in _PARAGRAPHS or not _has_blocks(child):
                self._pictures += sum(1 for _ in child.findall(_is_picture))
                self.builder.add(BlockKind.PARAGRAPH, child.astext())
            else:
                self.write(child, level)

    def _misread(self, message: Any) -> None:
        """Append source that docutils could not parse, so that it is not lost."""
        for source in message.children:
            if source.tagname == "literal_block" and not _BRINGS_IN.match(source.astext()):
                self.builder.add(BlockKind.PARAGRAPH, source.astext())

    def _admonition(self, node: Any, word: str, level: int) -> None:
        if node.children and node.children[0].tagname == "paragraph":
            self.builder.add(BlockKind.PARAGRAPH, f"{word}: {node.children[0].astext()}")
            self._rest(node, level)
        else:
            self.write(node, level)

    def _rest(self, node: Any, level: int) -> None:
        """Write a node without its first child."""
        node.children.pop(0)
        self.write(node, level)

    def _list(self, node: Any, level: int) -> None:
        """Append a list in one piece, or divided by the code and tables in it."""
        lines: list[str] = []
        for item, depth, mark in _items(node, 0):
            if item.tagname in _RST_TEXT_CODE or item.tagname in ("table", "math_block"):
                self.builder.add(BlockKind.LIST, "\n".join(lines))
                lines = []
                holder = type(item)()
                holder.children = [item]
                self.write(holder, level)
            elif text := item.astext().strip():
                indent = "  " * min(depth, _DEEPEST_INDENT)
                lines.append(f"{indent}{mark}" + text.replace("\n", f"\n{indent}  "))
        self.builder.add(BlockKind.LIST, "\n".join(lines))

    def _table(self, node: Any) -> None:
        for title in node.findall(lambda inner: inner.tagname == "title"):
            self.builder.add(BlockKind.PARAGRAPH, _flat(title))
        if add_table(self.builder, list(spread(_rows(node)))):
            self._tables += 1

    def _is_at_the_top(self) -> bool:
        """Return True if only the title was written: fields below it contain the document's author and date."""
        return len(self.builder.blocks) == 1 and self.builder.blocks[0].kind is BlockKind.HEADING

    def _docinfo(self, node: Any) -> None:
        for child in node.children:
            if child.tagname == "field":
                key, value = child.children[0].astext(), _value(child.children[1])
            elif child.tagname == "authors":
                key, value = "authors", ", ".join(_flat(author) for author in child.children)
            else:
                key, value = child.tagname, child.astext()
            self.fields.setdefault(key.strip().lower(), " ".join(value.split()))
            self.builder.add(BlockKind.PARAGRAPH, f"{key}: {value}")

    def _picture(self, node: Any) -> None:
        self._pictures += 1
        self.builder.add(BlockKind.PARAGRAPH, node.get("alt", ""))


def _is_picture(node: Any) -> bool:
    return getattr(node, "tagname", "") == "image"


def _has_blocks(node: Any) -> bool:
    return any(
        getattr(child, "tagname", "#text") not in ("#text", "inline") and not _is_inline(child)
        for child in node.children
    )


def _is_inline(node: Any) -> bool:
    from docutils import nodes

    return isinstance(node, nodes.Inline)


def _value(body: Any) -> str:
    """Return a field's value; for a list, its items separated by commas."""
    items = [_flat(item) for item in body.findall(lambda inner: inner.tagname == "list_item")]
    return ", ".join(items) or str(body.astext())


def _flat(node: Any) -> str:
    return " ".join(node.astext().split())


def _items(node: Any, depth: int) -> Iterator[tuple[Any, int, str]]:
    """Yield the blocks of a list's items with their depth, and the mark of those that begin an item."""
    number = int(node.get("start", 1))
    for item in node.children:
        mark = "- " if node.tagname == "bullet_list" else f"{number}. "
        number += 1
        for block in item.children:
            if block.tagname in _SKIPPED:
                continue
            if block.tagname in ("bullet_list", "enumerated_list"):
                yield from _items(block, depth + 1)
            else:
                yield block, depth, mark
            mark = "  "


def _rows(table: Any) -> Iterator[Iterator[Cell]]:
    for row in table.findall(lambda inner: inner.tagname == "row"):
        yield ((c.astext(), int(c.get("morecols", 0)) + 1, int(c.get("morerows", 0)) + 1) for c in row.children)


_MOST_CHARACTERS = 2_000_000
"""docutils parses about 100,000 characters a second; a longer file is data, and is read as plain text."""
_LONGEST_PARAGRAPH = 20_000
"""docutils searched a paragraph of 80,000 characters for references for 22 s: its time is quadratic."""


class RstParser:
    """Parser of reStructuredText."""

    format: ClassVar[str] = "rst"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("rst")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        source = read_source(path)
        tree = None if _is_data(source.text) else _tree(source.text)
        if tree is None:
            return self._as_text(source, path)
        writer = RstWriter()
        writer.write(tree)
        blocks = tuple(writer.builder.blocks)
        if not blocks:
            return self._as_text(source, path)
        findings = (*source.findings, *writer.findings(), *_left_out(source.text))
        return ParsedDocument(
            writer.builder.text, blocks, (), _metadata(writer, blocks, path), self.format, findings=findings
        )

    def _as_text(self, source: SourceText, path: Path) -> ParsedDocument:
        blocks = tuple(paragraphs(source.text, 0, len(source.text)))
        require_text(blocks)
        metadata = Metadata(title=stem(path))
        return ParsedDocument(
            source.text, blocks, (), metadata, self.format, findings=source.findings, lines=source.lines
        )


def _is_data(text: str) -> bool:
    if len(text) > _MOST_CHARACTERS:
        return True
    return any(block.end - block.start > _LONGEST_PARAGRAPH for block in paragraphs(text, 0, len(text)))


def _tree(text: str) -> Any:
    """Return docutils' tree, or None if the source is nested too deeply."""
    # Imported here: 60 ms that only a child process with such a file should spend.
    from docutils.core import publish_doctree

    register(text)
    settings = {
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "report_level": 5,
        "halt_level": 5,
        "warning_stream": False,
        "syntax_highlight": "none",
        "smart_quotes": False,
        "doctitle_xform": False,
        "docinfo_xform": True,
        "input_encoding": "unicode",
        "line_length_limit": _MOST_CHARACTERS,
    }
    try:
        return publish_doctree(text, settings_overrides=settings)
    except RecursionError:
        return None


def _left_out(text: str) -> list[Finding]:
    used = sorted(names_in(text)[0] & NOT_READ)
    return (
        [Finding(FindingKind.LEFT_OUT, detail=f"the content included by these directives: {', '.join(used)}")]
        if used
        else []
    )


def _metadata(writer: RstWriter, blocks: tuple[Block, ...], path: Path) -> Metadata:
    text = writer.builder.text
    heading = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
    said = writer.fields
    return Metadata(
        title=said.get("title") or (text[heading.start : heading.end] if heading else "") or stem(path),
        author=said.get("author") or said.get("authors", ""),
        created=iso_date(said.get("date", "")),
        keywords=tuple(
            word.strip() for word in re.split("[,;]", said.get("keywords", "") or said.get("tags", "")) if word.strip()
        ),
        language=said.get("language", ""),
    )
