"""The exporter protocol: a session in, a file out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from workbench.model.hit import Citation
from workbench.model.session import Session

PageImage = Callable[[Citation], bytes | None]
"""Gives a PNG of the cited page with the passage marked, or None where there is no page to show."""


@dataclass(frozen=True, slots=True)
class ExportContext:
    """What an exporter needs besides the session: who exports, when, and how to draw a cited page."""

    version: str
    exported: str
    library: str
    page_image: PageImage


class Exporter(Protocol):
    """Writes a session in one format."""

    format: ClassVar[str]
    suffix: ClassVar[str]

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...
