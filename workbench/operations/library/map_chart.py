"""Map chart: drawn from vectors, stored next to the index, updated with the library; blocking."""

import asyncio
import json
import logging
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.embedding.base import embed_queries
from workbench.errors import EmbeddingError, IndexUnavailable
from workbench.files.changes import delete_file
from workbench.indexing.projection import (
    ProjectionChart,
    draw_chart,
    landmarks_of,
    lay_out_landmarks,
    nearest_of,
    read_chart,
    region_centres,
    sampled,
    write_chart,
)
from workbench.indexing.saved_index import in_pieces
from workbench.language import mark
from workbench.model.map import LibraryMap, MapDocument, MapOutlook, MapProgress, MapRegion, MapState
from workbench.operations.library.library import Library
from workbench.retrieval.topic_words import topic_words
from workbench.store.bulk_reads import chunk_documents, document_names
from workbench.worker.job import JobContext, finish_despite_cancel, offload
from workbench.worker.process_memory import lower_priority
from workbench.worker.processes import ProcessPool

logger = logging.getLogger(__name__)

FEWEST = 2
"""Minimum number of vectors of a map."""

_OWN = 0.6
"""Share of a region's chunks that one document must have for the region to be named after it."""

_GROWN = 2
_TEXTS = 40
_CHARACTERS = 1_000
_MOST_DOCUMENTS = 5

Vectors = tuple[NDArray[np.int64], NDArray[np.float32]]
Texts = list[tuple[str, ...]]


def chart_path(library: Library, embedder: str) -> Path:
    """Return the file of an embedder's chart; not in the folder of the index, which deletes unknown files."""
    return library.folder / "map" / (re.sub(r"[^\w.-]+", "_", embedder) + ".chart")


def fetch_of(library: Library, embedder: str) -> Callable[[list[int]], Vectors]:
    """Return a function that reads the vectors of chunks."""
    return partial(library.vectors.get, embedder)


def outlook(library: Library, stop: Callable[[], bool]) -> MapOutlook:
    """Return the state of the map, and the map if there is one, after updating it from the library."""
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
        # While documents are added, a new layout is due each time that their number has tripled, instead of 30 times.
        is_outdated = is_outdated and followed.changed >= _GROWN * followed.laid_out_of
    return MapOutlook(MapState.OUTDATED if is_outdated else MapState.READY, library_map(library, followed))


def keep(path: Path, chart: ProjectionChart) -> None:
    """Write a chart; if the disk has no space, it is drawn again the next time."""
    try:
        write_chart(path, chart)
    except IndexUnavailable:
        logger.info("The map could not be kept; it is drawn again the next time")


def library_map(library: Library, chart: ProjectionChart) -> LibraryMap:
    """Return the map of a chart for display, with the documents of its chunks and its regions."""
    chunks, owners = chunk_documents(library.database)
    places = np.minimum(np.searchsorted(chunks, chart.ids), max(0, len(chunks) - 1))
    # The chart still contains documents that were removed since it was updated.
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


def samples(library: Library, chart: ProjectionChart) -> tuple[NDArray[np.float32], Texts]:
    """Return the centres of a chart's regions, float32 [r, 2], and some of the texts of each."""
    centres = region_centres(chart.points)
    if not len(centres):
        return centres, []
    owner = nearest_of(chart.points, centres)
    texts: Texts = []
    for region in range(len(centres)):
        ids = chart.ids[owner == region]
        some = ids[np.linspace(0, len(ids) - 1, min(_TEXTS, len(ids))).astype(np.int64)]
        found = library.documents.chunks_by_id(some.tolist())
        texts.append(tuple(chunk.text[:_CHARACTERS] for chunk, _ in found.values()))
    return centres, texts


def named_regions(centres: NDArray[np.float32], words: Sequence[tuple[str, ...]]) -> str:
    """Return the centres and words of regions serialised as JSON, as a chart stores them."""
    return json.dumps([[*map(float, centre), list(one)] for centre, one in zip(centres, words, strict=True)])


def regions(
    kept: str,
    points: NDArray[np.float32],
    ranked: NDArray[np.int32],
    documents: Sequence[MapDocument],
) -> tuple[MapRegion, ...]:
    """Return the stored regions of a chart with their current chunks, the largest first.

    Args:
        kept: Regions as serialised by named_regions.
        points: Points of all chunks, float32 [n, 2].
        ranked: Index in documents of the document of each chunk.
        documents: All documents that have points.
    """
    stored = json.loads(kept) if kept else []
    if not stored or not len(points):
        return ()
    centres = np.array([[x, y] for x, y, _ in stored], np.float32)
    owner = nearest_of(points, centres)
    found: list[MapRegion] = []
    named: set[int] = set()
    for region in np.argsort(-np.bincount(owner, minlength=len(stored)), kind="stable"):
        x, y, words = stored[region]
        held = ranked[owner == region]
        if not len(held):
            continue
        numbers, counts = np.unique(held, return_counts=True)
        most = [int(one) for one in np.argsort(-counts, kind="stable")[:_MOST_DOCUMENTS]]
        largest = tuple(
            MapDocument(documents[numbers[one]].id, documents[numbers[one]].name, int(counts[one])) for one in most
        )
        first = largest[0]
        # A document with several regions gives its name to the largest, and words to the others.
        if not words or (first.chunks >= _OWN * len(held) and first.id not in named):
            named.add(first.id)
            words = [first.name]
        found.append(MapRegion(tuple(words), x, y, len(held), largest))
    return tuple(found)


