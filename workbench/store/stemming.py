"""Light English stemming: forms of one word fall together; the stem need not be a word."""

from functools import lru_cache

_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words with digits or outside a to z stay as they are."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_plural(word)
    word = _without_verb_ending(word)
    if len(word) > 5 and word.endswith("ly"):
        word = word[:-2]
    # The same last steps for every word, so that "make" meets "mak(ing)" and "fall" meets "fal(ling)".
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    if len(word) > 2 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def _without_plural(word: str) -> str:
    if word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _without_verb_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        stemmed = word[: -len(ending)]
        if word.endswith(ending) and len(stemmed) > 2 and not _VOWELS.isdisjoint(stemmed):
            return stemmed
    return word
