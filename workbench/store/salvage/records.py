"""A page of a b-tree -> its cells -> the values of its rows.

https://www.sqlite.org/fileformat2.html#b_tree_pages and #record_format
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.store.salvage.page_file import HEADER, PageFile

INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 2, 5, 10, 13
KINDS = (INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE)

Value = int | float | str | bytes | None

_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL = struct.Struct(">d")


class Unreadable(Exception):
    """Bytes that are not what the format says."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is stored.

    Attributes:
        number: Its rowid; None in a table without.
        values: In the order of the table's columns; of a table without rowids, its key first.
    """

    number: int | None
    values: tuple[Value, ...]


def kind_of(page: bytes | None, number: int) -> int:
    """Return what a page of a tree is, 0 for what is none."""
    if page is None:
        return 0
    kind = page[_head(number)]
    return kind if kind in KINDS else 0


def children(pages: PageFile, number: int) -> list[int]:
    """Return the pages below one, as far as they can be told."""
    page = pages.page(number)
    if page is None or kind_of(page, number) not in (INTERIOR_INDEX, INTERIOR_TABLE):
        return []
    head = _head(number)
    found = [int.from_bytes(page[place : place + 4], "big") for place in _cells(page, number, 12)]
    found.append(int.from_bytes(page[head + 8 : head + 12], "big"))
    return [one for one in found if 1 < one <= pages.count]


def rows(pages: PageFile, number: int) -> Iterator[Row | None]:
    """Yield the rows of a page, None for one that cannot be read."""
    page = pages.page(number)
    kind = kind_of(page, number)
    if page is None or kind in (0, INTERIOR_TABLE):
        return
    for place in _cells(page, number, 12 if kind == INTERIOR_INDEX else 8):
        try:
            yield _row(pages, page, place, kind)
        except (Unreadable, IndexError, struct.error, UnicodeDecodeError, OverflowError):
            yield None


def broken_cells(pages: PageFile, number: int) -> bool:
    """Return whether a page says that it has cells that cannot be there."""
    page = pages.page(number)
    return page is None or not kind_of(page, number)


def _head(number: int) -> int:
    return HEADER if number == 1 else 0


def _cells(page: bytes, number: int, header: int) -> list[int]:
    """Return where the cells of a page begin; those that would lie outside of it are left out."""
    head = _head(number)
    many = int.from_bytes(page[head + 3 : head + 5], "big")
    first = head + header
    many = min(many, (len(page) - first) // 2)
    places = struct.unpack_from(f">{many}H", page, first)
    return [place for place in places if first + 2 * many <= place < len(page) - 3]


def _row(pages: PageFile, page: bytes, place: int, kind: int) -> Row:
    if kind == INTERIOR_INDEX:
        place += 4
    length, place = _varint(page, place)
    number: int | None = None
    if kind == LEAF_TABLE:
        number, place = _varint(page, place)
        number = number - (1 << 64) if number >= 1 << 63 else number
    return Row(number, _values(_payload(pages, page, place, length, is_table=kind == LEAF_TABLE)))


def _payload(pages: PageFile, page: bytes, place: int, length: int, *, is_table: bool) -> bytes:
    usable = pages.usable
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return _exactly(page[place : min(place + length, usable)], length)
    if length > usable * pages.count:
        raise Unreadable("longer than the file")
    least = (usable - 12) * 32 // 255 - 23
    here = least + (length - least) % (usable - 4)
    here = here if here <= most else least
    parts, left = [page[place : place + here]], length - here
    following = int.from_bytes(page[place + here : place + here + 4], "big")
    seen: set[int] = set()
    while left > 0:
        more = pages.page(following)
        # Overwritten by zeros, the last page would go for one that holds nothing else.
        if more is None or following in seen or not any(more):
            raise Unreadable("the rest of the row is not there")
        seen.add(following)
        parts.append(more[4 : min(usable, 4 + left)])
        left -= usable - 4
        following = int.from_bytes(more[:4], "big")
    return _exactly(b"".join(parts), length)


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise Unreadable("cut short")
    return data


def _values(payload: bytes) -> tuple[Value, ...]:
    header, place = _varint(payload, 0)
    if not place <= header <= len(payload):
        raise Unreadable("a header that is longer than its row")
    kinds = []
    while place < header:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if place != header:
        raise Unreadable("a header that does not end")
    found = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        found.append(value)
    if place != len(payload):
        raise Unreadable("more than the header says")
    return tuple(found)


def _value(payload: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, place
    if kind in (8, 9):
        return kind - 8, place
    if kind == 7:
        return _REAL.unpack_from(payload, place)[0], place + 8
    if kind in _INTEGERS:
        end = place + _INTEGERS[kind]
        return int.from_bytes(_exactly(payload[place:end], end - place), "big", signed=True), end
    if kind < 12:
        raise Unreadable("a kind of value that there is not")
    end = place + (kind - 12) // 2
    data = _exactly(payload[place:end], end - place)
    return (data if kind % 2 == 0 else data.decode()), end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = data[place + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + step + 1
    return value << 8 | data[place + 8], place + 9
