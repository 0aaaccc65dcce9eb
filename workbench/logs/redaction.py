"""Redaction of keys, user names and paths in anything that is logged or shown to others.

In the log a name stands in ‹ ›: of a document, a folder, a server. So a report can be made of it without names.
"""

import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePath
from urllib.parse import quote, quote_plus

MASK = "[key]"

SHAPED = re.compile(
    r"-----BEGIN[A-Z ]*PRIVATE KEY-----.*?(?:-----END[A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:(?:sk|pk|rk)[-_]|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|hf_|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_\-.]{12,}",
    re.DOTALL,
)
"""Keys that say by their beginning what they are."""

_SHORTEST = 6
"""A shorter secret would be found in half the words of a text; such a password is nothing to rely on either."""
_LONG = 12
"""So long, and not of letters only, a secret is no word of a language."""

_NAMED = re.compile(
    # What may begin anywhere begins where a word does: else each letter of a long one is tried.
    r"(?P<name>(?:authorization|cookie|set-cookie|(?<![\w-])[\w-]*(?:api|access|subscription|secret|auth|private)[_-]?(?:key|token)"
    r"|(?<![\w-])[\w-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|signature|api-?key)|(?<![\w-])x-[\w-]*key|(?<![\w-])(?:key|sig))"
    r"[\"']?\s*[=:]\s*[\"']?)"
    r"(?P<kind>(?:Bearer|Basic|Digest|Token)\s+)?"
    r"(?P<value>(?!\[key\]|(?:Bearer|Basic|Digest|Token)\s)[^\s\"'&;,<>]+)",
    re.IGNORECASE,
)
_COOKIES = re.compile(r"((?:^|[\"'\s])(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?)([^\r\n\"']+)", re.IGNORECASE)
_BEARER = re.compile(r"\b(Bearer|Basic)(\s+)(?!\[key\])(?=\S*[\d=]|\S{16})[A-Za-z0-9+/=_\-.~]{6,}")
_IN_ADDRESS = re.compile(r"(://)[^/\s:@\"'<>]*:[^/\s@\"'<>]+@")

_lock = threading.Lock()
_secrets: dict[str, bool] = {}
"""Every form of a secret, and whether it can be nothing else."""
_known: re.Pattern[str] | None = None
_unmistakable: re.Pattern[str] | None = None


def keep_secret(secret: str) -> None:
    """Remember a key or password for as long as the program runs, so that no text that is written holds it.

    Callable from any thread. Empty ones, and those of fewer than six characters, are not looked for.
    """
    global _known, _unmistakable
    secret = secret.strip()
    if len(secret) < _SHORTEST:
        return
    with _lock:
        new = [form for form in _forms(secret) if form not in _secrets]
        if new:
            _secrets.update((form, len(secret) >= _LONG and not secret.isalpha()) for form in new)
            _known = _any_of(_secrets)
            _unmistakable = _any_of([form for form, is_long in _secrets.items() if is_long])


def without_secrets(text: str) -> str:
    """Return a text without the keys that the program knows; all else stays, also what only looks like a key.

    For answers and what tools return: a password that is a word of a language stays too, for it would be found in texts
    that have nothing to do with it.
    """
    pattern = _unmistakable
    return pattern.sub(MASK, text) if pattern is not None and text else text


def masked(text: str) -> str:
    """Return a text without keys: those that the program knows, and whatever looks like one."""
    if _known is not None:
        text = _known.sub(MASK, text)
    text = SHAPED.sub(MASK, text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}@", text)
    text = _COOKIES.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    return _NAMED.sub(lambda found: f"{found['name']}{found['kind'] or ''}{MASK}", text)


class MaskedStream:
    """Takes the known keys out of a text that comes in pieces, also where one is cut in two by them."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, piece: str) -> str:
        """Return what may be shown by now; the end is held back while it could be the beginning of a key."""
        text = without_secrets(self._held + piece)
        held = _begun(text, [form for form, is_long in tuple(_secrets.items()) if is_long])
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return what was held back."""
        text, self._held = self._held, ""
        return text


def _begun(text: str, secrets: Sequence[str]) -> int:
    """Return how many characters at the end of a text a key may begin with; 0 for none."""
    longest = 0
    for secret in secrets:
        for length in range(min(len(secret) - 1, len(text)), longest, -1):
            if text.endswith(secret[:length]):
                longest = length
                break
    return longest


def _any_of(secrets: Iterable[str]) -> re.Pattern[str] | None:
    # The longest first: one may stand in another.
    ordered = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _forms(secret: str) -> set[str]:
    """Return a secret as it is, and as it stands in an address and in JSON."""
    return {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}


_PACKAGE = Path(__file__).resolve().parents[1]
_SHORTEST_NAME = 3
_SEPARATORS = r"[/\\]"


_NAME = re.compile("‹([^›]*)›")
_OF_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]\w*(?:Error|Exception|Failed)|", re.ASCII)
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}", re.ASCII)


def named(text: str) -> str:
    """Return a text that is the user's as it stands in a line of the log: in one line, its path shortened, in ‹ ›."""
    text = shortened(text).replace("›", ">")
    return f"‹{text if text.isprintable() else ' '.join(text.split())}›"


def without_names(lines: str) -> str:
    """Return lines of the log without the names in them; of a file its ending stays, for it says what kind it is."""
    return _NAME.sub(_unnamed, lines)


def _unnamed(found: re.Match[str]) -> str:
    name = found[1]
    if _OF_CODE.fullmatch(name):
        return found[0]
    suffix = PurePath(name.rpartition("/")[2].rpartition("\\")[2]).suffix
    return f"‹…{suffix.lower() if _ENDING.fullmatch(suffix) else ''}›"


def shortened(text: str) -> str:
    """Return a text in which the user's folder is “~” and the user's name in a path is “user”."""
    for pattern, put in _private():
        text = pattern.sub(put, text)
    return text


def in_code(file: str) -> str:
    """Return the file of a line of code: from the package's folder on, for what was installed; else its name only."""
    path = file.replace("\\", "/")
    ours = _PACKAGE.as_posix()
    if path.startswith(ours + "/"):
        return "workbench" + path[len(ours) :]
    for folder in ("/site-packages/", "/dist-packages/"):
        if folder in path:
            return path.rpartition(folder)[2]
    library = f"/python{sys.version_info.major}.{sys.version_info.minor}/"
    if library in path:
        return path.rpartition(library)[2]
    return path if path.startswith("<") else path.rpartition("/")[2]


@cache
def _private() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what is replaced in every text, and by what."""
    found: list[tuple[re.Pattern[str], str]] = []
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    if len(home) > _SHORTEST_NAME:
        for form in dict.fromkeys((home, home.replace("\\", "\\\\"), home.replace("\\", "/"))):
            found.append((re.compile(rf"{re.escape(form)}(?=$|[^\w.-])"), "~"))
    names = {Path(home).name, *(os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME"))}
    for name in sorted(name for name in names if len(name) >= _SHORTEST_NAME):
        found.append((re.compile(rf"(?<={_SEPARATORS}){re.escape(name)}(?=$|{_SEPARATORS})"), "user"))
    return tuple(found)
