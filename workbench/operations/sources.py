"""From what the user gave (files, folders) to the files to add, or the reason why not."""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from workbench.errors import (
    DiskFull,
    DocumentError,
    LibraryUnwritable,
    MissingFile,
    UnreadableFile,
)
from workbench.language import mark
from workbench.model.document import Document, Origin
from workbench.operations.file_kinds import has_parser
from workbench.store.intake import Stamp

_PIECE = 1 << 20

HIDDEN = mark("Hidden files in a folder are left out. Add it by itself to have it searched.")
LINKED = mark("A link to a folder is not followed. Add that folder itself to have it searched.")

PARTIAL = ".part"
"""Ending of a copy on its way; those that a kill left behind go when the library is opened."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that the user wants added, absolute.

    Attributes:
        path: Where it is; of an archive's member, where it would be if the archive were a folder.
        explicit: It was named itself rather than found in a folder.
        folder: Where it stands in the tree of the folder that was named ("Contracts/2024").
        origin: A file, or a member of an archive.
        stamp: Of a member; that of a file is asked for when it is needed.
        problem: Why it is not added, one sentence; else empty.
        is_failure: The problem is one of this file rather than of its kind.
        can_pass: It may be gone later, although the file did not change.
    """

    path: Path
    explicit: bool
    folder: str = ""
    origin: Origin = Origin.FILE
    stamp: Stamp | None = None
    problem: str = ""
    is_failure: bool = False
    can_pass: bool = False

    def below(self, folder: str) -> "Source":
        """Return the same at its place below a folder of the tree; as it is for none."""
        return replace(self, folder=f"{folder}/{self.folder}".rstrip("/")) if folder else self


@dataclass(frozen=True, slots=True)
class Digest:
    """What identifies a file: the SHA-256 of its bytes (hex), and their number."""

    sha256: str
    size: int


def find_sources(paths: Sequence[Path]) -> Iterator[Source]:
    """Yield each file once, folders recursively and in name order; hidden folders are passed over.

    Hidden documents, links to folders, and folders that may not be read are yielded with what is the matter.
    """
    seen: set[Path] = set()
    for given in paths:
        # os.path, not pathlib: Path.expanduser raises for “~$report.md”, Path.is_dir for a name that is too long.
        path = Path(os.path.abspath(os.path.expanduser(given)))
        found = _files_below(path) if os.path.isdir(path) else iter((Source(path, explicit=True),))
        for source in found:
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _files_below(folder: Path) -> Iterator[Source]:
    unreadable: list[OSError] = []
    for current, folders, names in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        place = Path(current).relative_to(folder.parent).as_posix() if folder.name else ""
        for name in sorted(names):
            path = Path(current, name)
            if not name.startswith("."):
                yield Source(path, explicit=False, folder=place)
            elif has_parser(path):
                yield Source(path, explicit=False, folder=place, problem=HIDDEN)
        for name in folders:
            # Not followed: links may lead in circles, or out to the whole disk.
            if os.path.islink(os.path.join(current, name)):
                yield Source(Path(current, name), explicit=False, folder=place, problem=LINKED)
    for error in unreadable:
        yield Source(Path(os.fsdecode(error.filename or folder)), explicit=True)


def stamp(path: Path) -> Stamp:
    """Return what the file system says of a file, without reading it.

    Raises:
        DocumentError: There is no such file, it may not be looked at, or it is none (a pipe would never end).
    """
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise _not_a_file(path)
    return Stamp(found.st_size, found.st_mtime_ns)


def digest(path: Path) -> Digest:
    """Return the hash of a file's bytes.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    stamp(path)
    try:
        sha256 = hashlib.sha256()
        size = 0
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                sha256.update(piece)
                size += len(piece)
    except (OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    return Digest(sha256.hexdigest(), size)


def _unreachable(path: Path, error: OSError | ValueError) -> DocumentError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _missing(path)
    return UnreadableFile(
        f"“{path.name}” cannot be read: {_reason(error)}.",
        "Check that you may open it and that its drive is connected.",
    )


def _not_a_file(path: Path) -> DocumentError:
    if path.is_dir():
        return UnreadableFile(f"The folder “{path.name}” cannot be read.", "Check that you may open it.")
    return UnreadableFile(f"“{path.name}” is not a file.", "Add documents or folders of documents.")


def _missing(path: Path) -> DocumentError:
    if path.is_symlink():
        return MissingFile(f"“{path.name}” is a link to a file that does not exist.", "Add the file itself.")
    return MissingFile(f"“{path}” does not exist.", "Check the spelling, or whether it was moved.")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return mark("its link leads back to itself")
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def original_path(originals: Path, sha256: str, name: str) -> Path:
    """Return where the library keeps its copy of a source file."""
    return originals / sha256[:2] / sha256 / name


def find_original(originals: Path, document: Document) -> Path | None:
    """Return the file to read a document from, or None when it is gone.

    That is the library's copy; of a linked document, the user's own file as long as it holds the same bytes.
    """
    copy = find_copy(originals, document)
    return copy if copy is not None else users_file(document)


def find_copy(originals: Path, document: Document) -> Path | None:
    """Return the library's own copy of a document, or None when there is none."""
    # Not by its name: that of a page or a note may be “AC/DC”.
    folder = original_path(originals, document.sha256, "-").parent
    return next(iter(sorted(folder.glob("*"))), None)


def users_file(document: Document) -> Path | None:
    """Return the file that a document was added from, where it still holds the same bytes."""
    if document.origin is not Origin.FILE:
        return None
    path = Path(document.path)
    try:
        now = stamp(path)
        same = now.size == document.size and digest_at(path, now).sha256 == document.sha256
    except DocumentError:
        return None
    return path if same else None


@lru_cache(maxsize=10_000)
def digest_at(path: Path, _stamp: Stamp) -> Digest:
    """Return the hash of a file, read anew only where its stamp changed: each page drawn asks for it.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    return digest(path)


def copy_error(error: OSError, path: Path) -> DocumentError | DiskFull | LibraryUnwritable:
    """Return the error to show for a copy that failed: was it the user's file, or the library's folder?"""
    full_or_read_only = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    if full_or_read_only or (error.filename is not None and Path(os.fsdecode(error.filename)) != path):
        return unwritable(error)
    return UnreadableFile(f"“{path.name}” cannot be read: {_reason(error)}.", "Check that you may open it.")


def unwritable(error: OSError) -> DiskFull | LibraryUnwritable:
    """Return the error to show when the library's folder cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull("The disk is full: the document was not added.", "Free some space, then add it again.")
    return LibraryUnwritable(
        f"The library's folder cannot be written: {_reason(error)}.",
        "Check its permissions, or choose another folder.",
    )


def copies(originals: Path) -> list[Path]:
    """Return the folders of all copies, each named by the hash of what is in it."""
    return list(originals.glob("??/*"))


def drop_partial(originals: Path) -> None:
    """Delete the copies that a kill left unfinished."""
    for partial in originals.glob("*" + PARTIAL):
        with contextlib.suppress(OSError):
            partial.unlink()
