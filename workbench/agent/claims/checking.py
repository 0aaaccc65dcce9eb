"""An answer and what its run has found -> its claims, each with a verdict: by words, numbers, names and meaning."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workbench.agent.claims.evidence import Evidence, Grounds, evidence_for, grounds_of
from workbench.agent.claims.splitting import Statement, statements
from workbench.agent.claims.verdict import certainty, judge
from workbench.agent.claims.wording import is_other_language
from workbench.embedding.base import Embedder
from workbench.errors import EmbeddingError
from workbench.model.claim import Claim, Doubt, Support, Verdict
from workbench.model.hit import NumberedHit
from workbench.retrieval.base import WordCounts
from workbench.retrieval.embedder_calibration import EmbedderProbe
from workbench.retrieval.question_words import question_words

logger = logging.getLogger(__name__)

# Of which so much stands in one sentence is borne out or not by words alone.
_SURE_BY_WORDS = 0.95
# Texts to embed for one answer, 3 ms each: the first claims are compared by meaning, the rest of a very long answer by
# words.
_EMBEDDED = 60
_MOST_CLAIMS = 200
# What of the passages tells their language.
_SAMPLE = 600


def never() -> bool:
    """Do not stop."""
    return False


class ClaimChecker:
    """Checks answers; without an embedder by words alone. Blocking; safe to call from several threads."""

    def __init__(self, embedder: Embedder | None, counts: WordCounts) -> None:
        self._embedder = embedder
        self._counts = counts
        self._probe = EmbedderProbe(embedder) if embedder is not None else None

    def check(
        self,
        known: str,
        answer: str,
        references: Mapping[int, NumberedHit],
        *,
        stop: Callable[[], bool] = never,
    ) -> tuple[Claim, ...]:
        """Return the claims of an answer in order; where nothing was found that they could rest on, none is supported.

        Args:
            known: The question and what tools have said: names and numbers of these are not invented.
            answer: Its Markdown.
            references: The run's hits under their numbers.
            stop: Whether nobody waits any more; the rest is left out then.
        """
        found = statements(answer)[:_MOST_CLAIMS]
        if not references:
            return tuple(_unfounded(statement) for statement in found)
        cited = {number for statement in found for number in statement.numbers if number in references}
        grounds: dict[tuple[int, ...], Grounds] = {}
        judged: list[tuple[Statement, Evidence | None]] = []
        for statement in found:
            if stop():
                return ()
            numbers = _rests_on(statement, cited, references)
            if numbers not in grounds:
                grounds[numbers] = grounds_of([references[number] for number in numbers], known)
            judged.append((statement, self._evidence(statement.text, grounds[numbers])))
        self._compare([(one.text, evidence) for one, evidence in judged if evidence], stop)
        return tuple(_claim(*one, references) for one in judged)

    def _evidence(self, claim: str, grounds: Grounds) -> Evidence | None:
        """Return what of a claim stands in its grounds; None where the two cannot be compared."""
        if is_other_language(claim, "\n".join(one.hit.chunk.text[:_SAMPLE] for one in grounds.hits)):
            return None
        return evidence_for(claim, question_words(claim, self._counts), grounds)

    def _compare(self, claims: Sequence[tuple[str, Evidence]], stop: Callable[[], bool]) -> None:
        """Set the cosines of those claims that words do not settle, as far as the embedder understands them."""
        if self._embedder is None or self._probe is None:
            return
        try:
            chosen: list[tuple[str, Evidence]] = []
            texts: dict[str, int] = {}
            for claim, evidence in claims:
                windows = [window.text for _, window in evidence.best]
                if evidence.own < _SURE_BY_WORDS and windows and len(texts) + len(windows) < _EMBEDDED:
                    evidence.degree = self._probe.understanding(claim).degree
                    if evidence.degree > 0:
                        chosen.append((claim, evidence))
                        for text in (claim, *windows):
                            texts.setdefault(text, len(texts))
            if not chosen or stop():
                return
            vectors = self._embedder.embed_documents(list(texts))
            for claim, evidence in chosen:
                own = vectors[texts[claim]]
                best = max(float(own @ vectors[texts[window.text]]) for _, window in evidence.best)
                evidence.cosine = self._probe.understanding(claim).scaled(best)
        except EmbeddingError as error:
            logger.warning("Claims are checked by words only", exc_info=error)
            for _, evidence in claims:
                evidence.degree = 0.0


def _rests_on(statement: Statement, cited: set[int], references: Mapping[int, NumberedHit]) -> tuple[int, ...]:
    """Return the numbers of what a claim rests on: what it cites, else whatever the answer cites, else all."""
    own = tuple(sorted(number for number in statement.numbers if number in references))
    return own or tuple(sorted(cited)) or tuple(sorted(references))


def _claim(statement: Statement, evidence: Evidence | None, references: Mapping[int, NumberedHit]) -> Claim:
    uncited = _uncited(statement, references)
    claim = Claim(statement.start, statement.end, statement.text, Verdict.NOT_CHECKED, numbers=statement.numbers)
    if evidence is None:
        return replace(claim, doubts=(*uncited, Doubt.OTHER_LANGUAGE))
    sure = certainty(evidence)
    verdict, doubts = judge(evidence, sure)
    if uncited and verdict is Verdict.SUPPORTED:
        verdict = Verdict.WEAK
    return replace(
        claim,
        verdict=verdict,
        doubts=(*uncited, *doubts),
        missing=(*evidence.figures, *evidence.names),
        certainty=round(sure, 3),
        support=_support(evidence),
        differences=evidence.differences,
    )


def _unfounded(statement: Statement) -> Claim:
    doubts = _uncited(statement, {})
    return Claim(
        statement.start, statement.end, statement.text, Verdict.UNSUPPORTED, numbers=statement.numbers, doubts=doubts
    )


def _uncited(statement: Statement, references: Mapping[int, NumberedHit]) -> tuple[Doubt, ...]:
    if not statement.numbers:
        return (Doubt.MISSING_CITATION,)
    return () if all(number in references for number in statement.numbers) else (Doubt.INVALID_CITATION,)


def _support(evidence: Evidence) -> Support | None:
    if not evidence.best or not evidence.own:
        return None
    numbered, window = evidence.best[0]
    chunk = numbered.hit.chunk
    document = None if numbered.hit.is_outside else chunk.document
    return Support(numbered.number, document, chunk.id, *chunk.span(window.start, window.end), window.text)
