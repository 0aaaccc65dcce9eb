"""Parser of Excel workbooks before 2007."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument, DocumentError, EmptyDocument
from workbench.model.document import Finding, Metadata, ParsedDocument
from workbench.parsing.assembly import TextBuilder
from workbench.parsing.formats import suffixes_of
from workbench.parsing.number_format import format_number, general
from workbench.parsing.office_encryption import OLE_MAGIC, decrypted, wrong_password
from workbench.parsing.ole import ole_metadata, ole_stream
from workbench.parsing.ooxml import metadata_of
from workbench.parsing.workbook import MOST_CELLS, Sheet, Workbook, workbook_document


class XlsParser:
    """Parser of .xls files; reads the saved values of formulas and never runs macros."""

    format: ClassVar[str] = "xls"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("xls")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        data = path.read_bytes()
        data = decrypted(data, password) if data.startswith(OLE_MAGIC) else data
        opened = _open(data, password)
        book = Workbook()
        for index, name in enumerate(opened.sheet_names()):
            if book.is_full:
                book.left_out(name)
                continue
            book.add(_read(opened, index, name, book))
            opened.unload_sheet(index)
        return workbook_document(book, _Container(data, opened.user_name or ""), path, self.format)


class _Container:
    """File that contains the sheets."""

    def __init__(self, data: bytes, author: str) -> None:
        self._data = data
        self._author = author

    def findings(self) -> list[Finding]:
        return []

    def warnings(self) -> list[str]:
        return []

    def without_text(self, message: str, hint: str) -> DocumentError:
        return EmptyDocument(message, hint)

    def metadata(self, builder: TextBuilder | None, path: Path) -> Metadata:
        return metadata_of({"creator": self._author.strip(), **ole_metadata(self._data)}, builder, path)


def _open(data: bytes, password: str | None) -> Any:
    import xlrd  # 60 ms, for a format that has become rare

    errors: tuple[type[Exception], ...] = (xlrd.XLRDError, xlrd.compdoc.CompDocError, AssertionError)
    data = _records(data)
    for with_formats in (True, False):
        try:
            return xlrd.open_workbook(
                file_contents=data,
                formatting_info=with_formats,
                ragged_rows=True,
                logfile=io.StringIO(),
                on_demand=True,
            )
        except errors as error:
            if "encrypted" in str(error):
                raise wrong_password(password) from error
            failure = error
        except Exception as error:  # noqa: BLE001 - xlrd trusts the file: a wrong number may raise any error
            failure = error
    raise _damaged() from failure


def _records(data: bytes) -> bytes:
    """Return the workbook's stream of records from the compound file.

    xlrd's own reader of compound files follows cyclic sectors until the memory is full.

    Raises:
        DamagedDocument: There is no such stream.
    """
    if not data.startswith(OLE_MAGIC):
        return data
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            name = next(name for name in ("Workbook", "Book") if file.exists(name))
            records = ole_stream(file, name, len(data))
    except Exception as error:  # see _open
        raise _damaged() from error
    if records is None:
        raise _damaged()
    return records


def _damaged() -> DamagedDocument:
    return DamagedDocument(
        "The workbook is damaged and cannot be read.", "Try to open it in its own program and save it again."
    )


def _read(opened: Any, index: int, name: str, book: Workbook) -> Sheet:
    """Return a sheet; a damaged one has no cells and is recorded in the book."""
    try:
        read = opened.sheet_by_index(index)
    except Exception:  # noqa: BLE001 - as in _open; the other sheets may be whole
        book.lost(name)
        return Sheet(name)
    sheet = Sheet(name, hidden=bool(read.visibility))
    for number in range(read.nrows):
        cells = {column: text for column, cell in enumerate(read.row(number)) if (text := _shown(opened, cell)).strip()}
        if cells:
            sheet.rows[number] = cells
            book.cells += len(cells)
        if book.cells >= MOST_CELLS:
            break
    sheet.merged = [(top, left, bottom - 1, right - 1) for top, bottom, left, right in read.merged_cells]
    for (row, column), note in sorted(getattr(read, "cell_note_map", {}).items()):
        text = " ".join((note.text or "").split())
        if text:
            sheet.notes.append(f"{_letters(column)}{row + 1}: {text}")
    return sheet


def _shown(opened: Any, cell: Any) -> str:
    """Return the displayed text of a cell."""
    import xlrd  # see _open

    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return _number(opened, cell)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
    return str(cell.value) if cell.ctype == xlrd.XL_CELL_TEXT else ""


def _number(opened: Any, cell: Any) -> str:
    formats: Sequence[Any] = opened.xf_list if cell.xf_index is not None else ()
    if not formats or cell.xf_index >= len(formats):
        code = "yyyy-mm-dd" if cell.ctype == 3 else "General"
    else:
        known = opened.format_map.get(formats[cell.xf_index].format_key)
        code = known.format_str if known is not None else "General"
    try:
        return format_number(float(cell.value), code, since_1904=bool(opened.datemode))
    except (ValueError, OverflowError):
        return general(float(cell.value))


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
