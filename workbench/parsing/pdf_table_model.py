"""Table detection by PyMuPDF's layout model; read_tables runs in a separate child process."""

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
"""Group of elements on a page in the model's output: its class, its box, a table's grid."""


class LayoutModel:
    """PyMuPDF's model on one thread, without its page cache: at most 195 MB instead of 260, and 80 between pages."""

    def __init__(self) -> None:
        """Load the model: 1 s and 43 MB.

        Raises:
            ImportError: This PyMuPDF has no layout model.
        """
        module = mupdf()
        # After PyMuPDF itself, its model can be imported alone: pymupdf4llm is not needed and stays disabled.
        if sys.modules.get("pymupdf.layout", module) is None:
            del sys.modules["pymupdf.layout"]
        # If a layout function is already set, the package does not load a model on import.
        module._get_layout = self._predict
        analyzer = importlib.import_module("pymupdf.layout.DocumentLayoutAnalyzer")
        with _one_thread():
            self._model: Any = analyzer.get_model()

    def groups(self, page: Any) -> Sequence[Group]:
        """Return the model's groups of a page."""
        groups: Sequence[Group] = self._predict(page, return_raw=True)
        return groups

    def _predict(self, page: Any, **options: Any) -> Any:
        try:
            return self._model.predict(page, **options)
        finally:
            self._forget_picture()

    def _forget_picture(self) -> None:
        """Release the arrays that the model computed from the page's picture: 62 MB until the next page otherwise."""
        from numpy import ndarray  # late: the window's process imports this module and should not wait for it

        # Another version may store it elsewhere, or not at all.
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
    """Make sessions created within the context work on the caller's thread.

    The cores are for the embedding, which runs in parallel, and waiting threads spin: on two cores a page takes 0.21 s
    of processor time instead of 0.33. Without a memory pattern 5 MB less are used.
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
    """Return the tables that the layout model finds on a page: 0.3 s, and 1 s more for the first call.

    Args:
        path: A PDF.
        password: Password of an encrypted file.
        number: 1-based.

    Raises:
        DocumentError: The page cannot be read, or the model is not available.
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
