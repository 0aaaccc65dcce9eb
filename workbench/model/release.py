"""Releases of this program: as a release feed names the newest one, and what the last question for it found."""

import json
import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from workbench.language import mark
from workbench.model.egress import is_here

LONGEST_FEED = 65_536
"""Bytes of a release feed that are read; one of this format has some hundred."""
_LONGEST_NOTES = 2_000
_LONGEST_ADDRESS = 500

_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){1,3}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Release:
    """Release as a feed describes it.

    Attributes:
        version: Numbers with dots between them.
        date: Day of the release, ISO 8601.
        address: Page or file from which a person can get it.
        sha256: Hash of the file at the address, 64 hexadecimal digits; empty for a page.
        notes: What is new in it, plain text; may be empty.
    """

    version: str
    date: str
    address: str
    sha256: str = ""
    notes: str = ""

    def is_newer(self, than: str) -> bool:
        """Return whether its version is above another: 0.10 is above 0.9, and 1.0 is not above 1.0.0."""
        return _numbers(self.version) > _numbers(than)


def read_release(feed: bytes) -> Release:
    """Return the release that a feed names: a JSON object with the attributes of Release; others are ignored.

    Raises:
        ValueError: It is not such an object, or a value is not as required.
    """
    try:
        found = json.loads(feed.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(mark("It is not JSON in UTF-8.")) from error
    if not isinstance(found, dict):
        raise ValueError(mark("It is not a JSON object."))
    texts = {}
    for name in ("version", "date", "address", "sha256", "notes"):
        value = found.get(name, "")
        if not isinstance(value, str):
            raise ValueError(mark(f"Its value “{name}” is not a text."))
        texts[name] = value.strip()
    release = Release(**{**texts, "notes": _plain(texts["notes"])[:_LONGEST_NOTES]})
    for name, is_right in (
        ("version", _VERSION.fullmatch(release.version) is not None),
        ("date", _is_date(release.date)),
        ("address", is_web_address(release.address)),
        ("sha256", not release.sha256 or _SHA256.fullmatch(release.sha256) is not None),
    ):
        if not is_right:
            raise ValueError(mark(f"Its value “{name}” is not as the format requires."))
    return release


def is_web_address(address: str) -> bool:
    """Return whether an address is of https, or of http on this machine, with nothing secret in it."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    if len(address) > _LONGEST_ADDRESS or not host or "@" in parts.netloc or not address.isprintable():
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_here(host))


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _plain(text: str) -> str:
    """Return a text without control characters other than line ends."""
    return "".join(character for character in text if character == "\n" or character.isprintable())


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """Outcome of the last question for a newer release.

    Attributes:
        feed: The address that is set; empty if nobody is asked.
        asked: Time of the last question: ISO 8601, UTC; empty if there was none.
        release: The newest release, if it is newer than this program.
        problem: Why the feed gave no usable answer; empty for none.
    """

    feed: str = ""
    asked: str = ""
    release: Release | None = None
    problem: str = ""

    @property
    def sentence(self) -> str:
        """The outcome, to be translated by translate()."""
        if not self.feed:
            return mark("No release feed is set, so no server is asked for a newer version.")
        if not self.asked:
            return mark("The release feed has not been asked yet.")
        if self.problem:
            return mark(f"The release feed gave no usable answer: {self.problem}")
        if self.release is None:
            return mark("The release feed names no newer version.")
        return mark(
            f"Version {self.release.version} of {self.release.date} is available. Nothing is downloaded or installed"
            " by itself."
        )
