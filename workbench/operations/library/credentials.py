"""Keys and passwords: in the system's keyring, or in an environment variable that a profile names, and nowhere else.

Where the system has no keyring, a key that is entered is kept in the memory of the program until that ends, and whoever
entered it is told so. Every key that passes here is taken out of whatever the program writes (workbench.logs).
"""

import logging
import os
import re
from urllib.parse import urlsplit

import keyring
import keyring.errors

from workbench.agent.providers.base_url import normalise
from workbench.errors import ModelKeyRefused, SettingError
from workbench.logs import keep_secret
from workbench.model.profile import ModelProfile

logger = logging.getLogger(__name__)
_SERVICE = "knowledge-workbench"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_until_the_end: dict[str, str] = {}
"""What was entered where there is no keyring."""


def key_entry(profile: ModelProfile) -> str:
    """Return under which name a profile's key is kept: with its server in it, so that no other server is sent it.

    Otherwise a library that comes from somebody else could have a profile of the same name, and another server.

    Raises:
        SettingError: The profile's address cannot be one.
    """
    if not profile.base_url:
        return profile.name
    return f"{profile.name} at {urlsplit(normalise(profile.base_url)).netloc}"


def require_variable(name: str) -> None:
    """Go on only where a text can be the name of a variable that holds a key, or is empty.

    Raises:
        SettingError: It cannot. Mostly it is the key itself, which must not come into any file; nor is it repeated.
    """
    if name and not _VARIABLE.fullmatch(name):
        raise SettingError(
            "What was given for the key is not the name of an environment variable.",
            "Give the name of the variable that holds the key, for example OPENAI_API_KEY, not the key itself.",
        )


def load_key(profile: ModelProfile) -> str:
    """Return the profile's key for its server; empty where it has none (local servers need none).

    Raises:
        ModelKeyRefused: The profile names an environment variable that is not set.
        SettingError: The profile's address cannot be one.
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
    """Return what store_secret kept under a name; empty where there is nothing."""
    secret = _until_the_end.get(name, "")
    if not secret:
        try:
            secret = keyring.get_password(_SERVICE, name) or ""
        except keyring.errors.KeyringError:
            # A server without a desktop, say: then nothing can have been stored either.
            logger.info("No keyring here: nothing is stored under %s", name)
    keep_secret(secret)
    return secret


def store_secret(name: str, secret: str) -> bool:
    """Put a key or password into the system's keyring; an empty one removes it.

    Returns:
        Whether it will be there the next time: False where this system has no keyring, and it is kept until the
        program ends.
    """
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
