"""Encrypted Word, PowerPoint and Excel files, old and new."""

from io import BytesIO

from workbench.errors import DamagedDocument, EncryptedDocument
from workbench.parsing.ole_streams import are_streams_within

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
