"""Archives: ZIP files, and files too long for one document, unpacked one member or part at a time.

The path of a member is built as if the archive were a folder: /home/ann/Contracts.zip/2024/offer.pdf. The path of a
part of a long file is built in the same way (/home/ann/server.log/server, part 002, lines 81,203 to 160,411.log).
"""

import contextlib
import os
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import DamagedDocument, DocumentError, EncryptedDocument, MissingFile, UnreadableFile
from workbench.files.changes import delete_folder
from workbench.files.modes import make_folder
from workbench.language import mark
from workbench.operations.imports.source_files import copy_error
from workbench.parsing.long_files import Division, LongFilePart, divide, is_long, is_part, write_part
from workbench.parsing.zip_members import (
    DAMAGE,
    UNREADABLE,
    is_damage,
    is_folder,
    is_skipped_member,
    member_names,
    refusal,
)
from workbench.store.intake import FileStamp


class LongFileArchive(Protocol):
    """The archive that a long file is a member of."""

    @property
    def stamp(self) -> FileStamp:
        """Stamp of the outermost file, which is the one that the user can change."""

    @property
    def is_current(self) -> bool:
        """True if the outermost file did not change since it was opened."""

    @property
    def password(self) -> str | None:
        """Password that opened the archive, or None."""


class HeldFile:
    """A file whose members or parts become documents; it may itself be a member of an archive, its holder."""

    _file: Path
    _holder: LongFileArchive | None
    _seen: FileStamp

    @property
    def stamp(self) -> FileStamp:
        """Stamp of the file that the user can change."""
        return self._holder.stamp if self._holder is not None else self._seen

    @property
    def is_current(self) -> bool:
        """True if the file did not change since it was opened."""
        if self._holder is not None:
            return self._holder.is_current
        try:
            return stamp_of(self._file) == self._seen
        except OSError:
            return False


class LongFile(HeldFile):
    """A long file, divided into parts; path is the path that is shown, file the location of its bytes."""

    def __init__(self, path: Path, file: Path, holder: LongFileArchive | None = None) -> None:
        """Divide the file; blocking.

        Raises:
            DocumentError: The file contains no text, is too long even for parts, or cannot be read.
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
        """Password that opened the archive that contains the file, or None."""
        return self._holder.password if self._holder is not None else None

    def info(self, name: str) -> LongFilePart:
        """Return a part.

        Raises:
            MissingFile: The file is divided differently by now.
        """
        if name not in self.files:
            raise MissingFile(f"“{name}” is no longer a part of “{self.path.name}”.", "Add the file again.")
        return self.files[name]

    def unpack(self, name: str, target: Path, _passwords: "Callable[[], Iterable[str]]") -> None:
        """Write a part to a file.

        Raises:
            OSError: The file cannot be read, or the part cannot be written.
        """
        write_part(self._file, self.division, self.info(name), target)

    def close(self) -> None:
        """Delete the unpacked copy of the file, if it is a member of an archive."""
        if self._holder is not None:
            delete_folder(self._file.parent, within=self._file.parents[1])


def stamp_of(file: Path) -> FileStamp:
    """Return the size and modification time of a file; links are followed."""
    status = file.stat()
    return FileStamp(status.st_size, status.st_mtime_ns)


SUFFIX = ".zip"

MAX_DEPTH = 2
"""Levels of archives that are opened: an archive in an archive is, one inside that is only listed."""
MAX_MEMBERS = 20_000
MAX_DIRECTORY = 64 * 2**20
"""Maximum bytes of the list of members: 500,000 members take 400 MB of memory."""
MAX_BYTES = 8 * 2**30
"""Maximum unpacked bytes of everything in one archive."""
Passwords = Callable[[], Iterable[str]]
"""Callback that returns the passwords to try.

Called only for a locked archive, because the keyring may ask the user for its own password.
"""

_PIECE = 1 << 20
_TAIL = 70_000
"""Bytes read from the end of a ZIP file, which holds a record of 22 bytes and a comment of at most 65,535."""
_AES = 99
_LOCKED = 1


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive, or a part of a long file.

    Attributes:
        path: The path of the archive, followed by the path inside it.
        stamp: The size of the member and the modification time of the archive.
        problem: The reason why it cannot be read, one sentence; empty if it can.
    """

    path: Path
    stamp: FileStamp
    problem: str = ""


