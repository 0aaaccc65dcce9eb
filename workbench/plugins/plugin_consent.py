"""Consents of the user to plug-in files, by path and sha256.

They are stored for the user and not in the library, because a library folder from somebody else must not be able to
permit its own code.
"""

import json
import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import PluginError
from workbench.files.changes import replace_private_file

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PluginConsent:
    """Consent to run one version of a file.

    Attributes:
        file: Path of the file.
        sha256: Hash of the file's bytes.
        given: Time of the consent, ISO 8601, UTC.
        offers: Names of the retrievers in the file.
    """

    file: str
    sha256: str
    given: str
    offers: tuple[str, ...] = ()


class PluginConsentFile:
    """JSON file with the consents of one user; it is read on each access, because another window may change it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def of(self, file: Path) -> PluginConsent | None:
        """Return the consent to any version of a file, None if there is none."""
        return self._read().get(str(file))

    def allow(self, file: Path, sha256: str, offers: tuple[str, ...]) -> PluginConsent:
        """Store the consent to one version of a file, in place of an earlier version.

        Raises:
            PluginError: The consent cannot be stored.
        """
        consent = PluginConsent(str(file), sha256, datetime.now(UTC).isoformat(timespec="seconds"), offers)
        with self._lock:
            self._write({**self._read(), consent.file: consent})
        return consent

    def forbid(self, file: Path) -> None:
        """Withdraw the consent to a file.

        Raises:
            PluginError: The change cannot be stored.
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
            # Fail safe: without consents no plug-in runs, and the user is asked again.
            logger.warning("The list of allowed plug-ins cannot be read", exc_info=True)
            return {}

    def _write(self, consents: dict[str, PluginConsent]) -> None:
        written = {
            key: {"sha256": one.sha256, "given": one.given, "offers": list(one.offers)} for key, one in consents.items()
        }
        try:
            replace_private_file(self._path, json.dumps(written, ensure_ascii=False, indent=2).encode())
        except OSError as error:
            raise PluginError(
                "The consent could not be stored.", f"Check that {self._path.parent} can be written."
            ) from error
