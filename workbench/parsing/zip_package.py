"""Office documents in a ZIP container: reading of their parts with limits, recovery, and XML that is nested too deep.

Below DEEPEST, an element that contains another one of its own kind is closed before that and reopened after it:
<p>a<p>b</p>c</p> becomes <p>a</p><p>b</p><p>c</p>. Tables thus remain tables of rows of cells, and recursive readers
need no more than a few hundred nested calls.
"""

import re
import struct
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any
from xml.parsers import expat

from workbench.errors import DamagedDocument
from workbench.parsing.zip_members import UNREADABLE

Element = Any
"""Element of lxml, which has no types."""

DEEPEST = 200
"""Levels that are kept unchanged; Word's own documents have 30, and Python allows 1,000 nested calls."""

_MOST_KINDS = 64
"""Maximum nested elements of different kinds below that; text in further ones belongs to the last of these."""


@dataclass(slots=True)
class _OpenElement:
    """Open element; above is its parent in the resulting tree, None at the deepest level kept.

    It is added to the tree with the first text or empty element in it: ten thousand cells around one word are one cell.
    """

    tag: str
    attributes: dict[str, str]
    above: "_OpenElement | None"
    length: int
    is_leaf: bool = True


class _Flattening:
    """Handler of expat events that builds the tree."""

    def __init__(self) -> None:
        from lxml import etree  # takes 20 ms; only needed for deeply nested files

        self._builder: Any = etree.TreeBuilder()
        self._kept: list[str] = []
        self._below: list[_OpenElement] = []
        self._written: list[_OpenElement] = []
        self.has_begun = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _clark(name)
        named = {_clark(key): value for key, value in attributes.items()}
        self.has_begun = True
        if len(self._kept) < DEEPEST:
            self._kept.append(tag)
            self._builder.start(tag, named)
            return
        above = self._below[-1] if self._below else None
        if above is not None:
            above.is_leaf = False
        same = above
        while same is not None and same.tag != tag:
            same = same.above
        if same is not None:
            above = same.above
        length = above.length + 1 if above is not None else 1
        if above is not None and length > _MOST_KINDS:
            self._below.append(above)
        else:
            self._below.append(_OpenElement(tag, named, above, length))

    def data(self, text: str) -> None:
        if self._below and text.strip():
            self._go_to(self._below[-1])
        if self._kept:
            self._builder.data(text)

    def end(self, _name: str) -> None:
        if not self._below:
            self._builder.end(self._kept.pop())
            return
        ended = self._below.pop()
        is_shared = bool(self._below) and self._below[-1] is ended
        if ended.is_leaf and not is_shared:
            self._go_to(ended)
        if self._written and self._written[-1] is ended and not is_shared:
            self._builder.end(self._written.pop().tag)

    def close(self) -> Element:
        """Close all open elements, and return the root."""
        while self._written:
            self._builder.end(self._written.pop().tag)
        while self._kept:
            self._builder.end(self._kept.pop())
        return self._builder.close()

    def _go_to(self, place: _OpenElement) -> None:
        """Close and open elements of the tree so that the next content goes into this one."""
        way: list[_OpenElement] = []
        at: _OpenElement | None = place
        while at is not None:
            way.append(at)
            at = at.above
        way.reverse()
        common = 0
        while common < min(len(way), len(self._written)) and way[common] is self._written[common]:
            common += 1
        while len(self._written) > common:
            self._builder.end(self._written.pop().tag)
        for one in way[common:]:
            self._builder.start(one.tag, one.attributes)
            self._written.append(one)


def shallow_tree(data: bytes) -> Element | None:
    """Return the root of an XML document, up to its first error; None if nothing can be read.

    Entities are not resolved; the caller must have removed a document type.
    """
    flattening = _Flattening()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = flattening.start
    parser.CharacterDataHandler = flattening.data
    parser.EndElementHandler = flattening.end
    with suppress(expat.ExpatError):  # the part before the error is kept
        parser.Parse(data, True)
    return flattening.close() if flattening.has_begun else None


