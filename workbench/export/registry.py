"""Format name -> exporter."""

from workbench.errors import ExportError
from workbench.export.base import Exporter
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.session_json import JsonExporter

_EXPORTERS: dict[str, type[Exporter]] = {
    exporter.format: exporter for exporter in (MarkdownExporter, HtmlExporter, JsonExporter)
}


def formats() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(_EXPORTERS)


def exporter_for(format: str) -> Exporter:
    """Return the exporter of a format, given as its name in any case.

    Raises:
        ExportError: There is no such format.
    """
    exporter = _EXPORTERS.get(format.strip().lower().removeprefix("."))
    if exporter is None:
        raise ExportError(f"Sessions cannot be exported as “{format}”.", f"Choose one of: {', '.join(formats())}.")
    return exporter()
