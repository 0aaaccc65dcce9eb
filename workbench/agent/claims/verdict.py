"""Evidence -> verdict: fitted on sentences that are borne out by their paragraph and on such that are not.

Fitted on half of squad2, cmrc and drcd: of each question the sentence that holds the answer, and question and answer
put together to a sentence; the same with another answer in its place; the same beside another paragraph. On 300
questions each of the other halves, and of xquad, on which nothing was fitted, precision / recall of "unsupported":
squad2 0.97 / 0.84, xquad en 0.98 / 0.87, xquad zh 0.96 / 0.72, cmrc 0.99 / 0.67, drcd 0.97 / 0.62. Of claims beside
another paragraph it finds 0.99, of exchanged numbers 0.98 (cmrc 0.91), of exchanged English names 0.88; what it misses,
mostly a few plain words exchanged in a true sentence, it mostly calls "weak". True sentences that it calls
"unsupported" are those whose question has other words than the paragraph: 0.10 of squad2's, none of the verbatim ones.
"""

from workbench.agent.claims.evidence import Evidence
from workbench.model.claim import Doubt, Verdict
from workbench.retrieval.relevance import logistic

# Share in the best window, share in all of the passages, and what is added to them.
_SPACED = (2.9, 2.8, -4.3)
_PAIRS = (2.0, 3.2, -2.65)
# The same together with the cosine, where the embedder understands.
_BY_MEANING = (2.0, 2.2, -4.9)
_COSINE = 1.6
_HIGHEST_COSINE = 1.5

_UNSUPPORTED, _SUPPORTED = 0.3, 0.55
# So many words one after another that stand nowhere are more than another way to say it; fewer where the rest of it
# stands there word for word.
_GAP, _GAP_OF_PAIRS = 3, 5
_WORD_FOR_WORD = 0.8
_GAP_THERE, _GAP_OF_PAIRS_THERE = 2, 3


def certainty(evidence: Evidence) -> float:
    """Return how sure it is that the passages bear a claim out, numbers, names and negation aside."""
    pairs = evidence.pairs
    own, whole, constant = (
        (1 - pairs) * spaced + pairs * paired for spaced, paired in zip(_SPACED, _PAIRS, strict=True)
    )
    by_words = own * evidence.own + whole * evidence.whole + constant
    own, whole, constant = _BY_MEANING
    cosine = min(max(evidence.cosine, 0.0), _HIGHEST_COSINE)
    by_meaning = own * evidence.own + whole * evidence.whole + _COSINE * cosine + constant
    return logistic((1 - evidence.degree) * by_words + evidence.degree * by_meaning)


def judge(evidence: Evidence, sure: float) -> tuple[Verdict, tuple[Doubt, ...]]:
    """Return the verdict on a claim and why, the gravest reason first.

    Args:
        evidence: What of it stands in its grounds.
        sure: See certainty().
    """
    doubts = []
    if evidence.differences:
        doubts.append(Doubt.SAYS_OTHERWISE)
    if evidence.figures:
        doubts.append(Doubt.NUMBER_NOT_IN_PASSAGE)
    if evidence.names:
        doubts.append(Doubt.NAME_NOT_IN_PASSAGE)
    if evidence.negation_differs and not evidence.differences:
        doubts.append(Doubt.NEGATION_DIFFERS)
    if not doubts and (sure < _SUPPORTED or _has_gap(evidence)):
        doubts.append(Doubt.LITTLE_IN_PASSAGE)
    if evidence.differences or evidence.figures or evidence.names or sure < _UNSUPPORTED:
        return Verdict.UNSUPPORTED, tuple(doubts)
    return (Verdict.WEAK if doubts else Verdict.SUPPORTED), tuple(doubts)


def _has_gap(evidence: Evidence) -> bool:
    there = evidence.own >= _WORD_FOR_WORD
    words, pairs = (_GAP_THERE, _GAP_OF_PAIRS_THERE) if there else (_GAP, _GAP_OF_PAIRS)
    return evidence.gap >= words + round((pairs - words) * evidence.pairs)
