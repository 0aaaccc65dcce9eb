"""Reranks by letters: how much of the question stands in a passage's best sentence, word endings and order included.

The keyword index counts stems, each for itself; runs of letters also see "elected" in "election" and two words side by
side. nDCG@10 of 600 questions each, without / with: squad2 0.939 / 0.944, xquad en 0.976 / 0.978, the pages of its PDFs
0.986 / 0.988, drcd, for the Latin names in its Chinese, 0.966 / 0.969, hotpot 0.831 / 0.826; runs of Chinese characters
took 0.003 to 0.008 instead: they are counted one by one (characters.py). Whether the words stand close together added
nothing to it.
"""

import re
from collections.abc import Sequence

from workbench.retrieval.base import WordPlaces
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.characters import character_scores, han_share
from workbench.retrieval.reranking.neighbours import raised
from workbench.retrieval.reranking.topics import by_topic

# Letters in a run, the space between two words counting as one: 3 to 5 were alike, within 0.003.
_RUN = 5
_WEIGHT = 0.2
_LETTERS = r"a-z0-9\u00df-\u024f\u0370-\u052f"
_WORD = re.compile(rf"[{_LETTERS}]+")
# Each sentence by itself takes twice as long: 30 passages 3.5 ms.
_END = "\x00"
_BETWEEN_WORDS = re.compile(rf"[^{_LETTERS}{_END}]+")
_SENTENCE_END = re.compile(r"[.!?;]\s+|\n+")


class LetterReranker:
    """Needs nothing but the texts and where words stand, and 3 ms."""

    id = "letters"
    most = 30

    def __init__(self, counts: WordPlaces) -> None:
        self._counts = counts

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the scores by letters, without what the topic gives, raised beside good passages."""
        return raised(by_topic(question, self.scores(question, candidates), candidates, self._counts), candidates)

    def scores(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the search's scores, raised by the share of the question's runs in the best sentence.

        Of a question in Chinese by that of its characters; of one in both, by each as far as it goes.
        """
        scores = [candidate.score for candidate in candidates]
        asked = _runs(question)
        if asked and (share := _written_in_words(question)):
            added = [_WEIGHT * share * _best_share(asked, candidate.text) for candidate in candidates]
            scores = [score + more for score, more in zip(scores, added, strict=True)]
        if share := han_share(question):
            added = character_scores(question, [candidate.text for candidate in candidates], self._counts)
            scores = [score + share * more for score, more in zip(scores, added, strict=True)]
        return scores


def _written_in_words(question: str) -> float:
    """Return the share of the question's letters that belong to a script with spaces."""
    letters = sum(character.isalnum() for character in question)
    return sum(map(len, _WORD.findall(question.casefold()))) / letters if letters else 0.0


def _best_share(asked: frozenset[str], text: str) -> float:
    # Most runs stand nowhere in the passage, so that its sentences need not be asked: 2.4 ms a search, so 1.9.
    whole = _line(_SENTENCE_END.sub(f" {_END} ", text))
    held = [run for run in asked if run in whole]
    return max(sum(map(line.__contains__, held)) for line in whole.split(_END)) / len(asked)


def _runs(text: str) -> frozenset[str]:
    line = _line(text)
    return frozenset(line[start : start + _RUN] for start in range(len(line) - _RUN + 1))


def _line(text: str) -> str:
    """Return the words with one space between, before and behind them; the ends of sentences stay."""
    return f" {_BETWEEN_WORDS.sub(' ', text.casefold()).strip()} "