def _clark(name: str) -> str:
    """Return a name in lxml's notation, from “uri local” or “uri local prefix”."""
    uri, space, rest = name.partition(" ")
    return f"{{{uri}}}{rest}" if space else uri


"""Element of lxml, which has no types."""

MOST_PART = 512 * 2**20
"""Maximum bytes of a part that is read as a stream."""

MOST_TREE = 96 * 2**20
"""Maximum bytes of a part that is read into memory; as a tree it needs about six times as much."""

_HONEST_RATIO = 300
"""Maximum compression ratio. Text of office documents has 5 to 50, sheets of empty cells 100, a ZIP bomb 1,000."""

_SUSPECT = 16 * 2**20
"""Bytes up to which the ratio is not checked."""

_HUGE = 9_000_000
"""libxml2 rejects more than 10 MB unless huge_tree is set, which also removes its limit on the depth."""

_STEP = 512
"""Compressed bytes per step of decompression; an error in a step loses all of its data."""

_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.S)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(officeDocument|wordprocessingml|spreadsheetml|presentationml)/")
_STRICT_DRAWING = b"http://purl.oclc.org/ooxml/drawingml/"


class ZipPackage:
    """Parts of a package by case-insensitive name.

    Attributes:
        damaged: True if some part could not be read completely.
    """

    def __init__(self, data: bytes) -> None:
        """Open the container.

        Raises:
            DamagedDocument: It contains no parts.
        """
        self._data = data
        self.damaged = False
        self._found: dict[str, zipfile.ZipInfo] = {}
        self._archive: zipfile.ZipFile | None = None
        try:
            self._archive = zipfile.ZipFile(BytesIO(data))
            self._found = {_key(info.filename): info for info in self._archive.infolist()}
        except UNREADABLE:
            # The directory is at the end of the file: an incomplete download has none.
            self.damaged = True
        self._salvaged = _salvage(data) if self.damaged else {}
        if not self._found and not self._salvaged:
            raise damaged_package()

    @property
    def names(self) -> list[str]:
        """Names of the parts, in lower case, in the container's order."""
        return list(self._found or self._salvaged)

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._found or _key(name) in self._salvaged

    def read(self, name: str, limit: int = MOST_TREE) -> bytes | None:
        """Return a part, or as much of it as can be read; None if it does not exist.

        Raises:
            DamagedDocument: It exceeds the limits on size and compression ratio.
        """
        info = self._found.get(_key(name))
        if info is None:
            offset = self._salvaged.get(_key(name))
            return None if offset is None else self._inflate(offset, limit)
        chunks: list[bytes] = []
        size = 0
        try:
            with self._open(info) as part:
                while chunk := part.read(2**20):
                    chunks.append(chunk)
                    size += len(chunk)
                    _check_size(size, limit, info.compress_size)
        except UNREADABLE:
            self.damaged = True
            # zipfile returns nothing of a damaged block: the data before the error are decompressed without it.
            offset = _salvage(self._data).get(_key(name)) if not chunks else None
            if offset is not None:
                return self._inflate(offset, limit)
        return b"".join(chunks)

    def stream(self, name: str) -> IO[bytes] | None:
        """Return a part as a stream of limited length; None if it does not exist."""
        info = self._found.get(_key(name))
        if info is None:
            data = self.read(name, MOST_PART)
            return None if data is None else BytesIO(data)
        return _Limited(self, info)  # type: ignore[return-value]

    def tree(self, name: str) -> Element | None:
        """Return the root of an XML part; None if it does not exist or nothing can be read."""
        data = self.read(name)
        return xml_tree(data) if data else None

    def _open(self, info: zipfile.ZipInfo) -> IO[bytes]:
        assert self._archive is not None
        return self._archive.open(info)

    def _inflate(self, offset: int, limit: int) -> bytes:
        """Decompress a part from an offset, up to its end or the first error."""
        inflater = zlib.decompressobj(-15)
        parts: list[bytes] = []
        size = 0
        for at in range(offset, len(self._data), _STEP):
            try:
                parts.append(inflater.decompress(self._data[at : at + _STEP]))
            except zlib.error:
                break
            size += len(parts[-1])
            _check_size(size, limit, at + _STEP - offset)
            if inflater.eof:
                break
        return b"".join(parts)


