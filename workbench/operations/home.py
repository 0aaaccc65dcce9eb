"""Whether a library is at home here: made by this user in this place, or let use the network by them since.

One that comes from somebody else, or is a copy of one's own that was away, brings settings and model profiles along
that this user has never agreed to. A home mark says that they have: it stands in the library, and nobody else can make
it, since it is keyed with a secret that never leaves the user's own folder.
"""

import hmac
import logging
import os
import secrets
import tempfile
from pathlib import Path

from workbench.errors import SettingError
from workbench.files.changes import move_into_place
from workbench.files.modes import make_folder
from workbench.operations.user_config import config_folder
from workbench.store.configuration import SettingStore
from workbench.store.database import Database

logger = logging.getLogger(__name__)

_REMEMBERED_AS = "home"
_SECRET_BYTES = 32


def is_at_home(database: Database) -> bool:
    """Tell whether the library is at home where it stands; blocking, under a millisecond."""
    secret = _read(_secret_path())
    stored = SettingStore(database).state(_REMEMBERED_AS)
    return secret is not None and hmac.compare_digest(stored.encode(), _mark(secret, database.folder).encode())


def settle(database: Database) -> None:
    """Make the library one that is at home where it stands; blocking.

    Raises:
        SettingError: The user's own folder cannot be written.
        LibraryError: The library cannot be written.
    """
    path = _secret_path()
    secret = _read(path) or _made(path)
    SettingStore(database).set_state(_REMEMBERED_AS, _mark(secret, database.folder))


def settle_new(database: Database) -> None:
    """Do the same for a library that was made just now, if that is possible: it works without, under the air gap."""
    try:
        settle(database)
    except SettingError as error:
        logger.warning("A new library is not at home: %s", error)


def _mark(secret: bytes, folder: Path) -> str:
    return hmac.digest(secret, os.fsencode(folder.resolve()), "sha256").hex()


def _secret_path() -> Path:
    return config_folder() / "home.key"


def _read(path: Path) -> bytes | None:
    try:
        secret = path.read_bytes()
    except OSError:
        return None
    return secret if len(secret) == _SECRET_BYTES else None


def _made(path: Path) -> bytes:
    secret = secrets.token_bytes(_SECRET_BYTES)
    try:
        make_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".home-")  # readable by the user alone
        with os.fdopen(handle, "wb") as file:
            file.write(secret)
        move_into_place(name, path, within=path.parent)
    except OSError as error:
        raise SettingError(
            "It could not be kept that this library may use the network.",
            f"Check that {path.parent} can be written.",
        ) from error
    return secret
