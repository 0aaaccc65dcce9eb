"""read_tables: a page of a PDF -> where the layout model sees tables and their cells; runs in a child of its own."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.errors import DamagedDocument, LayoutUnavailable
from workbench.parsing.base import no_such_page
from workbench.parsing.layout_model import LayoutModel, layout_model
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_parser import open_pdf
from workbench.parsing.pdf_tables import Grid
from workbench.parsing.pdf_upright import upright


def read_tables(path: Path, password: str | None, number: int) -> tuple[Grid, ...]:
    """Return the tables that the layout model sees on a page: 0.3 s, and 1 s more for the first.

    Args:
        path: A PDF.
        password: For an encrypted one.
        number: 1-based.

    Raises:
        DocumentError: The page cannot be read, or the model is not there.
        NotFound: There is no such page.
    """
    try:
        model = layout_model()
    except (ImportError, OSError) as error:
        raise LayoutUnavailable(
            "The layout model is not installed.", "It comes with PyMuPDF: install the program again."
        ) from error
    document = open_pdf(path, password)
    try:
        if not 1 <= number <= document.page_count:
            raise no_such_page(number, document.page_count)
        return tuple(_grids(model, document[number - 1]))
    except (RuntimeError, ValueError) as error:
        raise DamagedDocument(f"Page {number} cannot be laid out.", "Open the file in a PDF viewer.") from error
    finally:
        document.close()
        mupdf().TOOLS.store_shrink(100)


def _grids(model: LayoutModel, page: Any) -> Iterator[Grid]:
    with upright(page) as (shown, back):
        for group in model.groups(shown):
            lines = group["table_grid"] if group["class_name"] == "table" else None
            if lines is None:
                continue
            x0, y0, x1, y1 = group["group_bbox"][:4]
            tops = [float(y) for y in (y0, *(y0 + line for line in lines.h_lines), y1)]
            lefts = [float(x) for x in (x0, *(x0 + line for line in lines.v_lines), x1)]
            yield tuple(
                tuple(back((left, top, right, bottom)) for left, right in pairwise(lefts))
                for top, bottom in pairwise(tops)
            )
