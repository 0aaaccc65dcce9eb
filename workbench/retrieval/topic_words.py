"""Topic words: the words that distinguish each group of texts from the others."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from workbench.store.segmentation import STOP_WORDS, segment

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Tags, templates, URLs, and the opening line of a code block, which names its language.
_MARKUP = re.compile(r"^[^\S\n]*+(?:```|~~~).*$|<[^<>\n]{1,200}>|\{\{[^{}\n]{1,200}\}\}|https?://\S+", re.MULTILINE)
_SHORTEST = 3
_IN_GROUP = 0.1
"""Share of a group's texts that must contain a word; otherwise one text could speak for all."""

_EVERYWHERE = 0.12
"""Share of all texts above which a word describes none of many groups: “use”, or the common subject of all."""

_STOPS = STOP_WORDS | set(segment(" ".join(STOP_WORDS)).split())


def topic_words(groups: Sequence[Sequence[str]], *, most: int = 3) -> list[tuple[str, ...]]:
    """Return the words of each group that most of its texts and few other texts contain, in their usual spelling.

    Class-based TF-IDF that counts texts instead of occurrences: a table that repeats one word is one text. Words of
    scripts without spaces are pairs of characters, as in keyword search.

    Args:
        groups: Texts of each group; a sample of them suffices.
        most: Maximum number of words per group.
    """
    written: dict[str, Counter[str]] = {}
    holding = [Counter(word for text in texts for word in _find_words(text, written)) for texts in groups]
    held = [len(texts) for texts in groups]
    everywhere: Counter[str] = Counter()
    for counts in holding:
        everywhere.update(counts)
    return [
        _select_words(counts, size, everywhere, sum(held), written, most)
        for counts, size in zip(holding, held, strict=True)
    ]


def _select_words(
    counts: Counter[str],
    size: int,
    everywhere: Counter[str],
    total: int,
    written: dict[str, Counter[str]],
    most: int,
) -> tuple[str, ...]:
    scores = {
        word: count / size * math.log(1 + total / everywhere[word])
        for word, count in counts.items()
        if count >= max(1, _IN_GROUP * size)
        and (count > 1 or size < 4)
        and everywhere[word] <= max(size, _EVERYWHERE * total)
    }
    # Equal scores are ordered by word, so that the result is deterministic.
    ranked = sorted(scores, key=lambda word: (-scores[word], word))
    chosen: list[str] = []
    for word in ranked:
        form = min(written[word].items(), key=lambda one: (-one[1], one[0]))[0]
        # Neither "chunk" next to "chunks" nor two halves of one Chinese word.
        if not any(_overlap(form, other) for other in chosen):
            chosen.append(form)
        if len(chosen) == most:
            break
    return tuple(chosen)


def _overlap(one: str, other: str) -> bool:
    first, second = one.casefold(), other.casefold()
    if first in second or second in first:
        return True
    return len(first) == len(second) == 2 and (first[1] == second[0] or second[1] == first[0])


def _find_words(text: str, written: dict[str, Counter[str]]) -> set[str]:
    """Return the distinct words of a text, and record their spellings in written."""
    found: set[str] = set()
    for token in _TOKEN.findall(_MARKUP.sub(" ", text)):
        stems = segment(token.casefold()).split()
        if len(stems) == 1:
            if len(token) < _SHORTEST or stems[0] in _STOPS or token.casefold() in _STOPS:
                continue
            found.add(stems[0])
            written.setdefault(stems[0], Counter())[token] += 1
            continue
        for pair in stems:
            if len(pair) == 2 and pair in token and pair not in _STOPS:
                found.add(pair)
                written.setdefault(pair, Counter())[pair] += 1
    return found
