"""Explanation -> the strips that show where a passage stands."""

import math
from dataclasses import dataclass

from workbench.language import mark, tr
from workbench.model.explanation import Account, Explanation, ListKind, ListPlace

COMPARED = "compared"
GIVEN = "given"
_NAMES = {ListKind.MEANING: mark("By meaning"), ListKind.WORDS: mark("By words")}


@dataclass(frozen=True, slots=True)
class Strip:
    """One list, from its head at the left to its end at the right.

    Attributes:
        name: Of the list.
        rank: Where the passage stands, 1-based; None where it is not in the list.
        size: How long the list is.
        cut: So many from its head came further.
        cut_words: What became of those: COMPARED or GIVEN.
        given: The ranks of the passages that were given.
        detail: Scores, for those who want to know.
    """

    name: str
    rank: int | None
    size: int
    cut: int
    cut_words: str
    given: tuple[int, ...] = ()
    detail: str = ""

    @property
    def came_through(self) -> bool:
        """Whether the passage is among those that came further."""
        return self.rank is not None and self.rank <= self.cut

    @property
    def place(self) -> str:
        """Where the passage stands, in words."""
        if self.rank is None:
            return tr("not in this list")
        return tr("{rank:,} of {size:,}", rank=self.rank, size=self.size)

    @property
    def cut_said(self) -> str:
        """How many came further, in words."""
        return tr("{n:,} given", n=self.cut) if self.cut_words == GIVEN else tr("{n:,} compared", n=self.cut)

    @property
    def all_said(self) -> str:
        """That all of them came further, in words."""
        given = self.cut_words == GIVEN
        return tr("all {n:,} given", n=self.size) if given else tr("all {n:,} compared", n=self.size)

    @property
    def spoken(self) -> str:
        """All of it in words."""
        given = self.cut_words == GIVEN
        cut = tr("the first {n:,} given", n=self.cut) if given else tr("the first {n:,} compared", n=self.cut)
        said = tr("{name}: {place}; {cut}. {detail}", name=self.name, place=self.place, cut=cut, detail=self.detail)
        return said.strip()

    def share(self, rank: int) -> float:
        """Return where a rank is drawn, 0 to 1: ten times as deep is always the same way further."""
        return math.log(max(1, rank)) / math.log(self.size) if self.size > 1 else 0.0


def strips_of(explanation: Explanation, account: Account) -> list[Strip]:
    """Return the strips of a passage: one for each list that was asked, and one for the order that came of them."""
    strips = [_of_list(one) for one in account.lists]
    if account.rank is not None:
        size = max(account.compared, account.rank)
        given = min(explanation.given, size)
        strips.append(
            Strip(tr("Together"), account.rank, size, given, GIVEN, tuple(range(1, given + 1)), _fused(account))
        )
    return strips


def _of_list(one: ListPlace) -> Strip:
    own = f"{one.score:.3f}" if one.score is not None else tr("none", "score")
    kind = tr("Cosine") if one.kind is ListKind.MEANING else "BM25"
    score = f"{kind} {own}"
    if one.best is not None:
        score = tr("{score}, the best {best:.3f}", score=score, best=one.best)
    detail = tr("{score}. This list has {share:.0%} of the say.", score=score, share=one.weight)
    return Strip(tr(_NAMES[one.kind]), one.rank, one.size, one.looked_at, COMPARED, one.given, detail)


def _fused(account: Account) -> str:
    if account.fused is None:
        return ""
    if account.fused_last is not None:
        score = tr("Score {score:.3f}, the lowest given {last:.3f}.", score=account.fused, last=account.fused_last)
    else:
        score = tr("Score {score:.3f}.", score=account.fused)
    named = tr("Raised, because the question names its document.") if account.named else ""
    rerank = tr("The reranker gave it {score:.3f}.", score=account.rerank) if account.rerank is not None else ""
    return " ".join(part for part in (score, named, rerank) if part)
