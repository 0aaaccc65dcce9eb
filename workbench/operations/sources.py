"""From what the user gave (files, folders) to the files to add, or the reason why not."""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DiskFull, DocumentError, LibraryUnwritable, MissingFile, UnreadableFile
from workbench.model.document import Document

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """A file that the user wants added, absolute; explicit when named itself rather than found in a folder."""

    path: Path
    explicit: bool


@dataclass(frozen=True, slots=True)
class Digest:
    """What identifies a file: the SHA-256 of its bytes (hex), and their number."""

    sha256: str
    size: int


def find_sources(paths: Sequence[Path]) -> Iterator[Source]:
    """Yield each file once, folders recursively and in name order; hidden files and folders are passed over."""
    seen: set[Path] = set()
    for given in paths:
        path = Path(os.path.abspath(given.expanduser()))
        found = _files_below(path) if path.is_dir() else iter((Source(path, explicit=True),))
        for source in found:
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _files_below(folder: Path) -> Iterator[Source]:
    for current, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Source(Path(current, name), explicit=False)


def digest(path: Path) -> Digest:
    """Return the hash of a file's bytes.

    Raises:
        DocumentError: There is no such file, or it may not be read.
    """
    try:
        if not path.is_file():
            raise _not_a_file(path)
        sha256 = hashlib.sha256()
        size = 0
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                sha256.update(piece)
                size += len(piece)
    except OSError as error:
        raise UnreadableFile(
            f"“{path.name}” cannot be read: {error.strerror or error}.",
            "Check that you may open it and that its drive is connected.",
        ) from error
    return Digest(sha256.hexdigest(), size)


def _not_a_file(path: Path) -> DocumentError:
    if path.exists():
        return UnreadableFile(f"“{path.name}” is not a file.", "Add documents or folders of documents.")
    return MissingFile(f"“{path}” does not exist.", "Check the spelling, or whether it was moved.")


def original_path(originals: Path, sha256: str, name: str) -> Path:
    """Return where the library keeps its copy of a source file."""
    return originals / sha256[:2] / sha256 / name


def find_original(originals: Path, document: Document) -> Path | None:
    """Return the library's copy of a document's file, or None when it is gone."""
    folder = original_path(originals, document.sha256, document.name).parent
    return next((file for file in sorted(folder.glob("*")) if not file.name.endswith(".part")), None)


def keep_original(path: Path, originals: Path, expected: Digest) -> Path:
    """Copy a source file into the library and return the copy; nothing is copied twice.

    Raises:
        DiskFull: No room for the copy.
        LibraryUnwritable: The library's folder cannot be written.
        UnreadableFile: The file changed while it was copied, or cannot be read.
    """
    target = original_path(originals, expected.sha256, path.name)
    if target.exists():
        return target
    partial = target.with_name(target.name[:200] + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, partial)
        if digest(partial) != expected:
            raise UnreadableFile(f"“{path.name}” changed while it was read.", "Add it again when it is complete.")
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise _copy_error(error, path) from error
    except UnreadableFile:
        partial.unlink(missing_ok=True)
        raise
    return target


def _copy_error(error: OSError, path: Path) -> DocumentError | DiskFull | LibraryUnwritable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull("The disk is full: the document was not added.", "Free some space, then add it again.")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM) and os.access(path, os.R_OK):
        return LibraryUnwritable(
            "The library's folder cannot be written.", "Check its permissions, or choose another folder."
        )
    return UnreadableFile(f"“{path.name}” cannot be read: {error.strerror or error}.", "Check that you may open it.")


def drop_orphans(originals: Path, kept: set[str]) -> None:
    """Delete the copies of documents that are gone; kept holds the hashes still in use."""
    for folder in originals.glob("??/*"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)
