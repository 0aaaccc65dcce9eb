"""The title of a session -> a file name that every system takes: Windows is the narrowest, so it is the measure."""

import re
import unicodedata

from workbench.export.escaping import one_line
from workbench.model.visible import replaced

_LONGEST = 120
"""Bytes before the suffix; file systems take 255, and a copy gets " (2)", a half-written file ".part"."""
_HARMFUL = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f\ufffd]+')
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)")
_UNTITLED = "session"


def safe_file_name(title: str, suffix: str) -> str:
    """Return the title as a file name with the suffix, which begins with a dot."""
    text = unicodedata.normalize("NFC", one_line(replaced(title)))
    # Marks of direction show a name in another order than it has, so that its ending seems another.
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cf", "Cc", "Cs", "Co", "Cn"))
    text = " ".join(_HARMFUL.sub(" ", text).split())
    text = text.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore")
    text = text.strip(" .~-")
    if _RESERVED.match(text):
        text = f"_{text}"
    return (text or _UNTITLED) + suffix


def numbered(names: list[str]) -> list[str]:
    """Return the names with " (2)", " (3)" at those that would be one file on a system that ignores case."""
    taken: set[str] = set()
    result = []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        number, made = 1, name
        while made.casefold() in taken:
            number += 1
            made = f"{stem} ({number}){dot}{suffix}"
        taken.add(made.casefold())
        result.append(made)
    return result
