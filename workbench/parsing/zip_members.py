"""Members of ZIP archives: checked names, members to skip, and reading of archives that are attached to mail."""

import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator

from workbench.errors import DamagedDocument, DocumentError, EncryptedDocument
from workbench.language import mark
from workbench.parsing.encoding import decode

MAX_RATIO = 250
"""Text shrinks to a twentieth, tables of zeros to a hundredth; deflate cannot do more than a thousandth."""
RATIO_FREE = 32 * 2**20
"""Below this size a ratio harms nobody."""

DAMAGE: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(NotImplementedError, ValueError, RuntimeError, OverflowError),
)
"""What zipfile raises over an archive that is damaged; of a member packed by bzip2 also an OSError without a number."""

UNREADABLE: tuple[type[Exception], ...] = (*DAMAGE, OSError)
"""The same, where nobody asks whether it is the archive or the system: one that is in memory, or only looked at."""

_UTF8_FLAG = 0x800
_LONGEST = 200
"""Bytes of one name; file systems take 255, and a copy may get an ending."""
_HARMFUL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"^[A-Za-z]:")


def is_damage(error: BaseException) -> bool:
    """Tell whether an error says that an archive is damaged, and not that the system refused to read or write."""
    return isinstance(error, DAMAGE) or (isinstance(error, OSError) and error.errno is None)


def is_folder(info: zipfile.ZipInfo) -> bool:
    """Tell whether a member is a folder; zipfile itself asks a name without a character for its last one."""
    return info.filename.endswith("/")


def member_names(infos: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield each member with its way in the archive: "2024/offer.pdf"; of two with the same one is renamed."""
    members = list(infos)
    seen: set[str] = set()
    for name, info in zip(_decoded(members), members, strict=True):
        harmless = _harmless(name)
        base, dot, suffix = harmless.rpartition(".")
        number = 1
        while harmless in seen:
            number += 1
            harmless = f"{base} ({number}).{suffix}" if dot else f"{suffix} ({number})"
        seen.add(harmless)
        yield harmless, info


def is_skipped_member(name: str) -> bool:
    """Whether a member is hidden, as a file of its name would be, or made by a Mac for itself."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def refusal(info: zipfile.ZipInfo) -> str:
    """Return why a member is not unpacked, one sentence, or nothing."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return mark("It is a link, not a file.")
    ratio = info.file_size / max(1, info.compress_size)
    if info.file_size > RATIO_FREE and ratio > MAX_RATIO:
        return mark(f"It would grow {ratio:.0f}-fold when unpacked, which no document does.")
    return ""


def _decoded(members: list[zipfile.ZipInfo]) -> list[str]:
    """Return the names; where an old program wrote them in its own encoding, all together tell which."""
    old = [not info.flag_bits & _UTF8_FLAG and not info.filename.isascii() for info in members]
    if not any(old):
        return [info.filename for info in members]
    raw = [info.filename.encode("cp437", "replace") for info, is_old in zip(members, old, strict=True) if is_old]
    try:
        decoded = iter(decode(b"\n".join(raw))[0].split("\n"))
    except DamagedDocument:
        return [info.filename for info in members]
    return [
        next(decoded, info.filename) if is_old else info.filename for info, is_old in zip(members, old, strict=True)
    ]


def _harmless(name: str) -> str:
    """Return a name that stays in its folder: no way up, no drive, no control characters, no part too long."""
    parts = _DRIVE.sub("", name.replace("\\", "/")).split("/")
    kept = [_short(_HARMFUL.sub("_", part)) for part in parts if part.strip() not in ("", ".", "..")]
    return "/".join(kept) or "unnamed"


def _short(part: str) -> str:
    encoded = part.encode("utf-8", "surrogateescape")
    if len(encoded) <= _LONGEST:
        return part
    stem, dot, suffix = part.rpartition(".")
    ending = dot + suffix if dot and len(suffix) <= 12 else ""
    room = _LONGEST - len(ending.encode())
    return (stem if ending else part).encode("utf-8", "ignore")[:room].decode("utf-8", "ignore") + ending


SUFFIX = ".zip"
MAX_DEPTH = 2
"""An archive in an archive is opened; one in that is named, not opened."""

_LOCKED = 1
_AES = 99


def files_of(data: bytes, most: int, password: str | None) -> Iterator[tuple[str, bytes | DocumentError]]:
    """Yield each file of an archive with its bytes, or with why it cannot be read.

    Args:
        data: The archive.
        most: Bytes that one file may have unpacked.
        password: For a locked archive.

    Raises:
        DamagedDocument: It is no archive.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except UNREADABLE as error:
        raise DamagedDocument("the archive is damaged", "") from error
    with archive:
        for name, info in member_names(one for one in archive.infolist() if not is_folder(one)):
            if not is_skipped_member(name):
                yield name, _read(archive, info, most, password)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int, password: str | None) -> bytes | DocumentError:
    problem = refusal(info)
    if problem:
        return DocumentError(problem)
    if info.file_size > most:
        return DocumentError("There is too much in one file.")
    if info.compress_type == _AES or (info.flag_bits & _LOCKED and password is None):
        return EncryptedDocument("it needs a password")
    try:
        # What zipfile gives never exceeds the size that the archive states.
        return archive.read(info, pwd=password.encode() if password else None)
    except RuntimeError:
        return EncryptedDocument("it needs a password")
    except UNREADABLE:
        return DamagedDocument("It is damaged in the archive.")
