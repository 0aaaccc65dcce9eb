"""The chart behind the map: kept beside the search index, brought into step with the library; blocking."""

import json
import logging
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import EmbeddingError, IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.projection.chart import Chart, read_chart, write_chart
from workbench.indexing.projection.plane_layout import nearest_of, region_centres
from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapRegion, MapState
from workbench.operations.library import Library
from workbench.store.bulk_reads import chunk_documents, document_names

logger = logging.getLogger(__name__)

FEWEST = 2
"""Vectors of which there can be a map."""

_OWN = 0.6
"""Share of a region's chunks that one document must have for the region to be called by its name."""

_GROWN = 2
_TEXTS = 40
_CHARACTERS = 1_000
_MOST_DOCUMENTS = 5

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]
Texts = list[tuple[str, ...]]


def chart_path(library: Library, embedder: str) -> Path:
    """Return the file of an embedder's chart; not in the folder of the index, which sweeps what it does not know."""
    return library.folder / "map" / (re.sub(r"[^\w.-]+", "_", embedder) + ".chart")


def fetch_of(library: Library, embedder: str) -> Callable[[list[int]], Vectors]:
    """Return what gives the vectors of chunks."""
    return partial(library.vectors.get, embedder)


def outlook(library: Library, stop: Callable[[], bool]) -> MapOutlook:
    """Return how it stands with the map, brought into step with the library where there is one."""
    embedder = library.vectors.embedder
    truth = library.vectors.beginnings(embedder) if embedder else None
    if truth is None or len(truth[0]) < FEWEST:
        return MapOutlook(_without_vectors(library))
    path = chart_path(library, embedder)
    try:
        chart = read_chart(path)
    except IndexUnavailable as error:
        logger.info("%s %s", error.message, error.hint)
        delete_file(path, within=library.folder, missing_ok=True)
        return MapOutlook(MapState.NOT_DRAWN, notice=f"{error.message} {error.hint}")
    if chart is None or chart.landmarks.shape[1] != library.vectors.get(embedder, truth[0][:1].tolist())[1].shape[1]:
        return MapOutlook(MapState.NOT_DRAWN)
    generation = library.vectors.generation(embedder)
    followed = chart.followed(truth, fetch_of(library, embedder), generation, stop)
    if followed is not chart:
        keep(path, followed)
    is_outdated = followed.is_outdated
    if library.active:
        # While documents are added it is laid out anew each time that they have become thrice as many, not 30 times.
        is_outdated = is_outdated and followed.changed >= _GROWN * followed.laid_out_of
    return MapOutlook(MapState.OUTDATED if is_outdated else MapState.READY, shown(library, followed))


def keep(path: Path, chart: Chart) -> None:
    """Write a chart; without room on the disk it is drawn anew the next time."""
    try:
        write_chart(path, chart)
    except IndexUnavailable:
        logger.info("The map could not be kept; it is drawn anew the next time")


def shown(library: Library, chart: Chart) -> LibraryMap:
    """Return the map of a chart as people see it: whose chunks they are, and what stands together."""
    chunks, owners = chunk_documents(library.database)
    places = np.minimum(np.searchsorted(chunks, chart.ids), max(0, len(chunks) - 1))
    # A document that was removed this moment is in the chart still.
    there = chunks[places] == chart.ids if len(chunks) else np.zeros(len(chart.ids), np.bool_)
    ids, points, owners = chart.ids[there], chart.points[there], owners[places[there]]
    numbers, place, counts = np.unique(owners, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    names = document_names(library.database)
    documents = tuple(
        MapDocument(number, name, int(counts[one]), base)
        for one in order
        for number in (int(numbers[one]),)
        for name, base in (names.get(number, ("", "")),)
    )
    ranked = rank[place]
    return LibraryMap(ids, ranked, points, documents, regions(chart.names, points, ranked, documents))


def samples(library: Library, chart: Chart) -> tuple[NDArray[np.float32], Texts]:
    """Return the middles of a chart's regions float32 [r, 2], and some of the texts of each."""
    centres = region_centres(chart.points)
    if not len(centres):
        return centres, []
    owner = nearest_of(chart.points, centres)
    texts: Texts = []
    for region in range(len(centres)):
        ids = chart.ids[owner == region]
        some = ids[np.linspace(0, len(ids) - 1, min(_TEXTS, len(ids))).astype(np.int64)]
        held = library.documents.chunks_by_id(some.tolist())
        texts.append(tuple(chunk.text[:_CHARACTERS] for chunk, _ in held.values()))
    return centres, texts


def named_regions(centres: NDArray[np.float32], words: Sequence[tuple[str, ...]]) -> str:
    """Return regions as a chart keeps them."""
    return json.dumps([[*map(float, centre), list(one)] for centre, one in zip(centres, words, strict=True)])


def regions(
    kept: str,
    points: NDArray[np.float32],
    ranked: NDArray[np.int32],
    documents: Sequence[MapDocument],
) -> tuple[MapRegion, ...]:
    """Return the regions that a chart keeps as they are now, the largest first.

    Args:
        kept: As named_regions made it.
        points: Of all chunks, float32 [n, 2].
        ranked: Of which document each chunk is, by its place in documents.
        documents: All that have points.
    """
    stored = json.loads(kept) if kept else []
    if not stored or not len(points):
        return ()
    centres = np.array([[x, y] for x, y, _ in stored], np.float32)
    owner = nearest_of(points, centres)
    found: list[MapRegion] = []
    called: set[int] = set()
    for region in np.argsort(-np.bincount(owner, minlength=len(stored)), kind="stable"):
        x, y, words = stored[region]
        held = ranked[owner == region]
        if not len(held):
            continue
        numbers, counts = np.unique(held, return_counts=True)
        most = [int(one) for one in np.argsort(-counts, kind="stable")[:_MOST_DOCUMENTS]]
        theirs = tuple(
            MapDocument(documents[numbers[one]].id, documents[numbers[one]].name, int(counts[one])) for one in most
        )
        first = theirs[0]
        # A document with several regions gives its name to the largest, and words to the others.
        if not words or (first.chunks >= _OWN * len(held) and first.id not in called):
            called.add(first.id)
            words = [first.name]
        found.append(MapRegion(tuple(words), x, y, len(held), theirs))
    return tuple(found)


def placed(library: Library, questions: Sequence[str]) -> tuple[tuple[float, float], ...]:
    """Return where questions stand on the map, in their order; nothing where there is no map or no embedder."""
    embedder = library.vectors.embedder
    try:
        chart = read_chart(chart_path(library, embedder)) if embedder else None
        if chart is None or not questions or library.embedder().id != embedder:
            return ()
        points = chart.placed(np.stack([library.embedder().embed_query(question) for question in questions]))
    except (EmbeddingError, IndexUnavailable):
        return ()  # the map is shown all the same; whoever searches is told
    return tuple((float(x), float(y)) for x, y in points)


def _without_vectors(library: Library) -> MapState:
    chunks, _embedded = library.documents.counts()
    if not chunks:
        return MapState.NO_DOCUMENTS
    return MapState.NOT_EMBEDDED if library.embedder_or_none() is not None else MapState.KEYWORD_ONLY
