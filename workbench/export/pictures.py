"""Pictures of cited pages, as exporters take them: a picture that cannot be drawn costs nothing but itself."""

import logging

from workbench.errors import WorkbenchError
from workbench.export.base import PageImage
from workbench.model.hit import Citation

_log = logging.getLogger(__name__)
_PNG = b"\x89PNG\r\n\x1a\n"


def drawn(draw: PageImage, citation: Citation) -> bytes | None:
    """Return the PNG of a cited page with the passage marked, None where there is none."""
    try:
        png = draw(citation)
    except WorkbenchError as error:
        # The document may be gone by now; the quote is kept, so the export goes on without the picture.
        _log.info("no image of page %s of %s: %s", citation.page, citation.document_name, error)
        return None
    return png if png and png.startswith(_PNG) else None
