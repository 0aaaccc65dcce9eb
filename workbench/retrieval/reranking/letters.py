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
from workbench.retrieval.ranking import ranking_weights
from workbench.retrieval.reranking.base import Candidate
from workbench.retrieval.reranking.characters import character_scores, han_share
from workbench.retrieval.reranking.letter_runs import best_shares, runs_in
from workbench.retrieval.reranking.neighbours import raised
from workbench.retrieval.reranking.topics import by_topic

_WORD = re.compile(r"[a-z0-9\u00df-\u024f\u0370-\u052f]+")


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
