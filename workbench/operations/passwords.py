"""Passwords of encrypted files: tried in turn, and kept in the system's keyring where the user wants that.

A password belongs to the library, not to one file: most people use one for a whole batch.
"""

import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import keyring
import keyring.errors

from workbench.errors import EncryptedDocument
from workbench.operations.library import Library

logger = logging.getLogger(__name__)
T = TypeVar("T")

_SERVICE = "knowledge-workbench documents"
_LIBRARY = "library id"
MOST_KEPT = 20
"""Each is tried on every locked file, 30 ms a try; and an entry of Windows' keyring holds 2,560 bytes."""


def remembered(library: Library) -> list[str]:
    """Return the passwords that were kept for this library, the latest first; blocking."""
    if library.remembered_passwords is None:
        library.remembered_passwords = _load(library.setting_values.state(_LIBRARY))
    return library.remembered_passwords


def at_hand(library: Library, given: str | None = None) -> list[str]:
    """Return the passwords to try on a locked archive, each once: the one given, those that fitted, those kept."""
    kept = remembered(library)
    return list(dict.fromkeys([*([given] if given else []), *library.passwords.values(), *kept]))


def remember(library: Library, password: str) -> bool:
    """Keep a password for this library; False when there is no keyring, and it is kept in memory only. Blocking."""
    kept = [password, *(known for known in remembered(library) if known != password)][:MOST_KEPT]
    library.remembered_passwords = kept
    name = library.setting_values.state(_LIBRARY)
    if not name:
        name = uuid.uuid4().hex
        library.setting_values.set_state(_LIBRARY, name)
    try:
        keyring.set_password(_SERVICE, name, json.dumps(kept))
    except keyring.errors.KeyringError:
        logger.info("No keyring here: passwords of documents are forgotten when the library is closed")
        return False
    return True


async def unlocked(
    library: Library, sha256: str, attempt: Callable[[str | None], Awaitable[T]], *, given: str | None = None
) -> T:
    """Return what attempt(password) returns with the first password that fits.

    The order: none (with which a parser tries the blank one), the one that is given, the one that opened the file
    before, and those that were kept. The keyring, which may ask for a password of its own, is asked only for a file
    that is locked.

    Raises:
        EncryptedDocument: None fits.
    """
    try:
        return await attempt(None)
    except EncryptedDocument as error:
        refused = error
    tried: set[str] = set()
    for candidates in (_at_hand(library, sha256, given), await library.on_store(remembered, library)):
        for password in [one for one in candidates if one not in tried]:
            tried.add(password)
            try:
                value = await attempt(password)
            except EncryptedDocument as error:
                refused = error if password == given else refused
            else:
                library.passwords[sha256] = password
                return value
    raise refused


def _at_hand(library: Library, sha256: str, given: str | None) -> Iterable[str]:
    return [one for one in (given, library.passwords.get(sha256)) if one]


def _load(name: str) -> list[str]:
    if not name:
        return []
    try:
        kept = json.loads(keyring.get_password(_SERVICE, name) or "[]")
    except (keyring.errors.KeyringError, ValueError):
        # No keyring, or it stays locked, or another program wrote there: then nothing is remembered.
        logger.info("No passwords of documents can be read from the keyring")
        return []
    return [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []
