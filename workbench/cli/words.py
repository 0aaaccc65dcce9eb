"""Model -> words for people at a terminal."""

from workbench.model.document import Document
from workbench.model.hit import Citation, Hit
from workbench.model.run import Run, RunStatus


def size_words(document: Document) -> str:
    """Return a document's size: pages and chunks."""
    kind = document.page_kind
    pages = f"{document.pages} {kind.value if document.pages == 1 else kind.plural}, " if document.pages else ""
    return f"{pages}{document.chunks} chunks"


def hit_words(hit: Hit) -> str:
    """Return one hit in two lines: where it stands, and how it begins."""
    place = f", {hit.place}" if hit.place else ""
    beginning = " ".join(hit.chunk.text.split())[:160]
    return f"{hit.rank:>3}. {hit.document_name}{place} (relevance {hit.scores.relevance:.2f})\n     {beginning}"


def answer_words(run: Run) -> str:
    """Return an answer with its citations listed below."""
    lines = [f"? {run.question}", "", run.answer]
    if run.status is RunStatus.FAILED:
        lines += [f"Failed: {run.error} {run.hint}".rstrip()]
    shown: set[int] = set()
    for citation in run.citations:
        if citation.marker not in shown:
            shown.add(citation.marker)
            lines.append(_citation_words(citation))
    return "\n".join([*lines, f"    {run.mode} · {run.seconds:.2f} s · session {run.session}", ""])


def _citation_words(citation: Citation) -> str:
    if not citation.valid:
        return f"    [{citation.marker}] is not a source of this answer: do not trust what it stands behind"
    place = f", {citation.place}" if citation.place else ""
    quote = " ".join(citation.quote.split())
    return f"    [{citation.marker}] {citation.document_name}{place}: “{quote[:200]}”"
