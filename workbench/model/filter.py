"""What a search may look at: one knowledge base or all, and what must hold for the documents and their pages."""

from collections.abc import Sequence
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
    def custom_keys(self) -> tuple[str, ...]:
        """The keys that are not the program's own: those of the user's metadata, and those that there are not."""
        keys = (condition.key for expression in self.where for condition in conditions_of(expression))
        return tuple(dict.fromkeys(key for key in keys if key not in FILTER_KEYS))

    def problem(self, there: Sequence[str]) -> str:
        """Return what is to be told of it where it finds nothing, because it names a key that there is not.

        Args:
            there: The keys of the user's metadata in the library.
        """
        unknown = [key for key in self.custom_keys if key not in there]
        if not unknown:
            return ""
        named = ", ".join(f"“{key}”" for key in unknown)
        return mark(f"There is no filter {named}, so nothing was searched. The filters are {known_keys(there)}.")

    def restricted(self, *expressions: Expression) -> "ChunkFilter":
        """Return the filter with more that must hold."""
        return ChunkFilter(self.knowledge_base, (*self.where, *expressions))


EVERYTHING = ChunkFilter()
