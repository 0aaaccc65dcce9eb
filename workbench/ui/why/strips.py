"""Explanation -> the strips that show where a passage stands."""

import math
from dataclasses import dataclass

from workbench.model.explanation import Account, Explanation, ListKind, ListPlace

_NAMES = {ListKind.MEANING: "By meaning", ListKind.WORDS: "By words"}


@dataclass(frozen=True, slots=True)
class Strip:
    """One list, from its head at the left to its end at the right.

    Attributes:
        name: Of the list.
        rank: Where the passage stands, 1-based; None where it is not in the list.
        size: How long the list is.
        cut: So many from its head came further.
        cut_words: What became of those.
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
        return f"{self.rank:,} of {self.size:,}" if self.rank is not None else "not in this list"

    @property
    def spoken(self) -> str:
        """All of it in words."""
        return f"{self.name}: {self.place}; the first {self.cut:,} {self.cut_words}. {self.detail}".strip()

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
            Strip("Together", account.rank, size, given, "given", tuple(range(1, given + 1)), _fused(account))
        )
    return strips


def _of_list(one: ListPlace) -> Strip:
    own = f"{one.score:.3f}" if one.score is not None else "none"
    best = f", the best {one.best:.3f}" if one.best is not None else ""
    score = "Cosine" if one.kind is ListKind.MEANING else "BM25"
    detail = f"{score} {own}{best}. This list has {one.weight:.0%} of the say."
    return Strip(_NAMES[one.kind], one.rank, one.size, one.looked_at, "compared", one.given, detail)


def _fused(account: Account) -> str:
    if account.fused is None:
        return ""
    last = f", the lowest given {account.fused_last:.3f}" if account.fused_last is not None else ""
    rerank = f" The reranker gave it {account.rerank:.3f}." if account.rerank is not None else ""
    named = " Raised, because the question names its document." if account.named else ""
    return f"Score {account.fused:.3f}{last}.{named}{rerank}"
