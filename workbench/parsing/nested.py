"""Parsing of files within files, such as attachments, by their own parsers, with common limits."""

import contextlib
import re
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field

from workbench.errors import DocumentError
from workbench.files.changes import temporary_folder
from workbench.model.document import ParsedDocument

MAX_DEPTH = 3
"""A message in a message in a message: anything deeper is named, but not read."""
MAX_FILES = 1000
MAX_BYTES = 512 * 2**20
MAX_SECONDS = 60.0
"""Half of the limit for a whole file in the settings, so that a mailbox of slow attachments keeps its messages."""

_SUFFIX = re.compile(r"\.\w{1,12}$")


@dataclass(slots=True)
class NestingBudget:
    """Remaining limits within the file that is being read; see nesting()."""

    depth: int = 0
    files: int = MAX_FILES
    size: int = MAX_BYTES
    until: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)

    def parse(self, name: str, data: bytes, password: str | None = None) -> ParsedDocument:
        """Return an inner file as a document, parsed by the parser of its format.

        Raises:
            DocumentError: It cannot be read, or a limit is reached.
        """
        # Imported here to avoid a cycle: the registry knows the parsers that call this.
        from workbench.parsing.parse import parse_file

        self._count(len(data))
        suffix = _SUFFIX.search(name)
        # The folder is only accessible to this user.
        with temporary_folder("workbench-nested-") as folder:
            file = folder / f"file{suffix[0] if suffix else ''}"
            file.write_bytes(data)
            return parse_file(file, password)

    @property
    def is_full(self) -> bool:
        """True if nothing more will be read."""
        return self.files <= 0 or self.size <= 0 or time.monotonic() > self.until

    def _count(self, size: int) -> None:
        if self.depth > MAX_DEPTH:
            raise DocumentError(f"It lies more than {MAX_DEPTH} files deep.", "Save it and add it by itself.")
        self.files -= 1
        self.size -= size
        if self.files < 0 or self.size < 0 or time.monotonic() > self.until:
            raise DocumentError("There is too much in one file.", "Save it and add it by itself.")


_current: ContextVar[NestingBudget | None] = ContextVar("nest", default=None)


@contextlib.contextmanager
def nesting() -> Iterator[NestingBudget]:
    """Apply the limits while a file with inner files is read; nested calls share the same budget."""
    nest = _current.get() or _new()
    token = _current.set(nest)
    nest.depth += 1
    try:
        yield nest
    finally:
        nest.depth -= 1
        _current.reset(token)


def _new() -> NestingBudget:
    return NestingBudget()
