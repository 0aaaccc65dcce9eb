"""PyMuPDF, silenced, and without the layout model that it would load by itself; with it only where it is asked for."""

import importlib
import sys
from functools import cache
from typing import Any


@cache
def mupdf() -> Any:
    """Return the module pymupdf; the first call imports it.

    Importing it the plain way also imports pymupdf.layout, which loads an ONNX model, and pymupdf4llm, which loads
    NumPy and onnxruntime: 1.55 s and 136 MB in each child process, against 0.12 s and 35 MB. Nothing here uses them:
    the model reads 2 pages a second.
    """
    # A None in sys.modules makes an import fail as if the module were not installed, which pymupdf allows for.
    sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]
    sys.modules.setdefault("pymupdf4llm", None)  # type: ignore[arg-type]
    # Imported late: the window, which never reads a PDF itself, is not to wait for it.
    import pymupdf

    module: Any = pymupdf
    module.no_recommend_layout()
    # MuPDF writes its complaints to stdout, which belongs to the program.
    module.TOOLS.mupdf_display_errors(False)
    module.TOOLS.mupdf_display_warnings(False)
    return module


@cache
def mupdf_with_layout() -> Any:
    """Return the module pymupdf with its layout model loaded, which a child process does that reads only with it.

    Raises:
        ImportError: This PyMuPDF has no layout model.
    """
    module = mupdf()
    # Once PyMuPDF itself is loaded, its model comes alone: pymupdf4llm is not needed and stays away.
    if sys.modules.get("pymupdf.layout", module) is None:
        del sys.modules["pymupdf.layout"]
    importlib.import_module("pymupdf.layout")
    return module
