"""What a search found, chosen from by a person before the answerer is handed it."""

from collections.abc import Callable, Sequence

from workbench.agent.base import Curator
from workbench.errors import NotFound
from workbench.model.approval import Choice
from workbench.model.hit import Hit
from workbench.operations.library import Library
from workbench.operations.tool_documents import layout_of, passage_of
from workbench.worker.job import JobContext, Operation


def chosen_in_person(library: Library) -> Callable[[int, int], Curator]:
    """Return who chooses for the person in front of the window, for ask: every search waits until choose_passages."""
    return library.choices.curator


def choose_passages(
    library: Library, run: int, number: int, hits: Sequence[Hit], *, pinned: Sequence[int] = ()
) -> Operation[None]:
    """Say what of a search that waits the answerer is handed.

    Args:
        library: The open library.
        run: The number that RunBegan told.
        number: As CurationAsked has it.
        hits: What the answerer is handed, in this order; none is allowed: it is told that nothing was found.
        pinned: Ids of those chunks among them that later searches of the session begin with.

    Raises:
        NotFound: No such search waits (any more).
    """

    async def operation(_context: JobContext) -> None:
        library.choices.choose(run, number, Choice(tuple(hits), tuple(pinned)))

    return operation


def passages_around(library: Library, hit: Hit) -> Operation[tuple[Hit | None, Hit | None]]:
    """Return the passages straight before and after a hit, as hits; None at the ends of the document.

    Raises:
        NotFound: The passage is no longer in the library.
    """

    def work() -> tuple[Hit | None, Hit | None]:
        store, number = library.documents, hit.chunk.document
        document, chunks, layout = store.get(number), store.chunks(number), layout_of(store, number)
        place = next((place for place, one in enumerate(chunks) if one.start == hit.chunk.start), None)
        if place is None:
            raise NotFound("This passage no longer stands in the library.", "Search again.")

        def at(other: int) -> Hit | None:
            return passage_of(document, chunks[other], layout, other + 1) if 0 <= other < len(chunks) else None

        return at(place - 1), at(place + 1)

    async def operation(_context: JobContext) -> tuple[Hit | None, Hit | None]:
        if hit.is_outside:
            raise NotFound("This passage is not from a document of the library.", "Choose another one.")
        return await library.on_store(work)

    return operation
