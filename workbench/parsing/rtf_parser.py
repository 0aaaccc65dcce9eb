"""Parser of Rich Text Format (RTF): tokens and control words as paragraphs; headings by style, lists, tables, notes."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from workbench.errors import DamagedDocument, EmptyDocument
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import LONGEST_HEADING, TextBuilder, add_table
from workbench.parsing.docx_styles import heading_level
from workbench.parsing.formats import suffixes_of
from workbench.parsing.ooxml import metadata_of, one_line

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\", re.S
)
_OPEN, _CLOSE, _WORD, _BYTES, _SIGN = range(5)


class _RtfToken(NamedTuple):
    """Token of a file: data are the bytes of _BYTES, the name of a _WORD, the character of a _SIGN."""

    kind: int
    data: bytes
    number: int | None = None


def _tokens(data: bytes) -> Iterator[_RtfToken]:
    """Yield the tokens of a file; binary picture data are skipped."""
    position = 0
    while match := _TOKEN.match(data, position):
        position = match.end()
        word, number, code, sign, brace, text = match.groups()
        if word is not None:
            if word == b"bin" and number:
                position += max(int(number), 0)
                continue
            yield _RtfToken(_WORD, word, int(number) if number else None)
        elif code is not None:
            yield _RtfToken(_BYTES, bytes([int(code, 16)]))
        elif brace is not None:
            yield _RtfToken(_OPEN if brace == b"{" else _CLOSE, brace)
        elif text is not None:
            yield _RtfToken(_BYTES, text)
        elif sign is not None:
            yield _RtfToken(_SIGN, sign)


_CHARSETS = {
    **{0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs"},
    **{161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251"},
    **{222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850"},
}
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet info pict header headerl headerr headerf footer footerl footerr footerf fldinst "
    b"themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator xmlnstbl "
    b"mmathPr objdata objclass private nonshppict bkmkstart bkmkend pntext pntxta pntxtb filetbl revtbl "
    b"sp ftnsep ftnsepc aftnsep aftnsepc template passwordhash userprops docvar wgrffmtfilter xe tc tcn".split()
)
_CHARACTERS = {
    **{b"tab": "\t", b"line": "\n", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”"},
    **{b"emdash": "—", b"endash": "–", b"bullet": "•", b"enspace": " ", b"emspace": " ", b"qmspace": " "},
}
_SIGNS = {b"~": " ", b"_": "-", b"-": "", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n"}
_DEEPEST = 5000


@dataclass(slots=True)
class _RtfParagraph:
    """Paragraph, or the end of a table's cell or row.

    Attributes:
        text: Its text.
        mark: Its number or bullet, as last displayed.
        style: Number of its style.
        level: Its own outline level, 1 for the topmost; 0 for none.
        ends: "par", "cell", "row", "nestcell", "nestrow".
        in_table: True if it is in a table.
    """

    text: str
    mark: str = ""
    style: int = 0
    level: int = 0
    ends: str = "par"
    in_table: bool = False


@dataclass(slots=True)
class _State:
    """State that a group inherits from its parent."""

    skipped: bool = False
    hidden: bool = False
    codec: str = ""
    skip_after: int = 1
    sink: str = "text"


@dataclass(slots=True)
class _RtfText:
    """Content of a file.

    Attributes:
        paragraphs: In order.
        notes: Footnotes in the order of their marks.
        comments: Comments.
        pictures: Number of pictures that were left out.
        hidden: True if hidden or deleted text was left out.
    """

    paragraphs: list[_RtfParagraph] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    pictures: int = 0
    hidden: bool = False


class _RtfReader:
    """Interpreter of the tokens of a file."""

    def __init__(self, codec: str, fonts: dict[int, int]) -> None:
        """Initialize with the codec of the file, and the character sets of its fonts."""
        self.text = _RtfText()
        self._codec = codec
        self._fonts = fonts
        self._state = _State(codec=codec)
        self._stack: list[_State] = []
        self._sinks: dict[str, list[str]] = {"text": [], "note": [], "comment": [], "mark": []}
        self._bytes = b""
        self._starred = False
        self._opened = False
        self._left_to_skip = 0
        self._high = ""
        self._style = self._level = 0
        self._in_table = False
        self._words = self._rules()

    def read(self, pieces: Iterable[_RtfToken]) -> _RtfText:
        """Return the text that results from the tokens."""
        for token in pieces:
            if token.kind == _BYTES:
                self._add_bytes(token.data)
                continue
            self._flush()
            if token.kind == _OPEN:
                if len(self._stack) < _DEEPEST:
                    self._stack.append(replace(self._state))
                self._opened = True
                self._left_to_skip = 0
                continue
            if token.kind == _CLOSE:
                self._close()
            elif token.kind == _SIGN:
                self._sign(token.data)
            else:
                self._word(token.data, token.number)
            self._opened = False
        self._flush()
        self._end("par")
        return self.text

    def _close(self) -> None:
        before = self._state.sink
        if self._stack:
            self._state = self._stack.pop()
        if before != self._state.sink and before in ("note", "comment"):
            words = " ".join("".join(self._sinks[before]).split())
            self._sinks[before].clear()
            (self.text.notes if before == "note" else self.text.comments).append(words)
        self._starred = False

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
        elif sign in _SIGNS:
            if sign in b"\r\n":
                self._end("par")
            else:
                self._add(_SIGNS[sign])

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        rule = self._words.get(word)
        if word in _SKIPPED:
            self.text.pictures += word == b"pict" and not self._state.skipped
            self._state.skipped = True
        elif rule is not None:
            rule(number)
        elif word in _CHARACTERS:
            self._add(_CHARACTERS[word])
        elif starred:
            # The star marks a destination that readers may skip if they do not support it.
            self._state.skipped = True

    def _rules(self) -> dict[bytes, Callable[[int | None], None]]:
        rules: dict[bytes, Callable[[int | None], None]] = {
            b"u": self._unicode,
            b"uc": self._set_skip,
            b"f": self._font,
            b"s": self._set_style,
            b"outlinelevel": self._outline,
            b"pard": self._reset,
            b"plain": self._plain,
            b"intbl": self._intbl,
            b"v": self._set_hidden,
            b"deleted": self._set_hidden,
            b"listtext": self._start_mark,
            b"footnote": self._start_note,
            b"annotation": self._start_comment,
            b"page": self._ignore,
            b"shppict": self._ignore,
            b"shpinst": self._ignore,
            b"shptxt": self._ignore,
            b"fldrslt": self._ignore,
            b"nestrow": self._nestrow,
        }
        for name in ("par", "sect", "cell", "row", "nestcell"):
            rules[name.encode()] = self._ender("par" if name == "sect" else name)
        rules[b"nesttableprops"] = self._ignore
        return rules

    def _ender(self, how: str) -> Callable[[int | None], None]:
        def end(_: int | None) -> None:
            self._end(how)

        return end

    def _nestrow(self, _: int | None) -> None:
        self._end("nestrow")

    def _ignore(self, _: int | None) -> None:
        return

    def _unicode(self, number: int | None) -> None:
        code = (number or 0) & 0xFFFF
        self._left_to_skip = self._state.skip_after
        if 0xD800 <= code < 0xDC00:
            self._high = chr(code)
            return
        character = chr(code)
        if self._high:
            character = (self._high + character).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            self._high = ""
        # Symbol fonts have their signs in the private use area.
        self._add("•" if 0xF000 <= code <= 0xF0FF else character)

    def _set_skip(self, number: int | None) -> None:
        self._state.skip_after = min(max(number or 0, 0), 16)

    def _font(self, number: int | None) -> None:
        charset = self._fonts.get(number or 0, 1)
        self._state.codec = _CHARSETS.get(charset, self._codec) if charset != 1 else self._codec

    def _set_style(self, number: int | None) -> None:
        self._style = number or 0

    def _outline(self, number: int | None) -> None:
        self._level = number + 1 if number is not None and 0 <= number < 9 else 0

    def _reset(self, _: int | None) -> None:
        self._style = self._level = 0
        self._in_table = False

    def _plain(self, _: int | None) -> None:
        self._state.hidden = False
        self._state.codec = self._codec

    def _intbl(self, _: int | None) -> None:
        self._in_table = True

    def _set_hidden(self, number: int | None) -> None:
        self._state.hidden = number != 0

    def _start_mark(self, _: int | None) -> None:
        self._state.sink = "mark"

    def _start_note(self, _: int | None) -> None:
        if self._state.skipped:
            return
        self._add(f"[{len(self.text.notes) + 1}]")
        self._state.sink = "note"

    def _start_comment(self, _: int | None) -> None:
        self._state.sink = "comment"

    def _add_bytes(self, data: bytes) -> None:
        self._opened = False
        if self._left_to_skip:
            # The characters after \u are a fallback for readers without Unicode.
            skipped = min(self._left_to_skip, len(data))
            self._left_to_skip -= skipped
            data = data[skipped:]
        if self._state.hidden and data.strip():
            self.text.hidden = True
        if not self._state.skipped and not self._state.hidden:
            self._bytes += data

    def _flush(self) -> None:
        """Decode consecutive bytes together, because a character may have two."""
        if self._bytes:
            self._sinks[self._state.sink].append(self._bytes.decode(self._state.codec, "replace"))
            self._bytes = b""

    def _add(self, text: str) -> None:
        if not self._state.skipped and not self._state.hidden:
            self._sinks[self._state.sink].append(text)

    def _end(self, how: str) -> None:
        if self._state.skipped:
            return
        if self._state.sink != "text":
            self._add(" ")
            return
        text, mark = "".join(self._sinks["text"]), " ".join("".join(self._sinks["mark"]).split())
        self._sinks["text"].clear()
        self._sinks["mark"].clear()
        self.text.paragraphs.append(_RtfParagraph(text, mark, self._style, self._level, how, self._in_table))


def _codec_of(codepage: int) -> str:
    """Return the codec of a code page; if it is unknown, that of Western Europe."""
    name = {65001: "utf-8", 936: "gb18030", 950: "big5hkscs", 10000: "mac_roman"}.get(codepage, f"cp{codepage}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


_FONT = re.compile(rb"\{\\f(\d{1,5})\b(?:[^{}]|\{[^{}]*\})*?\\fcharset(\d{1,3})")
_STYLE = re.compile(rb"\{(?:\\\*)?\\s(\d{1,5})\b((?:[^{}]|\{[^{}]*\})*)\}")
_OUTLINE = re.compile(rb"\\outlinelevel(\d)")
_CODEPAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_INFO = {"title": "title", "author": "creator", "keywords": "keywords", "creatim": "created", "revtim": "modified"}
_TIME = re.compile(rb"\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")


class RtfParser:
    """Parser of .rtf files; headers, footers, hidden and deleted text are left out."""

    format: ClassVar[str] = "rtf"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("rtf")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        data = path.read_bytes()
        start = data[:1024].find(b"{\\rtf")
        if start < 0:
            raise DamagedDocument("The file is not rich text.", "Give it its right name, or save it again.")
        data = data[start:]
        codepage = _CODEPAGE.search(data[:4096])
        codec = _codec_of(int(codepage[1])) if codepage else "mac_roman" if b"\\mac" in data[:200] else "cp1252"
        fonts = {int(number): int(charset) for number, charset in _FONT.findall(data)}
        text = _RtfReader(codec, fonts).read(_tokens(data))
        assembly = _Assembly(_heading_styles(data, codec))
        assembly.add(text)
        if not assembly.builder.blocks:
            raise EmptyDocument("The document holds no text.", "There is nothing in it to search.")
        return ParsedDocument(
            assembly.builder.text,
            tuple(assembly.builder.blocks),
            (),
            _metadata(data, codec, assembly.builder, path),
            self.format,
            findings=tuple(_findings(text, assembly.tables)),
        )


class _Assembly:
    """Builder of headings, lists and tables from paragraphs."""

    def __init__(self, headings: dict[int, int]) -> None:
        self.builder = TextBuilder()
        self.tables = 0
        self._headings = headings
        self._items: list[str] = []
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []

    def add(self, text: _RtfText) -> None:
        """Append all paragraphs, followed by notes and comments."""
        for paragraph in text.paragraphs:
            self._paragraph(paragraph)
        self._end_list()
        self._end_table()
        for title, lines in (
            ("Notes", [f"[{i}] {n}" for i, n in enumerate(text.notes, 1)]),
            ("Comments", text.comments),
        ):
            if lines:
                self.builder.add(BlockKind.HEADING, title, level=1)
                self.builder.add(BlockKind.LIST, "\n".join(line for line in lines if line))

    def _paragraph(self, paragraph: _RtfParagraph) -> None:
        words = one_line(paragraph.text)
        marked = f"{_bullet(paragraph.mark)} {words}" if paragraph.mark and words else words
        if paragraph.ends in ("cell", "nestcell"):
            self._cell.append(marked)
            if paragraph.ends == "cell":
                self._row.append(" ".join(part for part in self._cell if part))
                self._cell = []
        elif paragraph.ends == "row":
            self._end_list()
            self._rows.append(self._row)
            self._row = []
        elif paragraph.ends == "nestrow" or (paragraph.in_table and (self._row or self._rows or self._cell)):
            self._cell.append(marked)
        elif paragraph.in_table:
            # First paragraph of the first cell; the end of the cell follows.
            self._cell.append(marked)
        else:
            self._outside(paragraph, words, marked)

    def _outside(self, paragraph: _RtfParagraph, words: str, marked: str) -> None:
        self._end_table()
        level = paragraph.level or self._headings.get(paragraph.style, 0)
        if level and words and len(words) <= LONGEST_HEADING:
            self._end_list()
            self.builder.add(BlockKind.HEADING, marked if _bullet(paragraph.mark) != "-" else words, level=level)
        elif paragraph.mark and words:
            self._items.append(marked)
        else:
            self._end_list()
            self.builder.add(BlockKind.PARAGRAPH, "\n".join(one_line(line) for line in paragraph.text.split("\n")))

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self.builder.add(BlockKind.LIST, "\n".join(items))

    def _end_table(self) -> None:
        if any(self._cell):
            self._row.append(" ".join(part for part in self._cell if part))
        rows = [*self._rows, self._row] if self._row else self._rows
        self._cell, self._row, self._rows = [], [], []
        if len(rows) == 1 and len(rows[0]) == 1:
            self.builder.add(BlockKind.PARAGRAPH, rows[0][0])
        else:
            self.tables += add_table(self.builder, rows)


def _bullet(mark: str) -> str:
    return mark if any(character.isalnum() for character in mark) and len(mark) < 20 and mark != "o" else "-"


def _heading_styles(data: bytes, codec: str) -> dict[int, int]:
    """Return the heading level of each style that has one."""
    start = data.find(b"{\\stylesheet")
    levels: dict[int, int] = {}
    for number, content in _STYLE.findall(data, start, start + 500_000) if start >= 0 else ():
        outline = _OUTLINE.search(content)
        name = re.sub(rb"\{[^{}]*\}|\\[a-z]+-?\d* ?", b"", content).decode(codec, "replace").strip(" ;\r\n")
        level = heading_level(name) or (int(outline[1]) + 1 if outline and outline[1] != b"9" else 0)
        if level:
            levels[int(number)] = level
    return levels


def _metadata(data: bytes, codec: str, builder: TextBuilder, path: Path) -> Metadata:
    start = data.find(b"{\\info")
    properties: dict[str, str] = {}
    for name, key in _INFO.items():
        match = re.search(rb"\{\\" + name.encode() + rb"\b ?((?:[^{}]|\{[^{}]*\})*)\}", data[start : start + 20_000])
        if start < 0 or match is None:
            continue
        time = _TIME.search(match[1])
        if name.endswith("tim"):
            properties[key] = "-".join(f"{int(part):02}" for part in time.groups()) if time else ""
        else:
            read = _RtfReader(codec, {}).read(_tokens(match[1]))
            properties[key] = one_line(" ".join(paragraph.text for paragraph in read.paragraphs))
    return metadata_of(properties, builder, path)


def _findings(text: _RtfText, tables: int) -> list[Finding]:
    found = []
    if tables:
        found.append(Finding(FindingKind.TABLES, count=tables))
    if text.pictures:
        found.append(Finding(FindingKind.IMAGES, count=text.pictures))
    if text.hidden:
        found.append(Finding(FindingKind.LEFT_OUT, detail="hidden text"))
    return found
