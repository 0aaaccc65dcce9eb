"""A question + what documents are called -> the documents that it names, and what it asks of them.

"What did American Express earn in 2022?" names AMERICANEXPRESS_2022_10K.pdf, and asks of it what was earned. A document
is named by enough of the words of its name, title or author, counted by how few documents share them; words that all
documents share name none. Numbers alone name nothing: "1066" is rather a year than 1066.txt.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from workbench.model.called import Called
from workbench.store.name_words import INITIALS, name_words, periods_in
from workbench.store.segmentation import question_words, says_something, segment
from workbench.store.stopwords import STOP_WORDS

# Of the weight of a name's words so much has to be said; by a single word more: "system" is not "Immune system".
_LEAST_SHARE = 0.5
_LEAST_OF_ONE_WORD = 0.6
# Beside the one that is named best, others are named as long as they have so much of its weight.
_LEAST_BESIDE = 0.5
# More than so many are no longer named: the question says what they have in common.
_MOST = 20
# A word that more documents are called by adds to what others found, but finds none.
_MOST_CALLED = 200
# Words that are written apart in a question and together in a file's name: "American Express".
_MOST_GLUED = 3
BY_TITLE = 0.6
"""How sure a title is, which is a weaker name than the file's: "Pew Research Center" and "United States Court of
Appeals" are titles of PDFs and stand in the text of others, too. Of 14 reports that a question named by title, 5 were
meant."""

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_OWNER = re.compile(r"['’]s?$")
# "IBM", "J&J", "JnJ"; two capitals by themselves are too many things ("IT", "US").
_INITIALS = re.compile(r"[A-Z]{3,5}|[A-Z][&n][A-Z]")


class NameSource(Protocol):
    """The names and titles of documents; store/document_names.py."""

    @property
    def count(self) -> int:
        """The number of documents."""
        ...

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return for each word how many documents are called so, where any are."""
        ...

    def called(self, word: str, *, most: int) -> list[Called]:
        """Return at most so many documents that are called by a word."""
        ...

    def chunks(self, documents: Sequence[int]) -> dict[int, int]:
        """Return chunk -> document of these documents, the chunks ascending."""
        ...


@dataclass(frozen=True, slots=True)
class Naming:
    """The documents that a question names.

    Attributes:
        strengths: Document -> how surely it is meant, 0 to 1: by its file's name 1 for the one that is meant best.
        rest: The question without the words that name them; empty where nothing else is asked.
        identities: For each document the words of its name that the question holds, without years and form numbers.
    """

    strengths: Mapping[int, float]
    rest: str
    identities: Set[frozenset[str]] = frozenset()

    def means(self, name: str) -> bool:
        """Return True for the name of a document that the question names, or of another one of the same series."""
        words = set(name_words(name).split())
        return any(identity <= words for identity in self.identities)


@dataclass(frozen=True, slots=True)
class _Form:
    """A word by which a question may call a document, and where it stands there; glued of several or not."""

    word: str
    start: int
    end: int
    is_glued: bool = False


@dataclass(frozen=True, slots=True)
class _Match:
    """The words by which a question means a document, their weight, and how sure such words are, 0 to 1."""

    weight: float = 0.0
    words: Set[str] = frozenset()
    sureness: float = 1.0


def naming(question: str, names: NameSource) -> Naming | None:
    """Return which documents a question names; None where it names none."""
    forms = list(_forms(question))
    said = names.frequencies({form.word for form in forms})
    candidates = _candidates(names, said)
    if not candidates:
        return None
    documents = names.count
    theirs = {word for one in candidates for alias in one.aliases for word in alias}
    weights = {word: _weight(frequency, documents) for word, frequency in names.frequencies(theirs).items()}
    glued = {form.word for form in forms if form.is_glued}
    matches = {one.document: _match(one, said.keys(), glued, weights) for one in candidates}
    best = max(match.weight for match in matches.values())
    series = {_identity(match.words) for match in matches.values() if match.weight and match.weight == best}
    for one in candidates:
        if not matches[one.document].weight:
            matches[one.document] = _match_series(one, said.keys(), series, weights)
    best = max(match.weight for match in matches.values())
    named = {
        number: match for number, match in matches.items() if match.weight and match.weight >= _LEAST_BESIDE * best
    }
    if not named or len(named) > _MOST:
        return None
    naming_words = {word for match in named.values() for word in match.words}
    rest = _without(question, [form for form in forms if form.word in naming_words])
    strengths = {number: match.sureness * match.weight / best for number, match in named.items()}
    return Naming(strengths, rest, frozenset(_identity(match.words) for match in named.values()) - {frozenset()})


