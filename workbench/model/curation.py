"""What a search found, shown to a person before an answerer is handed it: what may stay, and in which order."""

from dataclasses import dataclass

from workbench.model.hit import Hit


@dataclass(frozen=True, slots=True)
class CurationAsked:
    """What a search found waits for a person to choose from it.

    Attributes:
        number: Which of the run's searches that wait it is, from 1.
        query: What was searched for.
        hits: What was found, best first, behind the pinned.
        pinned: Ids of those chunks that an earlier choice of this session pinned.
        is_relevant: Whether what was found passes the floor that the user set; if not, nothing of it is ticked.
        room: Tokens that the answerer has left for it, by an estimate; None where that is not known.
        is_sure: Whether the search holds that it answers the question.
    """

    number: int
    query: str
    hits: tuple[Hit, ...]
    pinned: tuple[int, ...] = ()
    is_relevant: bool = True
    room: int | None = None
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class CurationGiven:
    """What the person chose.

    Attributes:
        number: As in CurationAsked.
        chunks: Ids of the chunks that the answerer is handed, in this order.
        left_out: How many of those found it is not handed.
        added: How many it is handed that were not found.
    """

    number: int
    chunks: tuple[int, ...]
    left_out: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """The word of the person: the passages in the order wanted, and which of them to keep for later questions."""

    hits: tuple[Hit, ...]
    pinned: tuple[int, ...] = ()
