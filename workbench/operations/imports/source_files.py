"""Source files: resolves paths and folders to files, hashes and copies them, and decides which can be documents.

Only this module decides that for files that were found in folders and archives. For a file that the user named, the
parser decides, because it gives a more detailed error.
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
from workbench.parsing.parser_registry import make_unsupported_error, parser_for, suffix_of, supported_suffixes
from workbench.store.intake import FileStamp
from workbench.system import current

_PIECE = 1 << 20

HIDDEN = mark("Hidden files in a folder are left out. To search this file, add it directly.")
LINKED = mark("A link to a folder is not followed. To search that folder, add it directly.")
LINKED_FILE = mark("A link to a file is not followed. Add that file itself, or turn on “Follow symbolic links”.")

PARTIAL = ".part"
"""Suffix of an unfinished copy; copies left by a killed process are deleted when the library is opened."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be added.

    Attributes:
        path: Absolute path; for a member of an archive, the path that it would have if the archive were a folder.
        explicit: True if the user named the file itself, False if it was found in a folder.
        folder: Its folder in the tree of the folder that was named ("Contracts/2024").
        origin: FILE, or ARCHIVE for a member of an archive.
        stamp: Stamp of a member; the stamp of a file is read when it is needed.
        problem: The reason why it is not added, one sentence; else empty.
        is_failure: True if the problem concerns this file and not its kind.
        can_pass: True if the problem may disappear without a change of the file.
        root: The folder in which it was found, out of which no link may lead; None if links are followed.
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
        """Return the file moved below a folder of the tree; unchanged if the folder is empty."""
        return replace(self, folder=f"{folder}/{self.folder}".rstrip("/")) if folder else self


@dataclass(frozen=True, slots=True)
class Digest:
    """Identity of a file's content: the SHA-256 of its bytes (hex) and their number."""

    sha256: str
    size: int


def find_sources(
    paths: Sequence[Path], *, follow_links: bool = False, found_in: Iterable[Path] = ()
) -> Iterator[SourceFile]:
    """Yield each file once, folders recursively and in name order; hidden folders are skipped.

    Hidden documents, links to folders and links to files are yielded with a problem. A folder that cannot be read is
    yielded as a named file, so that adding it reports the error.

    Args:
        paths: Files and folders. A link that is named here is followed.
        follow_links: Also follow the links to files that are in the folders.
        found_in: Folders (absolute) whose files the user did not name: paths below them were found by scanning them.
    """
    seen: set[Path] = set()
    roots = () if follow_links else tuple(found_in)
    for given in paths:
        # os.path, not pathlib: Path.expanduser raises for “~$report.md”, Path.is_dir for a name that is too long.
        path = Path(os.path.abspath(os.path.expanduser(given)))
        if os.path.isdir(path):
            found = _find_files_below(path, follow_links=follow_links)
        else:
            found = iter((_make_named_source(path, next((root for root in roots if root in path.parents), None)),))
        for source in found:
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _make_named_source(path: Path, root: Path | None) -> SourceFile:
    problem = LINKED_FILE if root is not None and path.is_symlink() else ""
    return SourceFile(path, explicit=True, problem=problem, root=root)


def _find_files_below(folder: Path, *, follow_links: bool) -> Iterator[SourceFile]:
    root = None if follow_links else folder
    unreadable: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        place = Path(here).relative_to(folder.parent).as_posix() if folder.name else ""
        for name in sorted(names):
            path = Path(here, name)
            if name.startswith("."):
                if has_parser(path):
                    yield SourceFile(path, explicit=False, folder=place, problem=HIDDEN)
            else:
                # Links may lead to any file on the disk; those to files in the folder itself are not needed.
                is_left = root is not None and os.path.islink(path)
                yield SourceFile(path, explicit=False, folder=place, problem=LINKED_FILE if is_left else "", root=root)
        for name in folders:
            # Not followed, because such links may form cycles or lead to the whole disk.
            if os.path.islink(os.path.join(here, name)):
                yield SourceFile(Path(here, name), explicit=False, folder=place, problem=LINKED)
    for error in unreadable:
        yield SourceFile(Path(os.fsdecode(error.filename or folder)), explicit=True)


def stamp(path: Path, root: Path | None = None) -> FileStamp:
    """Return the size and modification time of a file, without reading it; if root is given, links are refused.

    Raises:
        DocumentError: The file does not exist, cannot be accessed, or is not a regular file (a pipe would never end).
    """
    try:
        found = path.stat(follow_symlinks=root is None)
    except (OSError, ValueError) as error:
        raise _make_access_error(path, error) from error
    if stat.S_ISLNK(found.st_mode):
        raise _make_link_error(path)
    if not stat.S_ISREG(found.st_mode):
        raise _make_not_a_file_error(path)
    return FileStamp(found.st_size, found.st_mtime_ns)


def content(path: Path, most: int, root: Path | None = None) -> bytes | None:
    """Return the bytes of a file, or None if there are more than most; below root no link is followed.

    Raises:
        DocumentError: The file does not exist or cannot be read.
    """
    try:
        with opened(path, root) as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise _make_access_error(path, error) from error
    return data if len(data) <= most else None


def digest_of(data: bytes) -> Digest:
    """Return the digest of these bytes."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))


def digest(path: Path, root: Path | None = None) -> Digest:
    """Return the digest of a file's bytes; below root no link is followed.

    Raises:
        DocumentError: The file does not exist or cannot be read.
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
        raise _make_access_error(path, error) from error
    return Digest(sha256.hexdigest(), size)