class _Limited:
    """Stream of a part that ends at an error, and raises an exception if it exceeds the limits."""

    def __init__(self, package: ZipPackage, info: zipfile.ZipInfo) -> None:
        self._package = package
        self._info = info
        self._file: IO[bytes] | None = None
        self._size = 0
        self._strict_checked = False

    def read(self, size: int = 65_536) -> bytes:
        try:
            if self._file is None:
                self._file = self._package._open(self._info)
            chunk = self._file.read(size)
        except UNREADABLE:
            self._package.damaged = True
            return b""
        self._size += len(chunk)
        _check_size(self._size, MOST_PART, self._info.compress_size)
        if not self._strict_checked:
            self._strict_checked = True
            chunk = transitional(chunk)
        return chunk


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _check_size(size: int, limit: int, packed: int) -> None:
    if size > limit or (size > _SUSPECT and size > _HONEST_RATIO * max(packed, 1)):
        raise DamagedDocument(
            f"Unpacked, the file is larger than {size // 2**20} megabytes: it may have been made to fill the memory.",
            "Open it in its own program, check that it is what you expect, and save it again.",
        )


def _salvage(data: bytes) -> dict[str, int]:
    """Return the offset of each part's compressed data, found by the local headers."""
    found: dict[str, int] = {}
    at = data.find(b"PK\x03\x04")
    while 0 <= at <= len(data) - _LOCAL_HEADER.size:
        _, _, _, method, _, _, _, _, _, name_length, extra_length = _LOCAL_HEADER.unpack_from(data, at)
        start = at + _LOCAL_HEADER.size
        if method == zipfile.ZIP_DEFLATED and name_length < 512:
            name = data[start : start + name_length].decode("utf-8", "replace")
            found.setdefault(_key(name), start + name_length + extra_length)
        at = data.find(b"PK\x03\x04", at + 4)
    return found


def damaged_package() -> DamagedDocument:
    """Return the error for a container without readable parts."""
    return DamagedDocument(
        "The file is damaged: no text can be unpacked from it.", "Try to open it in its own program and save it again."
    )


def xml_tree(data: bytes) -> Element | None:
    """Return the root element of an XML document, repaired if it is broken; None if nothing can be read.

    External resources are never fetched, and entities are not resolved: a document type with its entities is removed.
    """
    from lxml import etree  # 15 MB and 20 ms: the window's process imports this module but parses nothing

    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = re.sub(rb"^<\?xml[^>]*\?>", b"", data.decode("utf-16", "replace").encode("utf-8"))
    if b"<!DOCTYPE" in data:
        data = _DOCTYPE.sub(b"", data, count=1)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        huge_tree=len(data) > _HUGE,
        remove_comments=True,
        remove_pis=True,
    )
    data = transitional(data)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    if any("Excessive depth" in error.message for error in parser.error_log):
        # The parser stopped, and the text after that is missing. If the rest is broken, too, its tree may have more
        # text.
        return max((root, shallow_tree(data)), key=lambda one: sum(map(len, one.itertext())) if one is not None else 0)
    return root


def transitional(data: bytes) -> bytes:
    """Return XML in which the namespaces of strict OOXML are replaced by the common transitional ones."""
    if b"http://purl.oclc.org/ooxml/" not in data[:8192]:
        return data
    data = data.replace(_STRICT_DRAWING, b"http://schemas.openxmlformats.org/drawingml/2006/")
    return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)


def whole_number(text: str | None, otherwise: int = 0) -> int:
    """Return a text as a whole number; the default if it is not a number or unrealistically large."""
    return int(text) if text and text.isdecimal() and len(text) < 9 else otherwise


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; empty for comments and other nodes."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
