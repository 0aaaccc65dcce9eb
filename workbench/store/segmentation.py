"""Text analysis for keyword search: segmentation into words, stemming, and stop words.

Measured on xquad zh (nDCG@10): splitting on white space 0.114, digits joined to Chinese 0.902, this module 0.967.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import chain
from operator import add

# Increment when the words of a text change; the keyword index is then rebuilt at the next start.
SEGMENTATION = f"2/{unicodedata.unidata_version}"

# Scripts written without spaces (and Hangul, whose particles are attached to the word): split into overlapping pairs.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Numbers keep their point ("3.14", "1.2.3") and lose their thousands' commas; a word may contain ' - _ . & / inside.
_NUMBER = r"\d+(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)+(?![^\W_])"
_ATOM = rf"(?:(?![{_UNSPACED}])[^\W_])+"
_TOKENS = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<number>{_NUMBER})|(?P<word>{_ATOM}(?:['’_\-./&]{_ATOM})*(?:\+\+|#(?!\w))?)"
)
_LETTER = r"[^\W_]"
# The same for texts without unspaced scripts: twice as fast, without groups; whether a token is a number is checked
# afterwards (before a Chinese character "3.14" is no number).
_SPACED_TOKEN = (
    r"[^\W_](?:(?<=\d)(?:\d*(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d*(?:\.\d+)+(?![^\W_]))"
    r"|[^\W_]*+(?:['’_\-./&][^\W_]+)*+(?:\+\+|#(?!\w))?)"
)
_SPACED_TOKENS = re.compile(_SPACED_TOKEN)
# And for ASCII texts, where a letter or digit is one of a few characters: 0.14 s for 4 MB instead of 0.20.
_ASCII_TOKENS = re.compile(_SPACED_TOKEN.replace(_LETTER, "[0-9A-Za-z]"))
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_IS_NUMBER = re.compile(_NUMBER)
# "infor-\nmation" is read as "infor-mation", which also yields the whole word; "well-\nknown" as "well-known".
_BROKEN_WORD = re.compile(r"[-\u2010\u00ad](?<=[^\W\d_].)[^\S\n]*\n[^\S\n]*(?=[^\W\d_])")
_PARTS = re.compile(r"[^\W_]+")
# Brackets inside words such as "V(D)J".
_BRACKETS = re.compile(r"[()\[\]{}]{1,2}")
# Characters that may have an accent; kana and Chinese characters, half of a Chinese search's segmentation, have none.
_ACCENTED = re.compile("[^\x00-\x7f\u3000-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0640]+")
_LETTERS = {
    ord("ø"): "o",
    ord("ł"): "l",
    ord("đ"): "d",
    ord("æ"): "ae",
    ord("œ"): "oe",
    ord("ı"): "i",
    ord("ð"): "d",
    ord("\u00ad"): "",
}


class _Folding(dict[int, str]):
    """Cached mapping of character -> the same without accents."""

    def __missing__(self, code: int) -> str:
        folded = _MARKS.sub("", unicodedata.normalize("NFD", chr(code)))
        self[code] = unicodedata.normalize("NFC", folded)
        return self[code]


_FOLDING = _Folding(_LETTERS)


def segment(text: str) -> str:
    """Return the words of a text as stored in the keyword index, in order, separated by spaces.

    The words are lower case, without accents, with English endings stemmed. Unspaced scripts become overlapping pairs
    of characters, plus the last character of each run alone, so that every character begins a word. "max_tokens",
    "ChunkStore" and "e-mail" yield their parts and the whole.
    """
    plain = _plain(text)
    if _has_spaces_only(plain):
        # No token contains white space.
        return " ".join(filter(None, map(_OF_TEXTS.__getitem__, plain.split())))
    return " ".join(_words_of(plain))


def words_in(text: str) -> frozenset[str]:
    """Return the distinct words of segment(text)."""
    plain = _plain(text)
    if _has_spaces_only(plain):
        # As in segment(), each text between spaces once: a third less time for a chunk.
        return frozenset(" ".join(map(_OF_TEXTS.__getitem__, {*plain.split()})).split())
    return frozenset(_words_of(plain))


@lru_cache(maxsize=64)
def question_words(question: str) -> tuple[str, ...]:
    """Return the distinct words to search for; a single character of an unspaced script ends in "*".

    Stop words are left out unless there are no others. Cached, because one search calls this a dozen times.
    """
    words: dict[str, bool] = {}
    for kind, token in _question_tokens(question):
        if kind == "unspaced":
            pairs = [token[i : i + 2] for i in range(len(token) - 1)] or [token + "*"]
            words.update((pair, pair in STOP_WORDS) for pair in pairs)
        else:
            is_stop = token.lower().replace("’", "'") in STOP_WORDS
            words.update((word, is_stop) for word in _split_spaced(kind, token))
    return tuple(word for word, is_stop in words.items() if not is_stop) or tuple(words)


_CODE = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{4,}")


def longer_codes(
    frequencies: Mapping[str, int], count: Callable[[Iterable[str]], Mapping[str, int]]
) -> dict[str, tuple[str, int]]:
    """Return the prefix to search for in place of each code of letters and digits that occurs nowhere.

    People write "M320TF" where the manual has "M320TF-XX", which the index holds as "m320", "tf", "xx" and "m320tfxx".

    Args:
        frequencies: Words of a question -> number of chunks that contain them.
        count: Returns the number of chunks that contain each of some words or prefixes.

    Returns:
        Code -> its prefix, such as "m320tf*", and the number of chunks that contain it, at least 1.
    """
    prefixes = {word: f"{word}*" for word, number in frequencies.items() if not number and _CODE.fullmatch(word)}
    found = count(prefixes.values()) if prefixes else {}
    return {word: (prefix, found[prefix]) for word, prefix in prefixes.items() if found.get(prefix)}


# Of 34 questions about annual reports that answer them, 26 have an abbreviation that occurs nowhere in the reports; so
# do as many questions about other reports, so a missing abbreviation carries no information.
_ABBREVIATION = re.compile(r"[A-Z]{1,6}(?:[&/.-][A-Z]{1,6})*(?:'?s|’s)?|[Yy]{2,4}")
_PERIOD = re.compile(r"(?:FY|CY|[QH][1-4]|[1-4][QH])['’]?(?=(?:\d{2}|\d{4})?$)", re.IGNORECASE)


def _strip_period(token: str) -> str:
    """Return the year of "FY2022" and "Q22023"; "" for a shortened year like "FY22", which texts do not contain."""
    year = _PERIOD.sub("", token)
    return year if year == token or len(year) == 4 else ""


@lru_cache(maxsize=64)
def compounds_in(question: str) -> tuple[tuple[str, ...], ...]:
    """Return the words to search for of each compound in a question that has several words.

    "β-catenin" yields β, catenin and βcatenin, "V(D)J" yields v, d and j.
    """
    found: list[list[str]] = []
    before = ""
    for kind, token, between in _question_places(question):
        if kind != "unspaced":
            if before not in ("", "unspaced") and _BRACKETS.fullmatch(between):
                found[-1] += _split_spaced(kind, token)
            else:
                found.append([*_split_spaced(kind, token)])
        before = kind
    wanted = set(question_words(question))
    compounds = (tuple(word for word in dict.fromkeys(words) if word in wanted) for words in found)
    return tuple(words for words in compounds if len(words) > 1)


def has_content_words(text: str) -> bool:
    """Return whether a text has a word to search for that is not a stop word."""
    return any(word.rstrip("*") not in STOP_WORDS for word in question_words(text))


@lru_cache(maxsize=64)
def names_in(question: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each name in a question: tokens with a capital inside a sentence, or with a digit.

    In a question in an unspaced script any token in Latin letters is a name. A question all in capitals has none. An
    abbreviation is not a name, because documents spell out "FCF" and "PP&E"; "FY2022" yields the year.
    """
    tokens = [(kind, _strip_period(token)) for kind, token in _question_tokens(question)]
    tokens = [(kind, token) for kind, token in tokens if token and not _ABBREVIATION.fullmatch(token)]
    spaced = [token for kind, token in tokens if kind != "unspaced"]
    if sum(token[0].isupper() for token in spaced) > max(2, len(spaced) / 2):
        spaced = [token for token in spaced if any(character.isdigit() for character in token)]
        return tuple(tuple(_split_spaced("word", token)) for token in spaced)
    is_unspaced = any(kind == "unspaced" for kind, _ in tokens)
    return tuple(
        tuple(_split_spaced(kind, token))
        for index, (kind, token) in enumerate(tokens)
        if kind != "unspaced"
        and token.lower() not in STOP_WORDS
        and (is_unspaced or (index > 0 and token[0].isupper()) or any(character.isdigit() for character in token))
    )


