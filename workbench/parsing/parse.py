"""parse_file: the function that runs in the child process."""

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
from workbench.parsing.registry import parser_for, parser_named
from workbench.parsing.sniffing import sniff

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 64_000_000
"""Of one document: 32 novels of the length of War and Peace. A file of 60 KB can unpack to more."""

_LONGEST_TITLE = 300
"""Characters of a document's title: it stands in lists, and in front of each chunk where they are compared."""


def parse_file(
    path: Path,
    password: str | None = None,
    parsers: Mapping[str, Parser] = MappingProxyType({}),
    *,
    parser: Parser | None = None,
) -> ParsedDocument:
    """Return the document at path, whatever its format.

    Args:
        path: The file.
        password: For an encrypted one.
        parsers: By format, those that take the place of the registered ones.
        parser: What parser_for() returned, where it was asked already.

    Raises:
        DocumentError: It cannot be read, with a sentence fit to be shown.
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
            # Libraries raise OSErrors of their own over broken files: only the system's have a number.
            raise UnreadableFile(f"The file cannot be read: {error.strerror}.", "Check its permissions.") from error
        # A parser may stumble over a broken file in any way it likes; that ends this file and nothing else.
        logger.info("Parsing failed", exc_info=True)
        raise DamagedDocument(
            "The file is damaged and cannot be read.", "Try to open it in its own program and save it again."
        ) from error
    if len(document.text) > MOST_CHARACTERS:
        raise DocumentTooLarge(
            f"The file holds {len(document.text) // 1_000_000:,} million characters of text; at most"
            f" {MOST_CHARACTERS // 1_000_000} million are read of one.",
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