def opened(path: Path, root: Path | None = None) -> BinaryIO:
    """Open a file for reading; below root, where it was found, no part of its path may have become a link since.

    Raises:
        DocumentError: A part of the path became a link.
        OSError: The file cannot be opened.
    """
    # Windows supports neither; creating a link there requires special rights.
    if root is None or os.open not in os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
        return Path(current().long_path(str(path))).open("rb")
    *folders, name = path.relative_to(root).parts
    # O_NONBLOCK: do not wait for the other end if the file became a pipe.
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
            raise _make_link_error(path) from error
        error.filename = str(path)
        raise


def _make_link_error(path: Path) -> UnreadableFile:
    return UnreadableFile(f"“{path.name}” was replaced by a link while it was read.", "Add the file that it leads to.")


def _make_access_error(path: Path, error: OSError | ValueError) -> DocumentError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _make_missing_error(path)
    return UnreadableFile(
        f"“{path.name}” cannot be read: {_reason(error)}.",
        "Check that you may open it and that its drive is connected.",
    )


def _make_not_a_file_error(path: Path) -> DocumentError:
    if path.is_dir():
        return UnreadableFile(f"The folder “{path.name}” cannot be read.", "Check that you may open it.")
    return UnreadableFile(f"“{path.name}” is not a file.", "Add documents or folders of documents.")


def _make_missing_error(path: Path) -> DocumentError:
    if path.is_symlink():
        return MissingFile(f"“{path.name}” is a link to a file that does not exist.", "Add the file itself.")
    return MissingFile(f"“{path}” does not exist.", "Check the spelling, or whether it was moved.")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return mark("its link leads back to itself")
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def original_path(originals: Path, sha256: str, name: str) -> Path:
    """Return the path of the library's copy of a source file."""
    return Path(current().long_path(str(originals / sha256[:2] / sha256 / name)))


def find_original(originals: Path, document: Document) -> Path | None:
    """Return the file from which to read a document, or None if there is none.

    This is the library's copy or, if there is none, the user's own file as long as it has the same bytes.
    """
    copy = find_copy(originals, document)
    return copy if copy is not None else users_file(document)


def find_copy(originals: Path, document: Document) -> Path | None:
    """Return the library's own copy of a document, or None if there is none."""
    # The name is not used: the name of a page or a note may contain a slash (“AC/DC”).
    folder = original_path(originals, document.sha256, "-").parent
    return next(iter(sorted(folder.glob("*"))), None)


def users_file(document: Document) -> Path | None:
    """Return the file from which a document was added, or None if it no longer has the same bytes."""
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
    """Return the digest of a file, cached by its stamp, because it is needed for each page that is drawn.

    Raises:
        DocumentError: The file does not exist or cannot be read.
    """
    return digest(path)


def copy_file(path: Path, copy: Path, root: Path | None = None) -> Digest:
    """Copy the bytes of a file, and return their digest; below root no link is followed.

    Raises:
        DocumentError: A part of the path became a link.
        OSError: The file cannot be read, or the copy cannot be written.
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
    """Return the error to show for a copy that failed; it names either the user's file or the library's folder."""
    full_or_read_only = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
    if full_or_read_only or (error.filename is not None and Path(os.fsdecode(error.filename)) != path):
        return unwritable(error)
    return UnreadableFile(f"“{path.name}” cannot be read: {_reason(error)}.", "Check that you may open it.")


def is_full(error: OSError) -> bool:
    """Return True if the disk is full or the user's quota is exceeded."""
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
    """Return the folders of all copies, each named by the hash of its content."""
    return list(originals.glob("??/*"))


def drop_partial(originals: Path) -> None:
    """Delete the unfinished copies that a killed process left."""
    for partial in originals.glob("*" + PARTIAL):
        with contextlib.suppress(OSError):
            delete_file(partial, within=originals)


_NO_ENDING = mark("Its name has no extension, and it contains no text.")


def has_parser(path: Path) -> bool:
    """Return True if the suffix of a file name has a parser; only the name is examined."""
    return suffix_of(path) in supported_suffixes()


def refusal(path: Path, stamp: FileStamp) -> str:
    """Return why a file in a folder does not become a document, one sentence, or an empty string if it may.

    A file without a suffix ("README", "Letter to Dr. Smith") is judged by its first 4 KB; blocking.

    Raises:
        UnreadableFile: The file cannot be opened.
    """
    if suffix_of(path):
        return refusal_by_name(path)
    return "" if stamp.size and _holds_text(path, stamp) else _NO_ENDING


def refusal_by_name(path: Path) -> str:
    """Return the same, judged by the name only; a name without a suffix is accepted."""
    suffix = suffix_of(path)
    if not suffix or suffix in supported_suffixes():
        return ""
    error = make_unsupported_error(suffix)
    return str(error) if suffix in ADVICE else error.message


@lru_cache(maxsize=10_000)
def _holds_text(path: Path, _stamp: FileStamp) -> bool:
    """Return True if a parser accepts a file without a suffix; cached by the file's stamp.

    Raises:
        UnreadableFile: The file cannot be opened.
    """
    try:
        parser_for(path)
    except (DamagedDocument, UnsupportedFormat):
        return False
    return True
