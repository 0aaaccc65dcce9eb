"""Which plug-in files may run: consent to a file and the hash of its bytes, kept for the user, not in the library.

A library folder may come from somebody else; what it holds must not be able to say that its own code may run.
"""

import json
import logging
import os
import tempfile
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import PluginError
from workbench.files.changes import delete_file, move_into_place
from workbench.files.modes import make_folder

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PluginConsent:
    """That one version of a file may run.

    Attributes:
        file: Where it stands.
        sha256: Of the bytes that were consented to.
        given: When, ISO 8601, UTC.
        offers: The names of the retrievers in it.
    """

    file: str
    sha256: str
    given: str
    offers: tuple[str, ...] = ()


class PluginConsentFile:
    """The consents of one user, in one JSON file that is read anew each time: another window may have changed it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def of(self, file: Path) -> PluginConsent | None:
        """Return the consent to a file, to whichever version of it."""
        return self._read().get(str(file))

    def allow(self, file: Path, sha256: str, offers: tuple[str, ...]) -> PluginConsent:
        """Consent to one version of a file, in place of an earlier one.

        Raises:
            PluginError: It cannot be written down.
        """
        consent = PluginConsent(str(file), sha256, datetime.now(UTC).isoformat(timespec="seconds"), offers)
        with self._lock:
            self._write({**self._read(), consent.file: consent})
        return consent

    def forbid(self, file: Path) -> None:
        """Take back the consent to a file.

        Raises:
            PluginError: It cannot be written down.
        """
        with self._lock:
            consents = self._read()
            if consents.pop(str(file), None) is not None:
                self._write(consents)

    def _read(self) -> dict[str, PluginConsent]:
        try:
            stored: dict[str, dict[str, Any]] = json.loads(self._path.read_text("utf-8"))
            return {
                key: PluginConsent(key, str(one["sha256"]), str(one["given"]), tuple(map(str, one["offers"])))
                for key, one in stored.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            # Without it nothing may run, which is the safe side; it is asked again.
            logger.warning("The list of allowed plug-ins cannot be read", exc_info=True)
            return {}

    def _write(self, consents: dict[str, PluginConsent]) -> None:
        written = {
            key: {"sha256": one.sha256, "given": one.given, "offers": list(one.offers)} for key, one in consents.items()
        }
        try:
            make_folder(self._path.parent)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".plugins-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(written, file, ensure_ascii=False, indent=2)
                move_into_place(name, self._path, within=self._path.parent)
            finally:
                delete_file(name, within=self._path.parent, missing_ok=True)
        except OSError as error:
            raise PluginError(
                "The consent could not be kept.", f"Check that {self._path.parent} can be written."
            ) from error
