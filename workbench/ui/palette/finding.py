"""Names looked through on a thread of the worker, so that 100,000 of them keep nobody from typing."""

import heapq

from workbench.worker.job import JobContext, Operation, offload

MOST = 12
# So many are put in order: the first letter typed is in the names of nearly all.
_WEIGHED = 5000


def finding(names: dict[int, str], needle: str, most: int = MOST) -> Operation[list[int]]:
    """Return the operation that finds the numbers of the names that fit best, the best first.

    Args:
        names: A name by number, in lower case and never changed again.
        needle: Words, each of which has to stand in the name.
        most: How many are wanted.
    """

    async def operation(_context: JobContext) -> list[int]:
        return await offload(None, best_names, names, needle, most)

    return operation


def best_names(names: dict[int, str], needle: str, most: int = MOST) -> list[int]:
    """Return the numbers of the names that fit best; of those that fit alike the newest."""
    words = needle.casefold().split()
    if not words:
        return []
    first, others = max(words, key=len), words
    found: list[tuple[int, int, int]] = []
    for number in reversed(names):
        name = names[number]
        if first in name and all(word in name for word in others):
            found.append((_distance(name, words[0]), len(name), -number))
            if len(found) >= _WEIGHED:
                break
    return [-number for _distance, _length, number in heapq.nsmallest(most, found)]


def _distance(name: str, word: str) -> int:
    """Return 0 where a name begins with the word, 1 where one of its words does, else 2."""
    place = name.find(word)
    if place == 0:
        return 0
    return 2 if name[place - 1].isalnum() and name[place - 1].isascii() else 1
