"""One file -> its text and its chunks, in a child process: neither crashes nor long work touch the program itself."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import DocumentError, ParserCrashed, ParserOutOfMemory, ParserTimedOut
from workbench.model.import_progress import PagesRead
from workbench.operations.library import Library
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation.prepare import Outcome, Parts, Prepared, prepare, prepare_each

logger = logging.getLogger(__name__)

PART_SECONDS = 10.0
"""Processor time after which what was read so far of a long file is stored: some 1,000 pages of a PDF."""

_TOGETHER = 10
"""Small files of which a reader says in one go what came of them: to say it of each takes as long as to chunk it."""

MOST_SKIPPED = 3
"""Pages of one file that may take too long or end their reader; a file with more of them is given up."""


async def prepare_isolated(
    library: Library,
    path: Path,
    password: str | None,
    *,
    on_part: Callable[[Prepared], None] | None = None,
    on_pages: Callable[[PagesRead], None] | None = None,
) -> Prepared:
    """Parse and chunk a file in a child process, within the settings' limits on time and memory.

    A page that takes too long or ends the reader is left out, and the others are read.

    Args:
        library: The open library.
        path: The file.
        password: For an encrypted one.
        on_part: Given what was read so far of a long file, now and then; on another thread.
        on_pages: Given how many pages were read, after each; on another thread.

    Raises:
        DocumentError: The file cannot be read, or its reading crashed, hung, or took too much memory.
        EmbeddingError: The embedder, whose tokenizer counts, cannot be loaded.
    """
    settings = await library.on_store(library.setting_values.load)
    # Not on the embedding executor: a file would wait there for the batch under way, about a second.
    embedder = await library.on_store(library.embedder)
    parser = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    reached = PagesRead(0, 0)

    def heard(said: Any) -> None:
        nonlocal reached
        if isinstance(said, PagesRead):
            reached = said
            if on_pages is not None:
                on_pages(said)
        elif isinstance(said, Prepared) and on_part is not None:
            on_part(said)

    skipped: frozenset[int] = frozenset()
    while True:
        parts = Parts(skipped, PART_SECONDS if on_part is not None else 0.0)
        try:
            return await parser.call(prepare, path, password, embedder.tokenizer, settings, parts, heard=heard)
        except (ParserTimedOut, ParserCrashed, ParserOutOfMemory) as error:
            page = reached.done + 1
            if page > reached.total or page in skipped or len(skipped) >= MOST_SKIPPED:
                raise
            logger.info("Page %d ended its reader and is left out: %s", page, error)
            skipped |= {page}
            reached = PagesRead(0, 0)


async def prepare_together(library: Library, paths: Sequence[Path]) -> list[Outcome]:
    """Return the outcome of each of some small files, in one call of a child process: a call takes 2 ms, a file 1 ms.

    A file that ends the reader fails; those after it are read by the next.

    Raises:
        EmbeddingError: The embedder, whose tokenizer counts, cannot be loaded.
    """
    settings = await library.on_store(library.setting_values.load)
    embedder = await library.on_store(library.embedder)
    parser = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    outcomes: list[Outcome] = []

    def heard(said: Any) -> None:
        if isinstance(said, list):
            outcomes.extend(one for one in said if isinstance(one, Outcome))

    together = _TOGETHER
    while len(outcomes) < len(paths):
        rest = paths[len(outcomes) :]
        try:
            await parser.call(prepare_each, embedder.tokenizer, settings, together, *rest, heard=heard)
        except DocumentError as error:
            if together > 1:
                together = 1  # which of them ended the reader is seen where each is said by itself
            else:
                outcomes.append(error)
    return outcomes
