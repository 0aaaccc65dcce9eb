"""Mutations of a valid input by its structure: bytes, text, JSON, XML, the members of a ZIP file.

All random values come from the given generator: the same seed produces the same inputs.
"""

import io
import json
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from fuzz_target import MOST_BYTES, Kind, bytes_of, text_of

NUMBERS = (
    *("0", "-1", "1", "2", "127", "255", "256", "32768", "65535", "65536", "2147483647", "2147483648", "4294967295"),
    *("9223372036854775808", "99999999999999999999", "1e999", "-1e999", "NaN", "0.1", "-0", "1e-999", "９", "٣", "²"),
    *("9" * 400, "9" * 5000, "0x7fffffff", "1_000"),
)
"""Boundary values of types; the longest exceeds the digits that Python converts to an int."""

SIGNS = (
    *("\x00", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u200f", "\u202e", "\u2028", "\u2029", "\u2066"),
    *("\ufeff", "\ufffe", "\ufffd", "\ud800", "\udc00", "\U000e0041", "\U0010ffff", "é", "e\u0301", "ß", "ﬁ", "İ", "ŉ"),
    *("中", "。", "（", "“", "”", "한", "가", "ก", "🙂", "👨\u200d👩\u200d👧", "\r", "\n", "\t", "\\", '"', "'", "`"),
    *(
        "<",
        ">",
        "&",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "*",
        "_",
        "~",
        "|",
        "#",
        "$",
        "^",
        "%",
        ":",
        ";",
        ",",
        "=",
        "-",
        "/",
    ),
)
"""Characters with a special meaning in some format."""

_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**40, 1e308, -0.0, float("nan"), float("inf")),
    *("", " ", "\x00", "\ud800", "x" * 300, "\u202e", "1", "1e999", "-", [], {}, [[]], [None], {"": None}, {"a": {}}),
)
_EVENT = "data: "
"""Prefix of the JSON of a server-sent event."""
_BRACKETS = ("()", "[]", "{}", "<>", "“”", '""', "**", "__", "``", "$$", "（）", "【】")
_NUMBER_IN_TEXT = re.compile(r"\d+(?:\.\d+)?")
_NUMBER_IN_BYTES = re.compile(rb"\d+")
_XML = re.compile(r"<[^<>]*>|[^<]+|<")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)=("[^"]*"|'[^']*')""")
_XML_MEMBERS = (".xml", ".rels", ".xhtml", ".html", ".opf", ".ncx", ".fpage", ".fdoc", ".fdseq", ".svg", ".vml")
_MEMBER_NAMES = ("../../x", "/etc/x", "C:\\x", "a" * 300, "\u202ex", "", "con", "x/../y", "\x00", "word/document.xml")


