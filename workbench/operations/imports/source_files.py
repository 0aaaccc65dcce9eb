"""Source files: paths and folders resolved to files, their digests and copies, and which kinds can be documents.

The one place that decides it for files that were found in folders and archives. A file that the user named himself is
judged by its parser, which has more to say.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from workbench.errors import (
    DamagedDocument,
    DiskFull,
    DocumentError,
    LibraryUnwritable,
    MissingFile,
    UnreadableFile,
    UnsupportedFormat,
)
from workbench.files.changes import delete_file
from workbench.language import mark
from workbench.model.document import Document, Origin
from workbench.parsing.formats import ADVICE
from workbench.parsing.registry import make_unsupported_error, parser_for, suffix_of, supported_suffixes
from workbench.store.intake import FileStamp

_PIECE = 1 << 20

HIDDEN = mark("Hidden files in a folder are left out. Add it by itself to have it searched.")
LINKED = mark("A link to a folder is not followed. Add that folder itself to have it searched.")
LINKED_FILE = mark("A link to a file is not followed. Add that file itself, or have links to files followed.")

PARTIAL = ".part"
"""Ending of a copy on its way; those that a kill left behind go when the library is opened."""


@dataclass(frozen=True, slots=True)
class SourceFile:
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
        root: The folder in which it was found, and out of which no link may lead; None where links are followed.
    """

    path: Path
    explicit: bool
    folder: str = ""
    origin: Origin = Origin.FILE
    stamp: FileStamp | None = None
    problem: str = ""
    is_failure: bool = False
    can_pass: bool = False
    root: Path | None = None

    def below(self, folder: str) -> "SourceFile":
        """Return the same at its place below a folder of the tree; as it is for none."""
        return replace(self, folder=f"{folder}/{self.folder}".rstrip("/")) if folder else self


@dataclass(frozen=True, slots=True)
class Digest:
    """What identifies a file: the SHA-256 of its bytes (hex), and their number."""

    sha256: str
    size: int


def find_sources(
    paths: Sequence[Path], *, follow_links: bool = False, found_in: Iterable[Path] = ()
) -> Iterator[SourceFile]:
    """Yield each file once, folders recursively and in name order; hidden folders are passed over.

    Hidden documents, links to folders, links to files, and folders that may not be read are yielded with what is the
    matter.

    Args:
        paths: Files and folders. A link that is named here itself is followed.
        follow_links: Follow the links to files that are in the folders, too.
        found_in: Folders (absolute) whose files nobody named: paths below them were found by looking through them.
    """
    seen: set[Path] = set()
    roots = () if follow_links else tuple(found_in)
    for given in paths:
        # os.path, not pathlib: Path.expanduser raises for “~$report.md”, Path.is_dir for a name that is too long.
        path = Path(os.path.abspath(os.path.expanduser(given)))
        if os.path.isdir(path):
            found = _files_below(path, follow_links=follow_links)
        else:
            found = iter((_named(path, next((root for root in roots if root in path.parents), None)),))
        for source in found:
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _named(path: Path, root: Path | None) -> SourceFile:
    problem = LINKED_FILE if root is not None and path.is_symlink() else ""
    return SourceFile(path, explicit=True, problem=problem, root=root)


def _files_below(folder: Path, *, follow_links: bool) -> Iterator[SourceFile]:
    root = None if follow_links else folder
    unreadable: list[OSError] = []
    for current, folders, names in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        place = Path(current).relative_to(folder.parent).as_posix() if folder.name else ""
        for name in sorted(names):
            path = Path(current, name)
            if name.startswith("."):
                if has_parser(path):
                    yield SourceFile(path, explicit=False, folder=place, problem=HIDDEN)
            else:
                # They may lead to any file of the disk, and what is in the folder itself is read anyway.
                is_left = root is not None and os.path.islink(path)
                yield SourceFile(path, explicit=False, folder=place, problem=LINKED_FILE if is_left else "", root=root)
        for name in folders:
            # Not followed: links may lead in circles, or out to the whole disk.
            if os.path.islink(os.path.join(current, name)):
                yield SourceFile(Path(current, name), explicit=False, folder=place, problem=LINKED)
    for error in unreadable:
        yield SourceFile(Path(os.fsdecode(error.filename or folder)), explicit=True)


