"""A small compound file (OLE), as legacy office programs and Outlook write it, and the streams of two such files.

No available library writes this format. The entries of a storage form a chain, which parsers interpret as a tree.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SECTOR = 512
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_SHORT, _BORDER = 64, 4096

Storage = Mapping[str, "bytes | Storage"]


@dataclass(slots=True)
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    child: int = FREE
    sibling: int = FREE
    first: int = END


@dataclass(slots=True)
class _Writer:
    entries: list[_Entry] = field(default_factory=list)
    sectors: list[bytes] = field(default_factory=list)
    table: list[int] = field(default_factory=list)
    short: list[bytes] = field(default_factory=list)
    short_table: list[int] = field(default_factory=list)

    def add(self, name: str, content: "bytes | Storage", kind: int = _STORAGE) -> int:
        number = len(self.entries)
        self.entries.append(entry := _Entry(name, kind))
        if isinstance(content, bytes):
            entry.kind, entry.data = _STREAM, content
            return number
        children = [self.add(one, inside) for one, inside in content.items()]
        for child, following in pairwise(children):
            self.entries[child].sibling = following
        entry.child = children[0] if children else FREE
        return number

    def put(self, data: bytes) -> int:
        """Append data in a chain of sectors; return the first sector."""
        return _chained(data, SECTOR, self.sectors, self.table)

    def put_short(self, data: bytes) -> int:
        """Append data in a chain of the mini sectors in the root's stream."""
        return _chained(data, _SHORT, self.short, self.short_table)


def _chained(data: bytes, size: int, sectors: list[bytes], table: list[int]) -> int:
    pieces = [data[at : at + size].ljust(size, b"\0") for at in range(0, len(data), size)]
    first = len(sectors)
    sectors += pieces
    table += [first + number + 1 for number in range(len(pieces) - 1)]
    table += [END] if pieces else []
    return first if pieces else END


def ole(content: Storage) -> bytes:
    """Return a compound file of streams and storages by name."""
    writer = _Writer()
    writer.add("Root Entry", content, _ROOT)
    for entry in writer.entries:
        if entry.kind == _STREAM:
            entry.first = (writer.put if len(entry.data) >= _BORDER else writer.put_short)(entry.data)
    root = writer.entries[0]
    root.data = b"".join(writer.short)
    root.first = writer.put(root.data)
    short = struct.pack(f"<{len(writer.short_table)}I", *writer.short_table)
    short_at = writer.put(short.ljust(-(-len(short) // SECTOR) * SECTOR, b"\xff"))
    directory_at = writer.put(b"".join(map(_directory_entry, writer.entries)))
    table_at = len(writer.sectors)
    size = len(writer.sectors) // (SECTOR // 4 - 1) + 1
    table = [*writer.table, *[TABLE] * size]
    table += [FREE] * (size * SECTOR // 4 - len(table))
    blocks = [*range(table_at, table_at + size)]
    head = struct.pack("<8s16sHHHHH6s", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, bytes(6))
    head += struct.pack("<9I", 0, size, directory_at, 0, _BORDER, short_at, -(-len(short) // SECTOR), END, 0)
    head += struct.pack("<109I", *blocks, *[FREE] * (109 - len(blocks)))
    return head + b"".join(writer.sectors) + struct.pack(f"<{len(table)}I", *table)


def _directory_entry(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    head = struct.pack("<64sHBB", name.ljust(64, b"\0"), len(name), entry.kind, 1)
    links = struct.pack("<III", FREE, entry.sibling, entry.child)
    return head + links + bytes(16 + 4 + 8 + 8) + struct.pack("<IQ", entry.first, len(entry.data))


def outlook_message(subject: str, body: str, attachments: Mapping[str, bytes]) -> bytes:
    """Return an Outlook message."""

    def text(number: int, value: str) -> tuple[str, bytes]:
        return f"__substg1.0_{number:04X}001F", value.encode("utf-16-le")

    fixed = bytes(32) + struct.pack("<HHI8s", 0x0040, 0x0039, 6, struct.pack("<Q", 133_000_000_000_000_000))
    content: dict[str, bytes | Storage] = {
        "__properties_version1.0": fixed,
        **dict([text(0x0037, subject), text(0x1000, body), text(0x0C1A, "Ann"), text(0x5D01, "ann@example.com")]),
        **dict([text(0x0E04, "Bob"), text(0x007D, "From: Ann <ann@example.com>\r\nTo: Bob <bob@example.com>\r\n\r\n")]),
        "__substg1.0_10130102": f"<p>{body}</p>".encode(),
        "__nameid_version1.0": {},
    }
    for number, (name, data) in enumerate(attachments.items()):
        content[f"__attach_version1.0_#{number:08X}"] = {
            "__properties_version1.0": bytes(8),
            **dict([text(0x3707, name)]),
            "__substg1.0_37010102": data,
        }
    return ole(content)


Rows = Sequence[Sequence[str | float]]


def old_excel(rows: Rows) -> bytes:
    """Return a workbook of Excel 97, which is a stream of records in a compound file."""
    start = _record(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0x0DBB, 0x07CC, 0, 6))
    font = _record(0x0031, struct.pack("<HHHHHBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + b"\x05\0Arial")
    shape = _record(0x00E0, struct.pack("<HHH", 0, 0, 0xFFF5) + bytes(14))
    name = b"Sums"
    before = start + _record(0x0042, b"\xb0\x04") + font * 4 + shape * 16
    place = len(before) + 4 + 6 + 2 + len(name) + 4
    book = before + _record(0x0085, struct.pack("<IBBBB", place, 0, 0, len(name), 0) + name) + _record(0x000A)
    sheet = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x10, 0x0DBB, 0x07CC, 0, 6))
    return ole({"Workbook": book + sheet + _cells(rows) + _record(0x000A)})


def older_excel(rows: Rows) -> bytes:
    """Return a sheet of Excel 2, which is only a stream of records."""
    cells = b""
    for row, line in enumerate(rows):
        for column, value in enumerate(line):
            place = struct.pack("<HHBBB", row, column, 0, 0, 0)
            cells += (
                _record(0x0004, place + bytes([len(value)]) + value.encode("latin-1"))
                if isinstance(value, str)
                else _record(0x0003, place + struct.pack("<d", value))
            )
    return _record(0x0009, struct.pack("<HH", 2, 0x10)) + cells + _record(0x000A)


def _cells(rows: Rows) -> bytes:
    made = b""
    for row, line in enumerate(rows):
        for column, value in enumerate(line):
            place = struct.pack("<HHH", row, column, 15)
            made += (
                _record(0x0204, place + struct.pack("<HB", len(value), 1) + value.encode("utf-16-le"))
                if isinstance(value, str)
                else _record(0x0203, place + struct.pack("<d", value))
            )
    return made


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content
