"""Keys of model servers: in the system's keyring, or in an environment variable that the profile names."""

import logging
import os

import keyring
import keyring.errors

from workbench.errors import ModelKeyRefused, SettingError
from workbench.model.profile import ModelProfile

logger = logging.getLogger(__name__)
_SERVICE = "knowledge-workbench"


def load_key(profile: ModelProfile) -> str:
    """Return the profile's key; empty where it has none (local servers need none).

    Raises:
        ModelKeyRefused: The profile names an environment variable that is not set.
    """
    if profile.key_env:
        key = os.environ.get(profile.key_env, "")
        if not key:
            raise ModelKeyRefused(
                f"The environment variable {profile.key_env}, which should hold the key, is not set.",
                "Set it before starting the program, or store the key in the profile.",
            )
        return key
    try:
        return keyring.get_password(_SERVICE, profile.name) or ""
    except keyring.errors.KeyringError:
        # No keyring on this machine (a server without a desktop): then no key can have been stored either.
        logger.info("No keyring here; the profile %s is used without a key", profile.name)
        return ""


def load_secret(name: str) -> str:
    """Return what store_secret kept under a name; empty where there is nothing, or no keyring."""
    try:
        return keyring.get_password(_SERVICE, name) or ""
    except keyring.errors.KeyringError:
        return ""


def store_secret(name: str, secret: str) -> bool:
    """Put a password into the system's keyring; False where this machine has none."""
    try:
        keyring.set_password(_SERVICE, name, secret)
    except keyring.errors.KeyringError:
        logger.info("No keyring here; a password is kept until the program ends")
        return False
    return True


def store_key(profile: str, key: str) -> None:
    """Put a key into the system's keyring; an empty one removes it.

    Raises:
        SettingError: This machine has no keyring.
    """
    try:
        if key:
            keyring.set_password(_SERVICE, profile, key)
        elif keyring.get_password(_SERVICE, profile) is not None:
            keyring.delete_password(_SERVICE, profile)
    except keyring.errors.KeyringError as error:
        if key:
            raise SettingError(
                "This machine has no keyring in which a key could be stored safely.",
                "Put the key into an environment variable and name that variable in the profile.",
            ) from error
