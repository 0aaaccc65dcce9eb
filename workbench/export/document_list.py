"""The documents that a session cites, with the hashes of their files, by which anybody can tell the right ones."""

from workbench.export.base import ExportContext
from workbench.language import mark, tr, trn

TITLE = mark("Documents cited")


def document_list(context: ExportContext) -> list[tuple[str, str]]:
    """Return name and description of each cited document; nothing of it is escaped yet."""
    cited = (document for document in context.documents if document.is_cited)
    return [(document.name, _about(document.pages, document.bytes, document.sha256)) for document in cited]


def _about(pages: int, size: int, sha256: str) -> str:
    if not size:
        return tr("not in the library any more")
    counted = [trn("{n} page", "{n} pages", pages)] if pages else []
    return " · ".join([*counted, tr("{n:,} bytes", n=size), tr("sha256 of the file {sha256}", sha256=sha256)])
