"""The values of settings, and what the program remembers for itself."""

from contextlib import suppress
from typing import Any

from workbench.errors import LibraryDamaged
from workbench.settings import Settings, declaration
from workbench.store.database import Database
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text


class SettingStore:
    """Only what was changed is stored: a default that gets better in a later version takes effect."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self) -> Settings:
        """Return the settings in force; a stored value that is no longer allowed falls back to the default."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT key, value FROM remembered WHERE scope = 'setting'").fetchall()
        stored = {}
        for key, value in rows:
            # One that cannot be read must not keep the library shut: the default is in force until a repair.
            with suppress(LibraryDamaged):
                stored[key] = loaded_json(value)
        return Settings.from_stored(stored)

    def put(self, key: str, value: Any) -> None:
        """Change a setting.

        Raises:
            SettingError: There is no such setting, or the value is not allowed.
        """
        self._put("setting", key, stored_json(declaration(key).check(value)))

    def reset(self, key: str) -> None:
        """Give a setting its default back.

        Raises:
            SettingError: There is no such setting.
        """
        declared = declaration(key)
        with self._database.write() as connection:
            connection.execute("DELETE FROM remembered WHERE scope = 'setting' AND key = ?", (declared.key,))

    def state(self, key: str, default: str = "") -> str:
        """Return what was remembered under key, for example where the window's docks were."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT value FROM remembered WHERE scope = 'window' AND key = ?", (key,)
            ).fetchone()
        return loaded_text(row[0]) if row else default

    def set_state(self, key: str, value: str) -> None:
        """Remember a text under key."""
        self._put("window", key, stored_text(value))

    def _put(self, scope: str, key: str, value: str | bytes) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO remembered (scope, key, value) VALUES (?, ?, ?)", (scope, key, value)
            )
