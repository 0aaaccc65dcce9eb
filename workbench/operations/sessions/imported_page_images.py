"""Page images of imported sessions, shown for documents that are not in the library."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from workbench.errors import MissingFile
from workbench.files.changes import delete_folder, move_into_place
from workbench.files.modes import make_folder
from workbench.indexing.atomic_files import fsync_file, fsync_new_name

KEPT_SCALE = 1.5
"""Pixels per point of the page images in an exported session."""
_FOLDER = "kept-pages"
ORIGINALS = "kept-originals"
"""Folder in which session_import.py keeps the original files of imported sessions."""


def store_page_image(
    library_folder: Path, session: int, document: int, place: tuple[int, int, int], file: Path
) -> None:
    """Store a page image under a foreign document's number, its page and the highlighted characters; blocking.

    The image is copied in its own folder first and then moved into place, so that the move is atomic. It must be on the
    same disk as the library.
    """
    folder = library_folder / _FOLDER / str(session)
    target = folder / _name(document, place)
    made = make_folder(folder, inherit=True)
    copy = file.with_name(f"{file.name} {target.name}")
    shutil.copyfile(file, copy)
    fsync_file(copy)
    move_into_place(copy, target, within=library_folder)
    fsync_new_name(target, made)


def read_page_image(library_folder: Path, document: int, page: int, start: int, end: int) -> bytes:
    """Return the image of a page with those characters highlighted, or else with others; blocking.

    Raises:
        MissingFile: No image of the page is stored.
    """
    for pattern in (_name(document, (page, start, end)), f"{-document}-{page}-*.png"):
        for file in sorted((library_folder / _FOLDER).glob(f"*/{pattern}")):
            return file.read_bytes()
    raise MissingFile(
        "This session contains only the pages that its answers cite.", "Add the document to see the others."
    )


def delete_kept_files(library_folder: Path, sessions: Iterable[int]) -> None:
    """Delete the page images and original files of all sessions except these; blocking."""
    kept = {str(number) for number in sessions}
    for folder in (library_folder / _FOLDER, library_folder / ORIGINALS):
        for one in folder.iterdir() if folder.is_dir() else ():
            if one.name not in kept:
                delete_folder(one, within=library_folder)


def _name(document: int, place: tuple[int, int, int]) -> str:
    return f"{-document}-{'-'.join(map(str, place))}.png"
