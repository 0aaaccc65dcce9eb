"""Registry of parsers, and selection of the parser for a file by its suffix and content."""

import re
from functools import cache
from pathlib import Path

from workbench.errors import DamagedDocument, UnreadableFile, UnsupportedFormat
from workbench.language import mark
from workbench.parsing.base import Parser
from workbench.parsing.formats import ADVICE, CATALOGUE, SOURCE_CODE
from workbench.parsing.sniffing import NAMED_BY_BYTES, TEXT, ZIP, ZIP_BASED, Content, sniff
from workbench.plugins.registry import Registry

PARSERS: Registry[Parser] = Registry("workbench.parsers")
"""All parsers; other packages add theirs with the entry point group of this name."""

for _declared in CATALOGUE:
    PARSERS.register(_declared.format, _declared)

_EXPORTS = {"doc": "text", "xls": "csv"}
"""Formats whose suffixes old programs give to exported text, and the format as which that text is parsed."""

_ARCHIVES = mark("ZIP archives")
"""Family without a parser: archives are opened like folders, before anything is parsed."""


def supported_suffixes() -> frozenset[str]:
    """Return all supported file name suffixes, lower case, with the dot."""
    return frozenset(_by_suffix())


def supported_families() -> tuple[str, ...]:
    """Return the kinds of supported files, in words for a sentence or a list."""
    return tuple(endings_by_family())


def endings_by_family() -> dict[str, tuple[str, ...]]:
    """Return the same kinds with their suffixes, including archives; formats of plug-ins have their suffix as name."""
    families: dict[str, tuple[str, ...]] = {}
    for entry in CATALOGUE:
        if entry.family == SOURCE_CODE:
            families[_ARCHIVES] = (".zip",)
        families[entry.family] = (*families.get(entry.family, ()), *sorted(entry.suffixes.split()))
    known = {entry.format for entry in CATALOGUE}
    others = (suffix for suffix, format in sorted(_by_suffix().items()) if format not in known)
    return families | {suffix: (suffix,) for suffix in others}


def current_version(format: str) -> int:
    """Return the version of the parser for a format, or 0 if there is none.

    A document with a lower parser_version was parsed by an earlier version and may improve if it is parsed again.
    """
    return PARSERS.get(format).version if format in PARSERS.names() else 0


def parser_for(path: Path) -> Parser:
    """Return the parser for a file: by its name, or by its content if the name is wrong.

    Raises:
        UnsupportedFormat: No parser reads the file; the hint lists the supported files.
        DamagedDocument: The content does not match the format in the name, and is of no known kind.
        UnreadableFile: The file cannot be opened.
    """
    named = parser_named(path)
    suffix = suffix_of(path)
    if suffix and named is None:
        raise make_unsupported_error(suffix)
    try:
        content = sniff(path)
    except OSError as error:
        raise UnreadableFile(f"The file cannot be opened: {error.strerror}.", "Check its permissions.") from error
    if named is None:
        return _of_unnamed(content)
    return _verified(named, content, suffix)


def parser_named(path: Path) -> Parser | None:
    """Return the parser for the suffix of a file's name."""
    format = format_named(path)
    return PARSERS.get(format) if format else None


def format_named(path: Path) -> str:
    """Return the format for the suffix of a file's name, or an empty string; imports no parser."""
    return _by_suffix().get(suffix_of(path), "")


_SUFFIX = re.compile(r"\.(?=[^.]*[a-z])[a-z0-9_+~-]{1,12}")


def suffix_of(path: Path) -> str:
    """Return the suffix of a name in lower case, or an empty string, as for "Letter to Dr. Smith" and "Plan 2.0"."""
    # “.web.html” before “.html”: files that the library fetched have a suffix of two parts.
    twofold, suffix = "".join(path.suffixes[-2:]).lower(), path.suffix.lower()
    known = next((one for one in (twofold, suffix) if one in _by_suffix() or one in ADVICE), "")
    return known or (suffix if _SUFFIX.fullmatch(suffix) else "")


def make_unsupported_error(suffix: str) -> UnsupportedFormat:
    """Return the error for files with a suffix that no parser supports."""
    if suffix not in ADVICE:
        return _unsupported(mark(f"Files ending in “{suffix}” cannot be read."))
    words, advice = ADVICE[suffix]
    return UnsupportedFormat(f"Files ending in “{suffix}” ({words}) cannot be read.", advice)


def _of_unnamed(content: Content | None) -> Parser:
    if content is not None and content.format in PARSERS.names():
        return PARSERS.get(content.format)
    if content is not None and content.is_text:
        return PARSERS.get("text")
    words = content.words if content else mark("of an unknown kind")
    raise _unsupported(mark(f"The file is {words}."))


def _verified(named: Parser, content: Content | None, suffix: str) -> Parser:
    """Return the named parser if the content may match it, otherwise the parser of the content."""
    if content is None or named.format == content.format or named.format in content.may_be:
        # If the bytes are inconclusive, the parser can best report the problem.
        return named
    if content.is_text and named.format not in NAMED_BY_BYTES:
        # Text formats cannot be distinguished by their bytes, so the name decides.
        return named
    right = _EXPORTS.get(named.format, "") if content is TEXT else content.format
    if right not in PARSERS.names() or (content is ZIP and named.format in ZIP_BASED):
        raise DamagedDocument(
            f"The file is named “{suffix}” but is {content.words}.", "Give it its right name, or save it again."
        )
    return PARSERS.get(right)


def _by_suffix() -> dict[str, str]:
    """Return the format of each suffix; those of our own catalogue take precedence."""
    return _format_by_suffix(PARSERS.names())  # names() changes if a program registers a parser


@cache
def _format_by_suffix(formats: tuple[str, ...]) -> dict[str, str]:
    ours = {suffix: declared.format for declared in CATALOGUE for suffix in declared.suffixes.split()}
    foreign = (PARSERS.get(format) for format in formats if format not in ours.values())
    return {suffix: parser.format for parser in foreign for suffix in parser.suffixes} | ours


def _unsupported(message: str) -> UnsupportedFormat:
    *most, last = supported_families()
    families = f"{', '.join(most)} and {last}"
    return UnsupportedFormat(message, f"What can be added: {families}.")
