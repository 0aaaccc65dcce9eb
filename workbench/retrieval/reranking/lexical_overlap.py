"""Reranking by lexical overlap.

Three parts: runs of letters and Chinese characters that a question shares with a passage, a boost for neighbours of
good passages, and a penalty for common terms of a neighbourhood.

Chinese characters. The keyword index cuts Chinese into pairs, so that "which river" does not match "the river", and a
name of five characters counts as four words. Here each character is weighted by its rarity, without question words and
particles. nDCG@10, the search alone / as here, with the neighbours' boost: xquad zh 0.967 / 0.976, cmrc 0.982 / 0.989,
drcd (traditional) 0.973 / 0.979; share of questions with the answer's page first, in xquad's PDFs, 0.952 / 0.967. With
half the weight: within 0.002. The following brought no gain: additional weight for the best one or two sentences (cmrc,
drcd 0.001 more, xquad zh 0.002 less); less weight for pairs that touch a particle, runs of three, more weight for the
character after "which", a preference for a date or a number if the question asks for one; weights learned from two of
the sets and tested on the third.

Runs of letters. Texts become one array of codes: a letter or digit is its own code, everything between two words is one
space. A run of five codes is a 60-bit number. 30 passages take 1 ms; with a regular expression and a search for each
run in each sentence, 4 ms. The keyword index counts stems individually; runs also match "elected" with "election", and
adjacent words. nDCG@10 of 600 questions each, without / with: squad2 0.939 / 0.944, xquad en 0.976 / 0.978, the pages
of its PDFs 0.986 / 0.988, drcd, because of Latin names in its Chinese, 0.966 / 0.969, hotpot 0.831 / 0.826. Runs of
Chinese characters lose 0.003 to 0.008; Chinese characters are therefore counted individually. The distance between
matching words brought no gain.

Neighbours. Evidence found in five hits of chunk_spans, without / with: 0.913 / 0.923, and 0.010 to 0.015 more also with
chunks of 190, 206 and 212 tokens; share of questions with the answer's page first, in xquad's Chinese PDFs, 0.960 /
0.965 (nDCG@10 0.980 / 0.983); single paragraphs as documents within 0.001. One chunk to each side instead of two:
0.922; a share of 0.15 or 0.35: 0.921, 0.920. Comparing the tokens or the sentences of the neighbours as well brought no
gain.

Neighbourhood. Forty chunks of a paper may be about Borneo's elephants; the chunk with recommendations for them need not
name them. A word of the question therefore counts less for a passage the more of its surrounding chunks contain it, and
counts the same amount in favour of a passage that lacks it. This applies among passages of one document only, because
these words are the best evidence for the choice of the document. Evidence found in five hits of chunk_spans, without /
with, by tokens per chunk: 190 0.917 / 0.920, 195 0.897 / 0.915, 200 0.923 / 0.930, 206 0.914 / 0.929, 212 0.906 /
0.917, on average 0.011 more; drcd 0.973 / 0.976, the other sets do not change. A reach of 8 to 20 differs by at most
0.003; 0.8 of the weight loses 0.003, 1.2 of it changes nothing. A word adds at most half its weight if all surrounding
chunks contain it and the passage lacks it, and subtracts as much if the passage contains it. Vectors of the surrounding
chunks, used in the same way, lose 0.002 to 0.01. The cost is 1 ms.
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
    """Reranks by the texts and the chunks that contain the question's words; takes 3 ms."""

    id = "letters"
    most = 30

    def __init__(self, counts: WordPlaces) -> None:
        self._counts = counts

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the scores by lexical overlap, lowered for common terms and raised next to good passages."""
        return raise_scores(by_topic(question, self.scores(question, candidates), candidates, self._counts), candidates)

    def scores(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the search's scores, raised by the share of the question's runs in the best sentence.

        For a question in Chinese, its characters count instead; for a mixed one, both in proportion.
        """
        scores = [candidate.score for candidate in candidates]
        asked = runs_in(question)
        if len(asked) and candidates and (share := _spaced_script_share(question)):
            shares = best_shares(asked, [candidate.text for candidate in candidates])
            weight = share * ranking_weights().reranking["letters"]
            scores = [score + weight * of_text for score, of_text in zip(scores, shares.tolist(), strict=True)]
        if share := han_share(question):
            weight = share * ranking_weights().reranking["characters"]
            shares_held = character_scores(question, [candidate.text for candidate in candidates], self._counts)
            scores = [score + weight * held for score, held in zip(scores, shares_held, strict=True)]
        return scores


