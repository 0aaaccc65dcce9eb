"""Original files of documents: the library's own copies, and those of shared libraries, fetched when needed."""

import logging
import secrets
from pathlib import Path

from workbench.errors import NotFound
from workbench.files.changes import delete_file, delete_folder, mark_used, move_into_place
from workbench.files.modes import make_folder
from workbench.model.document import Document
from workbench.operations.imports.source_files import find_copy, find_original, original_path
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import slot_of

logger = logging.getLogger(__name__)

_FOLDER = "shared"
_MOST_BYTES = 1 << 30
"""Size of the fetched files from which the least recently used ones are deleted: 1 GB."""


def original_of(library: Library, document: Document) -> Path | None:
    """Return the file from which a document was read, or None if there is none; blocking.

    That of a shared library is fetched from the server at the first time, and kept in the folder of the library.

    Raises:
        SharedLibraryUnreachable: The server cannot be reached.
        OSError: The disk is full.
    """
    if not slot_of(document.id):
        return find_original(library.originals, document)
    folder = library.folder / _FOLDER if library.unstored is None else library.unstored.folder / _FOLDER
    found = find_copy(folder, document)
    if found is not None:
        mark_used(found)
        return found
    make_folder(folder)
    part = folder / f"{secrets.token_hex(8)}.part"
    try:
        library.documents.read_original(document, part)
        target = original_path(folder, document.sha256, Path(document.name).name)
        make_folder(target.parent)
        move_into_place(part, target, within=folder)
    except NotFound as error:
        logger.info("%s", error)
        return None
    finally:
        delete_file(part, within=folder, missing_ok=True)
    _drop_oldest(folder, target)
    return target


def _drop_oldest(folder: Path, kept: Path) -> None:
    """Delete the files that were used least recently, if there are too many."""
    files = sorted((file for file in folder.glob("??/*/*") if file != kept), key=lambda file: -file.stat().st_mtime)
    total = kept.stat().st_size
    for file in files:
        total += file.stat().st_size
        if total > _MOST_BYTES:
            delete_folder(file.parent, within=folder)
