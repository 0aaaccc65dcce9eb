"""What a search may look at: one knowledge base or all, and documents whose fields have given values."""

from dataclasses import dataclass

from workbench.errors import RetrievalError
from workbench.model.document import Origin

FILTER_KEYS = (
    "document",
    "name",
    "title",
    "author",
    "format",
    "page",
    "path",
    "created",
    "modified",
    "keyword",
    "tag",
    "folder",
    "origin",
)


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """All conditions must hold. A restriction is never dropped: one that cannot be understood is an error.

    Attributes:
        knowledge_base: Its name; None means every knowledge base.
        equals: (key, value) pairs; keys are FILTER_KEYS. document and page take numbers; a created or modified of
            "2024" or "2024-05" takes the whole year or month, a folder everything below it; keyword and tag take one
            of a document's own, in upper or lower case.
    """

    knowledge_base: str | None = None
    equals: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for key, value in self.equals:
            if key not in FILTER_KEYS:
                raise RetrievalError(f"There is no filter “{key}”.", f"The filters are {', '.join(FILTER_KEYS)}.")
            if key in ("document", "page") and not (value.isascii() and value.isdigit() and len(value) < 19):
                raise RetrievalError(f"The filter “{key}” cannot be “{value}”.", "Give a number.")
            if key == "origin" and value.lower() not in tuple(Origin):
                raise RetrievalError(f"There is no origin “{value}”.", f"The origins are {', '.join(Origin)}.")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered."""
        return self.knowledge_base is None and not self.equals


EVERYTHING = ChunkFilter()