def _spaced_script_share(question: str) -> float:
    """Return the share of the question's letters that belong to a script with spaces."""
    letters = sum(character.isalnum() for character in question)
    return sum(map(len, _WORD.findall(question.casefold()))) / letters if letters else 0.0


RUN = 5
"""Characters in a run; the space between two words counts as one. 3 to 5 differ by at most 0.003 nDCG@10."""

Codes = NDArray[np.int64]

_BITS = 12
_SPACE = 1
# Digits, and the letters of the alphabets with capitals: Latin, Greek, Cyrillic.
_WORDS = (("0", "9"), ("a", "z"), ("\u00df", "\u024f"), ("\u0370", "\u052f"))
# Kinds of characters; characters beyond the table have none.
_END, _END_BEFORE_BLANK, _BLANK = 1, 2, 4
_BEYOND = 0x3001
_BETWEEN = "\n\n"


def _make_tables() -> tuple[Codes, NDArray[np.uint8]]:
    """Return two tables, indexed by character: its code (0 for none) and its kind."""
    codes = np.zeros(_BEYOND + 1, np.int64)
    for first, last in _WORDS:
        codes[ord(first) : ord(last) + 1] = np.arange(ord(first), ord(last) + 1)
    kinds = np.zeros(_BEYOND + 1, np.uint8)
    kinds[[character for character in range(_BEYOND) if chr(character).isspace()]] = _BLANK
    kinds[ord("\n")] |= _END
    kinds[[ord(character) for character in ".!?;"]] = _END_BEFORE_BLANK
    return codes, kinds


_CODES, _KINDS = _make_tables()


@dataclass(frozen=True, slots=True)
class _ComparableTexts:
    """Texts in the form in which they are compared.

    Attributes:
        runs: Runs of all texts, int64 [runs].
        sentences: Index of the sentence of each run, counted through all texts, int64 [runs].
        first: The first sentence of each text, int64 [texts].
        count: Number of sentences.
    """

    runs: Codes
    sentences: Codes
    first: Codes
    count: int


def runs_in(text: str) -> Codes:
    """Return the distinct runs of a text in ascending order; no run crosses the end of a sentence."""
    return np.unique(_index_texts([text]).runs)


