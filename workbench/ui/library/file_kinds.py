"""File filters of the file dialog: all documents, one line for each family, and all files."""

from collections.abc import Iterable

from workbench.language import tr, translate
from workbench.parsing.parser_registry import endings_by_family


def file_dialog_filters() -> list[str]:
    """Return the dialog's filters, each a name and its patterns."""
    families = endings_by_family()
    everything = sorted({suffix for suffixes in families.values() for suffix in suffixes})
    kinds = [_filter(_capitalise(translate(words)), suffixes) for words, suffixes in families.items()]
    return [_filter(tr("All documents"), everything), *kinds, _filter(tr("All files"), [""])]


def _capitalise(words: str) -> str:
    return words[:1].upper() + words[1:]


def _filter(name: str, suffixes: Iterable[str]) -> str:
    return f"{name} ({' '.join('*' + suffix for suffix in suffixes)})"
