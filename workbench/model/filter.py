"""What a search may look at: one knowledge base or all, and what must hold for the documents and their pages."""

from dataclasses import dataclass

from workbench.language import mark
from workbench.model.filter_expression import Expression, check_size, conditions_of
from workbench.model.filter_keys import FILTER_KEYS, known_keys


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """The knowledge base and all expressions must hold. A restriction is never dropped and never widened.

    Attributes:
        knowledge_base: Its exact name; None means every knowledge base.
        where: Expressions, each at most 10 levels deep; retrieval/filters makes them of dicts, lists and text.
    """

    knowledge_base: str | None = None
    where: tuple[Expression, ...] = ()

    def __post_init__(self) -> None:
        check_size(self.where)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered."""
        return self.knowledge_base is None and not self.where

    @property
    def unknown_keys(self) -> tuple[str, ...]:
        """The keys that there are not; a filter that names one finds nothing."""
        keys = (condition.key for expression in self.where for condition in conditions_of(expression))
        return tuple(dict.fromkeys(key for key in keys if key not in FILTER_KEYS))

    @property
    def problem(self) -> str:
        """What is to be told of it where it can find nothing because of unknown keys; else nothing."""
        if not self.unknown_keys:
            return ""
        named = ", ".join(f"“{key}”" for key in self.unknown_keys)
        return mark(f"There is no filter {named}, so nothing was searched. The filters are {known_keys()}.")

    def restricted(self, *expressions: Expression) -> "ChunkFilter":
        """Return the filter with more that must hold."""
        return ChunkFilter(self.knowledge_base, (*self.where, *expressions))


EVERYTHING = ChunkFilter()
