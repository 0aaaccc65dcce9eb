"""Map of a library: read, draw, and locate questions and passages on it."""

import threading
from collections.abc import Sequence

from workbench.errors import IndexUnavailable, NotFound
from workbench.language import mark
from workbench.model.hit import Citation
from workbench.model.map import MapOutlook, MapPassage
from workbench.operations.library.library import Library
from workbench.operations.questions.tool_documents import layout_of, passage_of
from workbench.retrieval.markdown_stripping import strip_markdown
from workbench.worker.job import JobContext, Operation
from workbench.worker.processes import ProcessFailure

_LINE = 160
_NOT_DRAWN = (mark("The map could not be drawn."), mark("Try it again; everything else continues as before."))


def library_map(library: Library) -> Operation[MapOutlook]:
    """Return the state of the map, and the map if there is one, with new chunks placed and deleted ones left out.

    This never computes a new layout: if enough has changed, the state is OUTDATED, and draw_map computes one.
    """

    async def operation(_context: JobContext) -> MapOutlook:
        # numpy and faiss take 0.2 s to import: not during the start of the window.
        from workbench.operations.library.map_chart import outlook

        stop = threading.Event()
        try:
            return await library.on_store(outlook, library, stop.is_set)
        finally:
            stop.set()

    return operation


def draw_map(library: Library) -> Operation[MapOutlook]:
    """Compute a new layout of the library's vectors; emits MapProgress. Chunks on the old map roughly keep their place.

    100,000 chunks take 15 s of one processor. If it is cancelled, the map stays unchanged.

    Raises:
        IndexUnavailable: It could not be drawn.
    """

    async def operation(context: JobContext) -> MapOutlook:
        from workbench.operations.library.map_chart import MapDrawing  # as above

        drawing = MapDrawing(library, context)
        try:
            return await drawing.outcome()
        except ProcessFailure as error:
            raise IndexUnavailable(*_NOT_DRAWN) from error
        finally:
            await drawing.close()

    return operation


def place_on_map(library: Library, questions: Sequence[str]) -> Operation[tuple[tuple[float, float], ...]]:
    """Return the positions of questions on the map, in their order; empty without a map or an embedder."""

    async def operation(_context: JobContext) -> tuple[tuple[float, float], ...]:
        from workbench.operations.library.map_chart import place_questions  # as above

        return await library.on_search(place_questions, library, questions)

    return operation


def passage_on_map(library: Library, chunk: int) -> Operation[MapPassage]:
    """Return the passage of a point on the map, for display.

    Raises:
        NotFound: The chunk is no longer in the library.
    """

    async def operation(_context: JobContext) -> MapPassage:
        return await library.on_search(_passage, library, chunk)

    return operation


def _passage(library: Library, number: int) -> MapPassage:
    found = library.documents.chunks_by_id([number]).get(number)
    if found is None:
        raise NotFound("This passage is no longer in the library.", "The map is being updated.")
    chunk, document = found
    label = ""
    if chunk.page is not None:
        label = next(iter(library.documents.page_labels(document.id, chunk.page, chunk.page)), "")
    hit = passage_of(document, chunk, layout_of(library.documents, document.id), 1)
    citation = Citation(
        chunk.ordinal + 1,
        True,
        document=document.id,
        document_name=document.name,
        path=document.path,
        page=chunk.page,
        chunk=chunk.id,
        chunk_ordinal=chunk.ordinal,
        start=chunk.start,
        end=chunk.end,
        quote=chunk.text,
        sha256=document.sha256,
        headings=hit.headings,
        page_kind=document.page_kind,
        page_label=label,
        ocr=bool(document.ocr_pages(chunk.page, chunk.page)),
        edited=chunk.is_edited,
        lines=hit.lines_of(chunk.start, chunk.end),
    )
    return MapPassage(citation, _line(chunk.text))


def _line(text: str) -> str:
    """Return the beginning of a text as one line without Markdown."""
    words = " ".join(strip_markdown(text[: 2 * _LINE]).text.split())
    return words if len(words) <= _LINE else f"{words[:_LINE].rsplit(' ', 1)[0]}…"