def _weight(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _forms(question: str) -> Iterator[_Form]:
    """Yield each word of the question, years, quarters and initials in it, and words next to one another as one."""
    tokens = [(_OWNER.sub("", match.group()), *match.span()) for match in _WORD.finditer(question)]
    said = set(question_words(question))
    yield from (_Form(*period) for period in periods_in(question))
    for place, (token, start, end) in enumerate(tokens):
        yield from (_Form(word, *_span(token, word, start)) for word in segment(token).split() if word in said)
        yield from (_Form(year, start, end) for year in _YEAR.findall(token))
        if _INITIALS.fullmatch(token):
            yield _Form(INITIALS + "".join(filter(str.isupper, token)).lower(), start, end)
        glued = token
        for other, _, its_end in tokens[place + 1 : place + _MOST_GLUED]:
            glued += other
            if not glued.isascii() or token.lower() in STOP_WORDS or other.lower() in STOP_WORDS:
                break
            yield from (_Form(word, start, its_end, is_glued=True) for word in segment(glued.lower()).split())


def _span(token: str, word: str, start: int) -> tuple[int, int]:
    """Return where a word of a token stands: of a run without spaces only its own characters."""
    place = -1 if token.isascii() else token.find(word)
    return (start, start + len(token)) if place < 0 else (start + place, start + place + len(word))


def _candidates(names: NameSource, frequencies: Mapping[str, int]) -> Collection[Called]:
    """Return the documents that are called by any of the rarer words."""
    found: dict[int, Called] = {}
    for word in sorted(frequencies, key=lambda word: frequencies[word]):
        if frequencies[word] > _MOST_CALLED or len(found) > _MOST_CALLED:
            break
        if not word.isdigit():
            found |= {one.document: one for one in names.called(word, most=_MOST_CALLED)}
    return found.values()


def _match(one: Called, said: Set[str], glued: Set[str], weights: Mapping[str, float]) -> _Match:
    """Return the words by which a question means a document; of no weight where they are too few."""
    best = _Match()
    for alias, sureness in (*((name, 1.0) for name in one.names), *((title, BY_TITLE) for title in one.titles)):
        words = alias & said
        telling = _identity(alias)
        if not words & telling:
            continue
        # A word may be gone again: an import goes on meanwhile.
        weight = sum(weights.get(word, 0.0) for word in words & telling)
        unsaid = sum(weights.get(word, 0.0) for word in telling - words)
        least = _LEAST_SHARE if len(words) > 1 or words & glued else _LEAST_OF_ONE_WORD
        match = _Match(sum(weights.get(word, 0.0) for word in words), words, sureness)
        if weight >= least * (weight + unsaid) and match.sureness * match.weight > best.sureness * best.weight:
            best = match
    return best


def _match_series(one: Called, said: Set[str], series: Set[frozenset[str]], weights: Mapping[str, float]) -> _Match:
    """Match a document whose file name holds all words by which the best one is meant, and more.

    "Johnson & Johnson" means "JOHNSON_JOHNSON_2022_10K" and "JOHNSON_JOHNSON_2022Q4_EARNINGS".
    """
    for alias in one.names:
        if any(words and words <= alias for words in series):
            return _Match(sum(weights.get(word, 0.0) for word in alias & said), alias & said)
    return _Match()


def _identity(words: Set[str]) -> frozenset[str]:
    """Return the words of a name that say whose document it is; "2022", "10K" and "Q2" tell its documents apart.

    Of a name that has only such, those that are no bare numbers.
    """
    without_digits = frozenset(word for word in words if not any(character.isdigit() for character in word))
    return without_digits or frozenset(word for word in words if not word.isdigit())


def _without(question: str, forms: Sequence[_Form]) -> str:
    """Return the question without these words; nothing where no word worth searching is left."""
    kept = list(question)
    for form in forms:
        kept[form.start : form.end] = " " * (form.end - form.start)
    rest = " ".join("".join(kept).split())
    return rest if says_something(rest) else ""
