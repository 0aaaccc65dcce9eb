"""Which environment variables a child process is given: those that it needs, and never a key."""

import os
import re
import sys
from collections.abc import Iterable, Mapping

_NEEDED = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TERM | LANG | LANGUAGE | LC_\w+ | TZ | TMPDIR | TEMP | TMP
    | LD_LIBRARY_PATH | DYLD_\w+ | VIRTUAL_ENV | CONDA_PREFIX
    | PYTHON(?!STARTUP)\w+ | XDG_(?:DATA|CONFIG)_DIRS | FONTCONFIG_\w+ | TESSDATA_PREFIX | SAL_\w+
    | (?:OMP|OPENBLAS|MKL|NUMEXPR|ORT|MALLOC|GLIBC)_\w+ | TOKENIZERS_PARALLELISM
    | SYSTEMROOT | SYSTEMDRIVE | WINDIR | COMSPEC | PATHEXT | PROGRAM(?:FILES|DATA)\w* | PROGRAMFILES\(X86\)
    | (?:LOCAL)?APPDATA | USERPROFILE | NUMBER_OF_PROCESSORS | PROCESSOR_\w+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What finding and running a program takes."""

_SECRET = re.compile(
    r"""
    (?:^|_) (?: \w*KEYS? | \w*TOKENS? | \w*SECRETS? | \w*PASS(?:WORD|WD|PHRASE)? | PWD_\w+ | \w*CREDENTIALS? | COOKIES?
    | PAT | DSN | AUTH(?:ORIZATION)? | SIGNATURE | PRIVATE ) (?:_|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WITH_PASSWORD = re.compile(r"^[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]+@", re.IGNORECASE)
"""An address with a password in it, as of a database or a proxy."""
_LIKE_A_KEY = re.compile(r"^(?:sk-|pk-|ghp_|gho_|github_pat_|hf_|xox[abprs]-|AKIA|AIza|eyJ)[\w.-]{8,}$")
"""How keys begin that services give out, whatever the variable is called."""


def select_variables(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """Return what a program of ours needs, and the variables named; whatever else stands there stays here."""
    kept = frozenset(named)
    return {name: value for name, value in environment.items() if name in kept or _is_needed(name, value)}


def without_secrets(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """Return all but what looks like a key or a password by its name or value; variables that are named stay."""
    kept = frozenset(named)
    return {name: value for name, value in environment.items() if name in kept or not is_secret(name, value)}


def is_secret(name: str, value: str) -> bool:
    """Whether a variable looks like a key or a password."""
    return bool(_SECRET.search(name) or _WITH_PASSWORD.search(value) or _LIKE_A_KEY.search(value))


def keep_only_variables(kept: Mapping[str, str]) -> None:
    """Take every other variable from this process, and wipe it where the system lets other programs look for it."""
    gone = [name for name in os.environ if name not in kept]
    if sys.platform == "linux" and gone:
        _wipe({os.fsencode(name) for name in gone})
    for name in gone:
        os.environ.pop(name, None)


def _is_needed(name: str, value: str) -> bool:
    return _NEEDED.fullmatch(name) is not None and not is_secret(name, value)


def _wipe(names: set[bytes]) -> None:
    """Overwrite the values where they stand since the process began: /proc/self/environ shows them there."""
    import ctypes  # 6 ms that the window does not wait for

    entries = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    place = 0
    while entries and (address := entries[place]):
        entry = ctypes.string_at(address)
        name, _, value = entry.partition(b"=")
        if name in names and value:
            ctypes.memset(address + len(name) + 1, 0, len(value))
        place += 1
