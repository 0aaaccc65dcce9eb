"""The documents that a session cites, with the hashes of their files, by which anybody can tell the right ones."""

from workbench.export.base import ExportContext

TITLE = "Documents cited"


def document_list(context: ExportContext) -> list[tuple[str, str]]:
    """Return name and description of each cited document; nothing of it is escaped yet."""
    cited = (document for document in context.documents if document.is_cited)
    return [(document.name, _about(document.pages, document.bytes, document.sha256)) for document in cited]


def _about(pages: int, size: int, sha256: str) -> str:
    if not size:
        return "not in the library any more"
    counted = [f"{pages} page{'' if pages == 1 else 's'}"] if pages else []
    return " · ".join([*counted, f"{size:,} bytes", f"sha256 of the file {sha256}"])
