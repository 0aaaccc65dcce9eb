"""Reranking by lexical overlap.

Letter runs and Chinese characters that a question shares with a passage, a boost for neighbours of good passages, and
a penalty for common terms of a neighbourhood.

The keyword index cuts Chinese into pairs, so that "which river" does not see "the river", and a name of five characters
counts as four words. Here a character counts by how rare it is, the question's own words for asking and the particles
left out. nDCG@10, the search alone / as here, document_loader.py included: xquad zh 0.967 / 0.976, cmrc 0.982 /
0.989, drcd
(traditional) 0.973 / 0.979; the page first that holds the answer, in xquad's PDFs, 0.952 / 0.967. Half the weight:
within 0.002. What added nothing: the best one or two sentences counted besides (cmrc, drcd 0.001 more, xquad zh 0.002
less); pairs that touch a particle counted less, runs of three, the character after "which" counted more, a date or a
number wanted where one is asked for; weights learned from two of the sets and tried on the third.

Texts become one array of codes: a letter or digit is its own code, all between two words one space. A run of five codes
is a number of 60 bits. 30 passages take 1 ms; with a regular expression and a look for each run in each sentence, 4 ms.

The keyword index counts stems, each for itself; runs of letters also see "elected" in "election" and two words side by
side. nDCG@10 of 600 questions each, without / with: squad2 0.939 / 0.944, xquad en 0.976 / 0.978, the pages of its PDFs
0.986 / 0.988, drcd, for the Latin names in its Chinese, 0.966 / 0.969, hotpot 0.831 / 0.826; runs of Chinese characters
took 0.003 to 0.008 instead: they are counted one by one (lexical_overlap.py). Whether the words stand close together
added
nothing to it.

Evidence found in five hits of chunk_spans, without / with: 0.913 / 0.923, and 0.010 to 0.015 more with chunks of 190,
206 and 212 tokens, too; the page first that holds the answer, in xquad's Chinese PDFs, 0.960 / 0.965 (nDCG@10 0.980 /
0.983); single paragraphs as documents within 0.001. One chunk to each side in place of two: 0.922; a share of 0.15 or
0.35: 0.921, 0.920. What added nothing to it: the tokens or the sentences of the neighbours compared, too.

Forty chunks of a paper are about Borneo's elephants; the one that recommends what to do about them need not name them.
So a word of the question counts the less for a passage the more of those around it hold it too, and as much for one
that lacks it: among the passages of one document only, since of which document is asked, those words tell best.

Evidence found in five hits of chunk_spans, without / with, by tokens of a chunk: 190 0.917 / 0.920, 195 0.897 / 0.915,
200 0.923 / 0.930, 206 0.914 / 0.929, 212 0.906 / 0.917, so 0.011 more on average; drcd 0.973 / 0.976, the other sets
the same. A reach of 8 to 20 is alike, within 0.003; 0.8 of the weight has 0.003 less, 1.2 of it as much. A word adds at
most half the weight where all around hold it and the passage lacks it, and takes as much where the passage holds it.
What the vectors of those around say, counted the same way, takes 0.002 to 0.01. It costs 1 ms.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.retrieval.base import WordCounts, WordPlaces
from workbench.retrieval.embedder_calibration import HAN
from workbench.retrieval.question_words import question_words, rarity
from workbench.retrieval.ranking import ranking_weights
from workbench.retrieval.reranking.base import Candidate

_WORD = re.compile(r"[a-z0-9\u00df-\u024f\u0370-\u052f]+")


class LexicalReranker:
    """Needs nothing but the texts and where words stand, and 3 ms."""

    id = "letters"
    most = 30

    def __init__(self, counts: WordPlaces) -> None:
        self._counts = counts

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the scores by letters, without what the topic gives, raised beside good passages."""
        return raise_scores(by_topic(question, self.scores(question, candidates), candidates, self._counts), candidates)

    def scores(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the search's scores, raised by the share of the question's runs in the best sentence.

        Of a question in Chinese by that of its characters; of one in both, by each as far as it goes.
        """
        scores = [candidate.score for candidate in candidates]
        asked = runs_in(question)
        if len(asked) and candidates and (share := _written_in_words(question)):
            shares = best_shares(asked, [candidate.text for candidate in candidates])
            weight = share * ranking_weights().reranking["letters"]
            scores = [score + weight * of_text for score, of_text in zip(scores, shares.tolist(), strict=True)]
        if share := han_share(question):
            weight = share * ranking_weights().reranking["characters"]
            shares_held = character_scores(question, [candidate.text for candidate in candidates], self._counts)
            scores = [score + weight * held for score, held in zip(scores, shares_held, strict=True)]
        return scores


def _written_in_words(question: str) -> float:
    """Return the share of the question's letters that belong to a script with spaces."""
    letters = sum(character.isalnum() for character in question)
    return sum(map(len, _WORD.findall(question.casefold()))) / letters if letters else 0.0


RUN = 5
"""Letters in a run, the space between two words counting as one: 3 to 5 were alike, within 0.003 nDCG@10."""

Codes = NDArray[np.int64]

_BITS = 12
_SPACE = 1
# Digits, and the letters of the alphabets with capitals: Latin, Greek, Cyrillic.
_WORDS = (("0", "9"), ("a", "z"), ("\u00df", "\u024f"), ("\u0370", "\u052f"))
# Kinds of characters; what is beyond the table is of no kind.
_END, _END_BEFORE_BLANK, _BLANK = 1, 2, 4
_BEYOND = 0x3001
_BETWEEN = "\n\n"


def _tables() -> tuple[Codes, NDArray[np.uint8]]:
    """Return for each character its code, 0 for none, and its kind."""
    codes = np.zeros(_BEYOND + 1, np.int64)
    for first, last in _WORDS:
        codes[ord(first) : ord(last) + 1] = np.arange(ord(first), ord(last) + 1)
    kinds = np.zeros(_BEYOND + 1, np.uint8)
    kinds[[character for character in range(_BEYOND) if chr(character).isspace()]] = _BLANK
    kinds[ord("\n")] |= _END
    kinds[[ord(character) for character in ".!?;"]] = _END_BEFORE_BLANK
    return codes, kinds


_CODES, _KINDS = _tables()


@dataclass(frozen=True, slots=True)
class _ComparableTexts:
    """Texts as they are compared.

    Attributes:
        runs: int64 [runs].
        sentences: Of which sentence each is, counted through all texts; int64 [runs].
        first: The first sentence of each text, int64 [texts].
        count: How many sentences there are.
    """

    runs: Codes
    sentences: Codes
    first: Codes
    count: int


def runs_in(text: str) -> Codes:
    """Return the different runs of a text, ascending; none goes beyond a sentence."""
    return np.unique(_lines([text]).runs)


def best_shares(asked: Codes, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return for each text which share of the runs stands in one of its sentences, 0 to 1; float64 [texts].

    Args:
        asked: As runs_in() gives them, at least one.
        texts: At least one.
    """
    lines = _lines(texts)
    places = np.minimum(np.searchsorted(asked, lines.runs), len(asked) - 1)
    held = asked[places] == lines.runs
    # Each run counts once a sentence.
    pairs = np.unique(lines.sentences[held] * len(asked) + places[held])
    counts = np.bincount(pairs // len(asked), minlength=lines.count)
    best = np.maximum.reduceat(counts, lines.first)
    # A text without a word has no sentence.
    best[np.diff(lines.first, append=lines.count) == 0] = 0
    shares: NDArray[np.float64] = best / len(asked)
    return shares


def _lines(texts: Sequence[str]) -> _ComparableTexts:
    folded = [text.casefold() for text in texts]
    joined = f" {_BETWEEN.join(folded)} "
    characters = np.minimum(np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4"), _BEYOND)
    codes, kinds = _CODES[characters], _KINDS[characters]
    is_end = (kinds & _END) > 0
    is_end[:-1] |= ((kinds[:-1] & _END_BEFORE_BLANK) > 0) & ((kinds[1:] & _BLANK) > 0)
    # Of what lies between two words the first character is kept, as a space; an end among it parts two sentences.
    is_letter = codes > 0
    kept = is_letter | np.append(True, is_letter[:-1])
    line = np.where(is_letter[kept], codes[kept], _SPACE)
    sentences = np.cumsum(np.logical_or.reduceat(is_end, np.flatnonzero(kept)))
    count = max(len(line) - RUN + 1, 0)
    runs = np.zeros(count, np.int64)
    for shift in range(RUN):
        runs |= line[shift : count + shift] << (_BITS * shift)
    # The space that parts two sentences belongs to both, but stands in the middle of no run.
    of = sentences[:count]
    is_whole = of == sentences[RUN - 2 : count + RUN - 2]
    begins = np.cumsum([0, *(len(text) + len(_BETWEEN) for text in folded[:-1])])
    first = sentences[np.cumsum(kept)[begins] - 1]
    return _ComparableTexts(runs[is_whole], of[is_whole], first, int(sentences[-1]) + 1)


# Particles and what a question asks with, simplified and traditional; they stand in every other passage.
_ASKING = frozenset(
    "的是了在和与與及或之其也都而并並且但就被把对對向从從到由于於以为為所有着著过過吗嗎呢吧啊个個这這那"
    "什么麼哪谁誰几幾多少怎样樣如何时時久否请請问問当當会會能可不中上下里裡内內外年月日某些"
)


def han_share(question: str) -> float:
    """Return the share of the question's letters that are Chinese characters, 0 to 1."""
    letters = sum(character.isalnum() for character in question)
    return len(HAN.findall(question)) / letters if letters else 0.0


def character_scores(question: str, texts: Sequence[str], counts: WordCounts) -> list[float]:
    """Return the share of the question's characters that each text holds, 0 to 1; 0 where none can be compared."""
    weights = _weights(question, counts)
    total = sum(weights.values())
    if not total:
        return [0.0] * len(texts)
    return [sum(weight for one, weight in weights.items() if one in text) / total for text in texts]


def _weights(question: str, counts: WordCounts) -> Mapping[str, float]:
    """Return the characters that count, by their inverse document frequency; the index finds them as beginnings."""
    wanted = dict.fromkeys(character for character in HAN.findall(question) if character not in _ASKING)
    frequencies = counts.document_frequency(f"{character}*" for character in wanted)
    return {one: rarity(frequencies.get(f"{one}*", 0), counts.count) for one in wanted}


# How many chunks to each side are neighbours.
_REACH = 2

# A chunk at the document's beginning or end has no neighbour there: it is held to have one that leads half as much as
# itself, or documents of one chunk would fall behind (xquad zh 0.001, drcd 0.001).
_BEYOND_THE_END = 0.5


def raise_scores(scores: Sequence[float], candidates: Sequence[Candidate]) -> list[float]:
    """Return each candidate's score, and a share of how far its best neighbour leads over the last candidate.

    Args:
        scores: One a candidate, on one scale.
        candidates: Neighbours that are not among them add nothing.
    """
    least, share = min(scores, default=0.0), ranking_weights().reranking["neighbours"]
    leads = {(one.document, one.ordinal): score - least for one, score in zip(candidates, scores, strict=True)}
    return [
        score + share * _neighbours_lead(one, score - least, leads)
        for one, score in zip(candidates, scores, strict=True)
    ]


def _neighbours_lead(one: Candidate, own: float, leads: dict[tuple[int, int], float]) -> float:
    is_at_an_end = one.ordinal == 0 or one.ordinal + 1 >= one.chunks
    around = (one.ordinal + step for step in range(-_REACH, _REACH + 1) if step)
    return max(
        _BEYOND_THE_END * own if is_at_an_end else 0.0, *(leads.get((one.document, place), 0.0) for place in around)
    )


# How many chunks to each side are around one.
_TOPICS_REACH = 10


def by_topic(
    question: str, scores: Sequence[float], candidates: Sequence[Candidate], places: WordPlaces
) -> list[float]:
    """Return each candidate's score, changed by what its neighbourhood says without it.

    Args:
        question: As searched.
        scores: One a candidate, on the scale of the fused scores.
        candidates: Documents of one chunk stay as they are.
        places: Where words stand.
    """
    inside = [index for index, one in enumerate(candidates) if one.chunks > 1]
    words = question_words(question, places)
    if len(inside) < 2 or not words.total:
        return list(scores)
    held, around = places.words_around(
        list(words.weights), [candidates[index].chunk for index in inside], _TOPICS_REACH
    )
    weights = np.fromiter(words.weights.values(), np.float32) / words.total
    lacking = weights @ (around * (0.5 - held))
    documents = np.array([candidates[index].document for index in inside])
    for document in np.unique(documents):
        lacking[documents == document] -= lacking[documents == document].mean()
    changed, weight = list(scores), ranking_weights().reranking["topics"]
    for index, more in zip(inside, lacking.tolist(), strict=True):
        changed[index] += weight * more
    return changed
