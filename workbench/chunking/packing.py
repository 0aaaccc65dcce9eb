"""Units into chunks of even size, cut at the best place near the even size."""

from collections.abc import Sequence
from math import ceil

from workbench.chunking.units import Cut, Unit

# A better kind of cut (paragraph rather than sentence) is taken from this share of the even size on.
_EARLIEST = 0.6

# Where there is none, a group that ends in what introduces the next must be this many times as long as one that does
# not: of the 200 tables of chunk_spans' financial texts 43 are cut off from their introductions without it, 15 with it.
_AS_LONG = 3


def pack(units: Sequence[Unit], *, limit: int, overlap: int = 0) -> list[list[Unit]]:
    """Return the units in groups of at most `limit` tokens, of about equal size (227 become 114 + 113, not 220 + 7).

    Args:
        units: In order, none above the limit.
        limit: Tokens of a group, repeated units included.
        overlap: How many units a group repeats from the one before, as far as a third of the limit allows.
    """
    groups: list[list[Unit]] = []
    start = 0
    remaining = sum(unit.tokens for unit in units)
    while start < len(units):
        repeated = _repeated(units, start, count=overlap, limit=limit // 3)
        room = limit - sum(unit.tokens for unit in repeated)
        end = _next_cut(units, start, remaining=remaining, room=room)
        groups.append([*repeated, *units[start:end]])
        remaining -= sum(unit.tokens for unit in units[start:end])
        start = end
    return groups


def _next_cut(units: Sequence[Unit], start: int, *, remaining: int, room: int) -> int:
    """Return one past the last unit of the group that begins at start."""
    if remaining <= room:
        return len(units)
    aim = remaining / ceil(remaining / room)
    best, best_score = start + 1, (Cut.NEVER, 0.0)
    size = 0
    for index in range(start, len(units)):
        size += units[index].tokens
        if size > room and index > start:
            break
        if units[index].cut is Cut.NEVER:
            score = (Cut.NEVER, size / _AS_LONG)
        elif size < _EARLIEST * aim:
            # Too early, any cut is as bad as the next: the longest wins.
            score = (Cut.NEVER, float(size))
        else:
            score = (units[index].cut, -abs(size - aim))
        if score > best_score:
            best, best_score = index + 1, score
    return best


def _repeated(units: Sequence[Unit], start: int, *, count: int, limit: int) -> Sequence[Unit]:
    first = start
    size = 0
    while first > 0 and start - first < count and size + units[first - 1].tokens <= limit:
        first -= 1
        size += units[first].tokens
    return units[first:start]