def matched_terms(question: str, text: str) -> tuple[str, ...]:
    """Return the words of a question, as written there, that occur in a text in any form, without stop words."""
    return matched_in(question, words_in(text))


def matched_in(question: str, held: Set[str]) -> tuple[str, ...]:
    """Return the result of matched_terms for the words of a text that is already segmented."""
    wanted = set(question_words(question))
    found: dict[str, None] = {}
    for kind, token in _question_tokens(question):
        if kind != "unspaced":
            if any(word in held and word in wanted for word in _split_spaced(kind, token)):
                found[token] = None
            continue
        if len(token) == 1 and token + "*" in wanted and any(word[0] == token for word in held):
            found[token] = None
        for run in _runs([token[i : i + 2] in held and token[i : i + 2] in wanted for i in range(len(token) - 1)]):
            found[token[run[0] : run[1] + 2]] = None
    return tuple(found)


def _runs(flags: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of each run of True."""
    start = -1
    for i, flag in enumerate([*flags, False]):
        if flag and start < 0:
            start = i
        elif not flag and start >= 0:
            yield start, i - 1
            start = -1


def _has_spaces_only(text: str) -> bool:
    return text.isascii() or not _IS_UNSPACED.search(text)


def _words_of(text: str) -> list[str]:
    if _has_spaces_only(text):
        return list(chain.from_iterable(map(_split_token, _SPACED_TOKENS.findall(text))))
    words: list[str] = []
    for unspaced, number, word in _TOKENS.findall(text):
        if word:
            words += _split_word(word)
        elif unspaced:
            words += map(add, unspaced, unspaced[1:])
            words.append(unspaced[-1])
        else:
            words += _split_number(number)
    return words


def _question_tokens(question: str) -> tuple[tuple[str, str], ...]:
    """Return (kind, token) with the case preserved, because CamelCase needs it."""
    return tuple((kind, token) for kind, token, _ in _question_places(question))


@lru_cache(maxsize=64)
def _question_places(question: str) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, token, text between it and the previous token)."""
    text, end = _plain(question), 0
    places = []
    for match in _TOKENS.finditer(text):
        places.append((match.lastgroup or "", match.group(), text[end : match.start()]))
        end = match.end()
    return tuple(places)


def _plain(text: str) -> str:
    """Return the text without accents and with the parts of broken words joined."""
    if "\n" in text:
        text = _BROKEN_WORD.sub("-", text)
    return text if text.isascii() else _ACCENTED.sub(_remove_accents, unicodedata.normalize("NFKC", text))


def _remove_accents(match: re.Match[str]) -> str:
    return match.group().translate(_FOLDING)


def _split_spaced(kind: str, token: str) -> tuple[str, ...]:
    """Return the words of one token of a spaced script."""
    return _split_number(token) if kind == "number" else _split_word(token)


def _split_number(token: str) -> tuple[str, ...]:
    return token.replace(",", ""), *(token.split(".") if token.count(".") > 1 else ())


@lru_cache(maxsize=32768)
def _split_token(token: str) -> tuple[str, ...]:
    return _split_number(token) if _IS_NUMBER.fullmatch(token) else _split_word(token)


class _Tokens(dict[str, str]):
    """Cached mapping of token -> its words separated by spaces; a third faster than a cached function."""

    def __missing__(self, token: str) -> str:
        if len(self) > _MOST_CACHED:
            self.clear()
        words = self[token] = " ".join(_split_number(token) if _IS_NUMBER.fullmatch(token) else _split_word(token))
        return words


class _TextsBetweenSpaces(dict[str, str]):
    """Cached mapping of a text without white space, such as "(e-mail)," -> its words separated by spaces."""

    def __missing__(self, text: str) -> str:
        tokens = (_ASCII_TOKENS if text.isascii() else _SPACED_TOKENS).findall(text)
        words = _OF_TOKENS[tokens[0]] if len(tokens) == 1 else " ".join(map(_OF_TOKENS.__getitem__, tokens))
        if len(text) <= _LONGEST_CACHED:
            if len(self) > _MOST_CACHED:
                self.clear()
            self[text] = words
        return words


_MOST_CACHED = 100_000
"""Maximum number of cached tokens, 15 MB: tables and logs contain millions of numbers."""
_LONGEST_CACHED = 40
_OF_TOKENS = _Tokens()
_OF_TEXTS = _TextsBetweenSpaces()


# Cached, because texts repeat their words: the ten passages of a search took 2 ms, half of it for this function.
@lru_cache(maxsize=32768)
def _split_word(token: str) -> tuple[str, ...]:
    if token.isalnum() and (token.islower() or token.isupper() or token.istitle()):
        return (stem(token.casefold()),)
    return tuple(_compound(token))


def _compound(token: str) -> Iterator[str]:
    for ending in ("'s", "’s", "'", "’"):
        token = token.removesuffix(ending)
    if token.endswith(("++", "#")):
        yield token.casefold()
        return
    parts = [part for atom in _PARTS.findall(token) for part in _CAMEL.split(atom)]
    if len(parts) > 1:
        yield from (stem(part.casefold()) for part in parts)
    whole = "".join(parts).casefold()
    # "and/or" and "he.She" are not words themselves; a whole of more than four parts is hardly ever searched for.
    if len(parts) == 1 or (len(parts) <= 4 and "/" not in token and "." not in token):
        yield stem(whole)


_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words with digits or other characters than a to z are unchanged."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _strip_plural(word)
    word = _strip_verb_ending(word)
    if len(word) > 5 and word.endswith("ly"):
        word = word[:-2]
    # The last steps are the same for every word, so that "make" matches "mak(ing)" and "fall" matches "fal(ling)".
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    if len(word) > 2 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def _strip_plural(word: str) -> str:
    if word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _strip_verb_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        stemmed = word[: -len(ending)]
        if word.endswith(ending) and len(stemmed) > 2 and not _VOWELS.isdisjoint(stemmed):
            return stemmed
    return word


_ENGLISH = """
a about after all also am an and any are aren't as at be because been before being both but by can cannot can't could
did didn't do does doesn't don't each either else ever every few for from get had has have having he her here hers him
his how i i'm if in into is isn't it its it's just let let's like may me might more most much must my no nor not of off
on once one only or other our out over own please same shall she should so some such tell than that that's the their
them then there these they this those through to too under until up us very was wasn't we were what what's when where
which while who who's whom whose why will with won't would you your
"""

# Pairs of characters, because questions are split into pairs.
_CHINESE = """
什么 什麼 哪些 哪个 哪個 哪里 哪裡 哪一 多少 如何 怎么 怎麼 怎样 怎樣 为什 為什
 是什 是否 是多 是谁 是誰 是哪 有哪 有什 有多 么是 麼是 请问 請問
可以 以及 还是 還是 或者 我们 我們 他们 他們 它们 它們
这个 這個 那个 那個 这些 這些 那些 一个 一個 的是 了什 了多 的什 些是 少是
"""

STOP_WORDS = frozenset((_ENGLISH + _CHINESE).split())
