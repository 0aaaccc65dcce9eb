"""A map on its way: vectors -> landmarks -> layout -> every chunk placed -> regions named -> kept."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.projection.chart import Chart, drawn, landmarks_of, read_chart, sampled
from workbench.indexing.projection.plane_layout import laid_out
from workbench.indexing.saved_index import in_pieces
from workbench.language import mark
from workbench.model.map import MapOutlook, MapProgress
from workbench.operations.library import Library
from workbench.operations.map_chart import chart_path, fetch_of, keep, named_regions, outlook, samples
from workbench.retrieval.topic_words import topic_words
from workbench.worker.job import JobContext, offload
from workbench.worker.process_memory import lower_priority
from workbench.worker.processes import ProcessPool

T = TypeVar("T")
Rows = NDArray[np.float32]

# Of laying 2,000 landmarks out, which takes 4 s and 180 MB; of the words of 60 regions, which take 1 s.
_SECONDS, _MEGABYTES = 180.0, 2048


class MapDrawing:
    """One map on its way: what computes runs on a thread of low priority, what takes scikit-learn in a child."""

    def __init__(self, library: Library, context: JobContext) -> None:
        self._library = library
        self._context = context
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="map", initializer=lower_priority)
        self._pool = ProcessPool(1, in_background=True)
        self._closed = threading.Event()
        self._stop = self._closed.is_set
        self._embedder = library.vectors.embedder

    async def outcome(self) -> MapOutlook:
        """Draw it, keep it, and return it."""
        self._say(mark("Reading vectors"), 0.0)
        found = await self._on_thread(self._landmarks)
        if found is None:  # no vectors: the state says why
            return await self._on_thread(outlook, self._library, self._stop)
        landmarks, before = found
        self._say(mark("Laying out what is alike"), 0.3)
        spots = await self._in_child(laid_out, landmarks, before)
        chart = await self._on_thread(self._drawn, landmarks, spots)
        self._say(mark("Naming the regions"), 0.9)
        centres, texts = await self._on_thread(samples, self._library, chart)
        words = await self._in_child(topic_words, texts)
        chart = replace(chart, names=named_regions(centres, words))
        await self._on_thread(keep, chart_path(self._library, self._embedder), chart)
        return await self._on_thread(outlook, self._library, self._stop)

    async def close(self) -> None:
        """End what is under way, and the child."""
        self._closed.set()
        self._thread.shutdown(wait=False)
        await offload(None, self._pool.close)

    def _landmarks(self) -> tuple[Rows, Rows | None] | None:
        """Return the landmarks, and where they would stand on the map so far."""
        ids = self._library.vectors.ids(self._embedder) if self._embedder else np.empty(0, np.int64)
        chosen = sampled(ids)
        rows: list[Rows] = []
        for some, vectors in in_pieces(chosen, fetch_of(self._library, self._embedder)):
            self._check()
            if len(some):
                rows.append(vectors)
                self._say(mark("Reading vectors"), 0.1 * len(rows) / max(len(rows), len(chosen) / 2048))
        if not rows:
            return None
        self._say(mark("Choosing landmarks"), 0.1)
        landmarks = landmarks_of(np.concatenate(rows), self._stop)
        if landmarks is None:
            raise asyncio.CancelledError
        try:
            before = read_chart(chart_path(self._library, self._embedder))
        except IndexUnavailable:
            before = None
        if before is None or before.landmarks.shape[1] != landmarks.shape[1]:
            return landmarks, None
        return landmarks, before.placed(landmarks)

    def _drawn(self, landmarks: Rows, spots: Rows) -> Chart:
        vectors = self._library.vectors
        chart = drawn(
            landmarks,
            spots,
            vectors.beginnings(self._embedder),
            fetch_of(self._library, self._embedder),
            vectors.generation(self._embedder),
            self._stop,
            self._say_placed,
        )
        if chart is None:
            raise asyncio.CancelledError
        return chart

    def _say_placed(self, share: float) -> None:
        self._say(mark("Placing the passages"), 0.5 + 0.4 * share)

    def _say(self, step: str, share: float) -> None:
        self._context.emit(MapProgress(step, share))

    def _check(self) -> None:
        if self._stop():
            raise asyncio.CancelledError

    async def _on_thread(self, function: Callable[..., T], *args: object) -> T:
        return await offload(self._thread, function, *args)

    async def _in_child(self, function: Callable[..., T], *args: object) -> T:
        return await self._pool.run(function, *args, seconds=_SECONDS, megabytes=_MEGABYTES)
