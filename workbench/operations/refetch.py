"""Documents that came from elsewhere, brought up to date because the user asked."""

from collections.abc import Sequence

from workbench.language import mark
from workbench.model.document import Document, Origin
from workbench.model.egress import PAGE_PURPOSES, QUERY_PURPOSES
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations.library import Library
from workbench.operations.other_sources import gate_for
from workbench.operations.queries import run_queries
from workbench.operations.web_pages import fetch_pages
from workbench.worker.job import JobContext, Operation


def refetch(
    library: Library, documents: Sequence[int], *, allow_hosts: Sequence[str] = ()
) -> Operation[list[FileFinished]]:
    """Fetch web pages and run queries again; what did not change costs one request and nothing more.

    Changed content replaces the old in one transaction, and is embedded only where it changed. Files and notes are
    passed over: add_documents and edit_note bring those up to date.

    Args:
        library: The open library.
        documents: Their ids.
        allow_hosts: As add_urls and add_query. What was allowed when a page or a query was added is not allowed when
            it is fetched again.

    Raises:
        SettingError: One of allow_hosts is no host.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        chosen = [await library.on_store(library.documents.get, number) for number in documents]
        return await bring_up_to_date(library, context, chosen, allow_hosts)

    return operation


async def bring_up_to_date(
    library: Library, context: JobContext, documents: Sequence[Document], allow_hosts: Sequence[str] = ()
) -> list[FileFinished]:
    """Fetch documents anew, each from where it came, where the air gap lets that be asked or allow_hosts names it.

    Raises:
        SettingError: One of allow_hosts is no host.
    """
    for_pages, for_queries = [await gate_for(library, allow_hosts, one) for one in (PAGE_PURPOSES, QUERY_PURPOSES)]
    free = [document for document in documents if document.id not in library.active]
    pages = [document for document in free if document.origin is Origin.URL]
    queries = [document for document in free if document.origin is Origin.QUERY]
    others = [document for document in documents if document not in pages and document not in queries]
    results = [_passed_over(document) for document in others]
    for result in results:
        context.emit(result)
    if pages:
        results += await fetch_pages(library, context, pages, for_pages)
    if queries:
        results += await run_queries(library, context, queries, for_queries)
    return results


def _passed_over(document: Document) -> FileFinished:
    is_ours = document.origin in (Origin.URL, Origin.QUERY)
    reason = mark("It is being added already.") if is_ours else mark("It did not come from the web or a database.")
    return FileFinished(document.path, FileOutcome.SKIPPED, document.id, reason, document.pages, document.chunks, 0.0)
