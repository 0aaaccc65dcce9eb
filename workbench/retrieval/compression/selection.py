"""Pieces with their worth and their cost -> those that fit into the room, the most worth first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """One piece that may be kept.

    Attributes:
        passage: The number of its passage, in the order of the passages.
        piece: Its number there.
        worth: Compares with that of all others.
        cost: Tokens.
        header: The piece of the same passage that it needs above itself.
    """

    passage: int
    piece: int
    worth: float
    cost: float
    header: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Tokens beside those of the pieces: of a passage's frame, and of the mark of each gap in it."""

    frame: float
    mark: float


class _Kept:
    """The pieces kept so far, with the number of gaps between them."""

    def __init__(self, lengths: Mapping[int, int]) -> None:
        self._lengths = lengths
        self.pieces: set[tuple[int, int]] = set()
        self.opened: set[int] = set()

    def add(self, passage: int, piece: int) -> None:
        """Keep a piece."""
        self.pieces.add((passage, piece))
        self.opened.add(passage)

    def remove(self, passage: int, pieces: Sequence[int], *, opened: bool) -> None:
        """Take pieces back; opened: others of the passage were kept before."""
        self.pieces.difference_update((passage, piece) for piece in pieces)
        if not opened:
            self.opened.discard(passage)

    def extra(self, passage: int, piece: int, costs: Costs) -> float:
        """Return what keeping a piece costs besides it: it splits the gap in which it stands, or closes it."""
        before = piece > 0 and (passage, piece - 1) not in self.pieces
        after = piece + 1 < self._lengths[passage] and (passage, piece + 1) not in self.pieces
        if passage in self.opened:
            return costs.mark * (before + after - 1)
        return costs.frame + costs.mark * (before + after)


def chosen(offers: Sequence[Offer], *, lengths: Mapping[int, int], costs: Costs, room: float) -> set[tuple[int, int]]:
    """Return (passage, piece) of those that are kept.

    Args:
        offers: All of them; one that others name as their header has a cost, too.
        lengths: Passage -> how many pieces it has.
        costs: What is paid besides.
        room: How much all may cost.
    """
    own = {(offer.passage, offer.piece): offer.cost for offer in offers}
    kept = _Kept(lengths)
    for offer in sorted(offers, key=lambda one: (-one.worth, one.passage, one.piece)):
        wanted = [offer.piece] if offer.header is None else [offer.header, offer.piece]
        wanted = [piece for piece in wanted if (offer.passage, piece) not in kept.pieces]
        opened = offer.passage in kept.opened
        cost = 0.0
        for piece in wanted:
            cost += own[offer.passage, piece] + kept.extra(offer.passage, piece, costs)
            kept.add(offer.passage, piece)
        if cost <= room:
            room -= cost
        else:
            kept.remove(offer.passage, wanted, opened=opened)
    return kept.pieces
