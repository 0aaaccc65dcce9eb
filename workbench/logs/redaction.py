"""Redaction of keys, user names and paths in anything that is logged or shown to others.

In the log, names of documents, folders and servers are written in ‹ ›, so that a report can omit them.
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
"""Keys that are recognisable by their prefix."""

_SHORTEST = 6
"""Minimum length of a known secret; a shorter one would occur by chance in many words."""
_LONG = 12
"""Minimum length at which a secret that does not consist of letters only cannot be a word of a language."""

_NAMED = re.compile(
    # Alternatives with a leading wildcard start at a word boundary; otherwise each letter of a long word is tried.
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
"""Form of a secret -> True if it cannot be an ordinary word."""
_known: re.Pattern[str] | None = None
_unmistakable: re.Pattern[str] | None = None


def keep_secret(secret: str) -> None:
    """Register a key or password, to be removed from all texts until the program ends.

    Callable from any thread. Secrets of fewer than six characters are ignored.
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
    """Return a text without the registered keys; text that only looks like a key stays.

    Used for answers and results of tools. A registered password that may be a word of a language stays, too, because
    it would also be found in unrelated texts.
    """
    pattern = _unmistakable
    return pattern.sub(MASK, text) if pattern is not None and text else text


def masked(text: str) -> str:
    """Return a text without registered keys and without anything that looks like a key."""
    if _known is not None:
        text = _known.sub(MASK, text)
    text = SHAPED.sub(MASK, text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}@", text)
    text = _COOKIES.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    return _NAMED.sub(lambda found: f"{found['name']}{found['kind'] or ''}{MASK}", text)


class MaskedStream:
    """Filter that removes registered keys from a text that arrives in pieces, even if a key is split between them."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, piece: str) -> str:
        """Return the text that can be shown so far; an end that could be the beginning of a key is held back."""
        text = without_secrets(self._held + piece)
        held = _partial_key_length(text, [form for form, is_long in tuple(_secrets.items()) if is_long])
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """Return the text that was held back."""
        text, self._held = self._held, ""
        return text


def _partial_key_length(text: str, secrets: Sequence[str]) -> int:
    """Return the number of characters at the end of a text that may be the beginning of a key."""
    longest = 0
    for secret in secrets:
        for length in range(min(len(secret) - 1, len(text)), longest, -1):
            if text.endswith(secret[:length]):
                longest = length
                break
    return longest


def _any_of(secrets: Iterable[str]) -> re.Pattern[str] | None:
    # Longest first, because one secret may contain another.
    ordered = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered))) if ordered else None


def _forms(secret: str) -> set[str]:
    """Return a secret in its plain, URL-encoded and JSON-escaped forms."""
    return {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}


_PACKAGE = Path(__file__).resolve().parents[1]
_SHORTEST_NAME = 3
_SEPARATORS = r"[/\\]"


_NAME = re.compile("‹([^›]*)›")
_OF_CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]\w*(?:Error|Exception|Failed)|", re.ASCII)
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}", re.ASCII)


def named(text: str) -> str:
    """Return a user's text for a line of the log: on one line, with paths shortened, in ‹ ›."""
    text = shortened(text).replace("›", ">")
    return f"‹{text if text.isprintable() else ' '.join(text.split())}›"


def without_names(lines: str) -> str:
    """Return lines of the log without the names in them; file name extensions are kept, as they show the file type."""
    return _NAME.sub(_remove_name, lines)


def _remove_name(found: re.Match[str]) -> str:
    name = found[1]
    if _OF_CODE.fullmatch(name):
        return found[0]
    suffix = PurePath(name.rpartition("/")[2].rpartition("\\")[2]).suffix
    return f"‹…{suffix.lower() if _ENDING.fullmatch(suffix) else ''}›"


def shortened(text: str) -> str:
    """Return a text in which the user's folder is “~” and the user's name in paths is “user”."""
    for pattern, put in _private():
        text = pattern.sub(put, text)
    return text


def in_code(file: str) -> str:
    """Return the path of a source file: relative to its package folder if installed, else only its name."""
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
    """Return the patterns that are replaced in every text, with their replacements."""
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
