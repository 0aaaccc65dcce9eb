"""Personal settings: a file in the user's configuration folder, which holds for every library of this user.

    personal settings (language, appearance, text size ...) -> preferences.json
    all other settings                                      -> the library

A library made by an earlier version contains personal settings, too. They are taken over once, by adopt().
"""

import json
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from workbench.errors import SettingError
from workbench.files.changes import replace_private_file
from workbench.settings.declarations import PERSONAL, Settings, declaration

logger = logging.getLogger(__name__)


def config_folder() -> Path:
    """Return the user's configuration folder of this program; it need not exist yet."""
    return Path(platformdirs.user_config_dir("knowledge-workbench", appauthor=False))


class PreferenceFile:
    """JSON file with the personal settings of one user; it is read on each access, because another window may change it."""

    _lock = threading.Lock()
    _is_reported = False

    def __init__(self, path: Path | None = None) -> None:
        """Use a file; None uses the one in the user's configuration folder."""
        self._path = path or config_folder() / "preferences.json"

    def load(self) -> Settings:
        """Return settings with the personal values of the user, and the default of every other setting."""
        return Settings.from_stored(self.values())

    def values(self) -> dict[str, Any]:
        """Return the personal settings that the user has set, unchecked."""
        return {key: value for key, value in self._read().items() if value is not None}

    def put(self, key: str, value: Any) -> None:
        """Change a personal setting; None resets it to its default.

        Raises:
            SettingError: The value is not allowed, or the file cannot be written.
        """
        checked = None if value is None else declaration(key).check(value)
        with self._lock:
            self._write({**self._read(), key: checked})

    def adopt(self, values: Mapping[str, Any]) -> None:
        """Take over personal settings from a library, except those that were set or reset before.

        Raises:
            SettingError: The file cannot be written.
        """
        with self._lock:
            known = self._read()
            if not known.keys() >= values.keys():
                self._write({**values, **known})

    def _read(self) -> dict[str, Any]:
        """Return what is stored; None marks a setting that was reset."""
        try:
            stored = json.loads(self._path.read_text("utf-8"))
            return {key: stored[key] for key in PERSONAL if key in stored}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, TypeError):
            # An unreadable file must not block the program: the defaults are in force until the next change.
            if not PreferenceFile._is_reported:
                PreferenceFile._is_reported = True  # once, not at each of the many accesses
                logger.warning("The personal settings cannot be read", exc_info=True)
            return {}

    def _write(self, values: Mapping[str, Any]) -> None:
        folder = self._path.parent
        try:
            replace_private_file(self._path, json.dumps(dict(values), ensure_ascii=False, indent=2).encode())
        except OSError as error:
            raise SettingError(
                "Your personal settings could not be saved.", f"Check that {folder} can be written."
            ) from error
