"""Parser of CSV and TSV: one table, divided into parts of limited size."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from workbench.errors import EmptyDocument
from workbench.language import mark
from workbench.model.document import BlockKind, Finding, FindingKind, Metadata, ParsedDocument
from workbench.model.source_lines import NO_LINES, LineKind, LineTable
from workbench.parsing.assembly import TextBuilder, add_table, clean, stem, table_row_places
from workbench.parsing.encoding import decode
from workbench.parsing.formats import suffixes_of
from workbench.parsing.long_file_lines import rows_of_part

_DELIMITERS = ",;\t|:"
_SAMPLE_LINES = 60
_SAMPLE = 200_000
_LONGEST_FIELD = 10_000_000
MOST_CELLS = 8_000_000
"""A longer table is divided before parsing (long_files.py); only an attachment can have more cells."""


class CsvParser:
    """Parser of tables in text; formulas in them are text."""

    format: ClassVar[str] = "csv"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("csv")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        # Set before detection as well: a line of 5 MB is a single field with any delimiter but the right one.
        csv.field_size_limit(_LONGEST_FIELD)
        decoded, _ = decode(path.read_bytes())
        text = clean(decoded)
        rows, complete = read_rows(text, delimiter_of(text))
        builder = TextBuilder()
        table = _after_titles(builder, [row.cells for row in rows])
        titles = len(builder.blocks)
        tables = add_table(builder, table)
        lines = _rows_in_file(builder, rows[len(rows) - len(table) - titles :], titles, path.name)
        if not builder.blocks:
            raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")
        findings = [Finding(FindingKind.TABLES, count=1)] if tables else []
        warnings = []
        if not complete:
            findings.append(Finding(FindingKind.TRUNCATED, detail=f"{MOST_CELLS:,} cells; add the file by itself"))
            warnings.append(mark(f"The table has more than {MOST_CELLS:,} cells; the rest was not read."))
        metadata = Metadata(title=stem(path))
        return ParsedDocument(
            builder.text,
            tuple(builder.blocks),
            (),
            metadata,
            self.format,
            tuple(warnings),
            findings=tuple(findings),
            lines=lines,
        )


class NumberedRow(NamedTuple):
    """Row of a table; number is 1-based and counts empty rows, too."""

    number: int
    cells: list[str]


def read_rows(text: str, delimiter: str) -> tuple[list[NumberedRow], bool]:
    """Return the rows that are not empty, and whether all rows were read."""
    rows: list[NumberedRow] = []
    cells = 0
    reader = csv.reader(
        io.StringIO(text),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if _quotes_close(text) else csv.QUOTE_NONE,
        skipinitialspace=delimiter != "\t",
    )
    for number, row in enumerate(reader, 1):
        if any(row):
            rows.append(NumberedRow(number, row))
            cells += len(row)
            if cells >= MOST_CELLS:
                return rows, False
    return rows, True


def _quotes_close(text: str) -> bool:
    """Return True if quotation marks come in pairs; an unclosed one would quote the rest of the file."""
    return text.count('"') % 2 == 0


def delimiter_of(text: str) -> str:
    """Return the character that divides the most lines into the same number of cells, at least two."""
    sample = text[:_SAMPLE]
    if sample.startswith("sep=") and len(sample) > 4:
        return sample[4]
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = [
            len(row) for row in islice(csv.reader(io.StringIO(sample), delimiter=delimiter), _SAMPLE_LINES) if row
        ]
        if not widths:
            continue
        width, count = max(Counter(widths).items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
        if width > 1 and (count / len(widths), width) > best_score:
            best, best_score = delimiter, (count / len(widths), width)
    return best


def _after_titles(builder: TextBuilder, rows: Sequence[list[str]]) -> Sequence[list[str]]:
    """Append leading lines with a single cell as paragraphs; return the other rows."""
    rows = rows[1:] if rows and rows[0][0].startswith("sep=") else rows
    usual = Counter(len(row) for row in rows).most_common(1)
    first = 0
    while usual and usual[0][0] > 1 and first < min(len(rows), 10) and sum(1 for cell in rows[first] if cell) == 1:
        builder.add(BlockKind.PARAGRAPH, next(cell for cell in rows[first] if cell))
        first += 1
    return rows[first:]


def _rows_in_file(builder: TextBuilder, rows: Sequence[NumberedRow], titles: int, name: str) -> LineTable:
    """Return the rows of the whole table for the text of a part; an empty table if the file is not a part.

    Rows are counted as in a spreadsheet, from the top of the file. Each part begins with a copy of the titles and
    column names of the table, which have row numbers in the first part only.

    Args:
        builder: Builder with the part's text.
        rows: Rows that are in the text, titles first.
        titles: Number of title rows above the column names.
        name: File name of the part.
    """
    first = rows_of_part(name)
    if first is None or len(rows) <= titles:
        return NO_LINES
    # markdown_table() leaves out blank rows, too.
    values = [row.number + first - 1 for row in rows[titles + 1 :] if any(map(str.strip, row.cells))]
    places = list(table_row_places(builder))
    if first == 1:
        above = zip(builder.blocks, (row.number for row in rows[: titles + 1]), strict=False)
        opening = [(block.start, number) for block, number in above]
    else:
        opening, places = [], [builder.blocks[titles].start, *places[1:]] if len(builder.blocks) > titles else []
    return LineTable.pack(LineKind.ROW, [*opening, *zip(places, values, strict=False)])