def best_shares(asked: Codes, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each text, the highest share of the runs (0 to 1) in one of its sentences, float64 [texts].

    Args:
        asked: Runs as returned by runs_in(), at least one.
        texts: Texts, at least one.
    """
    lines = _index_texts(texts)
    places = np.minimum(np.searchsorted(asked, lines.runs), len(asked) - 1)
    held = asked[places] == lines.runs
    # Count each run once per sentence.
    pairs = np.unique(lines.sentences[held] * len(asked) + places[held])
    counts = np.bincount(pairs // len(asked), minlength=lines.count)
    best = np.maximum.reduceat(counts, lines.first)
    # A text without words has no sentence.
    best[np.diff(lines.first, append=lines.count) == 0] = 0
    shares: NDArray[np.float64] = best / len(asked)
    return shares


def _index_texts(texts: Sequence[str]) -> _ComparableTexts:
    folded = [text.casefold() for text in texts]
    joined = f" {_BETWEEN.join(folded)} "
    characters = np.minimum(np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4"), _BEYOND)
    codes, kinds = _CODES[characters], _KINDS[characters]
    is_end = (kinds & _END) > 0
    is_end[:-1] |= ((kinds[:-1] & _END_BEFORE_BLANK) > 0) & ((kinds[1:] & _BLANK) > 0)
    # Keep the first character between two words, as a space; a sentence end among these characters separates sentences.
    is_letter = codes > 0
    kept = is_letter | np.append(True, is_letter[:-1])
    line = np.where(is_letter[kept], codes[kept], _SPACE)
    sentences = np.cumsum(np.logical_or.reduceat(is_end, np.flatnonzero(kept)))
    count = max(len(line) - RUN + 1, 0)
    runs = np.zeros(count, np.int64)
    for shift in range(RUN):
        runs |= line[shift : count + shift] << (_BITS * shift)
    # The space between two sentences belongs to both, but no run contains it in the middle.
    of = sentences[:count]
    is_whole = of == sentences[RUN - 2 : count + RUN - 2]
    begins = np.cumsum([0, *(len(text) + len(_BETWEEN) for text in folded[:-1])])
    first = sentences[np.cumsum(kept)[begins] - 1]
    return _ComparableTexts(runs[is_whole], of[is_whole], first, int(sentences[-1]) + 1)


# Particles and question words, simplified and traditional; they occur in every other passage.
_ASKING = frozenset(
    "的是了在和与與及或之其也都而并並且但就被把对對向从從到由于於以为為所有着著过過吗嗎呢吧啊个個这這那"
    "什么麼哪谁誰几幾多少怎样樣如何时時久否请請问問当當会會能可不中上下里裡内內外年月日某些"
)


def han_share(question: str) -> float:
    """Return the share of the question's letters that are Chinese characters, 0 to 1."""
    letters = sum(character.isalnum() for character in question)
    return len(HAN.findall(question)) / letters if letters else 0.0


def character_scores(question: str, texts: Sequence[str], counts: WordCounts) -> list[float]:
    """Return the weighted share of the question's characters that each text contains, 0 to 1; 0 if none counts."""
    weights = _character_weights(question, counts)
    total = sum(weights.values())
    if not total:
        return [0.0] * len(texts)
    return [sum(weight for one, weight in weights.items() if one in text) / total for text in texts]


def _character_weights(question: str, counts: WordCounts) -> Mapping[str, float]:
    """Return the idf of each character that counts; a prefix query in the index gives its frequency."""
    wanted = dict.fromkeys(character for character in HAN.findall(question) if character not in _ASKING)
    frequencies = counts.document_frequency(f"{character}*" for character in wanted)
    return {one: rarity(frequencies.get(f"{one}*", 0), counts.count) for one in wanted}


# Number of chunks to each side that count as neighbours.
_REACH = 2

# A chunk at the beginning or end of a document lacks a neighbour there: it is assumed to have one with half its own
# lead, because documents of one chunk would fall behind otherwise (xquad zh 0.001, drcd 0.001).
_BEYOND_THE_END = 0.5


def raise_scores(scores: Sequence[float], candidates: Sequence[Candidate]) -> list[float]:
    """Return each candidate's score plus a share of the lead of its best neighbour over the last candidate.

    Args:
        scores: Scores of the candidates, on one scale.
        candidates: The candidates; neighbours that are not among them add nothing.
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


# Number of chunks to each side that form the neighbourhood.
_TOPICS_REACH = 10


def by_topic(
    question: str, scores: Sequence[float], candidates: Sequence[Candidate], places: WordPlaces
) -> list[float]:
    """Return each candidate's score, adjusted for the question's words in its neighbourhood.

    Args:
        question: Question as searched.
        scores: Scores of the candidates, on the scale of the fused scores.
        candidates: The candidates; those in documents of one chunk keep their scores.
        places: Source of the chunks that contain a word.
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
