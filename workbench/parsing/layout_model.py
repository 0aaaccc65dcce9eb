"""The layout model that comes with PyMuPDF: what stands where on a page; loaded by the child that reads with it."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from workbench.parsing.mupdf import mupdf

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
