"""Keys and passwords: stored in the system's keyring, or read from an environment variable that a profile names.

If the system has no keyring, an entered key is kept in memory until the program ends, and the caller is informed. Every
key that is read or stored here is masked in all logs of the program (workbench.logs).
"""

import logging
import os
import re
from urllib.parse import urlsplit

from workbench.agent.providers.base_url import normalise
from workbench.errors import ModelKeyRefused, SettingError
from workbench.logs import keep_secret
from workbench.model.profile import ModelProfile

logger = logging.getLogger(__name__)
_SERVICE = "knowledge-workbench"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_until_the_end: dict[str, str] = {}
"""Secrets that were entered on a system without a keyring, by name."""


def key_entry(profile: ModelProfile) -> str:
    """Return the keyring entry of a profile's key; it contains the server, so that the key is sent to no other.

    Otherwise a library from another person could have a profile of the same name, with another server.

    Raises:
        SettingError: The profile's address is invalid.
    """
    if not profile.base_url:
        return profile.name
    return f"{profile.name} at {urlsplit(normalise(profile.base_url)).netloc}"


def require_variable(name: str) -> None:
    """Validate that a text is the name of an environment variable, or empty.

    Raises:
        SettingError: It is not. Mostly it is the key itself, which must not be stored; the message does not repeat it.
    """
    if name and not _VARIABLE.fullmatch(name):
        raise SettingError(
            "The variable for the key is not the name of an environment variable.",
            "Give the name of the variable that holds the key, for example OPENAI_API_KEY, not the key itself.",
        )


def load_key(profile: ModelProfile) -> str:
    """Return the profile's key for its server; empty if it has none (local servers need none).

    Raises:
        ModelKeyRefused: The profile names an environment variable that is not set.
        SettingError: The profile's address is invalid.
    """
    if profile.key_env:
        key = os.environ.get(profile.key_env, "")
        if not key:
            raise ModelKeyRefused(
                f"The environment variable {profile.key_env}, which should hold the key, is not set.",
                "Set it before starting the program, or store the key in the profile.",
            )
        keep_secret(key)
        return key
    return load_secret(key_entry(profile))


def load_secret(name: str) -> str:
    """Return the secret that store_secret stored under a name; empty if there is none."""
    secret = _until_the_end.get(name, "")
    if not secret:
        import keyring  # 30 ms, which most commands do not need

        try:
            secret = keyring.get_password(_SERVICE, name) or ""
        except keyring.errors.KeyringError:
            # For example a server without a desktop: then nothing can have been stored either.
            logger.info("No keyring here: nothing is stored under %s", name)
    keep_secret(secret)
    return secret


def store_secret(name: str, secret: str) -> bool:
    """Put a key or password into the system's keyring; an empty one removes it.

    Returns:
        True if it is stored permanently; False if this system has no keyring, so that it is kept until the program
        ends.
    """
    import keyring  # as above

    keep_secret(secret)
    _until_the_end.pop(name, None)
    try:
        if secret:
            keyring.set_password(_SERVICE, name, secret)
        elif keyring.get_password(_SERVICE, name) is not None:
            keyring.delete_password(_SERVICE, name)
    except keyring.errors.KeyringError:
        if secret:
            logger.info("No keyring here: what is stored under %s is kept until the program ends", name)
            _until_the_end[name] = secret
            return False
    return True
