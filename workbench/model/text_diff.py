"""Two versions of a text -> what was left, taken out and put in, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum, auto

# A word, a run of white space, or one character: of Chinese each is a word.
_PIECE = re.compile(r"[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+|\s+|.", re.DOTALL)
# difflib takes the square of the length in the worst case: 4,000 pieces of each take 0.3 s.
_MOST = 4000


class Piece(Enum):
    """What became of a stretch."""

    SAME = auto()
    OUT = auto()
    IN = auto()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one of the two texts, or of both."""

    piece: Piece
    text: str


def text_diff(before: str, after: str) -> tuple[Stretch, ...]:
    """Return how one text becomes another; long ones are told apart as wholes."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if len(old) > _MOST or len(new) > _MOST:
        whole = (Stretch(Piece.OUT, before), Stretch(Piece.IN, after)) if before != after else ()
        return whole or (Stretch(Piece.SAME, before),)
    found: list[Stretch] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Stretch(Piece.SAME, "".join(old[a:b])))
            continue
        found += [Stretch(Piece.OUT, "".join(old[a:b]))] if b > a else []
        found += [Stretch(Piece.IN, "".join(new[c:d]))] if d > c else []
    return tuple(found)


def written(before: str, after: str) -> str:
    """Return a difference on paper: [-what was taken out-] and {+what was put in+}."""
    marks = {Piece.SAME: "{}", Piece.OUT: "[-{}-]", Piece.IN: "{{+{}+}}"}
    return "".join(marks[one.piece].format(one.text) for one in text_diff(before, after))
