"""Decryption of office documents: Word, PowerPoint and Excel, old and new, and OpenDocument."""

import base64
import binascii
import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO

from workbench.errors import DamagedDocument, EncryptedDocument
from workbench.parsing.ole import are_streams_within
from workbench.parsing.zip_package import Element, local_name

OLE_MAGIC = b"\xd0\xcf\x11\xe0"
"""How old office files begin, and new ones when they are encrypted."""

_USUAL = ("", "VelvetSweatshop")
"""Tried first: none, and the one with which Excel encrypts a workbook whose structure alone is protected."""


def decrypted(data: bytes, password: str | None) -> bytes:
    """Return the file without its encryption; one that is not encrypted comes back as it is.

    Raises:
        EncryptedDocument: It needs a password, or another one.
        DamagedDocument: It is encrypted and damaged.
    """
    from msoffcrypto import OfficeFile  # 0.1 s with the cryptography it needs, which most files do not
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError
    from olefile import OleFileIO

    try:
        with OleFileIO(BytesIO(data)) as file:
            if not are_streams_within(file, len(data)):
                return data
        encrypted = bool(OfficeFile(BytesIO(data)).is_encrypted())
    except Exception:  # noqa: BLE001 - it trusts what the file says; whoever reads the file will find out what is wrong
        return data
    if not encrypted:
        return data
    refused = False
    for candidate in (*_USUAL, password):
        if candidate is None:
            continue
        out = BytesIO()
        try:
            # A fresh reader each time: a failed attempt leaves the streams where they were.
            office = OfficeFile(BytesIO(data))
            office.load_key(password=candidate)
            office.decrypt(out)
        except (InvalidKeyError, DecryptionError):
            refused = True
            continue
        except Exception:  # noqa: BLE001 - as above; only a refused password means that another one may fit
            continue
        if out.getvalue()[:4] in (b"PK\x03\x04", OLE_MAGIC):
            return out.getvalue()
        refused = True
    if refused:
        raise wrong_password(password)
    raise DamagedDocument(
        "The file is encrypted in a way that cannot be read here, or damaged.",
        "Open it in its own program and save it without a password.",
    )


def wrong_password(password: str | None) -> EncryptedDocument:
    """Return the error for a file that needs a password, or another one than was given."""
    if password is None:
        return EncryptedDocument("The file is protected by a password.", "Add it again and give the password.")
    return EncryptedDocument("The password is wrong.", "Add the file again with the right password.")


_MOST_ROUNDS = 10_000_000
"""LibreOffice takes 100,000; more would be meant to keep the reader busy."""


@dataclass(frozen=True, slots=True)
class _Lock:
    """How one part is encrypted."""

    vector: bytes
    salt: bytes
    rounds: int
    size: int
    start: str
    checksum: bytes
    checksum_kind: str


class Decryptor:
    """Decrypts the parts of a file with one password."""

    def __init__(self, locks: Mapping[str, _Lock], password: str) -> None:
        self._locks = locks
        self._password = password

    def part(self, name: str, data: bytes) -> bytes:
        """Return a part as it was before it was encrypted; one that is not comes back as it is."""
        lock = self._locks.get(name.lower())
        if lock is None:
            return data
        packed = self._packed(lock, data)
        try:
            return zlib.decompressobj(-15).decompress(packed)
        except zlib.error:
            return b""

    def fits(self, name: str, data: bytes) -> bool:
        """Tell whether the password is that of the file."""
        lock = self._locks[name.lower()]
        digest = hashlib.sha1 if "sha1" in lock.checksum_kind.lower() else hashlib.sha256
        packed = self._packed(lock, data)
        checked = packed[:1024] if "1k" in lock.checksum_kind.lower() else packed
        return digest(checked).digest() == lock.checksum

    def _packed(self, lock: _Lock, data: bytes) -> bytes:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # rarely needed, 40 ms

        start = hashlib.sha1 if "sha1" in lock.start.lower() else hashlib.sha256
        secret = start(self._password.encode("utf-8")).digest()
        key = hashlib.pbkdf2_hmac("sha1", secret, lock.salt, lock.rounds, lock.size)
        whole = data[: len(data) // 16 * 16]
        cipher = Cipher(algorithms.AES(key), modes.CBC(lock.vector)).decryptor()
        packed = cipher.update(whole) + cipher.finalize()
        # The last byte says how many were added to fill the last block.
        return packed[: -packed[-1]] if packed and 0 < packed[-1] <= 16 else packed


def decryptor(manifest: Element, password: str | None, read: Callable[[str], bytes | None]) -> Decryptor | None:
    """Return what decrypts the file's parts; None where nothing is encrypted.

    Raises:
        EncryptedDocument: It needs a password, or another one, or is encrypted in a way that is not known here.
    """
    entries = {_attribute(e, "full-path"): e for e in manifest.iter() if local_name(e) == "file-entry"}
    encrypted = {name: e for name, e in entries.items() if any(local_name(c) == "encryption-data" for c in e)}
    if not encrypted:
        return None
    try:
        locks = {name.lower(): _lock(entry) for name, entry in encrypted.items()}
    except (ValueError, binascii.Error) as error:
        raise EncryptedDocument(
            "The file is protected with a password in a way that cannot be read here.",
            "Open it in its own program and save it without a password.",
        ) from error
    probe = "content.xml" if "content.xml" in locks else next(iter(locks))
    data = read(probe) or b""
    for candidate in ("", password):
        if candidate is not None:
            found = Decryptor(locks, candidate)
            if found.fits(probe, data):
                return found
    raise wrong_password(password)


def _lock(entry: Element) -> _Lock:
    """Return how a part is encrypted.

    Raises:
        ValueError: In another way than AES in CBC mode with a key from PBKDF2.
    """
    parts = {local_name(element): element for element in entry.iter()}
    data, algorithm = parts["encryption-data"], parts.get("algorithm")
    derivation, start = parts.get("key-derivation"), parts.get("start-key-generation")
    if algorithm is None or derivation is None or not _attribute(algorithm, "algorithm-name").endswith("-cbc"):
        raise ValueError("not AES-CBC")
    if "pbkdf2" not in _attribute(derivation, "key-derivation-name").lower():
        raise ValueError("not PBKDF2")
    rounds = int(_attribute(derivation, "iteration-count") or 1024)
    if not 0 < rounds <= _MOST_ROUNDS:
        raise ValueError("too many rounds")
    return _Lock(
        base64.b64decode(_attribute(algorithm, "initialisation-vector")),
        base64.b64decode(_attribute(derivation, "salt")),
        rounds,
        int(_attribute(derivation, "key-size") or 32),
        _attribute(start, "start-key-generation-name") if start is not None else "SHA1",
        base64.b64decode(_attribute(data, "checksum")),
        _attribute(data, "checksum-type"),
    )


def _attribute(element: Element, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
