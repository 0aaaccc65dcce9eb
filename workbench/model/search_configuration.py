"""Search configuration: the lists and steps of a search, as compared by evaluations and stored per knowledge base."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.hit import SearchMode


@dataclass(frozen=True, slots=True)
class SearchConfiguration:
    """Configuration of one search.

    Attributes:
        mode: The lists to search.
        reranking: Name of the reranker, as in the setting of that name; empty means the setting's.
        names: Whether documents named by the question are ranked first.
        parts: Whether a question with several parts is also searched for each of them.
        diversity: 0 orders by relevance alone; higher values up to 1 lower passages that repeat one above them (MMR).
        dense_weight: Weight of meaning relative to words, 0 to 1; None means the measured default.
        floor: Minimum relevance of the best passage for an answer, 0 to 1; None means no minimum.
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
        """Return the configuration as a dict for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """Return the configuration from the result of as_dict(); missing values are defaults, unknown keys are ignored.

        Raises:
            SettingError: A value is invalid.
        """
        known = {key: value for key, value in kept.items() if key in cls.__dataclass_fields__}
        try:
            return cls(**known | {"mode": SearchMode(known.get("mode", SearchMode.HYBRID))})
        except (TypeError, ValueError) as error:
            raise SettingError("A search configuration cannot be read.", "Reset it to the default.") from error


DEFAULT_SEARCH = SearchConfiguration()

WRITTEN = "like mode=dense,reranking=none,names=no,parts=no,diversity=0.3,dense_weight=0.5,floor=0.2, or “default”"
"""Text form of a configuration."""


@dataclass(frozen=True, slots=True)
class SearchInForce:
    """Search settings of an answer at the time when it began.

    Attributes:
        passages: Maximum number of passages per search.
        embedder: The chosen embedder; empty for the built-in one.
        configuration: The configuration, with the name of the reranker from the settings.
    """

    passages: int
    embedder: str
    configuration: SearchConfiguration