def place_questions(library: Library, questions: Sequence[str]) -> tuple[tuple[float, float], ...]:
    """Return the positions of questions on the map, in their order; empty without a map or an embedder."""
    embedder = library.vectors.embedder
    try:
        chart = read_chart(chart_path(library, embedder)) if embedder else None
        if chart is None or not questions or library.models.embedder().id != embedder:
            return ()
        points = chart.place(embed_queries(library.models.embedder(), questions))
    except (EmbeddingError, IndexUnavailable):
        return ()  # the map is shown anyway; the search itself reports the error
    return tuple((float(x), float(y)) for x, y in points)


def _without_vectors(library: Library) -> MapState:
    chunks, _embedded = library.documents.counts()
    if not chunks:
        return MapState.NO_DOCUMENTS
    return MapState.NOT_EMBEDDED if library.models.embedder_or_none() is not None else MapState.KEYWORD_ONLY


T = TypeVar("T")
Rows = NDArray[np.float32]

# Limits of the child process: the layout of 2,000 landmarks takes 4 s and 180 MB, the words of 60 regions take 1 s.
_SECONDS, _MEGABYTES = 180.0, 2048


class MapDrawing:
    """Drawing of a map: computes on a thread of low priority, and in a child process where scikit-learn is needed."""

    def __init__(self, library: Library, context: JobContext) -> None:
        self._library = library
        self._context = context
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="map", initializer=lower_priority)
        self._pool = ProcessPool(1, in_background=True)
        self._closed = threading.Event()
        self._stop = self._closed.is_set
        self._embedder = library.vectors.embedder

    async def outcome(self) -> MapOutlook:
        """Draw the map, store it, and return it."""
        self._report(mark("Reading vectors"), 0.0)
        found = await self._on_thread(self._landmarks)
        if found is None:  # no vectors: the state shows the reason
            return await self._on_thread(outlook, self._library, self._stop)
        landmarks, before = found
        self._report(mark("Arranging similar passages"), 0.3)
        spots = await self._in_child(lay_out_landmarks, landmarks, before)
        chart = await self._on_thread(self._drawn, landmarks, spots)
        self._report(mark("Naming the regions"), 0.9)
        centres, texts = await self._on_thread(samples, self._library, chart)
        words = await self._in_child(topic_words, texts)
        chart = replace(chart, names=named_regions(centres, words))
        await self._on_thread(keep, chart_path(self._library, self._embedder), chart)
        return await self._on_thread(outlook, self._library, self._stop)

    async def close(self) -> None:
        """Stop the work in progress and end the child process."""
        self._closed.set()
        self._thread.shutdown(wait=False)
        await finish_despite_cancel(offload(None, self._pool.close))

    def _landmarks(self) -> tuple[Rows, Rows | None] | None:
        """Return the landmarks, and their positions on the previous map."""
        ids = self._library.vectors.ids(self._embedder) if self._embedder else np.empty(0, np.int64)
        chosen = sampled(ids)
        rows: list[Rows] = []
        for some, vectors in in_pieces(chosen, fetch_of(self._library, self._embedder)):
            self._check()
            if len(some):
                rows.append(vectors)
                self._report(mark("Reading vectors"), 0.1 * len(rows) / max(len(rows), len(chosen) / 2048))
        if not rows:
            return None
        self._report(mark("Choosing sample passages"), 0.1)
        landmarks = landmarks_of(np.concatenate(rows), self._stop)
        if landmarks is None:
            raise asyncio.CancelledError
        try:
            before = read_chart(chart_path(self._library, self._embedder))
        except IndexUnavailable:
            before = None
        if before is None or before.landmarks.shape[1] != landmarks.shape[1]:
            return landmarks, None
        return landmarks, before.place(landmarks)

    def _drawn(self, landmarks: Rows, spots: Rows) -> ProjectionChart:
        vectors = self._library.vectors
        chart = draw_chart(
            landmarks,
            spots,
            vectors.beginnings(self._embedder),
            fetch_of(self._library, self._embedder),
            vectors.generation(self._embedder),
            self._stop,
            self._report_placed,
        )
        if chart is None:
            raise asyncio.CancelledError
        return chart

    def _report_placed(self, share: float) -> None:
        self._report(mark("Placing the passages"), 0.5 + 0.4 * share)

    def _report(self, step: str, share: float) -> None:
        self._context.emit(MapProgress(step, share))

    def _check(self) -> None:
        if self._stop():
            raise asyncio.CancelledError

    async def _on_thread(self, function: Callable[..., T], *args: object) -> T:
        return await offload(self._thread, function, *args)

    async def _in_child(self, function: Callable[..., T], *args: object) -> T:
        return await self._pool.run(function, *args, seconds=_SECONDS, megabytes=_MEGABYTES)
