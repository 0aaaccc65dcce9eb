"""MBOX: many messages in one file, each a page."""

import mmap
import re
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import ClassVar

from workbench.errors import DamagedDocument
from workbench.language import mark
from workbench.model.document import Finding, FindingKind, Metadata, ParsedDocument
from workbench.parsing.assembly import stem
from workbench.parsing.eml_parser import read_mail
from workbench.parsing.mail_text import MailText
from workbench.parsing.nested import nesting

MAX_MESSAGES = 10_000
MAX_BYTES = 512 * 2**20

_START = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_QUOTED = re.compile(rb"(?m)^>(>*From )")


class MboxParser:
    """Reads a mailbox: each message a page, its attachments further ones."""

    format: ClassVar[str] = "mbox"
    suffixes: ClassVar[frozenset[str]] = frozenset({".mbox", ".mbx"})
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        # A file that is cut short meanwhile ends the process with SIGBUS: parsers have one of their own.
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            starts = list(_starts(data))
            if not starts:
                raise DamagedDocument("The file is not a mailbox.", "Export the mailbox again in the mail program.")
            with nesting() as nest:
                text = MailText(nest, password)
                for start, end in starts[:MAX_MESSAGES]:
                    text.add(read_mail(message_from_bytes(_QUOTED.sub(rb"\1", data[start:end]))))
                if len(starts) > MAX_MESSAGES or len(data) > MAX_BYTES:
                    count = min(len(starts), MAX_MESSAGES)
                    detail = mark(f"only the first {count:,} messages were read; divide the mailbox and add the parts")
                    text.note(Finding(FindingKind.TRUNCATED, detail=detail))
                return text.document(Metadata(stem(path)), self.format)


def _starts(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Yield where each message begins and ends."""
    begin = None
    for found in _START.finditer(data):
        if begin is not None:
            yield begin, found.start()
        begin = found.end()
        if begin > MAX_BYTES:
            return
    if begin is not None:
        yield begin, len(data)
