"""Hand-made maps."""

import numpy as np

from workbench.model.hit import Citation
from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapPassage, MapRegion, MapState


def small_map(documents: int = 12, each: int = 5) -> LibraryMap:
    """Return a map with the documents in a circle and their chunks around them, in order of the number of chunks."""
    count = documents * each
    which = np.repeat(np.arange(documents), each).astype(np.int32)
    angles = 2 * np.pi * which / documents
    around = np.random.default_rng(0).normal(0.0, 0.03, (count, 2))
    points = np.column_stack([np.cos(angles), np.sin(angles)]) * 0.8 + around
    shown = tuple(MapDocument(100 + number, f"report_{number}.pdf", each) for number in range(documents))
    regions = tuple(
        MapRegion((f"topic {number}",), float(x), float(y), each, (shown[number],))
        for number, (x, y) in enumerate(points.reshape(documents, each, 2).mean(axis=1).tolist())
    )
    ids = np.arange(1, count + 1, dtype=np.int64)
    return LibraryMap(ids, which, points.astype(np.float32), shown, regions)


def ready(map: LibraryMap | None = None, state: MapState = MapState.READY, notice: str = "") -> MapOutlook:
    return MapOutlook(state, map or small_map(), notice)


def passage(chunk: int, *, name: str = "report_0.pdf") -> MapPassage:
    citation = Citation(
        1,
        True,
        document=100,
        document_name=name,
        page=4,
        chunk=chunk,
        start=0,
        end=9,
        quote="Net sales",
        headings=("Results", "Sales"),
    )
    return MapPassage(citation, "Net sales rose 12 % in 2023…")
