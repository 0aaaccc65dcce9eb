"""PyMuPDF, silenced, and without the layout model that it would load by itself (pdf_table_model.py)."""

import sys
from functools import cache
from typing import Any


@cache
def mupdf() -> Any:
    """Return the module pymupdf; the first call imports it.

    Importing it the plain way also imports pymupdf.layout, which loads an ONNX model, and pymupdf4llm, which loads
    NumPy and onnxruntime: 1.55 s and 136 MB in each child process, against 0.12 s and 35 MB. Nothing but
    pdf_table_model.py uses them: the model reads 4 pages a second.
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
