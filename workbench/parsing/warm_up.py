"""Imported by a parser process when it starts, so that its first file waits neither for PyMuPDF nor for its parser."""

from workbench.parsing.mupdf import mupdf
from workbench.parsing.registry import PARSERS

mupdf()
for _parser in PARSERS:
    assert _parser.format
