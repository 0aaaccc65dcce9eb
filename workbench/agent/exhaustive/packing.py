"""The chunks of one document, in order -> batches of passages that fit into one call of a model."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.agent.exhaustive.base import Passage
from workbench.agent.exhaustive.prompt import ANSWER_A_PASSAGE, INSTRUCTIONS, passage_value

MOST_PASSAGES = 12
"""In one call, whatever a model sees at once: of more it leaves some out, and its answer gets long."""

MOST_TOKENS = 6000
"""Of passages in one call: what stands in the middle of a longer prompt is read less well."""

_SMALLEST_ROOM = 200
_LINE_AROUND = 12


@dataclass(frozen=True, slots=True)
class Room:
    """What goes into one call: so many passages, of so many tokens together."""

    tokens: float
    passages: int = MOST_PASSAGES


def room_of(context: int, answer: int, question: str, count: Callable[[str], float]) -> Room:
    """Return the room for passages.

    Args:
        context: Tokens that the model sees at once.
        answer: Tokens that the settings keep for an answer.
        question: What is asked.
        count: Tells the tokens of a text.
    """
    fixed = count(INSTRUCTIONS) + count(question) + 60
    # A model with a small window still has to answer: half of what is left is for that at most.
    left = max(0.0, context - fixed)
    kept = min(max(answer, MOST_PASSAGES * ANSWER_A_PASSAGE), left / 2)
    # A repair sends the answer once more.
    return Room(max(_SMALLEST_ROOM, min(MOST_TOKENS, left - 2 * kept if left > 4 * kept else left - kept)))


def size_of(passage: Passage, count: Callable[[str], float]) -> float:
    """Return how many tokens a passage takes in the message."""
    return count(json.dumps(passage_value(1, passage), ensure_ascii=False)) + _LINE_AROUND


def packed(
    passages: Iterable[Passage], room: Room, count: Callable[[str], float]
) -> Iterator[tuple[tuple[Passage, ...], float]]:
    """Yield the batches in order, each with its tokens; a passage that is too long for any has one to itself."""
    batch: list[Passage] = []
    taken = 0.0
    for passage in passages:
        size = size_of(passage, count)
        if batch and (taken + size > room.tokens or len(batch) >= room.passages):
            yield tuple(batch), taken
            batch, taken = [], 0.0
        batch.append(passage)
        taken += size
    if batch:
        yield tuple(batch), taken


def pieces_of(passage: Passage, room: Room, count: Callable[[str], float]) -> list[tuple[int, Passage]]:
    """Return a passage in pieces that fit, each with where it starts: a table longer than a call holds, say.

    Pieces end at a line's end where there is one in their second half, and overlap in nothing: a sentence across two
    of them is read in halves.
    """
    if size_of(passage, count) <= room.tokens:
        return [(0, passage)]
    text = passage.chunk.text
    length = max(100, int(len(text) * room.tokens / size_of(passage, count) * 0.9))
    pieces, start = list[tuple[int, Passage]](), 0
    while start < len(text):
        end = min(len(text), start + length)
        if end < len(text):
            line = text.rfind("\n", start + length // 2, end)
            end = line + 1 if line > start else end
        pieces.append((start, replace(passage, chunk=replace(passage.chunk, text=text[start:end]))))
        start = end
    return pieces
