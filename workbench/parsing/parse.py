"""Parsing of one file in the parser process: checks, choice of the parser, errors and limits."""

import dataclasses
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from workbench.errors import (
    DamagedDocument,
    DocumentError,
    DocumentTooLarge,
    EmptyDocument,
    MissingFile,
    UnreadableFile,
)
from workbench.language import mark
from workbench.model.document import ParsedDocument, not_read
from workbench.parsing.base import Parser, too_deep
from workbench.parsing.parser_registry import parser_for, parser_named
from workbench.parsing.sniffing import sniff

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 64_000_000
"""Maximum characters of one document: 32 novels as long as War and Peace. A file of 60 KB can unpack to more."""

_LONGEST_TITLE = 300
"""Maximum characters of a document's title, which is shown in lists and precedes each chunk in comparisons."""


def parse_file(
    path: Path,
    password: str | None = None,
    parsers: Mapping[str, Parser] = MappingProxyType({}),
    *,
    parser: Parser | None = None,
) -> ParsedDocument:
    """Return the parsed document at path, in any supported format.

    Args:
        path: The file.
        password: Password of an encrypted file.
        parsers: Parsers by format that replace the registered ones.
        parser: Result of parser_for(), if the caller already has it.

    Raises:
        DocumentError: The file cannot be read; the message is suitable for display.
    """
    _check(path)
    try:
        parser = parser or parser_for(path)
        parser = parsers.get(parser.format, parser)
        document = dataclasses.replace(parser.parse(path, password=password), parser_version=parser.version)
    except DocumentError:
        raise
    except MemoryError:
        raise
    except RecursionError as error:
        logger.info("Parsing went too deep", exc_info=True)
        raise too_deep() from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            # Libraries raise OSError for broken files, too, but only errors of the operating system have an errno.
            raise UnreadableFile(f"The file cannot be read: {error.strerror}.", "Check its permissions.") from error
        # A parser may raise any exception for a broken file; only this file fails.
        logger.info("Parsing failed", exc_info=True)
        raise DamagedDocument(
            "The file is damaged and cannot be read.", "Try to open it in its own program and save it again."
        ) from error
    if len(document.text) > MOST_CHARACTERS:
        raise DocumentTooLarge(
            f"The file contains {len(document.text) // 1000000:,} million characters of text; the limit for one file"
            f" is {MOST_CHARACTERS // 1000000} million.",
            "Divide it into several files.",
        )
    if not document.warnings and (cut := not_read(document.findings)):
        document = dataclasses.replace(document, warnings=(cut,))
    title = document.metadata.title
    if len(title) > _LONGEST_TITLE:
        document = dataclasses.replace(
            document, metadata=dataclasses.replace(document.metadata, title=f"{title[: _LONGEST_TITLE - 1].rstrip()}…")
        )
    named = parser_named(path)
    content = sniff(path) if named is not None and named.format != parser.format else None
    if content is not None:
        warning = mark(f"The file is named “{path.suffix}” but is {content.words}; it was read as that.")
        document = dataclasses.replace(document, warnings=(*document.warnings, warning))
    return document


def _check(path: Path) -> None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFile("There is no such file.", "It may have been moved or deleted.") from error
    except (OSError, ValueError) as error:
        raise UnreadableFile("The file cannot be reached.", "Check the path and its permissions.") from error
    if not path.is_file():
        raise UnreadableFile("This is not a file.", "Add a file, or a folder with files in it.")
    if status.st_size == 0:
        raise EmptyDocument("The file is empty (0 bytes).", "There is nothing in it to search.")
