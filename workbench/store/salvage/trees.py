"""Pages -> which table each is of, although pages above it may be gone."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from workbench.store.salvage.page_file import BTREE, FREE, ROOT, PageFile
from workbench.store.salvage.records import INTERIOR_INDEX, LEAF_INDEX, LEAF_TABLE, Row, children, kind_of, rows
from workbench.store.salvage.shapes import Shape

_SCHEMA = 1
_DEEPEST = 30


@dataclass(slots=True)
class Found:
    """The pages of a database, by table.

    Attributes:
        pages: Those that hold rows, in the order of their numbers, by the name of the table.
        broken: Pages that should be of a tree and are not, by the table; "" where that cannot be told.
    """

    pages: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    broken: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def find_pages(pages: PageFile, shapes: Mapping[str, Shape], tell: Callable[[int], None]) -> Found:
    """Return which pages hold the rows of which table.

    Args:
        pages: All of them.
        shapes: The tables that are looked for.
        tell: Told how many pages were looked at.
    """
    found = Found()
    tops = _tops(pages)
    owners = _walked(pages, tops, found)
    lost: dict[int, list[int]] = defaultdict(list)
    for number in range(2, pages.count + 1):
        if number % 1000 == 0:
            tell(number)
        place = pages.place_of(number)
        if place is None and pages.is_map(number):
            continue
        if number not in owners and place is not None and place[0] not in (ROOT, BTREE):
            continue
        kind = kind_of(pages.page(number), number)
        if number not in owners and kind not in (LEAF_TABLE, LEAF_INDEX, INTERIOR_INDEX):
            if place is not None and not kind:
                found.broken[_climbed(pages, number, owners)[0] or ""].append(number)
            continue
        name, top = _climbed(pages, number, owners)
        if name is None:
            lost[top].append(number)
        elif name in shapes:
            _keep(found, shapes[name], number, kind)
    for group in lost.values():
        shape = _of_shape(pages, group, shapes)
        for number in group if shape is not None else ():
            _keep(found, shape, number, kind_of(pages.page(number), number))
    return found


def sequences(pages: PageFile) -> dict[str, int]:
    """Return the highest number that each table has ever given, as far as that can be read."""
    found = {}
    for top, name in _tops(pages).items():
        for row in _below(pages, top) if name == "sqlite_sequence" else ():
            if len(row.values) == 2 and isinstance(row.values[0], str) and isinstance(row.values[1], int):
                found[row.values[0]] = row.values[1]
    return found


def _keep(found: Found, shape: Shape | None, number: int, kind: int) -> None:
    if shape is not None and (kind == LEAF_TABLE if shape.has_numbers else kind in (LEAF_INDEX, INTERIOR_INDEX)):
        found.pages[shape.name].append(number)


def _tops(pages: PageFile) -> dict[int, str]:
    """Return the tops of all trees by what they are of, as far as the schema can be read; indexes begin with “#”."""
    tops = {}
    for row in _below(pages, _SCHEMA):
        if len(row.values) == 5 and isinstance(top := row.values[3], int) and top > 1:
            kind, name = row.values[0], row.values[1]
            tops[top] = str(name) if kind == "table" else f"#{name!r}"
    return tops


def _below(pages: PageFile, top: int) -> Iterator[Row]:
    waiting, seen = [top], {top}
    while waiting:
        number = waiting.pop()
        yield from (row for row in rows(pages, number) if row is not None)
        more = [one for one in children(pages, number) if one not in seen]
        seen.update(more)
        waiting += more


def _walked(pages: PageFile, tops: Mapping[int, str], found: Found) -> dict[int, str]:
    """Return whose the pages are that are reached from the top of a tree."""
    owners: dict[int, str] = {}
    for top, name in tops.items():
        waiting = [top]
        while waiting:
            number = waiting.pop()
            if number in owners:
                continue
            place = pages.place_of(number)
            if place is not None and place[0] == FREE:
                continue
            owners[number] = name
            if not kind_of(pages.page(number), number):
                found.broken[name].append(number)
            waiting += children(pages, number)
    return owners


def _climbed(pages: PageFile, number: int, owners: Mapping[int, str]) -> tuple[str | None, int]:
    """Return whose a page is, by those above it, and the highest one that was come to."""
    for _ in range(_DEEPEST):
        if number in owners:
            return owners[number], number
        place = pages.place_of(number)
        if place is None or place[0] != BTREE:
            break
        number = place[1]
    return None, number


def _of_shape(pages: PageFile, group: list[int], shapes: Mapping[str, Shape]) -> Shape | None:
    """Return the one table that all readable rows of some pages can be of; None where that is none, or several."""
    fitting = list(shapes.values())
    is_empty = True
    for number in group:
        for row in rows(pages, number):
            if row is not None:
                is_empty = False
                fitting = [shape for shape in fitting if shape.values(row) is not None]
                if not fitting:
                    return None
    return fitting[0] if len(fitting) == 1 and not is_empty else _fullest(fitting) if not is_empty else None


def _fullest(fitting: list[Shape]) -> Shape | None:
    """Return the one of several that says most of its rows; None where two say as much."""
    ordered = sorted(fitting, key=lambda shape: (shape.least, sum(type != "ANY" for type in shape.types)), reverse=True)
    two = [(shape.least, sum(type != "ANY" for type in shape.types)) for shape in ordered[:2]]
    return ordered[0] if len(two) < 2 or two[0] != two[1] else None
