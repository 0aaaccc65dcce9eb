"""Reader of Rich Text Format (RTF): tokens, groups and control words as a sequence of paragraphs."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\", re.S
)
OPEN, CLOSE, WORD, BYTES, SIGN = range(5)


class RtfToken(NamedTuple):
    """Token of a file: data are the bytes of BYTES, the name of a WORD, the character of a SIGN."""

    kind: int
    data: bytes
    number: int | None = None


def tokens(data: bytes) -> Iterator[RtfToken]:
    """Yield the tokens of a file; binary picture data are skipped."""
    position = 0
    while match := _TOKEN.match(data, position):
        position = match.end()
        word, number, code, sign, brace, text = match.groups()
        if word is not None:
            if word == b"bin" and number:
                position += max(int(number), 0)
                continue
            yield RtfToken(WORD, word, int(number) if number else None)
        elif code is not None:
            yield RtfToken(BYTES, bytes([int(code, 16)]))
        elif brace is not None:
            yield RtfToken(OPEN if brace == b"{" else CLOSE, brace)
        elif text is not None:
            yield RtfToken(BYTES, text)
        elif sign is not None:
            yield RtfToken(SIGN, sign)


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
class RtfParagraph:
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
class RtfText:
    """Content of a file.

    Attributes:
        paragraphs: In order.
        notes: Footnotes in the order of their marks.
        comments: Comments.
        pictures: Number of pictures that were left out.
        hidden: True if hidden or deleted text was left out.
    """

    paragraphs: list[RtfParagraph] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    pictures: int = 0
    hidden: bool = False


class RtfReader:
    """Interpreter of the tokens of a file."""

    def __init__(self, codec: str, fonts: dict[int, int]) -> None:
        """Initialize with the codec of the file, and the character sets of its fonts."""
        self.text = RtfText()
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

    def read(self, pieces: Iterable[RtfToken]) -> RtfText:
        """Return the text that results from the tokens."""
        for token in pieces:
            if token.kind == BYTES:
                self._add_bytes(token.data)
                continue
            self._flush()
            if token.kind == OPEN:
                if len(self._stack) < _DEEPEST:
                    self._stack.append(replace(self._state))
                self._opened = True
                self._left_to_skip = 0
                continue
            if token.kind == CLOSE:
                self._close()
            elif token.kind == SIGN:
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
        self.text.paragraphs.append(RtfParagraph(text, mark, self._style, self._level, how, self._in_table))


def codec_of(codepage: int) -> str:
    """Return the codec of a code page; if it is unknown, that of Western Europe."""
    name = {65001: "utf-8", 936: "gb18030", 950: "big5hkscs", 10000: "mac_roman"}.get(codepage, f"cp{codepage}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
