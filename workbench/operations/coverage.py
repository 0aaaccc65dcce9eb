"""How much of the library a search cannot see, in one sentence."""

from workbench.model.document import DocumentStatus
from workbench.operations.library import Library


def unseen(library: Library, knowledge_base: str | None) -> str:
    """Return what a search of a knowledge base (None: of all) leaves out; empty when it sees everything. Blocking."""
    counts = library.intake.not_read(knowledge_base)
    waiting = counts.get(DocumentStatus.QUEUED, 0) + counts.get(DocumentStatus.PARSING, 0)
    locked, failed = counts.get(DocumentStatus.LOCKED, 0), counts.get(DocumentStatus.FAILED, 0)
    kinds = ((waiting, "still to be read"), (locked, "locked by a password"), (failed, "that could not be read"))
    parts = [(number, words) for number, words in kinds if number]
    if not parts:
        return ""
    first, words = parts[0]
    told = [f"{first:,} {'document' if first == 1 else 'documents'} {words}"]
    told += [f"{number:,} {words}" for number, words in parts[1:]]
    return f"Not searched: {' and '.join([', '.join(told[:-1]), told[-1]] if len(told) > 1 else told)}."
