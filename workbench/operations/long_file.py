"""A file too long for one document as an archive of its parts: each is written out when it is read."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.errors import MissingFile, UnreadableFile
from workbench.files.changes import delete_folder
from workbench.parsing.long_files import Division, Part, divide, write_part
from workbench.store.intake import Stamp

if TYPE_CHECKING:
    from collections.abc import Callable


class Holder(Protocol):
    """The archive that a long file is a member of."""

    @property
    def stamp(self) -> Stamp:
        """Of the outermost file, which is the one that the user may change."""

    @property
    def is_current(self) -> bool:
        """Whether that is still the one that was opened."""

    @property
    def password(self) -> str | None:
        """What opened it."""


class HeldFile:
    """A file whose inner files become documents; it may itself lie in an archive, its holder."""

    _file: Path
    _holder: Holder | None
    _seen: Stamp

    @property
    def stamp(self) -> Stamp:
        """Of the file that the user may change."""
        return self._holder.stamp if self._holder is not None else self._seen

    @property
    def is_current(self) -> bool:
        """Whether the file is still the one that was opened."""
        if self._holder is not None:
            return self._holder.is_current
        try:
            return stamp_of(self._file) == self._seen
        except OSError:
            return False


class LongFile(HeldFile):
    """One long file, divided; path is how it is called, file where its bytes are."""

    def __init__(self, path: Path, file: Path, holder: Holder | None = None) -> None:
        """Find out where it is cut; blocking.

        Raises:
            DocumentError: It holds no text, is too long even for parts, or cannot be read.
        """
        self.path = path
        self._file = file
        self._holder = holder
        try:
            self._seen = stamp_of(file)
            self.division: Division = divide(file, path.name)
        except FileNotFoundError as error:
            raise MissingFile(f"“{path.name}” does not exist.", "Check whether it was moved.") from error
        except OSError as error:
            raise UnreadableFile(
                f"“{path.name}” cannot be read: {error.strerror}.", "Check its permissions."
            ) from error
        self.files = {part.name: part for part in self.division.parts}

    @property
    def password(self) -> str | None:
        """What opened the archive that holds it."""
        return self._holder.password if self._holder is not None else None

    def info(self, name: str) -> Part:
        """Return a part.

        Raises:
            MissingFile: The file is cut elsewhere by now.
        """
        if name not in self.files:
            raise MissingFile(f"“{name}” is no longer a part of “{self.path.name}”.", "Add the file again.")
        return self.files[name]

    def unpack(self, name: str, target: Path, _passwords: "Callable[[], Iterable[str]]") -> None:
        """Write a part to a file.

        Raises:
            OSError: The file cannot be read, or the part not be written.
        """
        write_part(self._file, self.division, self.info(name), target)

    def close(self) -> None:
        """Delete what was unpacked for it."""
        if self._holder is not None:
            delete_folder(self._file.parent, within=self._file.parents[1])


def stamp_of(file: Path) -> Stamp:
    """Return what the file system says of a file, links followed."""
    status = file.stat()
    return Stamp(status.st_size, status.st_mtime_ns)
