"""One file -> its text and its chunks, in a child process: neither crashes nor long work touch the program itself."""

from pathlib import Path

from workbench.operations.library import Library
from workbench.parsing.isolated import IsolatedParser
from workbench.preparation.prepare import Prepared, prepare


async def prepare_isolated(library: Library, path: Path, password: str | None) -> Prepared:
    """Parse and chunk a file in a child process, within the settings' limits on time and memory.

    Raises:
        DocumentError: The file cannot be read, or its reading crashed, hung, or took too much memory.
        EmbeddingError: The embedder, whose tokenizer counts, cannot be loaded.
    """
    settings = await library.on_store(library.setting_values.load)
    # Not on the embedding executor: a file would wait there for the batch under way, about a second.
    embedder = await library.on_store(library.embedder)
    parser = IsolatedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    return await parser.call(prepare, path, password, embedder.tokenizer, settings)
