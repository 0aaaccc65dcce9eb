"""Names in a claim that stand nowhere in what it rests on."""

import re
from collections.abc import Set

from workbench.retrieval.question_words import words_of
from workbench.store.segmentation import STOP_WORDS

# Letters first: what begins with a digit is a figure.
_TOKEN = re.compile(r"[^\W\d_][^\W_]*(?:['’.&-][^\W_]+)*")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A capital after these says nothing: something begins there.
_OPENS = re.compile(r"(?:^|[.:!?;“”\"'‘’「『(\[|•–—-]\s*)$")
# So many of the letters of a word have to be the same: Germany and German, Elizabeth and Elizabethan.
_SAME_BEGINNING, _SHORTEST = 0.7, 4


def missing_names(claim: str, held: Set[str], letters: str) -> tuple[str, ...]:
    """Return the names of a claim that are not among the words held, as they are written.

    Args:
        claim: One sentence. In Chinese, whatever stands in Latin letters is a name.
        held: The words of what the claim rests on, as the keyword index has them.
        letters: The first letters of those words in order, to know "WHO" by its words.
    """
    missing: list[str] = []
    end = -2
    for token in _names(claim):
        if _is_held(token.group(), held, letters):
            continue
        if token.start() == end + 1:
            missing[-1] += claim[end : token.end()]
        else:
            missing.append(token.group())
        end = token.end()
    return tuple(dict.fromkeys(missing))


def initials(text: str) -> str:
    """Return the first letters of a text's words, in order."""
    return "".join(match.group()[0].lower() for match in _TOKEN.finditer(text))


def _names(claim: str) -> list[re.Match[str]]:
    tokens = [match for match in _TOKEN.finditer(claim) if _LATIN.match(match.group())]
    if _HAN.search(claim):
        return [one for one in tokens if one.group().lower() not in STOP_WORDS]
    capitals = sum(one.group()[0].isupper() for one in tokens)
    if capitals > max(3, 0.7 * len(tokens)):
        return []  # a line in capitals, a heading
    return [
        one
        for one, following in zip(tokens, [*tokens[1:], None], strict=False)
        if _is_capital(one) and (not _opens(claim, one) or (following is not None and _is_one_name(one, following)))
    ]


def _is_capital(token: re.Match[str]) -> bool:
    return token.group()[0].isupper() and token.group().lower() not in STOP_WORDS


def _opens(claim: str, token: re.Match[str]) -> bool:
    return _OPENS.search(claim, max(0, token.start() - 3), token.start()) is not None


def _is_one_name(first: re.Match[str], second: re.Match[str]) -> bool:
    return _is_capital(second) and second.start() == first.end() + 1


def _is_held(name: str, held: Set[str], letters: str) -> bool:
    words = words_of(name)
    if name.isupper() and len(name) > 2 and name.lower() in letters:
        return True
    return not words or bool(words & held) or any(_begins_one(word, held) for word in words)


def _begins_one(word: str, held: Set[str]) -> bool:
    length = max(_SHORTEST, round(_SAME_BEGINNING * len(word)))
    return len(word) >= length and any(other.startswith(word[:length]) for other in held)
