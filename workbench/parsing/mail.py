"""What an e-mail message is, whatever kind of file it came in."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Attachment:
    """Something that came with a message.

    Attributes:
        name: Its file name, as the sender wrote it.
        data: Its bytes; empty where message holds it, or where it cannot be read.
        message: A forwarded message.
        is_inline: A picture that stands in the text of the message.
        problem: Why it cannot be read, in a few words; else empty.
    """

    name: str
    data: bytes = b""
    message: "Mail | None" = None
    is_inline: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """One message.

    Attributes:
        subject: Empty where it has none; so are the next three.
        sender: "Name <address>", as are the addresses of to and cc, with commas in between.
        to: Whom it was sent to.
        cc: Who got a copy.
        date: When it was sent; None where that is not said.
        body: Its text; empty where it only has html or rtf.
        html: The same as a page.
        rtf: The same as rich text, for messages without html.
        attachments: What came with it, in order.
        left_out: How many parts more it has, which were not looked at.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    cc: str = ""
    date: datetime | None = None
    body: str = ""
    html: str = ""
    rtf: bytes = b""
    attachments: tuple[Attachment, ...] = ()
    left_out: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it at all."""
        return not any((self.subject, self.sender, self.body.strip(), self.html, self.rtf, self.attachments))
