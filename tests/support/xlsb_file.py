"""A small binary Excel workbook, written record by record, because no library writes this format."""

import struct
from collections.abc import Sequence
from pathlib import Path

from office_files import relations, zipped

_BOOK, _BUNDLE, _ENTRY, _BUNDLE_END, _BOOK_END = 131, 143, 156, 144, 132
_SHEET, _SIZE, _DATA, _DATA_END, _SHEET_END = 129, 148, 145, 146, 130
_ROW, _NUMBER, _TEXT = 0, 5, 6
_BINARY = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.bin" ContentType="{_BINARY}"/>'
    '<Override PartName="/xl/sheet1.bin" ContentType="application/vnd.ms-excel.worksheet"/></Types>'
)


def xlsb(path: Path, name: str, rows: Sequence[Sequence[str | float]]) -> Path:
    """Write a workbook of one sheet."""
    entry = struct.pack("<II", 0, 1) + _string("worksheet") + _string(name)
    book = _record(_BOOK) + _record(_BUNDLE) + _record(_ENTRY, entry) + _record(_BUNDLE_END) + _record(_BOOK_END)
    size = struct.pack("<4I", 0, len(rows) - 1, 0, max(map(len, rows)) - 1)
    sheet = _record(_SHEET) + _record(_SIZE, size) + _record(_DATA)
    for number, row in enumerate(rows):
        sheet += _record(_ROW, struct.pack("<IIHBBBIII", number, 0, 300, 0, 0, 0, 1, 0, len(row) - 1))
        sheet += b"".join(_cell(column, value) for column, value in enumerate(row))
    sheet += _record(_DATA_END) + _record(_SHEET_END)
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(officeDocument="xl/workbook.bin"),
        "xl/_rels/workbook.bin.rels": relations(worksheet="sheet1.bin"),
        "xl/workbook.bin": book,
        "xl/sheet1.bin": sheet,
    }
    path.write_bytes(zipped(parts))
    return path


def _cell(column: int, value: str | float) -> bytes:
    place = struct.pack("<II", column, 0)
    return (
        _record(_TEXT, place + _string(value))
        if isinstance(value, str)
        else _record(_NUMBER, place + struct.pack("<d", value))
    )


def _string(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(content)
    return head + (bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])) + content
