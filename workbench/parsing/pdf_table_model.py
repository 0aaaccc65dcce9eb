"""Table detection by PyMuPDF's layout model: read_tables, which runs in a child process of its own."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.errors import DamagedDocument, LayoutUnavailable
from workbench.parsing.base import no_such_page
from workbench.parsing.mupdf import mupdf
from workbench.parsing.pdf_parser import open_pdf
from workbench.parsing.pdf_tables import Grid, upright

Group = dict[str, Any]
"""What belongs together on a page, as the model tells it: its class, its box, a table's grid."""


class LayoutModel:
    """PyMuPDF's model on one thread, without what it keeps of a page: 195 MB at most instead of 260, and 80 between."""

    def __init__(self) -> None:
        """Load it: 1 s and 43 MB.

        Raises:
            ImportError: This PyMuPDF has no layout model.
        """
        module = mupdf()
        # Once PyMuPDF itself is loaded, its model comes alone: pymupdf4llm is not needed and stays away.
        if sys.modules.get("pymupdf.layout", module) is None:
            del sys.modules["pymupdf.layout"]
        # Where a page can be laid out already, the package does not load a model as soon as it is imported.
        module._get_layout = self._predict
        analyzer = importlib.import_module("pymupdf.layout.DocumentLayoutAnalyzer")
        with _one_thread():
            self._model: Any = analyzer.get_model()

    def groups(self, page: Any) -> Sequence[Group]:
        """Return what the model sees on a page."""
        groups: Sequence[Group] = self._predict(page, return_raw=True)
        return groups

    def _predict(self, page: Any, **options: Any) -> Any:
        try:
            return self._model.predict(page, **options)
        finally:
            self._forget_picture()

    def _forget_picture(self) -> None:
        """Let go of what the model made of the page's picture: 62 MB that it would keep until the next page is done."""
        from numpy import ndarray  # the window's process imports this module, and is not to wait for it

        # Another version may keep it elsewhere, or not at all.
        extractor = getattr(getattr(self._model, "_model", None), "feature_extractor", None)
        for name, value in tuple(vars(extractor).items()) if extractor else ():
            if isinstance(value, ndarray):
                setattr(extractor, name, None)


@cache
def layout_model() -> LayoutModel:
    """Return the model; the first call loads it.

    Raises:
        ImportError: This PyMuPDF has no layout model.
    """
    return LayoutModel()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have sessions that are opened meanwhile work on the caller's thread.

    The cores belong to the embedding, which goes on beside, and threads that wait for their part of the work spin: on
    two cores a page takes 0.21 s of the processor instead of 0.33. Without a plan of the memory 5 MB less are held.
    """
    import onnxruntime

    plain = onnxruntime.SessionOptions

    def options() -> Any:
        made = plain()
        made.intra_op_num_threads = 1
        made.enable_mem_pattern = False
        return made

    onnxruntime.SessionOptions = options
    try:
        yield
    finally:
        onnxruntime.SessionOptions = plain


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
