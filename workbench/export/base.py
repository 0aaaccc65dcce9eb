"""The exporter protocol: a session in, a file out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar, Protocol, runtime_checkable

from workbench.model.export import CitedDocument, Part, Parts
from workbench.model.hit import Citation
from workbench.model.session import Session

PageImage = Callable[[Citation], bytes | None]
"""Gives a PNG of the cited page with the passage marked, or None where there is no page to show."""

READING = frozenset({Part.STEPS, Part.TOOLS, Part.REASONING, Part.SEARCHES})
"""What formats that people read hold unless something else is chosen."""


def no_page(_citation: Citation) -> bytes | None:
    """Draw no page at all."""
    return None


@dataclass(frozen=True, slots=True)
class ExportContext:
    """What an exporter needs besides the session: who exports, when, and how to draw a cited page.

    Attributes:
        documents: The documents to which the session refers, where the format keeps them.
        originals: Their files by sha256, where those are wanted.
    """

    version: str
    exported: str
    library: str
    page_image: PageImage
    documents: tuple[CitedDocument, ...] = ()
    originals: tuple[tuple[str, Path], ...] = ()


class Exporter(Protocol):
    """Writes a session in one format.

    Attributes:
        format: Its name, which is the suffix without the dot.
        title: Its name for people, marked for translation as the description.
        description: What it is good for, one sentence.
        offered: The parts that it can hold.
        usual: Those of them that it holds unless something else is chosen.
    """

    format: ClassVar[str]
    suffix: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    offered: ClassVar[Parts]
    usual: ClassVar[Parts]

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...


@runtime_checkable
class LargeExporter(Protocol):
    """An exporter whose files may be too large for the memory."""

    def write(self, session: Session, context: ExportContext, file: BinaryIO) -> None:
        """Write the whole file piece by piece.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...
