"""MSG: a message as Outlook keeps it, with its attachments."""

from pathlib import Path
from typing import ClassVar

from workbench.errors import DamagedDocument
from workbench.model.document import ParsedDocument
from workbench.parsing.mail_text import mail_document


class MsgParser:
    """Reads a message of Outlook's with its attachments."""

    format: ClassVar[str] = "msg"
    suffixes: ClassVar[frozenset[str]] = frozenset({".msg"})
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        # olefile is heavy for a format that most people never add.
        from workbench.parsing.msg_reader import read_msg

        mail = read_msg(path)
        if mail.is_empty:
            raise DamagedDocument("There is no message in the file.", "Save the message again in the mail program.")
        return mail_document(mail, path, self.format, password)
