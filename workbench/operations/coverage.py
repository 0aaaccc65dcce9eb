"""How much of the library a search could see."""

from workbench.model.document import DocumentStatus
from workbench.model.hit import Coverage, SearchMode, SearchResult
from workbench.operations.library import Library


def coverage(library: Library, result: SearchResult, knowledge_base: str | None) -> Coverage:
    """Return what a search of a knowledge base (None: of all) could see. Blocking."""
    counts = library.intake.not_read(knowledge_base)
    documents, behind = library.intake.visible(knowledge_base)
    # A search that went by keyword alone, as asked or for want of a model, has said so itself.
    behind = behind if result.by_meaning else 0
    is_dense = result.mode is SearchMode.DENSE
    return Coverage(
        documents=documents,
        by_keyword=0 if is_dense else behind,
        waiting=counts.get(DocumentStatus.QUEUED, 0) + counts.get(DocumentStatus.PARSING, 0),
        locked=counts.get(DocumentStatus.LOCKED, 0),
        failed=counts.get(DocumentStatus.FAILED, 0),
        not_embedded=behind if is_dense else 0,
    )