def stamp(path: Path, root: Path | None = None) -> FileStamp:
    """Return what the file system says of a file, without reading it; a link is no file where there is a root.

    Raises:
        DocumentError: There is no such file, it may not be looked at, or it is none (a pipe would never end).
    """
    try:
        found = path.stat(follow_symlinks=root is None)
    except (OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    if stat.S_ISLNK(found.st_mode):
        raise _became_link(path)
    if not stat.S_ISREG(found.st_mode):
        raise _not_a_file(path)
    return FileStamp(found.st_size, found.st_mtime_ns)


def content(path: Path, most: int, root: Path | None = None) -> bytes | None:
    """Return the bytes of a file, or None where they are more than most; below root no link is followed.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    try:
        with opened(path, root) as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    return data if len(data) <= most else None


def digest_of(data: bytes) -> Digest:
    """Return what identifies a file of these bytes."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))


def digest(path: Path, root: Path | None = None) -> Digest:
    """Return the hash of a file's bytes; below root no link is followed.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    stamp(path, root)
    try:
        sha256 = hashlib.sha256()
        size = 0
        with opened(path, root) as file:
            while piece := file.read(_PIECE):
                sha256.update(piece)
                size += len(piece)
    except (OSError, ValueError) as error:
        raise _unreachable(path, error) from error
    return Digest(sha256.hexdigest(), size)


def opened(path: Path, root: Path | None = None) -> BinaryIO:
    """Open a file to be read; below root, where it was found, no part of its path may have become a link since.

    Raises:
        DocumentError: One has.
        OSError: It cannot be opened.
    """
    # Windows has neither; a link there takes rights of its own to make.
    if root is None or os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
        return path.open("rb")
    *folders, name = path.relative_to(root).parts
    # Not to wait for the other end of what became a pipe.
    file = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = -1
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        for part in (*folders, name):
            inner = os.open(part, file | (os.O_DIRECTORY if part is not name else 0), dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        return os.fdopen(descriptor, "rb")
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _became_link(path) from error
        error.filename = str(path)
        raise


def _became_link(path: Path) -> UnreadableFile:
    return UnreadableFile(f"“{path.name}” became a link while it was read.", "Add the file that it leads to.")


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
def digest_at(path: Path, _stamp: FileStamp) -> Digest:
    """Return the hash of a file, read anew only where its stamp changed: each page drawn asks for it.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    return digest(path)


def copy_file(path: Path, copy: Path, root: Path | None = None) -> Digest:
    """Copy the bytes of a file, and return their hash; below root no link is followed.

    Raises:
        DocumentError: Part of its path became a link.
        OSError: It cannot be read, or the copy not be written.
    """
    sha256 = hashlib.sha256()
    size = 0
    with opened(path, root) as source, copy.open("wb") as target:
        while piece := source.read(_PIECE):
            target.write(piece)
            sha256.update(piece)
            size += len(piece)
    return Digest(sha256.hexdigest(), size)


def copy_error(error: OSError, path: Path) -> DocumentError | DiskFull | LibraryUnwritable:
    """Return the error to show for a copy that failed: was it the user's file, or the library's folder?"""
    full_or_read_only = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    if full_or_read_only or (error.filename is not None and Path(os.fsdecode(error.filename)) != path):
        return unwritable(error)
    return UnreadableFile(f"“{path.name}” cannot be read: {_reason(error)}.", "Check that you may open it.")


def is_full(error: OSError) -> bool:
    """Return whether a disk, or the user's share of it, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def unwritable(error: OSError) -> DiskFull | LibraryUnwritable:
    """Return the error to show when the library's folder cannot be written."""
    if is_full(error):
        return DiskFull(
            "The disk is full: the document was not added.",
            "Free some space: it is read then, or by “workbench resume”.",
        )
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
            delete_file(partial, within=originals)


_NO_ENDING = mark("Its name has no ending, and it does not hold text.")


def has_parser(path: Path) -> bool:
    """Whether the ending of a name is one that is read; looks at nothing but the name."""
    return suffix_of(path) in supported_suffixes()


def refusal(path: Path, stamp: FileStamp) -> str:
    """Return why a file of a folder does not become a document, one sentence, or nothing where it may.

    A file without an ending ("README", "Letter to Dr. Smith") is opened and its first 4 KB tell; blocking.

    Raises:
        UnreadableFile: It cannot be opened.
    """
    if suffix_of(path):
        return refusal_by_name(path)
    return "" if stamp.size and _holds_text(path, stamp) else _NO_ENDING


def refusal_by_name(path: Path) -> str:
    """Return the same for what cannot be looked into; a name without an ending is let through."""
    suffix = suffix_of(path)
    if not suffix or suffix in supported_suffixes():
        return ""
    error = make_unsupported_error(suffix)
    return str(error) if suffix in ADVICE else error.message


@lru_cache(maxsize=10_000)
def _holds_text(path: Path, _stamp: FileStamp) -> bool:
    """Whether a parser would take a file without an ending; asked again only when its stamp changed.

    Raises:
        UnreadableFile: It cannot be opened.
    """
    try:
        parser_for(path)
    except (DamagedDocument, UnsupportedFormat):
        return False
    return True
