"""Metadata files: sidecar files next to documents, and metadata tables of folders.

report.pdf  report.pdf.meta.json  report.pdf.meta.yaml   {"dept": "hr", "due": "2025-06-01"}
metadata.csv in the folder                               one row per file: file,dept,due
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from workbench.errors import DocumentError, MetadataError
from workbench.language import mark
from workbench.model.custom_metadata import metadata_in_file, read_again, typed_value
from workbench.model.document import Document
from workbench.model.metadata import CustomFields, CustomSource
from workbench.operations.imports.source_files import opened, stamp
from workbench.operations.library.library import Library
from workbench.parsing.encoding import decode
from workbench.parsing.front_matter import yaml_values
from workbench.store.intake import FileStamp

SIDECARS = (".meta.json", ".meta.yaml", ".meta.yml")
TABLE = "metadata.csv"
FILE_COLUMNS = ("file", "filename", "file_name", "path", "文件", "文件名")
"""Accepted headings of the column with the file names."""

DESCRIBES = mark("It contains metadata of other files. To search it as a document, add it directly.")
"""Reason shown for a metadata file of a folder that is not imported."""

_LONGEST_SIDECAR = 256 * 1024
_LONGEST_TABLE = 32 * 2**20
"""Maximum size in bytes: 100,000 files with 300 bytes each."""

Rows = Mapping[str, Mapping[str, object]]


def is_sidecar(path: Path) -> bool:
    """Return whether a file that was found in a folder contains metadata of other files there; blocking."""
    if path.name != TABLE:
        return any(path.name.endswith(ending) and os.path.isfile(str(path)[: -len(ending)]) for ending in SIDECARS)
    try:
        return any(os.path.isfile(path.parent / name) for name in table_rows(path))
    except (DocumentError, MetadataError, ValueError):
        return False


def sidecar_metadata(
    library: Library, knowledge_base: str, path: Path, root: Path | None = None
) -> tuple[CustomFields, list[str]]:
    """Return the metadata of a file from metadata files, and sentences about metadata that cannot be read. Blocking.

    A sidecar file takes precedence over the table of the folder, and the table over the metadata of the linked folder.

    Args:
        library: The open library.
        knowledge_base: Knowledge base of the document.
        path: Its file.
        root: The folder below which no link is followed; None if links are followed.
    """
    messages: list[str] = []
    given = dict(library.linked.metadata(knowledge_base, str(path)))
    for read in (_from_table, _from_sidecars):
        try:
            given |= read(path, root)
        except (DocumentError, MetadataError) as error:
            messages.append(mark(f"Metadata left out: {error.message}"))
    fields, left_out = metadata_in_file(given, CustomSource.SIDECAR)
    return fields, [*messages, *left_out]


def renew_metadata(library: Library, documents: Iterable[tuple[Document, Path | None]]) -> list[Document]:
    """Update the metadata of unchanged files from metadata files that were added, changed or deleted. Blocking.

    Args:
        library: The open library.
        documents: Each with the folder below which no link is followed.

    Returns:
        The documents whose metadata changed.
    """
    renewed: dict[int, CustomFields] = {}
    for document, root in documents:
        held = document.stored_custom
        # A file without metadata files takes 27 µs with this check and 61 µs without it: a folder of 33,000 files is
        # added again in a second.
        if not held and not _is_anything_beside(library, document):
            continue
        own = tuple(field for field in held if field.source is not CustomSource.SIDECAR)
        sidecar, _ = sidecar_metadata(library, document.knowledge_base, Path(document.path), root)
        after = read_again(held, (*own, *sidecar))
        if after != held:
            renewed[document.id] = after
    return library.custom_metadata.put_back(renewed) if renewed else []


def _is_anything_beside(library: Library, document: Document) -> bool:
    folder, _, _ = document.path.rpartition(os.sep)
    names = (f"{folder}{os.sep}{TABLE}", *(f"{document.path}{ending}" for ending in SIDECARS))
    is_given = library.linked.metadata(document.knowledge_base, document.path)
    return bool(is_given) or any(os.path.exists(name) for name in names)


def table_rows(path: Path, root: Path | None = None) -> Rows:
    """Return the rows of a metadata table by the file's name or path; a row contains values by key.

    Raises:
        DocumentError: The file cannot be read.
        MetadataError: The file is not a metadata table.
    """
    return _table(path, root, stamp(path, root))


def _from_sidecars(path: Path, root: Path | None) -> Mapping[str, object]:
    name = os.fspath(path)
    for ending in SIDECARS:
        if os.path.isfile(name + ending):
            sidecar = Path(name + ending)
            return _mapping(sidecar, _text(sidecar, root, _LONGEST_SIDECAR))
    return {}


def _mapping(sidecar: Path, text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text) if sidecar.suffix == ".json" else yaml_values(text)
    except (ValueError, RecursionError) as error:
        raise MetadataError(f"“{sidecar.name}” cannot be understood.", "Write JSON, or YAML.") from error
    if not isinstance(found, dict):
        raise MetadataError(f"“{sidecar.name}” holds no keys with values.", 'Write for example {"dept": "hr"}.')
    return {str(key): value for key, value in found.items()}


def _from_table(path: Path, root: Path | None) -> Mapping[str, object]:
    folder, name = os.path.split(path)
    table = os.path.join(folder, TABLE)
    if name == TABLE or not os.path.isfile(table):
        return {}
    return table_rows(Path(table), root).get(path.name, {})


@lru_cache(maxsize=8)
def _table(path: Path, root: Path | None, _stamp: FileStamp) -> Rows:
    text = _text(path, root, _LONGEST_TABLE)
    head = text.split("\n", 1)[0]
    separator = max(",;\t", key=head.count)
    try:
        return dict(_rows(path, csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error as error:
        raise MetadataError(f"“{path.name}” is not a table of values.", "Save it as CSV.") from error


def _rows(path: Path, rows: Iterator[list[str]]) -> Iterator[tuple[str, Mapping[str, object]]]:
    heads = [head.strip().lstrip("\ufeff") for head in next(rows, [])]
    column = next((place for place, head in enumerate(heads) if head.casefold() in FILE_COLUMNS), None)
    if column is None:
        raise MetadataError(
            f"“{path.name}” has no column with the names of files.",
            "Name one column “file”, and the others by the keys of the metadata.",
        )
    for row in rows:
        if column < len(row) and (name := row[column].strip()):
            pairs = list(zip(heads, row, strict=False))
            del pairs[column]
            yield name, {head: typed_value(value) for head, value in pairs if head and value.strip()}


def _text(path: Path, root: Path | None, most: int) -> str:
    try:
        with opened(path, root) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise MetadataError(f"“{path.name}” cannot be read.", "Check that you may open it.") from error
    if len(data) > most:
        raise MetadataError(f"“{path.name}” is too long.", f"At most {most // 1024:,} KB are allowed.")
    return decode(data)[0]
