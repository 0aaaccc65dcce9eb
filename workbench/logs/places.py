"""A path, a name and a line of code as they may be shown to others: no user's name, nothing of a machine's folders.

In the log a name stands in ‹ ›: of a document, a folder, a server. So a report can be made of it without names.
"""

import os
import re
import sys
from functools import cache
from pathlib import Path, PurePath

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
