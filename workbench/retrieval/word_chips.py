"""The words of a question as a person wrote them, each with its weight and whether a passage has it."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from workbench.model.explanation import QuestionWord, Standing
from workbench.retrieval.question import QuestionWords, is_unspaced
from workbench.store.keywords import terms

_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(slots=True)
class _Chip:
    """Words of the index that are one word, or one run of characters, to a person."""

    text: str
    weight: float
    chunks: int
    standing: Standing
    is_run: bool


def question_chips(
    question: str, words: QuestionWords, frequencies: Mapping[str, int], *, text: Set[str], above: Set[str]
) -> tuple[QuestionWord, ...]:
    """Return the question's words in its order.

    Args:
        question: As searched.
        words: Its words with their weights.
        frequencies: In how many chunks each of them stands.
        text: The words of the passage.
        above: Those of its title and headings.
    """
    written = _as_written(question)
    chips: list[_Chip] = []
    for word, weight in words.weights.items():
        standing = Standing.IN_TEXT if _holds(text, word) else Standing.MISSING
        if standing is Standing.MISSING and _holds(above, word):
            standing = Standing.ABOVE
        chip = _Chip(written.get(word, word), weight, frequencies.get(word, 0), standing, is_unspaced(word))
        if not (chips and _joined(chips[-1], chip)):
            chips.append(chip)
    total = words.total or 1.0
    return tuple(
        QuestionWord(_own_text(chips, index).rstrip("*"), one.weight / total, one.chunks, one.standing)
        for index, one in enumerate(chips)
    )


def _joined(before: _Chip, chip: _Chip) -> bool:
    """Put a chip into the one before it where both are pieces of one word; tells whether it did."""
    if before.standing is not chip.standing or before.is_run is not chip.is_run:
        return False
    if chip.is_run:
        if before.text[-1] != chip.text[0] or len(chip.text) < 2:
            return False
        before.text += chip.text[1:]
    elif before.text != chip.text:
        return False
    before.weight += chip.weight
    before.chunks = min(before.chunks, chip.chunks)
    return True


def _own_text(chips: Sequence[_Chip], index: int) -> str:
    """Return what stands on a chip: of a run that is missing not the characters that a held one beside it shows."""
    chip = chips[index]
    if not chip.is_run or chip.standing is not Standing.MISSING:
        return chip.text
    before = chips[index - 1] if index else None
    after = chips[index + 1] if index + 1 < len(chips) else None
    start = int(before is not None and before.is_run and before.text[-1] == chip.text[0])
    end = len(chip.text) - int(after is not None and after.is_run and after.text[0] == chip.text[-1])
    return chip.text[start:end] or chip.text


def _as_written(question: str) -> dict[str, str]:
    """Return word of the index -> the word of the question from which it comes; pairs of characters are left out."""
    written: dict[str, str] = {}
    for piece in question.split():
        for word in terms(piece):
            if not is_unspaced(word):
                written.setdefault(word, _EDGES.sub("", piece) or piece)
    return written


def _holds(held: Set[str], word: str) -> bool:
    """Tell whether a word is there; one that ends in "*" stands for every word that begins so."""
    if word.endswith("*"):
        return any(one.startswith(word[:-1]) for one in held)
    return word in held
