"""Which files could become documents: by the ending of the name, and by what they hold where the name has none.

The one place that decides it for files that were found in folders and archives. A file that the user named himself is
judged by its parser, which has more to say.
"""

from functools import lru_cache
from pathlib import Path

from workbench.errors import DamagedDocument, UnsupportedFormat
from workbench.language import mark
from workbench.parsing.formats import ADVICE
from workbench.parsing.registry import parser_for, suffix_of, supported_suffixes, unsupported
from workbench.store.intake import Stamp

_NO_ENDING = mark("Its name has no ending, and it does not hold text.")


def has_parser(path: Path) -> bool:
    """Whether the ending of a name is one that is read; looks at nothing but the name."""
    return suffix_of(path) in supported_suffixes()


def refusal(path: Path, stamp: Stamp) -> str:
    """Return why a file of a folder does not become a document, one sentence, or nothing where it may.

    A file without an ending ("README", "Letter to Dr. Smith") is opened and its first 4 KB tell; blocking.

    Raises:
        UnreadableFile: It cannot be opened.
    """
    if suffix_of(path):
        return refusal_by_name(path)
    return "" if stamp.size and _holds_text(path, stamp) else _NO_ENDING


def refusal_by_name(path: Path) -> str:
    """Return the same for what cannot be looked into; a name without an ending is let through."""
    suffix = suffix_of(path)
    if not suffix or suffix in supported_suffixes():
        return ""
    error = unsupported(suffix)
    return str(error) if suffix in ADVICE else error.message


@lru_cache(maxsize=10_000)
def _holds_text(path: Path, _stamp: Stamp) -> bool:
    """Whether a parser would take a file without an ending; asked again only when its stamp changed.

    Raises:
        UnreadableFile: It cannot be opened.
    """
    try:
        parser_for(path)
    except (DamagedDocument, UnsupportedFormat):
        return False
    return True
