"""Connections of a personal library to shared ones, as stored in its state."""

import json
from dataclasses import dataclass

from workbench.store.configuration import SettingStore

STATE = "shared libraries"
"""Key of the connections in the state of the personal library."""


@dataclass(frozen=True, slots=True)
class SharedConnection:
    """Connection of a personal library to a shared one, as stored.

    Attributes:
        slot: Number that distinguishes its ids (federated_ids.py); never used again for another library.
        name: Name chosen by the user.
        url: Address of the database, without a password.
    """

    slot: int
    name: str
    url: str


def connections_of(values: SettingStore) -> list[SharedConnection]:
    """Return the stored connections, in the order in which they were made."""
    try:
        return [SharedConnection(int(one["slot"]), one["name"], one["url"]) for one in json.loads(values.state(STATE))]
    except (ValueError, KeyError, TypeError):
        return []
