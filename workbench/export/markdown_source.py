"""Block parser for the Markdown of an answer.

Python-Markdown requires a blank line before a list, four spaces for each level of it, and closed fences at the margin;
models write none of that. So the nesting of blocks is determined here, by the rules of CommonMark, line by line, in
time linear in the length of the text. Two rules are wider than in CommonMark, because models often break them: an item
indented by two more spaces is nested even below "10.", and so is one that is indented too far.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

# Deeper lists and quotes stay text: 100 KB of ">" must not nest 100,000 elements.
_DEEPEST = 24
# The number of columns is limited, because python-markdown pads every row of a table to the width of its head.
_MOST_COLUMNS = 60
# A formula of more lines than this is taken for an unintended delimiter.
_LONGEST_FORMULA = 200

_TABS = re.compile(r"^[ ]*\t[ \t]*")
_FENCE = re.compile(r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r"(?P<level>#{1,6})(?:[ \t]+(?P<text>.*))?$")
_CLOSING_HASHES = re.compile(r"(?:^|(?<=[ \t]))#+[ \t]*$")
_UNDERLINE = re.compile(r"(?:=+|-+) *$")
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_ITEM = re.compile(r"(?P<marker>[-+*]|(?P<number>\d{1,9})[.)])(?P<gap> +|$)")
_TABLE_LINE = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
_DEFINITION = re.compile(
    r"\[(?P<label>[^\[\]]+)\]:\s*<?(?P<address>(?:https?://|mailto:)[^\s<>]+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*$"
)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_CLOSING = {"$$": "$$", "\\[": "\\]"}


class MarkdownBlockKind(StrEnum):
    """Kind of a block; the root, quotes, lists and items contain blocks, the others contain lines."""

    ROOT = "root"
    QUOTE = "quote"
    LIST = "list"
    ITEM = "item"
    TEXT = "text"
    TABLE = "table"
    HEADING = "heading"
    RULE = "rule"
    CODE = "code"
    FORMULA = "formula"


@dataclass(slots=True)
class MarkdownBlock:
    """Block of an answer.

    Attributes:
        kind: Kind of the block.
        lines: Text of a block that contains no blocks.
        children: Blocks inside a container block.
        mark: Language of a code block; marker of a list ("-", "*", "+", "." or ")").
        number: Level of a heading; first number of a numbered list.
        loose: True if blank lines separate the items of a list.
        margin: Column of an item's marker, relative to the text of its container.
        content: Column of an item's text, relative to the text of its container.
        widths: Column widths of a part of a long table, in per cent.
        line: First line of a top-level block; -1 if parsing cannot restart from that line.
    """

    kind: MarkdownBlockKind
    lines: list[str] = field(default_factory=list)
    children: list["MarkdownBlock"] = field(default_factory=list)
    mark: str = ""
    number: int = 1
    loose: bool = False
    margin: int = 0
    content: int = 0
    widths: tuple[int, ...] = ()
    line: int = -1

    @property
    def text(self) -> str:
        """Lines of the block joined by line feeds."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class MarkdownBlocks:
    """Parsed blocks of an answer.

    Attributes:
        children: Top-level blocks, which may contain blocks.
        references: Addresses of the reference definitions by their folded label.
        settled: Number of blocks, from the first one, that no following text can change.
        settled_references: Reference definitions before the end of the settled blocks.
    """

    children: list[MarkdownBlock]
    references: dict[str, str]
    settled: int
    settled_references: dict[str, str]


def blocks(text: str, references: Mapping[str, str] | None = None) -> MarkdownBlocks:
    """Return the blocks of an answer, or of its rest; references are the definitions before that rest."""
    reader = _MarkdownReader(text.split("\n"), references or {})
    children, defined = reader.root.children, reader.references
    rest = children[reader.settled].line if children else 0
    settled = {label: address for label, address in defined.items() if reader.defined.get(label, -1) < rest}
    return MarkdownBlocks(children, defined, reader.settled, settled)


