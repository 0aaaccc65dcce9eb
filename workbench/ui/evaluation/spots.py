"""A passage as golden questions know it, and whether one of their judgements is about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.model.evaluation import JudgementKind

if TYPE_CHECKING:
    from workbench.model.evaluation import Judgement
    from workbench.model.hit import Hit

_HALF = 0.5
"""So much of the shorter of two passages stands in the other where they are the same, cut anew."""


class Spot(NamedTuple):
    """Where a passage stands, and its words."""

    document: str
    start: int
    end: int
    page: int | None = None
    text: str = ""

    @classmethod
    def of_hit(cls, hit: Hit) -> Spot:
        """Return where a hit stands."""
        return cls(hit.document_name, hit.chunk.start, hit.chunk.end, hit.page, hit.chunk.text)


def mark_of(judgements: Sequence[Judgement], spot: Spot) -> bool | None:
    """Return whether a passage is right or wrong; None where no judgement is about it.

    What was said of just this passage comes before what was said of its page or document.
    """
    exact = [one for one in judgements if (one.document, one.start, one.end) == (spot.document, spot.start, spot.end)]
    about = exact or [one for one in judgements if _is_about(one, spot)]
    return about[-1].right if about else None


def _is_about(one: Judgement, spot: Spot) -> bool:
    if one.document and one.document != spot.document:
        return False
    match one.kind:
        case JudgementKind.PASSAGE:
            return _overlaps(one, spot)
        case JudgementKind.PAGE:
            return one.page == spot.page
        case JudgementKind.ANSWER:
            return any(answer.casefold() in spot.text.casefold() for answer in one.answers)
    return bool(one.document)


def _overlaps(one: Judgement, spot: Spot) -> bool:
    if one.start is None or one.end is None:
        return one.text.strip() in spot.text
    common = min(one.end, spot.end) - max(one.start, spot.start)
    return common > _HALF * min(one.end - one.start, spot.end - spot.start)
