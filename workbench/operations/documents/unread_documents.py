"""Documents that a search cannot see or sees in part: read them before all others, and start to read them."""

from contextlib import suppress

from workbench.errors import NotFound
from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import FileFinished
from workbench.operations.documents.document_management import bring_up_to_date, is_unfetched, is_unfinished
from workbench.operations.imports.importing import Importer, pause_imports
from workbench.operations.imports.second_pass import pages_to_read, with_ocr
from workbench.operations.library.library import Library
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.worker.job import JobContext, Operation


def prioritise_unread(library: Library, knowledge_base: str | None = None, *, filter: str = "") -> Operation[int]:
    """Read before all others the documents that a search cannot see or sees in part; imports are resumed.

    Args:
        library: The open library.
        knowledge_base: Only those in it; None means in all.
        filter: Only those that pass this filter, or could pass it once they are read; text as of Run.filter.

    Returns:
        The number of these documents that an import is reading or will read, plus those that read_unread() can read.

    Raises:
        NotFound: There is no such knowledge base.
    """

    async def operation(context: JobContext) -> int:
        unread = await library.on_store(_unread, library, knowledge_base, filter)
        library.queue.first(unread)
        if await library.on_store(lambda: library.queue.paused):
            await pause_imports(library, False)(context)
        readable = await library.on_store(_readable, library, unread)
        return sum(document in library.active for document in unread) + len(readable)

    return operation


def read_unread(
    library: Library, knowledge_base: str | None = None, *, filter: str = ""
) -> Operation[list[FileFinished]]:
    """Read what a search of a knowledge base, or of all of them, cannot see, and no import is reading.

    These are unfinished and failed documents, the rest of those whose reading was stopped, and pages without text,
    which are read by OCR even if it is off in the settings. Locked documents need a password.

    Args:
        library: The open library.
        knowledge_base: As for prioritise_unread.
        filter: As for prioritise_unread.

    Raises:
        NotFound: There is no such knowledge base.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        unread = await library.on_store(_unread, library, knowledge_base, filter)
        documents = await library.on_store(_readable, library, unread)
        unfetched = [d for d in documents if is_unfetched(d)]
        again = [d for d in documents if d not in unfetched and (d.status is DocumentStatus.FAILED or d.pages_of_file)]
        waiting = [d for d in documents if d not in unfetched and d not in again]
        results: list[FileFinished] = []
        if waiting:
            results += await Importer(library, context, wants_ocr=True).finish(waiting)
        if again:
            results += await Importer(library, context, wants_ocr=True).read_again(again)
        return [*results, *await bring_up_to_date(library, context, unfetched)] if unfetched else results

    return operation


def _unread(library: Library, knowledge_base: str | None, filter: str) -> list[int]:
    """Return the unread documents of the personal library; the server of a shared one reads those of that."""
    if library.shared.of_knowledge_base(knowledge_base or "") is not None:
        return []
    unread = library.intake.unread(knowledge_base)
    if not filter.strip():
        return unread
    own = library.documents.own_filter(filter_of_text(filter, knowledge_base))
    scope = library.filter_values.in_scope(own) if own is not None else ()
    return [number for number in unread if number in scope]


def _readable(library: Library, unread: list[int]) -> list[Document]:
    """Return those among the unread documents that read_unread() reads."""
    settings = with_ocr(library.setting_values.load())
    found: list[Document] = []
    for number in sorted(set(unread) - library.active):
        with suppress(NotFound):  # it was removed meanwhile
            found.append(library.documents.get(number))
    return [
        one
        for one in found
        if one.status is DocumentStatus.FAILED or is_unfinished(one) or pages_to_read(one, settings)
    ]
