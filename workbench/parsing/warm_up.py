"""Imported by a parser process when it starts, so that its first file does not wait for PyMuPDF."""

from workbench.parsing.mupdf import mupdf

mupdf()
