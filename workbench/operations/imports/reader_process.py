"""Reader processes: parse and chunk a file in a child, the permissions of the child, passwords of encrypted files.

A password is stored for the library and not for one file, because most people use one password for many files.
"""

import json
import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
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
from workbench.preparation import Outcome, PartialReading, Prepared, prepare, prepare_each
from workbench.worker.confinement import Confinement

logger = logging.getLogger(__name__)

PART_SECONDS = 10.0
"""Processor time after which the part of a long file read so far is stored: about 1,000 pages of a PDF."""

_TOGETHER = 10
"""Small files whose outcomes a reader sends in one message: to send each alone takes as long as chunking the file."""

MOST_SKIPPED = 3
"""Maximum number of pages of a file that are skipped because they exceed a limit or crash their reader."""


async def prepare_isolated(
    library: Library,
    path: Path,
    password: str | None,
    *,
    on_part: Callable[[Prepared], None] | None = None,
    on_pages: Callable[[PagesRead], None] | None = None,
    patience: float = 1.0,
    page_facts: bytes = b"",
) -> Prepared:
    """Parse and chunk a file in a child process, within the settings' limits on time and memory.

    A page that exceeds a limit or crashes the reader is skipped, and the others are read.

    Args:
        library: The open library.
        path: The file.
        password: Password of an encrypted file.
        on_part: Called now and then with the part of a long file that was read so far; on another thread.
        on_pages: Called after each page with the number of pages read; on another thread.
        patience: Factor by which the time limit of the settings is extended.
        page_facts: Prepared.page_facts of the last part of an earlier reading, after which this one goes on.

    Raises:
        DocumentError: The file cannot be read, or reading it crashed, hung, or took too much memory.
        EmbeddingError: The embedder, whose tokenizer counts tokens, cannot be loaded.
    """
    settings = await library.on_store(library.setting_values.load)
    # Not on the embedding executor, where a file would wait for the current batch, about a second.
    tokenizer = await library.on_store(library.models.tokenizer)
    settings = replace(settings, parser_seconds=round(settings.parser_seconds * patience))
    parser = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    reached = PagesRead(0, 0)

    def handle_message(said: Any) -> None:
        nonlocal reached, page_facts
        if isinstance(said, PagesRead):
            reached = said
            if on_pages is not None:
                on_pages(said)
        elif isinstance(said, Prepared) and on_part is not None:
            page_facts = said.page_facts
            on_part(said)

    skipped: frozenset[int] = frozenset()
    while True:
        parts = PartialReading(skipped, PART_SECONDS if on_part is not None else 0.0, page_facts)
        try:
            return await parser.call(prepare, path, password, tokenizer, settings, parts, on_partial=handle_message)
        except (ParserTimedOut, ParserCrashed, ParserOutOfMemory) as error:
            page = reached.done + 1
            if page > reached.total or page in skipped or len(skipped) >= MOST_SKIPPED:
                raise
            logger.info("Page %d ended its reader and is left out: %s", page, error)
            skipped |= {page}
            reached = PagesRead(0, 0)


async def prepare_together(library: Library, paths: Sequence[Path]) -> list[Outcome]:
    """Return the outcomes of several small files, read in one call of a child: a call takes 2 ms, a file 1 ms.

    A file that crashes the reader fails; the files after it are read by the next reader.

    Raises:
        EmbeddingError: The embedder, whose tokenizer counts tokens, cannot be loaded.
    """
    settings = await library.on_store(library.setting_values.load)
    tokenizer = await library.on_store(library.models.tokenizer)
    parser = SandboxedParser(library.parsers, seconds=settings.parser_seconds, megabytes=settings.parser_megabytes)
    outcomes: list[Outcome] = []

    def handle_message(said: Any) -> None:
        if isinstance(said, list):
            outcomes.extend(one for one in said if isinstance(one, Outcome))

    together = _TOGETHER
    while len(outcomes) < len(paths):
        rest = paths[len(outcomes) :]
        try:
            await parser.call(prepare_each, tokenizer, settings, together, *rest, on_partial=handle_message)
        except DocumentError as error:
            if together > 1:
                together = 1  # report each file alone, to find out which one crashed the reader
            else:
                outcomes.append(error)
    return outcomes


def reader_rights(library: Library) -> Confinement:
    """Return the rights of a reader that is started now; each call also gets access to its own file. Blocking."""
    folder = library.folder
    # A reader can access only folders that existed when it started; without this folder the first file would wait 0.3 s
    # for a new reader. An error is ignored, because readers do not write to the folder.
    with suppress(OSError):
        make_folder(library.originals, inherit=True)
    # The embedder's tokenizer, which counts tokens, is read from the cache of models.
    places = [library.originals, folder / "staging", folder / "unpacked", model_cache()]
    linked = [Path(one.path) for one in library.linked.list()]
    return Confinement(reads=(*places, *linked), programs=reader_programs())


T = TypeVar("T")

_SERVICE = "knowledge-workbench documents"
_LIBRARY = "library id"
MOST_KEPT = 20
"""Maximum number of stored passwords.

Each is tried on every locked file, at 30 ms, and an entry of the Windows keyring holds 2,560 bytes.
"""


def load_passwords(library: Library) -> list[str]:
    """Return the passwords that were stored for this library, the latest first; blocking."""
    if library.remembered_passwords is None:
        library.remembered_passwords = _load(library.setting_values.state(_LIBRARY))
    return library.remembered_passwords


def at_hand(library: Library, given: str | None = None) -> list[str]:
    """Return the passwords to try on a locked archive without repetition: given, already successful, stored."""
    kept = load_passwords(library)
    return list(dict.fromkeys([*([given] if given else []), *library.passwords.values(), *kept]))


def remember(library: Library, password: str) -> bool:
    """Store a password for this library; blocking. Return False if there is no keyring and it is only in memory."""
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
    """Return the result of attempt(password) with the first password that fits.

    The order is: None (with which a parser tries the empty password), the given one, the one that opened the file
    before, and the stored ones. The keyring, which may ask the user for its own password, is read only if the file is
    locked.

    Raises:
        EncryptedDocument: No password fits.
    """
    try:
        return await attempt(None)
    except EncryptedDocument as error:
        refused = error
    tried: set[str] = set()
    for candidates in (_list_candidates(library, sha256, given), await library.on_store(load_passwords, library)):
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


def _list_candidates(library: Library, sha256: str, given: str | None) -> Iterable[str]:
    return [one for one in (given, library.passwords.get(sha256)) if one]


def _load(name: str) -> list[str]:
    if not name:
        return []
    try:
        kept = json.loads(keyring.get_password(_SERVICE, name) or "[]")
    except (keyring.errors.KeyringError, ValueError):
        # There is no keyring, or it stays locked, or another program wrote to it: no passwords are loaded.
        logger.info("No passwords of documents can be read from the keyring")
        return []
    return [one for one in kept if isinstance(one, str)] if isinstance(kept, list) else []
