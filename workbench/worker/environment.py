"""Selection of environment variables for child processes, without secrets."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from workbench.system import current

_NEEDED = re.compile(
    r"""
    PATH | HOME | USER | LOGNAME | SHELL | TERM | LANG | LANGUAGE | LC_\w+ | TZ | TMPDIR | TEMP | TMP
    | LD_LIBRARY_PATH(?:_ORIG)? | DYLD_\w+ | VIRTUAL_ENV | CONDA_PREFIX
    | PYTHON(?!STARTUP)\w+ | XDG_(?:DATA|CONFIG)_DIRS | FONTCONFIG_\w+ | TESSDATA_PREFIX | SAL_\w+
    | (?:OMP|OPENBLAS|MKL|NUMEXPR|ORT|MALLOC|GLIBC)_\w+ | TOKENIZERS_PARALLELISM
    | SYSTEMROOT | SYSTEMDRIVE | WINDIR | COMSPEC | PATHEXT | PROGRAM(?:FILES|DATA)\w* | PROGRAMFILES\(X86\)
    | (?:LOCAL)?APPDATA | USERPROFILE | NUMBER_OF_PROCESSORS | PROCESSOR_\w+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Variables required to find and run programs."""

_SECRET = re.compile(
    r"""
    (?:^|_) (?: \w*KEYS? | \w*TOKENS? | \w*SECRETS? | \w*PASS(?:WORD|WD|PHRASE)? | PWD_\w+ | \w*CREDENTIALS? | COOKIES?
    | PAT | DSN | AUTH(?:ORIZATION)? | SIGNATURE | PRIVATE ) (?:_|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WITH_PASSWORD = re.compile(r"^[a-z][a-z0-9+.-]*://[^/@\s]*:[^/@\s]+@", re.IGNORECASE)
"""Address that contains a password, for example of a database or a proxy."""
_KEY_VALUE = re.compile(r"^(?:sk-|pk-|ghp_|gho_|github_pat_|hf_|xox[abprs]-|AKIA|AIza|eyJ)[\w.-]{8,}$")
"""Values that begin like the API keys of known services, whatever the variable's name."""


def select_variables(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables that our own child processes need, and the named ones."""
    kept = frozenset(named)
    return {name: value for name, value in environment.items() if name in kept or _is_needed(name, value)}


def without_secrets(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """Return all variables that do not look like a key or password by name or value, and the named ones."""
    kept = frozenset(named)
    return {name: value for name, value in environment.items() if name in kept or not is_secret(name, value)}


@contextmanager
def environment_for_programs() -> Iterator[None]:
    """Give this process, while in the context, the environment of programs that do not belong to it.

    For Qt, which starts a browser or a viewer with the environment of this process. The children of this program need
    its own library path: none may be started meanwhile.
    """
    own, others = dict(os.environ), current().variables_for_programs(os.environ)
    _change(own, others)
    try:
        yield
    finally:
        _change(others, own)


def _change(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    for name in before.keys() - after.keys():
        os.environ.pop(name, None)
    os.environ.update({name: value for name, value in after.items() if before.get(name) != value})


def is_secret(name: str, value: str) -> bool:
    """Return True if a variable looks like a key or a password."""
    return bool(_SECRET.search(name) or _WITH_PASSWORD.search(value) or _KEY_VALUE.search(value))


def keep_only_variables(kept: Mapping[str, str]) -> None:
    """Remove every other variable from this process; on Linux, also overwrite its value in memory."""
    removed = [name for name in os.environ if name not in kept]
    if removed:
        current().wipe_variables({os.fsencode(name) for name in removed})
    for name in removed:
        os.environ.pop(name, None)


def _is_needed(name: str, value: str) -> bool:
    return _NEEDED.fullmatch(name) is not None and not is_secret(name, value)
