"""What lies in the bin: documents that were removed and can still be brought back."""

from dataclasses import dataclass
from enum import IntEnum

from workbench.model.document import Document


class Removal(IntEnum):
    """Why a document is in the bin; the numbers are those of documents.removed in the database."""

    BY_USER = 1
    WITH_FILE = 2
    """Its file in a linked folder is gone; when the file comes back, so does the document."""
    FOR_GOOD = 3
    """Its content is deleted. Only its name is kept, so that its file in a linked folder is not added anew."""


@dataclass(frozen=True, slots=True)
class BinnedDocument:
    """A document in the bin.

    Attributes:
        document: As it was.
        removal: Why it is here: BY_USER or WITH_FILE.
        removed_at: ISO 8601, UTC.
    """

    document: Document
    removal: Removal
    removed_at: str
