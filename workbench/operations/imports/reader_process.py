"""Reader processes: parse and chunk a file in a child, what such a child may see, and passwords of encrypted files.

A password belongs to the library, not to one file: most people use one for a whole batch.
"""

import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import keyring
import keyring.errors

from workbench.errors import DocumentError, EncryptedDocument, ParserCrashed, ParserOutOfMemory, ParserTimedOut
from workbench.files.modes import make_folder
from workbench.model.import_progress import PagesRead
from workbench.operations.library.library import Library
from workbench.operations.library.models import model_cache
from workbench.parsing.sandboxed import SandboxedParser, reader_programs
from workbench.preparation.prepare import Outcome, PartialReading, Prepared, prepare, prepare_each
from workbench.worker.confinement import Confinement

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
        parts = PartialReading(skipped, PART_SECONDS if on_part is not None else 0.0)
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


def reader_rights(library: Library) -> Confinement:
    """Return what a reader may do that is started now; each of its calls gets its own file only. Blocking."""
    folder = library.folder
    # A reader sees only folders that were there when it started; without this one the first file would wait 0.3 s for
    # another. A folder that is not to be written is no matter for readers.
    with suppress(OSError):
        make_folder(library.originals, inherit=True)
    # The embedder's tokenizer, which counts, is read from the cache of models.
    places = [library.originals, folder / "staging", folder / "unpacked", model_cache()]
    linked = [Path(one.path) for one in library.linked.list()]
    return Confinement(reads=(*places, *linked), programs=reader_programs())


T = TypeVar("T")

_SERVICE = "knowledge-workbench documents"
_LIBRARY = "library id"
MOST_KEPT = 20
"""Each is tried on every locked file, 30 ms a try; and an entry of Windows' keyring holds 2,560 bytes."""


def load_passwords(library: Library) -> list[str]:
    """Return the passwords that were kept for this library, the latest first; blocking."""
    if library.remembered_passwords is None:
        library.remembered_passwords = _load(library.setting_values.state(_LIBRARY))
    return library.remembered_passwords


def at_hand(library: Library, given: str | None = None) -> list[str]:
    """Return the passwords to try on a locked archive, each once: the one given, those that fitted, those kept."""
    kept = load_passwords(library)
    return list(dict.fromkeys([*([given] if given else []), *library.passwords.values(), *kept]))


def remember(library: Library, password: str) -> bool:
    """Keep a password for this library; False when there is no keyring, and it is kept in memory only. Blocking."""
    kept = [password, *(known for known in load_passwords(library) if known != password)][:MOST_KEPT]
    library.remembered_passwords = kept
    name = library.setting_values.state(_LIBRARY)
    if not name:
        name = uuid.uuid4().hex
        library.setting_values.set_state(_LIBRARY, name)
    try:
        keyring.set_password(_SERVICE, name, json.dumps(kept))
    except keyring.errors.KeyringError:
        logger.info("No keyring here: passwords of documents are forgotten when the library is closed")
        return False
    return True


async def try_passwords(
    library: Library, sha256: str, attempt: Callable[[str | None], Awaitable[T]], *, given: str | None = None
) -> T:
    """Return what attempt(password) returns with the first password that fits.

    The order: none (with which a parser tries the blank one), the one that is given, the one that opened the file
    before, and those that were kept. The keyring, which may ask for a password of its own, is asked only for a file
    that is locked.

    Raises:
        EncryptedDocument: None fits.
    """
    try:
        return await attempt(None)
    except EncryptedDocument as error:
        refused = error
    tried: set[str] = set()
    for candidates in (_at_hand(library, sha256, given), await library.on_store(load_passwords, library)):
        for password in [one for one in candidates if one not in tried]:
            tried.add(password)
            try:
                value = await attempt(password)
            except EncryptedDocument as error:
                refused = error if password == given else refused
            else:
                library.passwords[sha256] = password
                return value
    raise refused


def _at_hand(library: Library, sha256: str, given: str | None) -> Iterable[str]:
    return [one for one in (given, library.passwords.get(sha256)) if one]


def _load(name: str) -> list[str]:
    if not name:
        return []
    try:
        kept = json.loads(keyring.get_password(_SERVICE, name) or "[]")
    except (keyring.errors.KeyringError, ValueError):
        # No keyring, or it stays locked, or another program wrote there: then nothing is remembered.
        logger.info("No passwords of documents can be read from the keyring")
        return []
    return [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []
