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
"""First bytes of old office files, and of encrypted new ones."""

_USUAL = ("", "VelvetSweatshop")
"""Passwords tried first: empty, and Excel's password for workbooks with protection of the structure only."""


def decrypted(data: bytes, password: str | None) -> bytes:
    """Return the file without its encryption; a file that is not encrypted is returned unchanged.

    Raises:
        EncryptedDocument: The password is missing or wrong.
        DamagedDocument: The file is encrypted and damaged.
    """
    from msoffcrypto import OfficeFile  # 0.1 s with cryptography, which most files do not need
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError
    from olefile import OleFileIO

    try:
        with OleFileIO(BytesIO(data)) as file:
            if not are_streams_within(file, len(data)):
                return data
        encrypted = bool(OfficeFile(BytesIO(data)).is_encrypted())
    except Exception:  # noqa: BLE001 - it trusts the file; the parser reports the actual error
        return data
    if not encrypted:
        return data
    refused = False
    for candidate in (*_USUAL, password):
        if candidate is None:
            continue
        out = BytesIO()
        try:
            # A new reader for each attempt, because a failed one moves the stream positions.
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
    """Return the error for a missing or wrong password."""
    if password is None:
        return EncryptedDocument("The file is protected by a password.", "Add it again and give the password.")
    return EncryptedDocument("The password is wrong.", "Add the file again with the right password.")


_MOST_ROUNDS = 10_000_000
"""LibreOffice uses 100,000; a higher number would be an attempt to block the parser."""


@dataclass(frozen=True, slots=True)
class _Lock:
    """Encryption parameters of one part."""

    vector: bytes
    salt: bytes
    rounds: int
    size: int
    start: str
    checksum: bytes
    checksum_kind: str


class Decryptor:
    """Decryptor of the parts of a file, with one password."""

    def __init__(self, locks: Mapping[str, _Lock], password: str) -> None:
        self._locks = locks
        self._password = password

    def part(self, name: str, data: bytes) -> bytes:
        """Return a decrypted part; a part that is not encrypted is returned unchanged."""
        lock = self._locks.get(name.lower())
        if lock is None:
            return data
        packed = self._packed(lock, data)
        try:
            return zlib.decompressobj(-15).decompress(packed)
        except zlib.error:
            return b""

    def fits(self, name: str, data: bytes) -> bool:
        """Return True if the password is correct for the file."""
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
        # The last byte is the number of padding bytes in the last block.
        return packed[: -packed[-1]] if packed and 0 < packed[-1] <= 16 else packed


def decryptor(manifest: Element, password: str | None, read: Callable[[str], bytes | None]) -> Decryptor | None:
    """Return the decryptor of the file's parts; None if nothing is encrypted.

    Raises:
        EncryptedDocument: The password is missing or wrong, or the encryption is not supported.
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
    """Return the encryption parameters of a part.

    Raises:
        ValueError: The encryption is not AES in CBC mode with a key from PBKDF2.
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
