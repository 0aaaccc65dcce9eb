"""Texts -> rows of a table that spreadsheets open: none of them is ever a formula, in whichever country it is opened.

A spreadsheet runs a cell that begins like a formula. Where a comma is the decimal mark it splits the rows of a file at
semicolons, inside of a cell, too; so what follows one is held to the same rule, and every cell is quoted.
"""

import csv
import io
import re
from collections.abc import Iterable

from workbench.export.escaping import one_line

# The wide ones are what a Chinese or Japanese keyboard writes; some spreadsheets read them alike.
_BEGINS_FORMULA = re.compile(r"^(?=[=+\-@\t\r＝＋－＠])|(?<=;)([\s\"']*)(?=[=+\-@＝＋－＠])")
MARK = "\ufeff"
"""Stands before the first row: by it spreadsheets know UTF-8."""


def cell(text: str) -> str:
    """Return a text as it stands in a table: on one line, and never a formula."""
    # The apostrophe is how spreadsheets themselves mark a text.
    return _BEGINS_FORMULA.sub(r"\1'", one_line(text))


def row(values: Iterable[str]) -> str:
    """Return a row with its line end; what a document may have written goes through cell first."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow(values)
    return text.getvalue()
