"""Imports for the start of a parser process, so that its first file does not wait for PyMuPDF and its parser."""

from workbench.parsing.mupdf import mupdf
from workbench.parsing.parser_registry import PARSERS

mupdf()
for _parser in PARSERS:
    assert _parser.format