class Archives:
    """The archives that an import reads; the latest one stays open, because its members are read one after another."""

    def __init__(self, staging: Path) -> None:
        """Unpack into a folder that nothing else uses; it is deleted now and again by close()."""
        self._staging = staging
        self._lock = threading.RLock()
        self._open: dict[Path, _Archive | LongFile] = {}
        self.followed: dict[tuple[str, str], FileStamp] = {}
        """Stamps that the archives of linked folders had when they were read, by knowledge base and path."""
        delete_folder(staging, within=staging.parent)

    def rest(self) -> None:
        """Close the archives; each is opened again when it is needed."""
        with self._lock:
            self._close_all()

    def close(self) -> None:
        """Close the archives and delete the unpacked files."""
        with self._lock:
            self._close_all()
            delete_folder(self._staging, within=self._staging.parent)

    def members(self, path: Path, passwords: Passwords = tuple) -> list[Member]:
        """Return the files of an archive and of the archives in it, in the order of their names.

        The list of names is never encrypted; a password is needed only to open an encrypted inner archive.

        Raises:
            DocumentError: The archive cannot be read.
        """
        with self._lock:
            found = list(self._list_members(path, passwords, _Budget(MAX_MEMBERS, MAX_BYTES), 1))
        return sorted(found, key=lambda member: member.path)

    def division(self, path: Path) -> str:
        """Return the sentence that describes to the user how a long file is divided; empty for an archive.

        Raises:
            DocumentError: The file cannot be read.
        """
        with self._lock:
            archive = self._open_archive(path, tuple)
            return archive.division.sentence(path.name) if isinstance(archive, LongFile) else ""

    def stamp(self, path: Path) -> FileStamp | None:
        """Return the stamp of a member, or None if the path does not lead into an archive.

        Raises:
            DocumentError: The archive cannot be read or no longer contains the member.
        """
        with self._lock:
            split = _split_path(path)
            if split is None:
                return None
            archive = self._open_archive(split.archive, tuple)
            return FileStamp(archive.info(split.name).file_size, archive.stamp.mtime_ns)

    def password_of(self, path: Path) -> str | None:
        """Return the password that opened the archive into which a path leads, or None."""
        with self._lock:
            split = _split_path(path)
            return self._open_archive(split.archive, tuple).password if split is not None else None

    @contextlib.contextmanager
    def opened(self, path: Path, passwords: Passwords = tuple) -> Iterator[Path]:
        """Provide a file with the bytes at a path: the file itself, or a copy of the member that is deleted on exit.

        Raises:
            EncryptedDocument: The member is encrypted, and none of the passwords fits.
            DocumentError: The archive cannot be read or no longer contains the member.
        """
        split = _split_path(path)
        if split is None:
            yield path
            return
        try:
            folder = self._make_private_folder()
            with self._lock:
                self._open_archive(split.archive, passwords).unpack(split.name, folder / path.name, passwords)
        except OSError as error:
            raise copy_error(error, path) from error
        try:
            yield folder / path.name
        finally:
            delete_folder(folder, within=self._staging)

    def _make_private_folder(self) -> Path:
        make_folder(self._staging, inherit=True)
        return Path(tempfile.mkdtemp(dir=self._staging))

    def _list_members(self, path: Path, passwords: Passwords, budget: "_Budget", depth: int) -> Iterator[Member]:
        archive = self._open_archive(path, passwords)
        if isinstance(archive, LongFile):
            for name, part in archive.files.items():
                yield Member(path / name, FileStamp(part.file_size, archive.stamp.mtime_ns))
            return
        for name, info in archive.files.items():
            member = path / name
            stamp = FileStamp(info.file_size, archive.stamp.mtime_ns)
            problem = budget.problem(info)
            if not problem and is_long(member, info.file_size):
                yield from self._list_nested(member, stamp, passwords, budget, depth)
            elif problem or not is_archive(member):
                yield Member(member, stamp, problem)
            elif depth >= MAX_DEPTH:
                yield Member(member, stamp, mark("Archives nested more than two deep are not opened."))
            else:
                yield from self._list_nested(member, stamp, passwords, budget, depth + 1)

    def _list_nested(
        self, path: Path, stamp: FileStamp, passwords: Passwords, budget: "_Budget", depth: int
    ) -> Iterator[Member]:
        try:
            yield from self._list_members(path, passwords, budget, depth)
        except DocumentError as error:
            yield Member(path, stamp, str(error))
        except OSError as error:
            raise copy_error(error, path) from error

    def _open_archive(self, path: Path, passwords: Passwords) -> "_Archive | LongFile":
        """Return an open archive or long file; one inside another archive is unpacked first."""
        known = self._open.get(path)
        if known is not None and known.is_current:
            return known
        outer = _split_path(path)
        if outer is None:
            self._close_all()
            opened = _open_file(path, path)
        else:
            holder = self._open_archive(outer.archive, passwords)
            for other in [one for one in self._open if one != holder.path and _is_inside(one, holder.path)]:
                self._open.pop(other).close()
            file = self._make_private_folder() / path.name
            holder.unpack(outer.name, file, passwords)
            opened = _open_file(path, file, holder)
        self._open[path] = opened
        return opened

    def _close_all(self) -> None:
        for one in self._open.values():
            one.close()
        self._open.clear()


