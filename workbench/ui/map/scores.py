"""A search of an answer -> the lines of its score plot: what each step made of each hit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.language import mark, said, tr

if TYPE_CHECKING:
    from workbench.model.hit import NumberedHit, Scores
    from workbench.model.run import Run


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One step of a search.

    Attributes:
        name: As the inspector calls it, in English.
        shares: A hit after the other, best first: its score beside the best of the same step, 0 to 1; None where the
            step did not find it.
        texts: The scores as they are.
    """

    name: str
    shares: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScorePlot:
    """What is drawn of one search.

    Attributes:
        query: What was searched for.
        hits: In the order that the search gave them.
        lines: Those of steps that found anything.
    """

    query: str = ""
    hits: tuple[NumberedHit, ...] = ()
    lines: tuple[ScoreLine, ...] = ()

    def words(self, place: int) -> str:
        """Return a hit with all its scores, a line each."""
        numbered = self.hits[place]
        where = ", ".join(part for part in (numbered.hit.document_name, said(numbered.hit.place)) if part)
        return "\n".join(
            [f"[{numbered.number}] {where}", *(f"{tr(line.name)}: {line.texts[place]}" for line in self.lines)]
        )


_STEPS: tuple[tuple[str, Callable[[Scores], float | None], int], ...] = (
    (mark("Meaning"), lambda scores: scores.dense, 3),
    (mark("Words"), lambda scores: scores.keyword, 2),
    (mark("Together"), lambda scores: scores.fused, 4),
    (mark("Reranked"), lambda scores: scores.rerank, 4),
)


def score_plot(run: Run) -> ScorePlot:
    """Return the plot of the search that a run rests on: of which most is cited; of several the first."""
    found = [reference for reference in run.references if any(not one.hit.is_outside for one in reference.hits)]
    if not found:
        return ScorePlot()
    cited = {citation.chunk for citation in run.citations if citation.valid}
    best = max(found, key=lambda one: sum(numbered.hit.chunk.id in cited for numbered in one.hits))
    hits = tuple(numbered for numbered in best.hits if not numbered.hit.is_outside)
    lines = [line for name, score, digits in _STEPS if (line := _line(name, score, digits, hits)) is not None]
    sure = tuple(numbered.hit.scores.relevance for numbered in hits)
    lines.append(ScoreLine(mark("Relevance"), sure, tuple(f"{one:.2f}" for one in sure)))
    return ScorePlot(best.query, hits, tuple(lines))


def _line(
    name: str, score: Callable[[Scores], float | None], digits: int, hits: tuple[NumberedHit, ...]
) -> ScoreLine | None:
    values = [score(numbered.hit.scores) for numbered in hits]
    best = max((value for value in values if value is not None), default=0.0)
    if best <= 0:
        return None
    shares = tuple(None if value is None else min(1.0, max(0.0, value / best)) for value in values)
    return ScoreLine(
        name, shares, tuple(tr("not found by it") if one is None else f"{one:.{digits}f}" for one in values)
    )
