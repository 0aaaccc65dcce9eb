"""PyMuPDF without output, and without its layout model, which it would load by default (pdf_table_model.py)."""

import sys
from functools import cache
from typing import Any


@cache
def mupdf() -> Any:
    """Return the module pymupdf; the first call imports it.

    A normal import also imports pymupdf.layout, which loads an ONNX model, and pymupdf4llm, which loads NumPy and
    onnxruntime: 1.55 s and 136 MB in each child process, against 0.12 s and 35 MB. Only pdf_table_model.py uses them:
    the model reads 4 pages a second.
    """
    # A None in sys.modules makes an import fail as if the module were not installed, which pymupdf handles.
    sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]
    sys.modules.setdefault("pymupdf4llm", None)  # type: ignore[arg-type]
    # Imported late: the window's process never reads a PDF itself, and should not wait for it.
    import pymupdf

    module: Any = pymupdf
    module.no_recommend_layout()
    # MuPDF prints messages to stdout, which is reserved for the program.
    module.TOOLS.mupdf_display_errors(False)
    module.TOOLS.mupdf_display_warnings(False)
    return module