class _Archive(HeldFile):
    """An open archive; path is the path that is shown, file the location of its bytes."""

    def __init__(self, path: Path, file: Path, holder: "_Archive | LongFile | None" = None) -> None:
        self.path = path
        self._file = file
        self._holder = holder
        self.password: str | None = None
        try:
            self._seen = stamp_of(file)
            _check_directory(file)
            self._zip: Any = zipfile.ZipFile(file)
        except FileNotFoundError as error:
            raise MissingFile(f"“{path.name}” does not exist.", "Check whether it was moved.") from error
        except OSError as error:
            raise UnreadableFile(
                f"“{path.name}” cannot be read: {error.strerror}.", "Check its permissions."
            ) from error
        except DAMAGE as error:
            raise DamagedDocument(
                f"The archive “{path.name}” is damaged and cannot be opened.", "Make it again, or get another copy."
            ) from error
        if any(info.compress_type == _AES for info in self._zip.infolist()):
            # The standard library supports only the older ZIP encryption.
            import pyzipper

            self._zip.close()
            self._zip = pyzipper.AESZipFile(file)
        infos = [info for info in self._zip.infolist() if not is_folder(info)]
        self.files = {name: info for name, info in member_names(infos) if not is_skipped_member(name)}

    def info(self, name: str) -> zipfile.ZipInfo:
        if name not in self.files:
            raise MissingFile(f"“{name}” is no longer in “{self.path.name}”.", "Add the archive again.")
        return self.files[name]

    def unpack(self, name: str, target: Path, passwords: Passwords) -> None:
        """Write a member to a file; zipfile never returns more bytes than the size stated in the archive."""
        info = self.info(name)
        if info.flag_bits & _LOCKED and self.password is None:
            self.password = self._find_password(passwords())
        try:
            with self._zip.open(info, pwd=_key(self.password)) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, _PIECE)
        except UNREADABLE as error:
            if not is_damage(error):
                raise
            raise DamagedDocument(
                f"“{name}” is damaged in “{self.path.name}”.", "Make the archive again, or get another copy."
            ) from error

    def _find_password(self, passwords: Iterable[str]) -> str:
        """Return the password that opens the smallest encrypted member.

        Raises:
            EncryptedDocument: No password does.
        """
        smallest = min((i for i in self.files.values() if i.flag_bits & _LOCKED), key=lambda info: info.file_size)
        given = list(passwords)
        for password in given:
            # Read to the end: one wrong password in 256 opens a member, and only its checksum detects that.
            with contextlib.suppress(*DAMAGE), self._zip.open(smallest, pwd=_key(password)) as file:
                while file.read(_PIECE):
                    pass
                return password
        raise EncryptedDocument(
            f"None of the passwords opens the archive “{self.path.name}”."
            if given
            else f"A password is needed for the archive “{self.path.name}”.",
            "Enter the password to have it read.",
        )

    def close(self) -> None:
        self._zip.close()
        if self._holder is not None:
            delete_folder(self._file.parent, within=self._file.parents[1])


@dataclass(slots=True)
class _Budget:
    """Number of members and bytes that an archive and its inner archives may still contain."""

    members: int
    size: int

    def problem(self, info: zipfile.ZipInfo) -> str:
        """Count a member; return the reason for refusing it, or an empty string."""
        if problem := refusal(info):
            return problem
        self.members -= 1
        if self.members < 0:
            return mark(f"The archive holds more than {MAX_MEMBERS} files.")
        if self.size < info.file_size:
            return mark(f"The archive holds more than {MAX_BYTES // 2**30} GB.")
        self.size -= info.file_size
        return ""


@dataclass(frozen=True, slots=True)
class _Split:
    archive: Path
    name: str


def _open_file(path: Path, file: Path, holder: "_Archive | LongFile | None" = None) -> "_Archive | LongFile":
    return _Archive(path, file, holder) if is_archive(path) else LongFile(path, file, holder)


def is_archive(path: Path) -> bool:
    """Return True if a file has the name of an archive."""
    return path.suffix.lower() == SUFFIX


def _split_path(path: Path) -> _Split | None:
    """Return the innermost archive or long file that a path leads into, and the path inside it, or None."""
    if os.path.lexists(path):
        return None
    outermost = next((one for one in path.parents if os.path.isfile(one)), None)
    if outermost is None:
        return None
    if is_part(path) and not is_archive(path.parent):
        return _Split(path.parent, path.name)
    if not is_archive(outermost):
        return None
    inner = next(one for one in path.parents if is_archive(one) and (one == outermost or _is_inside(one, outermost)))
    return _Split(inner, path.relative_to(inner).as_posix())


def _is_inside(path: Path, outer: Path) -> bool:
    return outer in path.parents


def _key(password: str | None) -> bytes | None:
    return password.encode("utf-8", "surrogateescape") if password is not None else None


def _check_directory(file: Path) -> None:
    """Refuse a list of members that is so long that reading it would take gigabytes.

    Raises:
        BadZipFile: The list is too long.
    """
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _TAIL))
        tail = opened.read()
    end = tail.rfind(b"PK\x05\x06")
    size = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    large = tail.rfind(b"PK\x06\x06", 0, max(end, 0))
    if size == 0xFFFFFFFF and large >= 0:
        size = int.from_bytes(tail[large + 40 : large + 48], "little")
    if size > MAX_DIRECTORY:
        raise zipfile.BadZipFile("The list of members is too long.")
