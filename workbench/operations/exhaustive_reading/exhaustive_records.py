"""Stored exhaustive readings: list, open, rename, remove, restore, export to a file."""

from collections import defaultdict
from pathlib import Path

from workbench.agent.exhaustive.conclusion import MOST_QUOTES, document_reading
from workbench.errors import ExportError, NotFound, RetrievalError, SettingError
from workbench.export.exhaustive_report import reading_csv, reading_markdown
from workbench.language import mark
from workbench.model.exhaustive import DocumentReading, PassageReading, Reading, ReadingInfo, ReadingStatus
from workbench.model.filter import ChunkFilter
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import write_atomically
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.store.readings import ReadingChanges, ReadingStore
from workbench.worker.job import JobContext, Operation

_NAMED = 3
_MORE = mark("{0:d} more")


def list_readings(library: Library) -> Operation[list[ReadingInfo]]:
    """Return the readings of the library's user, newest first."""

    async def operation(_context: JobContext) -> list[ReadingInfo]:
        return await library.on_store(library.readings.list)

    return operation


def open_reading(library: Library, reading: int) -> Operation[Reading]:
    """Return a reading with its table; its notes name the documents that have changed since.

    Raises:
        NotFound: No reading has that number.
    """

    async def operation(_context: JobContext) -> Reading:
        return await library.on_search(reading_of, library, library.readings, reading)

    return operation


def rename_reading(library: Library, reading: int, name: str) -> Operation[None]:
    """Change the name of a reading.

    Raises:
        SettingError: The name is empty.
    """

    async def operation(_context: JobContext) -> None:
        if not name.strip():
            raise SettingError("A reading needs a name.", "Type one.")
        await library.on_store(library.readings.rename, reading, name.strip())

    return operation


def remove_reading(library: Library, reading: int) -> Operation[None]:
    """Remove a reading; restore_reading brings it back until the library is closed.

    Raises:
        NotFound: No reading has that number.
        RetrievalError: The reading is running.
    """

    async def operation(_context: JobContext) -> None:
        info = await library.on_store(library.readings.get, reading)
        if info.status is ReadingStatus.RUNNING:
            raise RetrievalError("This reading is running.", "Stop it first.")
        await library.on_store(library.readings.mark_removed, reading)

    return operation


def restore_reading(library: Library, reading: int) -> Operation[None]:
    """Undo remove_reading."""

    async def operation(_context: JobContext) -> None:
        def work() -> None:
            library.readings.mark_removed(reading, removed=False)

        await library.on_store(work)

    return operation


def reading_of(library: Library, readings: ReadingStore, reading: int, most: int | None = MOST_QUOTES) -> Reading:
    """Return one of a user's readings with its table; blocking.

    Args:
        library: The open library.
        readings: The readings of the user.
        reading: The number of the reading.
        most: Maximum number of quotes per document; None for all.

    Raises:
        NotFound: The user has no reading with that number.
    """
    info = readings.get(reading)
    conclusion, citations, notes = readings.ending(reading)
    since = _since(library, info) if info.status is not ReadingStatus.RUNNING else ()
    table = table_of(library, reading, most)
    return Reading(info, table, conclusion, citations, (*notes, *since), outdated=bool(since))


def table_of(library: Library, reading: int, most: int | None = MOST_QUOTES) -> tuple[DocumentReading, ...]:
    """Return the table of a reading, sorted by document; blocking."""
    read: dict[int, list[PassageReading]] = defaultdict(list)
    for one in library.reading_passages.read(reading).values():
        read[one.document].append(one)
    return tuple(
        document_reading(document, name, passages, read[document], most=most)
        for document, name, passages in library.reading_passages.documents(reading)
    )


def filter_of(info: ReadingInfo) -> ChunkFilter:
    """Return the filter of the passages of a reading, its knowledge base included."""
    return ChunkFilter(info.knowledge_base, filter_of_text(info.filter).where)


def change_notes(changes: ReadingChanges, *, is_noticed: bool) -> tuple[str, ...]:
    """Return sentences about the changes since a reading was started.

    Args:
        changes: The changes.
        is_noticed: Whether the reading is being continued; if not, the sentences say what “Continue” would do.
    """
    added, changed, gone = _named(changes.added), _named(changes.changed), _named(changes.gone)
    sentences = (
        (
            added,
            mark(f"{added}: new since this was begun; read in addition."),
            mark(f"{added}: new since this was begun; “Continue” reads them."),
        ),
        (
            changed,
            mark(f"{changed}: changed since they were read; read again where they changed."),
            mark(f"{changed}: changed since they were read; “Continue” reads what changed."),
        ),
        (
            gone,
            mark(f"{gone}: no longer there or no longer match; taken out of the table."),
            mark(f"{gone}: no longer there or no longer match; “Continue” takes them out."),
        ),
    )
    return tuple(noticed if is_noticed else seen for named, noticed, seen in sentences if named)


def _since(library: Library, info: ReadingInfo) -> tuple[str, ...]:
    try:
        matching = library.reading_passages.matching(filter_of(info))
    except NotFound:
        return (mark("The knowledge base that this was read in is gone."),)
    return change_notes(library.reading_passages.changes(info.id, matching), is_noticed=False)


def _named(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f" and {_MORE}".replace("{0:d}", f"{len(names) - _NAMED:,}") if len(names) > _NAMED else ""
    listed = ", ".join(f"“{name}”" for name in names[:_NAMED]) + more
    return mark(f"1 document ({listed})") if len(names) == 1 else mark(f"{len(names):,} documents ({listed})")


_FORMATS = {"csv": reading_csv, "md": reading_markdown}


def export_reading(library: Library, reading: int, format: str, path: Path) -> Operation[Path]:
    """Write a reading with all its quotes as "csv" or "md" and return the file's path.

    Raises:
        NotFound: No reading has that number.
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(_context: JobContext) -> Path:
        if format not in _FORMATS:
            raise ExportError(f"Readings are not exported as “{format}”.", "Choose csv or md.")
        whole = await library.on_search(reading_of, library, library.readings, reading, None)
        await library.on_store(write_atomically, path, _FORMATS[format](whole), library.unfinished)
        return path

    return operation