class Mutator:
    """Mutates inputs of one target."""

    def __init__(self, random: Random, kind: Kind, words: Sequence[str]) -> None:
        self._random = random
        self._kind = kind
        self._words = tuple(words)

    def changed(self, data: bytes, other: bytes) -> bytes:
        """Return an input with one to six changes; other is an input to mix in."""
        for _ in range(min(6, 1 + int(self._random.expovariate(0.7)))):
            data = self._once(self._kind, data, other)[:MOST_BYTES]
        return data

    def _once(self, kind: Kind, data: bytes, other: bytes) -> bytes:
        if kind is Kind.ZIP:
            return self._zip(data, other)
        if kind is Kind.BYTES or self._random.random() < 0.06:
            return self._bytes(data, other)
        if kind is Kind.JSON and self._random.random() < 0.7:
            return self._json(data)
        text, mixed = text_of(data), text_of(other)
        if kind is Kind.XML and self._random.random() < 0.7:
            return bytes_of(self._xml(text))
        return bytes_of(self._text(text, mixed))

    # Places

    def _span(self, length: int, longest: int = 400) -> tuple[int, int]:
        start = self._random.randrange(length + 1)
        size = int(self._random.expovariate(1 / 12)) if self._random.random() < 0.8 else self._random.randrange(longest)
        return start, min(length, start + size)

    # Bytes

    def _bytes(self, data: bytes, other: bytes) -> bytes:
        start, end = self._span(len(data))
        pick: Sequence[Callable[[], bytes]] = (
            lambda: data[:start] + bytes([self._random.randrange(256)]) + data[start + 1 :],
            lambda: (
                data[:start]
                + bytes([(data[start] if start < len(data) else 0) ^ 1 << self._random.randrange(8)])
                + data[start + 1 :]
            ),
            lambda: data[:start] + data[end:],
            lambda: data[:start] + self._random.randbytes(self._random.randrange(1, 9)) + data[start:],
            lambda: data[:end] + data[start:end] * self._times(end - start) + data[end:],
            lambda: data[:start] + self._packed() + data[start + 4 :],
            lambda: data[: self._random.randrange(len(data) + 1)],
            lambda: data[:start] + _slice(other, *self._span(len(other))) + data[end:],
            lambda: data[:start] + self._word().encode("utf-8", "replace") + data[start:],
            lambda: self._numbered(data),
            lambda: data[:start] + bytes(end - start) + data[end:],
            lambda: data[:start] + b"\xff" * (end - start) + data[end:],
        )
        return self._random.choice(pick)()

    def _packed(self) -> bytes:
        number = self._random.choice((0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
        return struct.pack(self._random.choice("<>") + "I", number)[: self._random.choice((1, 2, 4))]

    def _numbered(self, data: bytes) -> bytes:
        found = list(_NUMBER_IN_BYTES.finditer(data, 0, 60_000))
        if not found:
            return data
        match = self._random.choice(found)
        return data[: match.start()] + self._random.choice(NUMBERS).encode() + data[match.end() :]

    def _times(self, size: int) -> int:
        if self._random.random() < 0.85:
            return self._random.randrange(1, 4)
        return min(self._random.choice((20, 300, 3000, 20_000)), MOST_BYTES // max(1, size))

    # Text

    def _word(self) -> str:
        if self._words and self._random.random() < 0.7:
            return self._random.choice(self._words)
        return self._random.choice(self._random.choice((SIGNS, NUMBERS)))

    def _text(self, text: str, other: str) -> str:
        start, end = self._span(len(text))
        pick: Sequence[Callable[[], str]] = (
            lambda: text[:start] + self._word() + text[start:],
            lambda: text[:start] + self._word() + text[end:],
            lambda: text[:start] + "".join(self._word() for _ in range(self._random.randrange(2, 8))) + text[start:],
            lambda: text[:start] + text[end:],
            lambda: text[:end] + text[start:end] * self._times(end - start) + text[end:],
            lambda: text[:start] + self._word() * self._times(8) + text[end:],
            lambda: text[:start] + _slice(other, *self._span(len(other))) + text[end:],
            lambda: self._wrapped(text, start, end),
            lambda: self._lines(text),
            lambda: self._counted(text),
            lambda: text[:start] + text[start:end][::-1] + text[end:],
            lambda: text[: self._random.randrange(len(text) + 1)],
        )
        return self._random.choice(pick)()

    def _wrapped(self, text: str, start: int, end: int) -> str:
        opening, closing = self._random.choice(_BRACKETS)
        times = self._random.choice((1, 1, 2, 3, 40, 1500))
        return text[:start] + opening * times + text[start:end] + closing * times + text[end:]

    def _lines(self, text: str) -> str:
        lines = text.split("\n")
        here, there = (self._random.randrange(len(lines)) for _ in range(2))
        match self._random.randrange(5):
            case 0:
                lines[here], lines[there] = lines[there], lines[here]
            case 1:
                lines.insert(there, lines[here])
            case 2:
                del lines[here]
            case 3:
                lines[here] = self._random.choice(("  ", "\t", "> ", "- ", "#", "    ", "|", "1. ")) + lines[here]
            case _:
                lines[here] = lines[here].lstrip()
        return "\n".join(lines)

    def _counted(self, text: str) -> str:
        found = list(_NUMBER_IN_TEXT.finditer(text, 0, 60_000))
        if not found:
            return text + self._random.choice(NUMBERS)
        match = self._random.choice(found)
        return text[: match.start()] + self._random.choice(NUMBERS) + text[match.end() :]

    # JSON

    def _json(self, data: bytes) -> bytes:
        """Return JSON, or one line of JSON Lines, with one value changed; other input is changed as text."""
        lines = text_of(data).split("\n")
        whole = [place for place, line in enumerate(lines) if line.strip().endswith(("}", "]"))]
        is_lines = len(whole) > 1 and lines[0].strip().endswith(("}", "]"))
        place = self._random.choice(whole) if is_lines else 0
        text = lines[place] if is_lines else "\n".join(lines)
        before = _EVENT if text.startswith(_EVENT) else ""
        try:
            value = self._value(json.loads(text.removeprefix(before)), 0)
            changed = before + json.dumps(value, ensure_ascii=self._random.random() < 0.5)
        except (ValueError, RecursionError):
            return bytes_of(self._text(text_of(data), ""))
        return bytes_of("\n".join([*lines[:place], changed, *lines[place + 1 :]]) if is_lines else changed)

    def _value(self, value: Any, depth: int) -> Any:
        """Return a value with one change, mostly deep inside."""
        if isinstance(value, dict) and value and self._random.random() < 0.85:
            return self._object(dict(value), depth)
        if isinstance(value, list) and value and self._random.random() < 0.85:
            items = list(value)
            place = self._random.randrange(len(items))
            match self._random.randrange(5):
                case 0:
                    del items[place]
                case 1:
                    items.insert(place, items[place])
                case _:
                    items[place] = self._value(items[place], depth + 1)
            return items
        match self._random.randrange(6):
            case 0 if isinstance(value, str):
                return self._text(value, value)
            case 1:
                return [value]
            case 2:
                return {self._word(): value}
            case 3:
                return self._deep(value)
        return self._random.choice(_VALUES)

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        key = self._random.choice(list(value))
        match self._random.randrange(8):
            case 0:
                del value[key]
            case 1:
                value[self._word()] = value.pop(key)
            case 2:
                value[self._word()] = self._random.choice(_VALUES)
            case 3:
                value[key] = value[self._random.choice(list(value))]
            case _:
                value[key] = self._value(value[key], depth + 1)
        return value

    def _deep(self, value: Any) -> Any:
        for _ in range(self._random.choice((3, 50, 400))):
            value = [value] if self._random.random() < 0.5 else {"a": value}
        return value

    # XML

    def _xml(self, text: str) -> str:
        parts = _XML.findall(text)
        if len(parts) < 2:
            return self._text(text, text)
        here, there = (self._random.randrange(len(parts)) for _ in range(2))
        low, high = min(here, there), min(max(here, there), min(here, there) + 30)
        part = parts[here]
        match self._random.randrange(10):
            case 0:
                del parts[here]
            case 1:
                del parts[low:high]
            case 2:
                parts[there:there] = parts[low:high]
            case 3:
                parts[here], parts[there] = parts[there], parts[here]
            case 4 | 5 if part.startswith("<"):
                parts[here] = self._attributed(part)
            case 6 if not part.startswith("<"):
                parts[here] = self._text(part, text)
            case 7:
                parts[low:high] = parts[low:high] * self._times(max(1, sum(map(len, parts[low:high]))))
            case 8 if part.startswith("<") and not part.startswith(("</", "<?", "<!")):
                times = self._random.choice((2, 30, 300, 3000))
                parts[here] = part * min(times, MOST_BYTES // len(part))
            case _:
                parts[here] = part + self._random.choice(("&amp;", "&x;", "&#0;", "&#xD800;", "<!-- -->", "<x>", "]]>"))
        return "".join(parts)

    def _attributed(self, tag: str) -> str:
        found = list(_ATTRIBUTE.finditer(tag))
        if not found:
            return tag
        match = self._random.choice(found)
        if self._random.random() < 0.2:
            return tag[: match.start()] + tag[match.end() :]
        value = self._word().replace('"', "").replace("<", "")
        return f'{tag[: match.start()]}{match[1]}="{value}"{tag[match.end() :]}'

    # ZIP files

    def _zip(self, data: bytes, other: bytes) -> bytes:
        """Return a ZIP file with one member changed; sometimes the container itself."""
        if self._random.random() < 0.12:
            return self._bytes(data, other)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [(info.filename, archive.read(info)) for info in archive.infolist()]
        # After earlier changes it may no longer be a ZIP file.
        except Exception:  # noqa: BLE001
            return self._bytes(data, other)
        if not members:
            return self._bytes(data, other)
        self._change_members(members)
        return self._packed_zip(members)

    def _change_members(self, members: list[tuple[str, bytes]]) -> None:
        place = self._random.randrange(len(members))
        name, content = members[place]
        match self._random.randrange(14):
            case 0:
                del members[place]
            case 1:
                members[place] = (self._random.choice(_MEMBER_NAMES), content)
            case 2:
                members.append((name, content))
            case 3:
                members[place] = (name, b"")
            case 4:
                source = self._random.choice(members)
                members[place] = (name, source[1])
            case _:
                members[place] = (name, self._once(_kind_of(name), content, content)[:MOST_BYTES])

    def _packed_zip(self, members: list[tuple[str, bytes]]) -> bytes:
        method = zipfile.ZIP_DEFLATED
        if self._random.random() < 0.1:
            method = self._random.choice((zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        made = io.BytesIO()
        with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method) as archive:
            warnings.simplefilter("ignore")
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name or "x"), content, method)
        return made.getvalue()


def _kind_of(name: str) -> Kind:
    lower = name.lower()
    if lower.endswith(_XML_MEMBERS):
        return Kind.XML
    return Kind.JSON if lower.endswith((".json", ".ipynb")) else Kind.BYTES


def _slice(data: Any, start: int, end: int) -> Any:
    return data[start:end]