def reference_label(label: str) -> str:
    """Return the folded form of a reference label, by which definitions are looked up."""
    return " ".join(label.split()).casefold()


def labels(text: str) -> list[str]:
    """Return the folded labels in a text that may refer to a definition."""
    return [reference_label(label) for label in _BRACKETS.findall(text)]


class _MarkdownReader:
    """Line-by-line parser with a stack of open containers and the open leaf block at its top."""

    def __init__(self, lines: Sequence[str], references: Mapping[str, str]) -> None:
        self.root = MarkdownBlock(MarkdownBlockKind.ROOT)
        self.references = dict(references)
        self.defined: dict[str, int] = {}
        self.settled = 0
        self._lines = lines
        self._number = 0
        self._first_undecided = len(lines)
        self._stack = [self.root]
        self._lists: list[MarkdownBlock] = []
        self._leaf: MarkdownBlock | None = None
        self._fence = ""
        self._fence_indent = 0
        self._formula_end = -1
        self._blank = False
        for self._number, line in enumerate(lines):
            if self._number == len(lines) - 1:
                self.settled = self._count_settled()
            self._read(self._number, line)

    def _count_settled(self) -> int:
        """Return the number of settled blocks: without the last one and those that the unfinished line may change."""
        settled = max(0, min(len(self.root.children) - 1, self._first_undecided))
        while settled and self.root.children[settled].line < 0:
            settled -= 1
        return settled

    def _read(self, number: int, raw: str) -> None:
        tabs = _TABS.match(raw)
        line = tabs.group().expandtabs(4) + raw[tabs.end() :] if tabs else raw
        depth, rest = self._match_containers(line)
        if self._fence and depth == len(self._stack):
            self._read_code(raw if depth == 1 else rest)
            return
        if number <= self._formula_end and self._leaf is not None:
            self._leaf.lines.append(rest)
            self._leaf = self._leaf if number < self._formula_end else None
            return
        self._fence = ""
        if not rest.strip():
            self._read_blank(depth)
            return
        opened, depth, rest = self._open_containers(depth, rest)
        lazy = not opened and depth < len(self._stack)
        if lazy and self._is(MarkdownBlockKind.TEXT) and not _interrupts(rest):
            self._add_text(rest)
        else:
            self._close(depth)
            self._read_leaf(number, rest)
        self._blank = False

    def _match_containers(self, line: str) -> tuple[int, str]:
        """Return the number of open containers that continue in a line, and the line without their marks."""
        rest = line
        for depth, container in enumerate(self._stack[1:], start=1):
            indent = _indent(rest)
            if container.kind is MarkdownBlockKind.QUOTE:
                if indent > 3 or rest[indent : indent + 1] != ">":
                    return depth, rest
                rest = rest[indent + 1 :].removeprefix(" ")
            elif not rest.strip():
                rest = ""
            elif not container.children and self._blank:
                return depth, rest
            elif indent >= container.content:
                rest = rest[container.content :]
            elif indent >= container.margin + 2 and _begins_nested(rest[indent:]):
                rest = rest[indent:]
            else:
                return depth, rest
        return len(self._stack), rest

    def _open_containers(self, depth: int, rest: str) -> tuple[bool, int, str]:
        """Open the quotes and items that begin in a line; return if any did, the new depth and the rest of the line."""
        opened = False
        while depth < _DEEPEST and rest.strip():
            indent = _indent(rest)
            goes_on = not opened and depth == len(self._stack) and self._is(MarkdownBlockKind.TEXT)
            if indent > 3 and not (goes_on and self._stack[-1].kind is MarkdownBlockKind.ITEM):
                break
            item = _ITEM.match(rest, indent)
            if rest[indent] == ">" and indent <= 3:
                self._close(depth)
                self._leaf = None
                quote = MarkdownBlock(MarkdownBlockKind.QUOTE)
                self._add(quote)
                self._stack.append(quote)
                rest = rest[indent + 1 :].removeprefix(" ")
            elif item and not _RULE.match(rest, indent) and not (goes_on and _is_no_first_item(rest, item)):
                # A gap of five or more spaces is one space followed by indented code.
                gap = len(item["gap"]) if 1 <= len(item["gap"]) <= 4 and item.end() < len(rest) else 1
                self._close(depth)
                self._leaf = None
                self._open_item(item, indent, item.end("marker") + gap)
                rest = rest[item.end("marker") + gap :]
            else:
                break
            opened = True
            depth = len(self._stack)
        return opened, depth, rest

    def _open_item(self, item: re.Match[str], margin: int, content: int) -> None:
        mark = item["marker"][-1]
        siblings = self._stack[-1].children
        if siblings and siblings[-1].kind is MarkdownBlockKind.LIST and siblings[-1].mark == mark:
            siblings[-1].loose = siblings[-1].loose or self._blank
        else:
            self._add(MarkdownBlock(MarkdownBlockKind.LIST, mark=mark, number=int(item["number"] or 1)))
        opened = MarkdownBlock(MarkdownBlockKind.ITEM, margin=margin, content=content)
        self._stack[-1].children[-1].children.append(opened)
        self._lists.append(self._stack[-1].children[-1])
        self._stack.append(opened)
        self._blank = False

    def _read_blank(self, depth: int) -> None:
        if self._leaf is not None and self._leaf.kind is MarkdownBlockKind.CODE and depth == len(self._stack):
            self._leaf.lines.append("")
        else:
            self._close(depth)
            self._leaf = None
        self._blank = True

    def _read_code(self, line: str) -> None:
        indent = _indent(line)
        mark = line[indent:].rstrip()
        if indent <= 3 and len(mark) >= len(self._fence) and not mark.strip(self._fence[0]):
            self._leaf = None
            self._fence = ""
        elif self._leaf is not None:
            self._leaf.lines.append(line[min(indent, self._fence_indent) :])

    def _read_leaf(self, number: int, rest: str) -> None:
        indent = _indent(rest)
        line = rest[indent:]
        if indent > 3 and not self._is(MarkdownBlockKind.TEXT):
            if not self._is(MarkdownBlockKind.CODE):
                self._open(MarkdownBlock(MarkdownBlockKind.CODE))
            self._append(rest[4:])
        elif indent > 3 or not line:
            self._add_text(rest)
        elif fence := _FENCE.match(line):
            self._open(MarkdownBlock(MarkdownBlockKind.CODE, mark=(fence["info"].split() or [""])[0]))
            self._fence, self._fence_indent = fence["fence"], indent
        elif (end := self._end_of_formula(number, line)) is not None:
            self._open(MarkdownBlock(MarkdownBlockKind.FORMULA, [line]))
            self._formula_end = end
            self._leaf = self._leaf if end > number else None
        elif self._is(MarkdownBlockKind.TEXT) and _UNDERLINE.match(line):
            self._become_heading(1 if line[0] == "=" else 2)
        elif _RULE.match(line):
            self._open(MarkdownBlock(MarkdownBlockKind.RULE))
            self._leaf = None
        elif heading := _HEADING.match(line):
            text = _CLOSING_HASHES.sub("", heading["text"] or "").strip()
            self._open(MarkdownBlock(MarkdownBlockKind.HEADING, [text], number=len(heading["level"])))
            self._leaf = None
        elif self._is(MarkdownBlockKind.TEXT) and self._begins_table(line):
            self._become_table(line)
        elif self._is(MarkdownBlockKind.TABLE):
            self._append(line)
        elif not self._is(MarkdownBlockKind.TEXT) and (definition := _DEFINITION.match(line)):
            self._define(reference_label(definition["label"]), definition["address"])
        else:
            self._add_text(line)

    def _end_of_formula(self, first: int, line: str) -> int | None:
        r"""Return the number of the line that closes the $$ or \[ at the start of a line, None if it is no formula.

        A formula that is still open where the stream ends is closed by the last line.
        """
        closing = _CLOSING.get(line[:2])
        if closing is None:
            return None
        for number in range(first, min(len(self._lines), first + _LONGEST_FORMULA)):
            if number == len(self._lines) - 1:
                self._first_undecided = min(self._first_undecided, max(0, len(self.root.children) - 1))
            text = (line[2:] if number == first else self._lines[number]).rstrip()
            if closing in text:
                return number if text.endswith(closing) else None
        # The formula is still open at the end of the stream. After a blank line it would never be closed.
        streaming = len(self._lines) <= first + _LONGEST_FORMULA and not any(
            not text.strip() for text in self._lines[first + 1 : -1]
        )
        return len(self._lines) - 1 if streaming and line[2:3] in ("", " ", "\\") else None

    def _begins_table(self, line: str) -> bool:
        head = self._leaf.lines[-1] if self._leaf is not None else ""
        return "|" in head and line.count("|") <= _MOST_COLUMNS and bool(_TABLE_LINE.match(line))

    def _become_table(self, line: str) -> None:
        if self._leaf is None:
            return
        head = self._leaf.lines.pop()
        table = MarkdownBlock(MarkdownBlockKind.TABLE, [head.strip(), line])
        # If text precedes the head, the table cannot be recognised from its own first line.
        first = -1 if self._leaf.lines else self._leaf.line
        if not self._leaf.lines:
            self._stack[-1].children.pop()
        self._open(table)
        table.line = first

    def _define(self, label: str, address: str) -> None:
        if label not in self.references:
            self.references[label] = address
            self.defined[label] = self._number
        self._leaf = None

    def _become_heading(self, level: int) -> None:
        if self._leaf is not None:
            self._leaf.kind = MarkdownBlockKind.HEADING
            self._leaf.number = level
            self._leaf = None

    def _is(self, kind: MarkdownBlockKind) -> bool:
        return self._leaf is not None and self._leaf.kind is kind

    def _add_text(self, line: str) -> None:
        if not self._is(MarkdownBlockKind.TEXT):
            self._open(MarkdownBlock(MarkdownBlockKind.TEXT))
        self._append(line.lstrip(" "))

    def _append(self, line: str) -> None:
        if self._leaf is not None:
            self._leaf.lines.append(line)

    def _open(self, leaf: MarkdownBlock) -> None:
        self._add(leaf)
        self._leaf = leaf

    def _add(self, block: MarkdownBlock) -> None:
        parent = self._stack[-1]
        if parent.kind is MarkdownBlockKind.ITEM and parent.children and self._blank:
            self._list_of(parent).loose = True
        if parent is self.root:
            block.line = self._number
        parent.children.append(block)

    def _list_of(self, item: MarkdownBlock) -> MarkdownBlock:
        """Return the list of the innermost open item."""
        return next(found for found in reversed(self._lists) if found.children[-1] is item)

    def _close(self, depth: int) -> None:
        """Close the containers beyond a depth and their leaf."""
        if depth < len(self._stack):
            self._leaf = None
            items = sum(container.kind is MarkdownBlockKind.ITEM for container in self._stack[depth:])
            del self._stack[depth:]
            del self._lists[len(self._lists) - items :]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _begins_nested(line: str) -> bool:
    """Return True for a fence or list item, which is nested even if indented less than the text of its item."""
    return bool(_FENCE.match(line) or (_ITEM.match(line) and not _RULE.match(line)))


def _is_no_first_item(line: str, item: re.Match[str]) -> bool:
    r"""Return True if an item cannot begin a list right after a line of text: "in\n1998. A year later"."""
    return not line[item.end() :].strip() or item["number"] not in (None, "1")


def _interrupts(rest: str) -> bool:
    """Return True if a line begins a new block instead of continuing a paragraph."""
    indent = _indent(rest)
    line = rest[indent:]
    if indent > 3:
        return False
    return any(pattern.match(line) for pattern in (_FENCE, _RULE, _HEADING)) or line.startswith("$$")
