"""The map of a library: every chunk a point in a plane, what is alike close together."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.model.hit import Citation

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray


class MapState(StrEnum):
    """Whether there is a map, and if not, why."""

    NO_DOCUMENTS = "no documents"
    KEYWORD_ONLY = "keyword only"
    NOT_EMBEDDED = "not embedded"
    NOT_DRAWN = "not drawn"
    OUTDATED = "outdated"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class MapDocument:
    """A document that has points on the map.

    Attributes:
        chunks: How many points.
        knowledge_base: Which one it belongs to, by name.
    """

    id: int
    name: str
    chunks: int
    knowledge_base: str = ""


@dataclass(frozen=True, slots=True)
class MapRegion:
    """Chunks that stand together.

    Attributes:
        words: What they speak of and others do not: a document's name where most of them are of one.
        x: Where its middle is; the whole map is within the circle of radius 1.
        chunks: How many points it has.
        documents: The documents that they are of, those with most first.
    """

    words: tuple[str, ...]
    x: float
    y: float
    chunks: int
    documents: tuple[MapDocument, ...]

    @property
    def label(self) -> str:
        """The words on one line."""
        return ", ".join(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class LibraryMap:
    """The points of all chunks that have a vector.

    Attributes:
        ids: The chunks, int64 [n], ascending.
        documents: Of which document each is: its place in shown, int32 [n].
        points: Where each stands, float32 [n, 2], within the circle of radius 1; y grows upwards.
        shown: The documents, those with most points first.
        regions: What stands together, the largest first.
    """

    ids: "NDArray[np.int64]"
    documents: "NDArray[np.int32]"
    points: "NDArray[np.float32]"
    shown: tuple[MapDocument, ...]
    regions: tuple[MapRegion, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapOutlook:
    """How it stands with the map.

    Attributes:
        map: None unless the state is READY or OUTDATED.
        notice: A sentence for the user: that the map was damaged; mostly nothing.
    """

    state: MapState
    map: LibraryMap | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class MapProgress:
    """How far drawing the map is; step says in words what is done now, share is of all, 0 to 1."""

    step: str
    share: float


@dataclass(frozen=True, slots=True)
class MapPassage:
    """A point of the map as people read it.

    Attributes:
        citation: The whole chunk, as the inspector shows it.
        line: What it begins with.
    """

    citation: Citation
    line: str
