"""A reading -> file."""

from pathlib import Path

from workbench.errors import ExportError
from workbench.export.exhaustive_report import reading_csv, reading_markdown
from workbench.operations.exhaustive_records import reading_of
from workbench.operations.library import Library
from workbench.operations.whole_file import write_whole
from workbench.worker.job import JobContext, Operation

_FORMATS = {"csv": reading_csv, "md": reading_markdown}


def export_reading(library: Library, reading: int, format: str, path: Path) -> Operation[Path]:
    """Write a reading with all its quotes as "csv" or "md" and return the file's path.

    Raises:
        NotFound: There is no such reading.
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(_context: JobContext) -> Path:
        if format not in _FORMATS:
            raise ExportError(f"Readings are not exported as “{format}”.", "Choose csv or md.")
        whole = await library.on_search(reading_of, library, library.readings, reading, None)
        await library.on_store(write_whole, path, _FORMATS[format](whole), library.unfinished)
        return path

    return operation
