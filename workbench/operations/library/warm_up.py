"""Warm-up: load all that the first question, answer, click and file would otherwise wait for."""

import asyncio

from workbench.export.rendering import load_readers
from workbench.model.import_progress import IndexRepaired
from workbench.operations.documents.page_images import RENDER_MEGABYTES, RENDER_SECONDS
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation


def load_runtime() -> None:
    """Import the runtime of embedding models; blocking, 0.1 s, during 17 ms of which no other thread runs.

    Call it before the panes are filled: together with that it kept the window from drawing for 40 ms.
    """
    import onnxruntime  # noqa: F401 - slow to import; later imports take it from sys.modules


def warm_up(library: Library) -> Operation[None]:
    """Load embedder, index and retriever (0.3 s) and the answer renderer (0.1 s); start two processes (0.5 s each).

    One process draws pages, the other reads files. Then the retriever is prepared for the first question (0.1 s), and
    the most common words of a small library are cached (0.3 s). Emits IndexRepaired if the index was damaged.
    """

    async def operation(context: JobContext) -> None:
        retriever = await library.on_search(library.models.retriever)
        if notice := library.models.take_notice():
            context.emit(IndexRepaired(notice))
        await asyncio.to_thread(load_readers)
        await library.renderer.run(int, seconds=RENDER_SECONDS, megabytes=RENDER_MEGABYTES)
        await library.parsers.start()
        await library.on_search(retriever.prepare)
        await asyncio.to_thread(library.keywords.cache_common_words, library.ending.is_set)

    return operation
