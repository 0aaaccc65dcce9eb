"""Members of ZIP archives: safe names, members to skip, and reading of archives attached to mail."""

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
"""Text is compressed to a twentieth, tables of zeros to a hundredth; the limit of deflate is a thousandth."""
RATIO_FREE = 32 * 2**20
"""Below this size any ratio is harmless."""

DAMAGE: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(NotImplementedError, ValueError, RuntimeError, OverflowError),
)
"""Exceptions of zipfile for a damaged archive; for a member packed by bzip2 also an OSError without errno."""

UNREADABLE: tuple[type[Exception], ...] = (*DAMAGE, OSError)
"""The same plus OSError, for archives in memory or when the cause does not matter."""

_UTF8_FLAG = 0x800
_LONGEST = 200
"""Maximum bytes of one name; file systems allow 255, and a copy may get a suffix."""
_HARMFUL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"^[A-Za-z]:")


def is_damage(error: BaseException) -> bool:
    """Return True if an error means that an archive is damaged, rather than an error of the operating system."""
    return isinstance(error, DAMAGE) or (isinstance(error, OSError) and error.errno is None)


def is_folder(info: zipfile.ZipInfo) -> bool:
    """Return True if a member is a folder; zipfile's own method fails for an empty name."""
    return info.filename.endswith("/")


def member_names(infos: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield each member with its path in the archive ("2024/offer.pdf"); duplicate paths are renamed."""
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
    """Return True if a member is hidden by its name, or is a resource file of macOS."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def refusal(info: zipfile.ZipInfo) -> str:
    """Return the reason why a member is not unpacked as a sentence, or an empty string."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return mark("It is a link, not a file.")
    ratio = info.file_size / max(1, info.compress_size)
    if info.file_size > RATIO_FREE and ratio > MAX_RATIO:
        return mark(f"It would grow {ratio:.0f}-fold when unpacked, which no document does.")
    return ""


def _decoded(members: list[zipfile.ZipInfo]) -> list[str]:
    """Return the names; an old program's encoding is detected from all its names together."""
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
    """Return a name confined to its folder: no parent path, drive, control characters or overlong part."""
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
"""Archives within an archive are opened; those within them are only listed."""

_LOCKED = 1
_AES = 99


def files_of(data: bytes, most: int, password: str | None) -> Iterator[tuple[str, bytes | DocumentError]]:
    """Yield each file of an archive with its bytes, or with the error.

    Args:
        data: The archive.
        most: Maximum unpacked bytes of one file.
        password: Password of an encrypted archive.

    Raises:
        DamagedDocument: It is not an archive.
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
        return DocumentError("The file contains more than can be read.")
    if info.compress_type == _AES or (info.flag_bits & _LOCKED and password is None):
        return EncryptedDocument("it needs a password")
    try:
        # zipfile never returns more than the size stated in the archive.
        return archive.read(info, pwd=password.encode() if password else None)
    except RuntimeError:
        return EncryptedDocument("it needs a password")
    except UNREADABLE:
        return DamagedDocument("It is damaged in the archive.")
