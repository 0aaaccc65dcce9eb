"""Escaping of text that a document or a model controls: for Markdown, HTML, spreadsheets and file names.

A quote or a file name may hold anything: tags, pipes, back-ticks, line ends, characters that turn the direction of
the text around. What stands here keeps it readable and inside its place.

A spreadsheet runs a cell that begins like a formula. Where a comma is the decimal mark it splits the rows of a file at
semicolons, inside of a cell, too; so what follows one is held to the same rule, and every cell is quoted.
"""

import csv
import html
import io
import re
import unicodedata
from collections.abc import Iterable

from workbench.language import tr
from workbench.model.visible import replace_invisible, visible

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&#^])")
_LINE_START = re.compile(r"^(\s*\d*)([-+=](?!\d)|(?<=\d)[.)](?=\s|$))")
_BLANK_RUN = re.compile(r"\s+")
_BACKTICKS = re.compile(r"`+")


def one_line(text: str) -> str:
    """Return the text on one line, runs of white space as one space."""
    return _BLANK_RUN.sub(" ", visible(text)).strip()


def shorten_line(text: str, limit: int) -> str:
    """Return the text on one line, cut after limit characters with the length that it had."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    return tr("{text} … ({n:,} characters)", text=line[:limit].rstrip(), n=len(line))


def markdown_text(text: str) -> str:
    """Return the text on one line, so that Markdown shows it as it is."""
    return _escaped_line(one_line(text))


def markdown_quote(text: str, *, indent: str = "") -> str:
    """Return the text as a Markdown block quote that shows it line by line as it is."""
    lines = visible(text).strip("\n").split("\n")
    return "\n".join(f"{indent}> {_escaped_line(line.strip())}".rstrip() for line in lines)


def code_span(text: str) -> str:
    """Return the text, on one line, as a Markdown code span."""
    line = one_line(text) or " "
    ticks = "`" * (_longest_backticks(line) + 1)
    return f"{ticks} {line} {ticks}" if "`" in line else f"{ticks}{line}{ticks}"


def code_block(text: str, *, language: str = "", indent: str = "") -> str:
    """Return the text as a fenced Markdown block whose fence is longer than any that stands in it."""
    shown = visible(text).strip("\n")
    fence = "`" * max(3, _longest_backticks(shown) + 1)
    return "\n".join(f"{indent}{line}".rstrip() for line in (fence + language, *shown.split("\n"), fence))


def html_text(text: str) -> str:
    """Return the text for HTML, in an element or in a quoted attribute."""
    return html.escape(visible(text), quote=True)


def html_line(text: str) -> str:
    """Return the text on one line for HTML."""
    return html.escape(one_line(text), quote=True)


def _escaped_line(line: str) -> str:
    return _LINE_START.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\1", line))


def _longest_backticks(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


_LONGEST = 120
"""Bytes before the suffix; file systems take 255, and a copy gets " (2)", a half-written file ".part"."""
_HARMFUL = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f\ufffd]+')
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)")
_UNTITLED = "session"


def safe_file_name(title: str, suffix: str) -> str:
    """Return the title as a file name with the suffix, which begins with a dot."""
    text = unicodedata.normalize("NFC", one_line(replace_invisible(title)))
    # Marks of direction show a name in another order than it has, so that its ending seems another.
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cf", "Cc", "Cs", "Co", "Cn"))
    text = " ".join(_HARMFUL.sub(" ", text).split())
    text = text.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore")
    text = text.strip(" .~-")
    if _RESERVED.match(text):
        text = f"_{text}"
    return (text or _UNTITLED) + suffix


def number_file_names(names: list[str]) -> list[str]:
    """Return the names with " (2)", " (3)" at those that would be one file on a system that ignores case."""
    taken: set[str] = set()
    result = []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        number, made = 1, name
        while made.casefold() in taken:
            number += 1
            made = f"{stem} ({number}){dot}{suffix}"
        taken.add(made.casefold())
        result.append(made)
    return result


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
