"""Files of documents that came in a bundle and are not here: kept with the imported session until they are wanted."""

import logging
from collections.abc import Sequence
from pathlib import Path

from workbench.export.bundle_reader import UnpackedOriginal
from workbench.files.changes import delete_folder, move_file
from workbench.files.modes import make_folder, new_file
from workbench.indexing.atomic_files import fsync_file, fsync_new_name
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.model.session import KeptOriginal
from workbench.operations.documents import add_documents
from workbench.operations.foreign_documents import foreign_number
from workbench.operations.kept_pages import ORIGINALS
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation

_log = logging.getLogger(__name__)
_SOURCE = "source"
"""A file beside the others that says where the bundle lay out of which they are."""
_HERE = (FileOutcome.READY, FileOutcome.UNCHANGED)


def kept_original(library: Library, document: int) -> Operation[KeptOriginal | None]:
    """Return the file that came with an imported session for a document that is not here; None where none did."""

    async def operation(_context: JobContext) -> KeptOriginal | None:
        return await library.on_store(_described, library, document)

    return operation


def add_kept_originals(
    library: Library, documents: Sequence[int], *, knowledge_base: str = "default"
) -> Operation[list[FileFinished]]:
    """Add documents whose files came with imported sessions; sessions that are opened from then on lead to them.

    Emits what add_documents does. A file stays kept until the document is here whole.

    Args:
        library: The library.
        documents: Their numbers in the sessions, below zero; those of which no file was kept are left out.
        knowledge_base: Where they go; made if there is none of that name.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        found = [await library.on_store(_file_of, library, number) for number in documents]
        files = [file for file in found if file is not None]
        finished = await add_documents(library, files, knowledge_base=knowledge_base)(context)
        for one in finished:
            if one.outcome in _HERE and one.document is not None:
                await library.on_store(_settle, library, context, one.document, Path(one.path))
        return finished

    return operation


def keep_files(library: Library, session: int, bundle: Path, originals: Sequence[UnpackedOriginal]) -> list[int]:
    """Keep the files of documents that are not here, moved from where they were unpacked; blocking.

    Returns:
        The numbers by which the session knows their documents.
    """
    here = {document.sha256 for document in library.documents.list()}
    kept = []
    for original in originals:
        number = foreign_number(original.sha256)
        if number is None or original.sha256 in here:
            continue
        folder = library.folder / ORIGINALS / str(session) / str(-number)
        try:
            made = make_folder(folder, inherit=True)
            new_file(folder.parent / _SOURCE, inherit=True)
            (folder.parent / _SOURCE).write_text(str(bundle), "utf-8", "surrogateescape")
            fsync_file(original.file)
            move_file(original.file, folder / original.file.name, within=library.folder)
            fsync_new_name(folder / original.file.name, made)
        except OSError as error:
            # The session is here, with its passages and pages; only this button will be missing.
            _log.info("the file of %s could not be kept: %s", original.file.name, error)
            delete_folder(folder, within=library.folder)
            continue
        kept.append(number)
    return kept


def _described(library: Library, document: int) -> KeptOriginal | None:
    file = _file_of(library, document)
    return None if file is None else KeptOriginal(document, file.name, file.stat().st_size)


def _file_of(library: Library, document: int) -> Path | None:
    if document >= 0:
        return None
    files = sorted((library.folder / ORIGINALS).glob(f"*/{-document}/*"))
    return files[0] if files else None


def _settle(library: Library, context: JobContext, document: int, file: Path) -> None:
    """Let a document that is here say which bundle it is out of; its file is no longer needed."""
    source = file.parent.parent / _SOURCE
    if source.is_file() and library.documents.get(document).path == str(file):
        bundle = Path(source.read_text("utf-8", "surrogateescape"))
        context.emit(DocumentChanged(library.documents.rename_path(document, bundle / file.name)))
    for folder in (library.folder / ORIGINALS).glob(f"*/{file.parent.name}"):
        delete_folder(folder, within=library.folder)
