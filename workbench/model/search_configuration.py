"""How a search goes: which lists, which steps. What two evaluations differ in, and what a knowledge base keeps."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.hit import SearchMode


@dataclass(frozen=True, slots=True)
class SearchConfiguration:
    """The steps of one search.

    Attributes:
        mode: Which lists.
        reranking: Which reranker orders what was found, as the setting of that name has it; empty means as set there.
        names: Whether documents that the question names go first.
        parts: Whether a question that asks for several things is searched for each of them, too.
        diversity: 0 orders by relevance alone; up to 1 a passage gives way that says what one above it says (MMR).
        dense_weight: The share of the say that meaning has beside words, 0 to 1; None means as measured.
        floor: How relevant the best passage must be for any to be offered to an answerer, 0 to 1; None means no floor.
    """

    mode: SearchMode = SearchMode.HYBRID
    reranking: str = ""
    names: bool = True
    parts: bool = True
    diversity: float = 0.0
    dense_weight: float | None = None
    floor: float | None = None

    def __post_init__(self) -> None:
        shares = (
            (mark("Diversity"), self.diversity),
            (mark("The weight of meaning"), self.dense_weight),
            (mark("The floor"), self.floor),
        )
        for name, share in shares:
            if share is not None and not 0.0 <= share <= 1.0:
                raise SettingError(f"{name} cannot be {share}.", "Give a value from 0 to 1.")

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """Return what as_dict() gave; what is not in there, or unknown here, is as by default.

        Raises:
            SettingError: A value cannot be.
        """
        known = {key: value for key, value in kept.items() if key in cls.__dataclass_fields__}
        try:
            return cls(**known | {"mode": SearchMode(known.get("mode", SearchMode.HYBRID))})
        except (TypeError, ValueError) as error:
            raise SettingError("A search configuration cannot be read.", "Reset it to the default.") from error


DEFAULT_SEARCH = SearchConfiguration()

WRITTEN = "like mode=dense,reranking=none,names=no,parts=no,diversity=0.3,dense_weight=0.5,floor=0.2, or “default”"
"""How one is written as a text."""


@dataclass(frozen=True, slots=True)
class SearchInForce:
    """How the searches of an answer went, as it was set when the answer began.

    Attributes:
        passages: How many each gave at most.
        embedder: Which embedder was chosen; empty for the built-in one.
        configuration: The steps, with the name of the reranker that the settings have.
    """

    passages: int
    embedder: str
    configuration: SearchConfiguration
