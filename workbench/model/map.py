"""Map of a library: every chunk is a point in a plane, similar chunks are close together."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.model.hit import Citation

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray


class MapState(StrEnum):
    """State of the map, or the reason why there is none."""

    NO_DOCUMENTS = "no documents"
    KEYWORD_ONLY = "keyword only"
    NOT_EMBEDDED = "not embedded"
    NOT_DRAWN = "not drawn"
    OUTDATED = "outdated"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class MapDocument:
    """Document with points on the map.

    Attributes:
        chunks: Number of points.
        knowledge_base: Name of its knowledge base.
    """

    id: int
    name: str
    chunks: int
    knowledge_base: str = ""


@dataclass(frozen=True, slots=True)
class MapRegion:
    """Cluster of chunks on the map.

    Attributes:
        words: Words specific to these chunks; a document's name if most of them are from one document.
        x: Center of the cluster, with y; the whole map is within the circle of radius 1.
        chunks: Number of points.
        documents: Their documents, those with most points first.
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
    """Points of all chunks that have a vector.

    Attributes:
        ids: The chunks, int64 [n], ascending.
        documents: Index of each chunk's document in shown, int32 [n].
        points: Coordinates, float32 [n, 2], within the circle of radius 1; y grows upwards.
        shown: The documents, those with most points first.
        regions: The clusters, the largest first.
    """

    ids: "NDArray[np.int64]"
    documents: "NDArray[np.int32]"
    points: "NDArray[np.float32]"
    shown: tuple[MapDocument, ...]
    regions: tuple[MapRegion, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapOutlook:
    """State of the map, with the map if available.

    Attributes:
        map: None unless the state is READY or OUTDATED.
        notice: A sentence for the user if the map was damaged; otherwise empty.
    """

    state: MapState
    map: LibraryMap | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class MapProgress:
    """Progress of drawing the map; step describes the current step, share is the completed share, 0 to 1."""

    step: str
    share: float


@dataclass(frozen=True, slots=True)
class MapPassage:
    """Point of the map as shown to users.

    Attributes:
        citation: The whole chunk, as shown by the inspector.
        line: Beginning of its text.
    """

    citation: Citation
    line: str
