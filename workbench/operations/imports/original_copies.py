"""The library's own copies of source files, stored by hash; created one at a time or many together.

originals/<first two digits>/<sha256>/<name>
"""

import contextlib
import secrets
import stat
from pathlib import Path

from workbench.errors import LibraryMoved, UnreadableFile
from workbench.files.changes import delete_file, move_into_place
from workbench.files.modes import make_folder, new_file, others_may, write_new_file
from workbench.indexing.atomic_files import fsync_together
from workbench.operations.imports.source_files import PARTIAL, Digest, copy_error, copy_file, original_path, unwritable


def keep_original(path: Path, originals: Path, expected: Digest, root: Path | None = None) -> Path:
    """Copy a source file into the library, unless it has a copy, and return the copy. No link below root is followed.

    Raises:
        LibraryMoved: The library's folder no longer exists.
        DiskFull: No space for the copy.
        LibraryUnwritable: The library's folder cannot be written.
        UnreadableFile: The file changed while it was copied, or cannot be read.
    """
    with OriginalCopies(originals) as copies:
        return copies.add(path, expected, root)


class OriginalCopies:
    """Batch of copies; on exit all are moved into place and synced to the disk, or all deleted after an exception."""

    def __init__(self, originals: Path) -> None:
        self._originals = originals
        self._partial: dict[Path, Path] = {}
        self._folders: dict[Path, None] = {}
        self._others: int | None = None

    def __enter__(self) -> "OriginalCopies":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._partial:
                self._put_in_place()
        finally:
            for partial in self._partial.values():
                with contextlib.suppress(OSError):
                    delete_file(partial, within=self._originals, missing_ok=True)

    def add(self, path: Path, expected: Digest, root: Path | None = None, *, content: bytes | None = None) -> Path:
        """Copy a file, unless there is a copy, and return the final path of the copy. No link below root is followed.

        Args:
            path: The file.
            expected: Hash and size of the file's bytes when they were hashed.
            root: The folder below which the file was found, if it was found in a folder.
            content: The bytes, if they are available; the file is then not read again.

        Raises:
            LibraryMoved: The library's folder no longer exists.
            DiskFull: No space for the copy.
            LibraryUnwritable: The library's folder cannot be written.
            UnreadableFile: The file changed while it was copied, or cannot be read.
        """
        target = original_path(self._originals, expected.sha256, path.name)
        # A power failure can leave a copy with the right name and the wrong length.
        if target in self._partial or _size(target) == expected.size:
            return target
        try:
            others = self._others = self._prepare_folder() if self._others is None else self._others
            # A random name, because two imports may copy the same file at once and its name may have the full length.
            partial = self._originals / f"{secrets.token_hex(8)}{PARTIAL}"
            if content is None:
                new_file(partial, inherit=True)
            else:
                self._partial[target] = partial
                write_new_file(partial, content, others)
                return target
        except OSError as error:
            raise unwritable(error) from error
        try:
            if copy_file(path, partial, root) != expected:
                raise UnreadableFile(f"“{path.name}” changed while it was read.", "Add it again when it is complete.")
        except BaseException as error:
            with contextlib.suppress(OSError):
                delete_file(partial, within=self._originals)
            if isinstance(error, OSError):
                raise copy_error(error, path) from error
            raise
        self._partial[target] = partial
        return target

    def _prepare_folder(self) -> int:
        """Create the folder of the copies if it is missing, and return the permissions of others for its files."""
        if not self._originals.parent.is_dir():
            raise LibraryMoved(
                f"The library folder {self._originals.parent} was moved, removed or replaced while it was open.",
                "Put it back, or open it where it is now: everything that was saved is in it.",
            )
        if not self._originals.exists():
            make_folder(self._originals, inherit=True)
            self._folders[self._originals.parent] = None
        return others_may(self._originals, inherit=True)

    def _put_in_place(self) -> None:
        try:
            # After a power failure the copy of each document in the library must exist: its bytes are synced before its
            # name, and its name before the row is written.
            fsync_together(list(self._partial.values()), ())
            for target, partial in list(self._partial.items()):
                made = make_folder(target.parent, inherit=True)
                move_into_place(partial, target, within=self._originals)
                del self._partial[target]
                self._folders.update(dict.fromkeys((target.parent, *(one.parent for one in made))))
            fsync_together((), list(self._folders))
        except OSError as error:
            raise unwritable(error) from error


def _size(path: Path) -> int | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
