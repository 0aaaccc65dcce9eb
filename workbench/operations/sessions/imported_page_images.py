"""Pictures of pages that came with an imported session: what is shown of a document that is not here."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from workbench.errors import MissingFile
from workbench.files.changes import delete_folder, move_into_place
from workbench.files.modes import make_folder
from workbench.indexing.atomic_files import fsync_file, fsync_new_name

KEPT_SCALE = 1.5
"""Pixels a point of the pages that an exported session brings along."""
_FOLDER = "kept-pages"
ORIGINALS = "kept-originals"
"""Where session_import.py keeps the files that came with them."""


def keep_page(library_folder: Path, session: int, document: int, place: tuple[int, int, int], file: Path) -> None:
    """Keep a picture of a page under a foreign document's number, its page and the marked characters; blocking.

    It is copied beside itself first, so that it comes to its place whole: it is to lie on the library's disk already.
    """
    folder = library_folder / _FOLDER / str(session)
    target = folder / _name(document, place)
    made = make_folder(folder, inherit=True)
    copy = file.with_name(f"{file.name} {target.name}")
    shutil.copyfile(file, copy)
    fsync_file(copy)
    move_into_place(copy, target, within=library_folder)
    fsync_new_name(target, made)


def kept_page(library_folder: Path, document: int, page: int, start: int, end: int) -> bytes:
    """Return the picture of a page with those characters marked, or else with others; blocking.

    Raises:
        MissingFile: None was kept.
    """
    for pattern in (_name(document, (page, start, end)), f"{-document}-{page}-*.png"):
        for file in sorted((library_folder / _FOLDER).glob(f"*/{pattern}")):
            return file.read_bytes()
    raise MissingFile(
        "Only the pages that an answer cites came with this session.", "Add the document to see the others."
    )


def drop_kept(library_folder: Path, sessions: Iterable[int]) -> None:
    """Delete what was kept for sessions that are gone; blocking."""
    kept = {str(number) for number in sessions}
    for folder in (library_folder / _FOLDER, library_folder / ORIGINALS):
        for one in folder.iterdir() if folder.is_dir() else ():
            if one.name not in kept:
                delete_folder(one, within=library_folder)


def _name(document: int, place: tuple[int, int, int]) -> str:
    return f"{-document}-{'-'.join(map(str, place))}.png"
