"""The library's own copies of source files, by the hash of what is in them: made one at a time or many together.

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
    """Copy a source file into the library and return the copy; nothing is copied twice. Below root follow no link.

    Raises:
        LibraryMoved: The library's folder is not there any more.
        DiskFull: No room for the copy.
        LibraryUnwritable: The library's folder cannot be written.
        UnreadableFile: The file changed while it was copied, or cannot be read.
    """
    with OriginalCopies(originals) as copies:
        return copies.add(path, expected, root)


class OriginalCopies:
    """Copies that are made together: on leaving all are in their places and on the disk, or none after an exception."""

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
        """Copy a file, and return where the copy will be; nothing is copied twice. Below root follow no link.

        Args:
            path: The file.
            expected: What identifies the bytes that it held when they were looked at.
            root: The folder below which it was found, if it was.
            content: Those bytes, where they are at hand: the file is not read again.

        Raises:
            LibraryMoved: The library's folder is not there any more.
            DiskFull: No room for the copy.
            LibraryUnwritable: The library's folder cannot be written.
            UnreadableFile: The file changed while it was copied, or cannot be read.
        """
        target = original_path(self._originals, expected.sha256, path.name)
        # A power cut can leave a copy of the right name and the wrong length.
        if target in self._partial or _size(target) == expected.size:
            return target
        try:
            others = self._others = self._made_ready() if self._others is None else self._others
            # A name of its own: two imports may copy the same file at once, and names may be as long as names can be.
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

    def _made_ready(self) -> int:
        """Make the folder of the copies where there is none, and return what its files let others do."""
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
            # A power cut must not take the copy of a document that the library says it has: its bytes are on the disk
            # before its name, and its name before the row.
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
