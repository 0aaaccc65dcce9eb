"""ZIP archives that came with a message: their files one by one, read into memory within limits."""

import io
import zipfile
from collections.abc import Iterator

from workbench.errors import DamagedDocument, DocumentError, EncryptedDocument
from workbench.parsing.archive_members import UNREADABLE, is_folder, is_passed_over, member_names, refusal

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
            if not is_passed_over(name):
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
