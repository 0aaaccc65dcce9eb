"""Format name -> exporter."""

from workbench.errors import ExportError
from workbench.export.base import Exporter
from workbench.export.bundle import BundleExporter
from workbench.export.docx import DocxExporter
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.pdf import PdfExporter
from workbench.export.session_json import JsonExporter
from workbench.plugins.registry import Registry

EXPORTERS: Registry[Exporter] = Registry("workbench.exporters")
"""Every exporter; other packages add theirs by the entry point group of that name."""

for _exporter in (MarkdownExporter, HtmlExporter, PdfExporter, DocxExporter, JsonExporter, BundleExporter):
    EXPORTERS.register(_exporter.format, _exporter)


def formats() -> tuple[str, ...]:
    """Return the names of all formats."""
    return EXPORTERS.names()


def exporter_for(format: str) -> Exporter:
    """Return the exporter of a format, given as its name in any case.

    Raises:
        ExportError: There is no such format.
    """
    name = format.strip().lower().removeprefix(".")
    if name not in formats():
        raise ExportError(f"Sessions cannot be exported as “{format}”.", f"Choose one of: {', '.join(formats())}.")
    return EXPORTERS.get(name)
